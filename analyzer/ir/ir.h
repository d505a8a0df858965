// The layout IR: what the analyzer keeps of a translation unit.
//
// Two levels share these types and one text form (docs/layout-ir.md):
//   raw       written by extract; knows C++ but no library. A call is a call.
//   modelled  written by the first pass of link, which rewrites calls by the model files into `view`, `test`,
//             `maycopy`, `pointer`, `capture`, … Checks read only this level.
//
// Promises:  plain data, no Clang types, no pointers between nodes; reading the text form gives the same data back;
//            equal input gives equal bytes.
// Does not:  execute, and does not keep what no check needs. What could not be lowered is an `unknown`
//            instruction with its reason, never silence.
//
// Reading order: location, place, operand, the instructions, then function and unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/ir/name.h"

namespace stridelock::ir {

// Where something is spelled. `file` is relative to the project root where it lies inside it. In a macro this is the
// expansion location. line 0: no location.
struct location {
  name file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const location&) const = default;
};

// The result of an instruction; function-wide number, printed %7.
using value_id = std::uint32_t;
inline constexpr value_id no_value = ~value_id{0};

// ---- places: things with an address ---------------------------------------------------------------------------

enum class step_kind : std::uint8_t {
  field,        // .field of `record`
  element,      // [index], a constant index 0..7
  any_element,  // [*], any other index
  deref,        // *pointer; also what a smart pointer or a reference *value* points to
};
struct step {
  step_kind kind = step_kind::field;
  name record;  // field: qualified name of the record that declares it
  name field;
  std::uint32_t index = 0;  // element
  bool operator==(const step&) const = default;
};

enum class root_kind : std::uint8_t {
  local,   // number: index into function::locals
  param,   // number: index into function::params. For a parameter of reference type: the object referred to.
  global,  // symbol: variable or static member
  value,   // number: value_id whose value is a reference or pointer; the place is what it refers to
};
struct place {
  root_kind root = root_kind::local;
  std::uint32_t number = 0;
  name symbol;
  std::vector<step> path;
  bool operator==(const place&) const = default;
};

// ---- operands --------------------------------------------------------------------------------------------------

struct none {
  bool operator==(const none&) const = default;
};
struct value_ref {
  value_id id = no_value;
  bool operator==(const value_ref&) const = default;
};
struct integer {  // also bool (0, 1), enumerators (see `enumerator`), null pointer (0)
  std::int64_t number = 0;
  name enumerator;  // qualified name of the enumerator this was spelled as, if it was
  bool operator==(const integer&) const = default;
};
struct text {  // string literal
  name content;
  bool operator==(const text&) const = default;
};
struct function_ref {  // a function named as a value
  name symbol;
  bool operator==(const function_ref&) const = default;
};
struct address_of {  // an lvalue passed by reference, an implicit object argument, or &x
  place where;
  bool operator==(const address_of&) const = default;
};
using operand = std::variant<none, value_ref, integer, text, function_ref, address_of>;

// ---- raw instructions ------------------------------------------------------------------------------------------

// clang-format off: one line for each kind of operator
enum class expr_op : std::uint8_t {
  add, sub, mul, div, rem, neg, shl, shr, bit_and, bit_or, bit_xor, bit_not,
  lt, le, gt, ge, eq, ne,
  logical_not, logical_and, logical_or,  // operands may be defined in other blocks (short circuit)
  cast,       // integer conversion; bits and is_signed are those of the result
  select,     // cond, if-true, if-false; the arms are defined in other blocks
  aggregate,  // braced record; `fields` names the operands
  list,       // braced or initializer list, argument pack
  floating,   // any floating-point literal or arithmetic; operands kept
};
// clang-format on
struct expr {
  value_id result = no_value;
  expr_op op = expr_op::add;
  std::vector<operand> operands;
  std::uint8_t bits = 0;  // width of an integer result, 0 if it is none
  bool is_signed = false;
  name record;               // aggregate
  std::vector<name> fields;  // aggregate
  bool operator==(const expr&) const = default;
};
struct load {
  value_id result = no_value;
  place from;
  name type;
  bool operator==(const load&) const = default;
};
enum class store_kind : std::uint8_t { initialise, assign };
struct store {
  place to;
  operand what;
  store_kind kind = store_kind::assign;
  bool operator==(const store&) const = default;
};

