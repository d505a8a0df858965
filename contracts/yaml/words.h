// The words of a contract file: expressions, types, facts and capabilities as text, both ways.
//
// Promises:  what `text_of` writes, `parse` reads back to the same meaning. `text_of` is empty for what has no text;
//            `parse` answers with the reason.
// Does not:  own: a parsed name is part of the text that was given.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stridelock/argument.h"
#include "stridelock/condition.h"

namespace stridelock::yaml {

// A letter or '_', then letters, digits, '_' and '.'.
bool is_name(std::string_view text);

// T   2*K + 1   round_up(W, 128)   $decode_max_tokens   512   any
std::optional<expression> parse_expression(std::string_view text, std::string& error);
std::string text_of(const expression& e);

// T <= $decode_max_tokens   W % 128 == 0
std::optional<condition> parse_comparison(std::string_view text, std::string& error);
std::string comparison_text(const condition& c);  // of kinds compare and divisible

// int32   uint8:scale_e8m0   float16x4   dlpack(7, 8)
std::optional<dtype> parse_type(std::string_view text);
std::string text_of(dtype type);

// dense   aligned 16   collapsible 0 1
std::optional<requirement> parse_requirement(std::string_view text, std::string& error);
std::string text_of(const requirement& r);

std::optional<capability> parse_capability(std::string_view text);
std::string text_of(capability c);

std::optional<device_kind> parse_device(std::string_view text);
std::optional<evidence> parse_evidence(std::string_view text);

// Enumerators by their C++ names.
template <class Enum>
struct named {
  std::string_view word;
  Enum value;
};
inline constexpr named<sharing> sharing_words[] = {{"disjoint_from", sharing::none},
                                                   {"same_view_or_disjoint", sharing::same_view_or_none},
                                                   {"same_memory_as", sharing::same_memory}};
inline constexpr named<reads> reader_words[] = {
    {"whole_row", reads::whole_row}, {"bounded", reads::bounded}, {"up_to_tile", reads::up_to_tile}};
inline constexpr named<stale_policy> stale_words[] = {{"refused", stale_policy::refused},
                                                      {"must_be_cleared", stale_policy::must_be_cleared},
                                                      {"any_valid_value", stale_policy::any_valid_value},
                                                      {"ignored", stale_policy::ignored}};
inline constexpr named<interleave> interleave_words[] = {
    {"none", interleave::none}, {"bytes_16", interleave::bytes_16}, {"bytes_32", interleave::bytes_32}};
inline constexpr named<swizzle> swizzle_words[] = {{"none", swizzle::none},
                                                   {"bytes_32", swizzle::bytes_32},
                                                   {"bytes_64", swizzle::bytes_64},
                                                   {"bytes_128", swizzle::bytes_128}};
inline constexpr named<packing> packing_words[] = {{"none", packing::none},
                                                   {"u4_align_8", packing::u4_align_8},
                                                   {"u4_align_16", packing::u4_align_16},
                                                   {"u6_align_16", packing::u6_align_16}};

}  // namespace stridelock::yaml
