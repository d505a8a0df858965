// dtype.h: what one element is: code, bits and lanes as in DLPack, and what the bits mean.
//
// Promises:  comparing two types compares code, bits and lanes together, as one 32-bit word; sizes are counted in bits,
//            so a 4-bit type never has "0 bytes" and never switches a check off.
// Does not:  know how sub-byte values are ordered inside their byte. Extents and strides of sub-byte tensors count
//            elements, packed along the last dimension; an adapter whose library counts bytes converts.
//
//   constexpr dtype index = types::int32;
//   constexpr dtype scale = types::uint8.meaning(tag::scale_e8m0);    // same bits as uint8, another meaning
#pragma once

#include <cstdint>
#include <string_view>

#include "stridelock/integers.h"

namespace stridelock {
inline namespace v1 {

enum class type_code : std::uint8_t {  // numbers of DLPack
  signed_integer = 0,
  unsigned_integer = 1,
  floating = 2,
  opaque = 3,
  bfloat = 4,
  complex = 5,
  boolean = 6,
  float8_e3m4 = 7,
  float8_e4m3 = 8,
  float8_e4m3b11fnuz = 9,
  float8_e4m3fn = 10,
  float8_e4m3fnuz = 11,
  float8_e5m2 = 12,
  float8_e5m2fnuz = 13,
  float8_e8m0fnu = 14,
  float6_e2m3fn = 15,
  float6_e3m2fn = 16,
  float4_e2m1fn = 17,
};

// The same eight bits can be a number, two packed values or a scale. `none`: nothing is said, nothing is compared.
enum class tag : std::uint8_t {
  none,
  raw_bytes,
  packed_fp4_pair,
  packed_int4_pair,
  scale_e8m0,
  index,
  length
};

struct dtype {
  type_code code = type_code::opaque;
  std::uint8_t bits = 0;  // 0: no type at all
  std::uint8_t lanes = 1;
  tag means = tag::none;

  constexpr dtype meaning(tag what) const { return {code, bits, lanes, what}; }
  constexpr dtype vector(std::uint8_t count) const { return {code, bits, count, means}; }

  constexpr index_t element_bits() const { return index_t{bits} * lanes; }
  // Bytes of one element; sub-byte types round up to the byte that holds it.
  constexpr index_t storage_bytes() const { return (element_bits() + 7) / 8; }
  constexpr bool is_sub_byte() const { return element_bits() % 8 != 0; }
};

constexpr bool same_representation(dtype a, dtype b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

// Representation equal, and the meanings do not contradict each other; a tensor that carries no tag is accepted.
constexpr bool accepts(dtype wanted, dtype given) {
  return same_representation(wanted, given) &&
         (wanted.means == tag::none || given.means == tag::none || wanted.means == given.means);
}

// Bytes of `count` elements stored back to back.
constexpr checked bytes_of_elements(dtype type, checked count) {
  const checked bits = count * checked(type.element_bits());
  if (!bits.ok) return bits;
  return checked(bits.value / 8 + (bits.value % 8 != 0 ? 1 : 0));
}

namespace types {
inline constexpr dtype boolean{type_code::boolean, 8, 1, tag::none};
inline constexpr dtype int8{type_code::signed_integer, 8, 1, tag::none};
inline constexpr dtype int16{type_code::signed_integer, 16, 1, tag::none};
inline constexpr dtype int32{type_code::signed_integer, 32, 1, tag::none};
inline constexpr dtype int64{type_code::signed_integer, 64, 1, tag::none};
inline constexpr dtype int4{type_code::signed_integer, 4, 1, tag::none};
inline constexpr dtype uint8{type_code::unsigned_integer, 8, 1, tag::none};
inline constexpr dtype uint16{type_code::unsigned_integer, 16, 1, tag::none};
inline constexpr dtype uint32{type_code::unsigned_integer, 32, 1, tag::none};
inline constexpr dtype uint64{type_code::unsigned_integer, 64, 1, tag::none};
inline constexpr dtype float16{type_code::floating, 16, 1, tag::none};
inline constexpr dtype float32{type_code::floating, 32, 1, tag::none};
inline constexpr dtype float64{type_code::floating, 64, 1, tag::none};
inline constexpr dtype bfloat16{type_code::bfloat, 16, 1, tag::none};
inline constexpr dtype float8_e4m3fn{type_code::float8_e4m3fn, 8, 1, tag::none};
inline constexpr dtype float8_e5m2{type_code::float8_e5m2, 8, 1, tag::none};
inline constexpr dtype float8_e8m0fnu{type_code::float8_e8m0fnu, 8, 1, tag::none};
inline constexpr dtype float6_e2m3fn{type_code::float6_e2m3fn, 6, 1, tag::none};
inline constexpr dtype float6_e3m2fn{type_code::float6_e3m2fn, 6, 1, tag::none};
inline constexpr dtype float4_e2m1fn{type_code::float4_e2m1fn, 4, 1, tag::none};
}  // namespace types

namespace detail {
struct named_type {
  std::string_view name{};
  dtype type{};
};
inline constexpr named_type named_types[] = {
    {"bool", types::boolean},
    {"int4", types::int4},
    {"int8", types::int8},
    {"int16", types::int16},
    {"int32", types::int32},
    {"int64", types::int64},
    {"uint8", types::uint8},
    {"uint16", types::uint16},
    {"uint32", types::uint32},
    {"uint64", types::uint64},
    {"float16", types::float16},
    {"float32", types::float32},
    {"float64", types::float64},
    {"bfloat16", types::bfloat16},
    {"float8_e4m3fn", types::float8_e4m3fn},
    {"float8_e5m2", types::float8_e5m2},
    {"float8_e8m0fnu", types::float8_e8m0fnu},
    {"float6_e2m3fn", types::float6_e2m3fn},
    {"float6_e3m2fn", types::float6_e3m2fn},
    {"float4_e2m1fn", types::float4_e2m1fn},
};
}  // namespace detail

// The name of a scalar type, without lanes and meaning; empty if it has none.
constexpr std::string_view name_of(dtype type) {
  for (const detail::named_type& known : detail::named_types)
    if (known.type.code == type.code && known.type.bits == type.bits) return known.name;
  return {};
}

// The type of that name; bits == 0 if there is none. Short forms of engine code (f16, bf16, i32, half) are known too.
constexpr dtype type_named(std::string_view name) {
  for (const detail::named_type& known : detail::named_types)
    if (known.name == name) return known.type;
  constexpr detail::named_type short_names[] = {
      {"i8", types::int8},           {"i16", types::int16},        {"i32", types::int32},
      {"i64", types::int64},         {"u8", types::uint8},         {"u16", types::uint16},
      {"u32", types::uint32},        {"u64", types::uint64},       {"f16", types::float16},
      {"half", types::float16},      {"f32", types::float32},      {"float", types::float32},
      {"f64", types::float64},       {"double", types::float64},   {"bf16", types::bfloat16},
      {"fp8", types::float8_e4m3fn}, {"fp4", types::float4_e2m1fn}};
  for (const detail::named_type& known : short_names)
    if (known.name == name) return known.type;
  return {};
}

constexpr std::string_view to_string(tag what) {
  switch (what) {
    case tag::none:
      return "none";
    case tag::raw_bytes:
      return "raw_bytes";
    case tag::packed_fp4_pair:
      return "packed_fp4_pair";
    case tag::packed_int4_pair:
      return "packed_int4_pair";
    case tag::scale_e8m0:
      return "scale_e8m0";
    case tag::index:
      return "index";
    case tag::length:
      return "length";
  }
  return {};
}

}  // namespace v1
}  // namespace stridelock