enum class call_kind : std::uint8_t {
  direct,
  virtual_,  // callee is the statically named method
  indirect,  // through `target`: function pointer, std::function, callable object of unknown type
  construct,
  destroy,
  launch,  // kernel<<<…>>>(…); config holds grid, block, shared memory, stream
};
struct argument {
  operand what;
  name type;                  // canonical spelling
  bool to_const = false;      // pointee or referee is const
  std::uint32_t pointee = 0;  // bytes of the pointed-to type, 0 if none or unknown
  name spelling;              // source text, white space folded
  location where;
  bool operator==(const argument&) const = default;
};
// args[0] is the object for methods, constructors (the place being constructed) and destructors.
struct call {
  value_id result = no_value;
  call_kind kind = call_kind::direct;
  name symbol;     // linkage identity, see docs/layout-ir.md "Identity"
  name callee;     // qualified name without template arguments of the function: at::Tensor::narrow
  name record;     // for methods: qualified name of the object's static class, without template arguments
  operand target;  // indirect
  std::vector<argument> args;
  std::vector<operand> config;  // launch: exactly 4; none where omitted
  name type;                    // result type
  bool is_method = false;
  bool is_discarded = false;  // result thrown away, not cast to void
  bool operator==(const call&) const = default;
};

struct capture {
  name variable;  // name as written; "this" for the enclosing object
  bool by_reference = false;
  operand what;  // by reference: address_of; by value: the value. In the body: field `variable` of param 0.
  bool operator==(const capture&) const = default;
};
struct closure {
  value_id result = no_value;
  name symbol;  // of the call operator's body
  std::vector<capture> captures;
  bool operator==(const closure&) const = default;
};
struct pointer_cast {
  value_id result = no_value;
  operand what;
  std::uint32_t pointee = 0;  // bytes after the cast
  std::uint8_t lanes = 1;     // vector lanes after the cast (float4: 4)
  bool to_const = false;
  name type;
  bool operator==(const pointer_cast&) const = default;
};
struct index_use {  // p[e] on a raw pointer
  operand pointer;
  operand index;
  bool is_write = false;
  bool operator==(const index_use&) const = default;
};
struct scope_end {
  std::uint32_t local = 0;
  bool operator==(const scope_end&) const = default;
};
struct temporary_end {
  value_id what = no_value;
  bool operator==(const temporary_end&) const = default;
};
struct unused {  // result of `what` is thrown away, not cast to void
  value_id what = no_value;
  bool operator==(const unused&) const = default;
};
struct unknown {
  value_id result = no_value;
  name reason;
  bool operator==(const unknown&) const = default;
};

// ---- modelled instructions (replace call) ------------------------------------------------------------------------

enum class memory_space : std::uint8_t { unknown, device, pinned, pageable, stack, managed };
struct alloc {
  value_id result = no_value;
  memory_space space = memory_space::unknown;
  operand like;   // empty_like(v)
  operand shape;  // list or value, none if unknown
  name label;     // API that allocates
  bool operator==(const alloc&) const = default;
};

enum class view_op : std::uint8_t {
  narrow,      // args: dim, start, length
  slice,       // args: dim, start, end, step (none where defaulted)
  select,      // args: dim, index
  split,       // args: piece size or count, dim; result is a list of views
  unbind,      // args: dim; result is a list of views
  transpose,   // args: dim a, dim b
  permute,     // args: order as list
  expand,      // args: sizes
  as_strided,  // args: sizes, strides, offset
  view,        // args: sizes; throws where it cannot
  squeeze,
  unsqueeze,  // args: dim
  index,      // args: list of indices; slices and integers alias, tensors copy
  columns,    // args: begin, end of the last dimension
  rows,       // args: begin, end of dimension 0
  opaque,     // a view whose layout nobody knows
};
struct view {
  value_id result = no_value;
  view_op op = view_op::opaque;
  operand base;
  std::vector<operand> args;
  name label;  // API as called
  bool operator==(const view&) const = default;
};

