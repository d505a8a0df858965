// What a model file says, as data. One row describes one or more library functions; docs/models.md explains each kind
// of row to those who write them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/ir/ir.h"
#include "stridelock/text_error.h"

namespace stridelock::models {

// Something that cannot be read: one line, with the place and what was expected.
using model_error = text_error;

// Where the operand of a modelled instruction comes from.
struct operand_source {
  enum class kind : std::uint8_t {
    none,       // omitted
    argument,   // the call's argument `position`; counted as in ir::call, so 0 is the object of a method
    rest,       // all arguments from `position` on, as one list
    constant,   // `number`
    from_last,  // argument `position` counts dimensions from the innermost: k becomes -1 - k
    list,       // a list of `items`
  };
  kind what = kind::none;
  std::uint32_t position = 0;
  std::int64_t number = 0;
  std::vector<operand_source> items;
};

// ---- what a call becomes -----------------------------------------------------------------------------------------

struct view_action {
  ir::view_op op = ir::view_op::opaque;
  operand_source of;
  std::vector<operand_source> args;
  bool in_place = false;  // the object itself gets the new layout; the call returns the object
};
struct copy_action {
  ir::copy_op op = ir::copy_op::contiguous;
  operand_source of;
};
struct alloc_action {
  ir::memory_space space = ir::memory_space::unknown;
  operand_source like;
  operand_source shape;
  std::optional<std::uint32_t> out;  // the pointer is written through this argument
};
struct query_action {
  ir::query_op op = ir::query_op::size;
  operand_source of;
  operand_source dim;
};
struct test_action {
  ir::predicate what = ir::predicate::contiguous;
  std::vector<operand_source> of;
  bool negated = false;
  std::optional<std::uint32_t>
      out;  // the answer is written through this argument; the result is a return code
};
struct assert_action {  // the function returns only if the test holds
  ir::predicate what = ir::predicate::contiguous;
  std::vector<operand_source> of;
  bool negated = false;
};
struct pointer_action {
  operand_source of;
  bool includes_offset = true;
};
struct same_action {  // the object of `of`, or its value if the function returns by value
  operand_source of;
};
struct value_of_action {
  operand_source of;
};
struct element_action {  // an element of `of`, or its value if the function returns by value
  operand_source of;
  operand_source index;  // none: some element
};
struct store_action {
  operand_source to;
  operand_source what;
  std::optional<operand_source> index;  // an element of `to`; with `none`: some element
  bool is_element = false;
};
struct store_elements_action {  // arguments from `first` on go to [0], [1], … of `to`
  operand_source to;
  std::uint32_t first = 1;
};
struct list_action {  // the result is a list of the arguments from `first` on
  std::uint32_t first = 0;
};
struct capture_action {
  ir::capture_op op = ir::capture_op::begin;
  ir::capture_owner owner = ir::capture_owner::raw;
  operand_source object;
  std::optional<std::uint32_t> mode_argument;
  ir::capture_mode mode = ir::capture_mode::unknown;  // fixed, or if the argument says nothing
  std::map<std::string, ir::capture_mode> mode_of;    // enumerator of the argument
};
struct invoke_action {
  std::uint32_t callable = 0;
  bool deferred = false;
};
struct expr_action {  // a comparison or arithmetic of the arguments' values
  ir::expr_op op = ir::expr_op::eq;
  std::vector<operand_source> of;
};
struct ignore_action {};  // known, of no interest: the call stays and is not counted
struct no_action {};      // the call stays; effects, requirements or noreturn say the rest

using action =
    std::variant<no_action, ignore_action, view_action, copy_action, alloc_action, query_action, test_action,
                 assert_action, pointer_action, same_action, value_of_action, element_action, store_action,
                 store_elements_action, list_action, expr_action, capture_action, invoke_action>;

// ---- rows ----------------------------------------------------------------------------------------------------------

struct effect_row {
  ir::effect_op op = ir::effect_op::allocates;
  operand_source stream;
};
struct requirement_row {
  std::uint32_t param = 0;
  std::string text;  // as in STRIDELOCK_REQUIRES
};
// A row applies if each named argument has one of the listed forms. An argument that the call lacks has none.
struct condition {
  std::uint32_t argument = 0;
  std::vector<std::string> enumerators;
  std::vector<std::int64_t> values;
  std::vector<std::string> types;  // class behind reference and pointer, or the whole spelling
};

struct function_row {
  std::vector<std::string> calls;  // qualified names; a trailing '*' stands for anything
  std::uint32_t min_args = 0;
  std::uint32_t max_args = ~std::uint32_t{0};
  std::vector<condition> conditions;
  action what = no_action{};
  std::vector<effect_row> effects;
  std::vector<requirement_row> requirements;
  bool noreturn = false;
  std::string file;  // where the row stands
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class handle_kind : std::uint8_t {
  value,    // a copy is another tensor that shares the storage
  shared,   // copies are the same tensor: a changed layout shows in all of them
  pointer,  // handled by pointer
};
struct type_row {
  std::string type;
  std::vector<std::string> bases;
  handle_kind handle = handle_kind::value;
};

// Fields that are read directly.
struct field_row {
  std::string record;
  std::string field;
  std::variant<query_action, pointer_action, std::uint32_t> what;  // number: another name of element [n]
  bool from_last = false;  // an array of queries whose index counts dimensions from the innermost
};

struct model_file {
  std::string library;
  std::string provenance;
  std::vector<type_row> types;
  std::vector<field_row> fields;
  std::vector<function_row> functions;
};

}  // namespace stridelock::models
