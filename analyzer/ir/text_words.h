// The words of the text form, shared by printer and parser so that they cannot drift apart.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "analyzer/ir/ir.h"

namespace stridelock::ir::words {

// One word per enumerator, in the order of the enumeration in ir.h.
inline constexpr std::array<std::string_view, 24> expr_op = {
    "add", "sub", "mul",         "div",         "rem",        "neg",  "shl",    "shr",
    "and", "or",  "xor",         "not",         "lt",         "le",   "gt",     "ge",
    "eq",  "ne",  "logical_not", "logical_and", "logical_or", "cast", "select", "aggregate"};
inline constexpr std::array<std::string_view, 2> expr_op_rest = {"list", "floating"};

inline constexpr std::array<std::string_view, 6> call_kind = {"call",      "call_virtual", "call_indirect",
                                                              "construct", "destroy",      "launch"};
inline constexpr std::array<std::string_view, 6> memory_space = {"unknown",  "device", "pinned",
                                                                 "pageable", "stack",  "managed"};
inline constexpr std::array<std::string_view, 16> view_op = {
    "narrow",     "slice", "select",  "split",     "unbind", "transpose", "permute", "expand",
    "as_strided", "view",  "squeeze", "unsqueeze", "index",  "columns",   "rows",    "opaque"};
inline constexpr std::array<std::string_view, 5> copy_op = {"contiguous", "to", "reshape", "clone", "copy"};
inline constexpr std::array<std::string_view, 12> query_op = {"size",   "stride", "stride_bytes", "numel",
                                                              "nbytes", "ndim",   "dtype",        "itemsize",
                                                              "offset", "device", "sizes",        "strides"};
inline constexpr std::array<std::string_view, 9> predicate = {
    "contiguous", "inner_contiguous", "row_pitched",  "suffix_dense", "permutation_dense",
    "present",    "is_capturing",     "same_strides", "aligned"};
inline constexpr std::array<std::string_view, 8> effect_op = {
    "allocates", "frees", "synchronises", "queries", "host_reads", "loads_module", "creates_handle", "grows"};
inline constexpr std::array<std::string_view, 6> capture_op = {"begin",  "end",       "suspend",
                                                               "resume", "mode_push", "mode_pop"};
inline constexpr std::array<std::string_view, 4> capture_mode = {"unknown", "global", "thread_local",
                                                                 "relaxed"};
inline constexpr std::array<std::string_view, 2> capture_owner = {"raw", "framework"};
inline constexpr std::array<std::string_view, 3> stop_kind = {"abort", "throw", "error_return"};
inline constexpr std::array<std::string_view, 4> passing = {"value", "reference", "const_reference",
                                                            "rvalue_reference"};
inline constexpr std::array<std::string_view, 3> unit_state = {"clean", "degraded", "failed"};

constexpr std::size_t expr_op_count = expr_op.size() + expr_op_rest.size();
constexpr std::string_view expr_word(std::size_t op) {
  return op < expr_op.size() ? expr_op[op] : expr_op_rest[op - expr_op.size()];
}

}  // namespace stridelock::ir::words

namespace stridelock::ir::detail {

// What a canonical type spelling says about itself. Fields that agree with it are not printed, so that a
// hand-written `param x "const at::Tensor &"` needs nothing more.
struct type_facts {
  std::string_view record;  // empty for fundamental types
  passing how = passing::value;
  bool is_pointer = false;
  bool to_const = false;
};
type_facts facts_of(std::string_view type);

// `at::Tensor` of `at::Tensor::narrow`; empty if there is no scope.
std::string_view scope_of(std::string_view qualified);

// Characters of a word that needs no quotes, apart from "::" which is allowed as a pair.
constexpr bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '.' || c == '/' || c == '@' || c == '#' || c == '~' || c == '+' || c == '-';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_identifier_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_identifier_char(char c) {
  return is_identifier_start(c) || is_digit(c);
}

bool is_identifier(std::string_view text);  // C identifier
bool is_path(std::string_view text);        // identifier (:: identifier)*

// Length of the longest unquoted word at the beginning of `text`; 0 if there is none.
std::size_t word_length(std::string_view text);

// Length of the valid UTF-8 sequence at the beginning of `text`; 0 if it is not valid.
std::size_t utf8_length(std::string_view text);

}  // namespace stridelock::ir::detail