enum class copy_op : std::uint8_t {
  contiguous,  // dense; a copy unless already dense
  to,          // alias unless dtype or device changes
  reshape,     // alias where possible, else a dense copy
  clone,       // always a copy; keeps a permuted layout
  copy,        // always a dense copy
};
struct maycopy {
  value_id result = no_value;
  copy_op op = copy_op::contiguous;
  operand base;
  name label;
  bool operator==(const maycopy&) const = default;
};

enum class query_op : std::uint8_t {
  size,
  stride,
  stride_bytes,
  numel,
  nbytes,
  ndim,
  dtype,
  itemsize,
  offset,
  device,
  sizes,
  strides,
};
struct query {
  value_id result = no_value;
  query_op op = query_op::size;
  operand base;
  operand dim;  // size, stride; may be negative: counted from the last
  bool operator==(const query&) const = default;
};

enum class predicate : std::uint8_t {
  contiguous,        // dense row-major, semantics of docs/semantics.md
  inner_contiguous,  // last stride 1
  row_pitched,       // dense rows, one pitch
  suffix_dense,      // args: k
  permutation_dense,
  present,       // optional holds a value, pointer or tensor is defined
  is_capturing,  // the stream is being captured
  same_strides,
  aligned,  // args: bytes
};
struct test {
  value_id result = no_value;
  predicate what = predicate::contiguous;
  std::vector<operand> operands;
  name label;
  bool operator==(const test&) const = default;
};

struct pointer {  // raw pointer taken from a tensor
  value_id result = no_value;
  operand base;
  bool includes_offset = true;
  bool operator==(const pointer&) const = default;
};
struct same {  // the result is the very object `of`: optional::value, std::move, smart pointer dereference
  value_id result = no_value;
  operand of;
  bool operator==(const same&) const = default;
};

struct invoke {  // a library function runs a callable it was given, 0..n times, now or later
  value_id result = no_value;
  operand callable;
  bool deferred = false;
  name label;
  bool operator==(const invoke&) const = default;
};

enum class effect_op : std::uint8_t {
  allocates,
  frees,
  synchronises,
  queries,
  host_reads,
  loads_module,
  creates_handle,
  grows,
};
struct effect {
  effect_op op = effect_op::allocates;
  operand stream;
  name label;  // API as called
  bool operator==(const effect&) const = default;
};

enum class capture_op : std::uint8_t { begin, end, suspend, resume, mode_push, mode_pop };
enum class capture_mode : std::uint8_t { unknown, global, thread_local_, relaxed };
// framework: allocations come from the graph's own pool.
enum class capture_owner : std::uint8_t { raw, framework };
struct capture_event {
  capture_op op = capture_op::begin;
  capture_mode mode = capture_mode::unknown;
  capture_owner owner = capture_owner::raw;
  operand object;  // stream or graph object
  name label;
  bool operator==(const capture_event&) const = default;
};

// A call keeps its requirement rows from models beside it; the requirement itself is in program::contracts.

using payload =
    std::variant<expr, load, store, call, closure, pointer_cast, index_use, scope_end, temporary_end, unused,
                 unknown,                                                                         // raw
                 alloc, view, maycopy, query, test, pointer, same, invoke, effect, capture_event  // modelled
                 >;

struct instruction {
  payload what;
  location where;
  name spelling;  // source text of the expression, white space folded, at most 160 characters
  bool operator==(const instruction&) const = default;
};

// ---- control flow ----------------------------------------------------------------------------------------------

using block_id = std::uint32_t;

enum class stop_kind : std::uint8_t { abort, throw_, error_return };
struct jump {
  block_id to = 0;
  bool operator==(const jump&) const = default;
};
struct branch {
  operand condition;  // none: not an expression we lower (range-for end, indirect goto)
  block_id if_true = 0;
  block_id if_false = 0;
  bool is_loop = false;  // condition of a loop
  bool operator==(const branch&) const = default;
};
struct switch_case {
  std::vector<integer> values;  // empty: default
  block_id to = 0;
  bool operator==(const switch_case&) const = default;
};
struct switch_branch {
  operand condition;
  std::vector<switch_case> cases;
  bool operator==(const switch_branch&) const = default;
};
struct ret {
  operand what;
  bool operator==(const ret&) const = default;
};
struct stop {
  stop_kind kind = stop_kind::abort;
  bool operator==(const stop&) const = default;
};
struct unreachable {
  bool operator==(const unreachable&) const = default;
};
using terminator = std::variant<jump, branch, switch_branch, ret, stop, unreachable>;

struct block {
  std::vector<instruction> body;
  terminator end = unreachable{};
  location where;           // of the terminator
  bool is_handler = false;  // catch block: entered from anywhere in its try body
  bool operator==(const block&) const = default;
};

// ---- functions and units ---------------------------------------------------------------------------------------

enum class passing : std::uint8_t { value, reference, const_reference, rvalue_reference };
struct parameter {
  name variable;
  name type;    // canonical spelling
  name record;  // qualified name of the class behind reference, pointer and cv, without template arguments
  passing how = passing::value;
  bool is_pointer = false;
  bool to_const = false;
  name contract;  // STRIDELOCK_REQUIRES text, or what a typed view promises; empty: none
  location where;
  bool operator==(const parameter&) const = default;
};
struct local {
  name variable;  // empty for a temporary
  name type;
  name record;
  location where;
  bool is_static = false;
  bool operator==(const local&) const = default;
};

struct function {
  name symbol;     // identity
  name qualified;  // engine::builder::build
  name signature;  // qualified name with parameter types: what messages and fingerprints print
  location where;
  std::vector<parameter> params;  // for methods, lambdas: params[0] is the object ("this")
  std::vector<local> locals;
  std::vector<block> blocks;    // empty: declaration only. blocks[0] is the entry.
  std::vector<name> overrides;  // symbols of the methods this one overrides, directly
  name record;                  // class of a method
  name return_type;
  bool is_method = false;
  bool is_virtual = false;
  bool is_constructor = false;
  bool is_destructor = false;
  bool is_lambda = false;
  bool is_kernel = false;  // __global__
  bool is_device = false;  // __device__ without __host__
  bool is_instantiation = false;
  bool is_noreturn = false;  // attribute; "never returns" by behaviour is solved for
  bool is_exported = false;  // external linkage
  std::uint32_t value_count = 0;
  bool operator==(const function&) const = default;
};

struct field {
  name variable;
  name type;
  name record;  // class behind the type, as in parameter
  bool operator==(const field&) const = default;
};
struct record {
  name qualified;
  std::vector<name> bases;
  std::vector<field> fields;
  bool is_final = false;
  bool operator==(const record&) const = default;
};

enum class suppression_extent : std::uint8_t {
  line,
  region,    // from NOLINTBEGIN to NOLINTEND
  unclosed,  // a NOLINTBEGIN without an end; applies to nothing
  unopened,  // a NOLINTEND without a begin; applies to nothing
};

struct suppression {  // a NOLINT comment that names one of our checks
  name file;
  std::uint32_t line = 0;          // line it applies to; of a region the first
  std::uint32_t comment_line = 0;  // line it stands on
  name check;                      // without the prefix
  name reason;                     // empty: missing
  suppression_extent extent = suppression_extent::line;
  std::uint32_t last_line = 0;  // of a region
  bool operator==(const suppression&) const = default;
};

struct diagnostic {
  location where;
  name message;
  bool operator==(const diagnostic&) const = default;
};

enum class unit_state : std::uint8_t { clean, degraded, failed };
struct unit {
  name main_file;
  name command_digest;
  unit_state state = unit_state::clean;
  bool asserts_disabled = false;  // NDEBUG
  bool per_thread_default_stream = false;
  std::vector<diagnostic> diagnostics;  // errors of the parse, the first few
  std::uint32_t error_count = 0;
  std::uint32_t templates_without_instance = 0;
  std::uint32_t hidden_by_cuda_arch = 0;  // functions or regions the host pass cannot see
  std::vector<name> dependencies;         // files read, as given to the compiler
  std::vector<name> constructed;          // records this unit constructs
  std::vector<record> records;
  std::vector<function> functions;  // sorted by symbol
  std::vector<suppression> suppressions;
  bool operator==(const unit&) const = default;
};

inline constexpr int schema_version = 1;

}  // namespace stridelock::ir
