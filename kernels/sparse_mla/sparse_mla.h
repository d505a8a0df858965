// sparse_mla.h: attention of a few heads over cache rows ("slots") that index lists name, in latent space.
//
// Row t of the index lists names the slots that token t attends to: indices(t, i) for i < lengths(t), and, where a second
// set is passed, extra_indices(t, i) for i < extra_lengths(t), in a cache of its own. One latent row of 512 values is both
// key and value:
//
//   out(t, h) = sum_i w_i * cache(slot_i),   w = softmax_i(scale * dot(q(t, h), cache(slot_i)))
//
// over both sets together. A negative entry is no entry; a token without entries gets zeros.
//
// The kernels differ in how they find a row of the index lists:
//
//   sparse_mla_paged          takes the row pitch                                   any number of tokens
//   sparse_mla_paged_dense    the same kernel, rows must be dense; it says so       any number of tokens
//   sparse_mla_decode         takes the row pitch; splits the width over blocks     up to 64 tokens
//   sparse_mla_decode_dense   the same kernel, steps rows by the width, never looks up to 64 tokens
//
// Promises:  bf16 in and out, fp32 accumulation on tensor cores. Lengths bound what is read, entries outside the cache are
//            skipped. Bad input is a contract violation and never a launch, but for what a contract calls `unchecked`.
//            out may be q itself, in place; otherwise no output shares memory with anything else.
// Does not:  look at contents: a length above the width counts as the width. Look at the scale: one that is infinite or no
//            number makes rows of NaN.
//
//   sparse_mla_paged(stream, {q, cache, indices.columns(0, 256), lengths, {}, {}, {}, out, scale});
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/common/bfloat16.h"
#include "kernels/common/queue.h"
#include "stridelock/contract.h"
#include "stridelock/view.h"

namespace stridelock::kernels {

inline constexpr int latent_width = 512;
inline constexpr int decode_max_tokens = 64;
inline constexpr int split_width = 64;  // index columns of one split of the decode kernels

namespace detail {

inline constexpr index_t head_counts[][1] = {{8}, {16}};

// Slots are named, and counted, by int32 numbers.
inline constexpr index_t most_slots = 2147483647;

// A kernel counts the columns of both lists together in an int.
inline constexpr int list_index_bits = 30;

// Other blocks read the inputs while one writes. q alone is loaded before its block writes, and by no other block.
constexpr argument input(const argument& a) {
  return a.disjoint_from("out").disjoint_from("partial").disjoint_from("partial_sums");
}

constexpr argument lists(const char* name, expression width, const char* lengths) {
  return input(arg(name))
      .type(types::int32)
      .shape(sym("T"), width)
      .layout(notion::row_pitched)
      .index_bits(list_index_bits)
      .aligned(alignof(std::int32_t))
      .bounded(lengths, "scratch");
}
constexpr argument dense_lists(const char* name, expression width, const char* lengths, basis why) {
  return input(arg(name))
      .type(types::int32)
      .shape(sym("T"), width)
      .layout(notion::dense, why)
      .index_bits(list_index_bits)
      .aligned(alignof(std::int32_t))
      .bounded(lengths, "scratch");
}
constexpr argument slots(const char* name, const char* count) {
  return input(arg(name))
      .type(types::bfloat16)
      .shape(sym(count), latent_width)
      .layout(notion::dense)
      .aligned(16);
}
constexpr argument numbers_of_tokens(const char* name) {
  return input(arg(name))
      .type(types::int32)
      .shape(sym("T"))
      .layout(notion::dense)
      .aligned(alignof(std::int32_t));
}
constexpr argument head_vectors(const char* name) {
  return arg(name)
      .type(types::bfloat16)
      .shape(sym("T"), sym("H"), latent_width)
      .layout(notion::dense)
      .index_bits(32)
      .aligned(16);
}

// Both index lists by pitch, or both dense.
template <class Lists>
constexpr auto sparse_mla_contract(const char* kernel, const Lists& lists_of, bool is_split) {
  const argument partial = arg("partial")
                               .type(types::float32)
                               .shape(sym("T"), sym("S"), sym("H"), latent_width)
                               .layout(notion::dense)
                               .aligned(16)
                               .output()
                               .disjoint_from("out");
  const argument partial_sums = arg("partial_sums")
                                    .type(types::float32)
                                    .shape(sym("T"), sym("S"), sym("H"), 2)
                                    .layout(notion::dense)
                                    .index_bits(32)
                                    .aligned(8)
                                    .output()
                                    .disjoint_from("out")
                                    .disjoint_from("partial");
  const auto c = make_contract(
      kernel,
      head_vectors("q").same_view_or_disjoint("out").disjoint_from("partial").disjoint_from("partial_sums"),
      slots("cache", "N"), lists_of("indices", sym("W"), "lengths"), numbers_of_tokens("lengths"),
      slots("extra_cache", "M").optional(), lists_of("extra_indices", sym("X"), "extra_lengths").optional(),
      numbers_of_tokens("extra_lengths").optional(), head_vectors("out").output(),
      is_split ? partial : partial.optional(), is_split ? partial_sums : partial_sums.optional());
  // Without the extra set M is not bound and its line says nothing.
  return c.needs(one_of({sym("H")}, head_counts)).needs(sym("N") <= most_slots).needs(sym("M") <= most_slots);
}

constexpr auto with_splits(const contract<10>& c) {
  // As with M above: without the extra set X is not bound.
  return c.needs(sym("T") <= decode_max_tokens)
      .needs(split_width * sym("S") >= sym("W"))
      .needs(split_width * sym("S") >= sym("X"));
}

constexpr argument dense_checked(const char* name, expression width, const char* lengths) {
  return dense_lists(name, width, lengths, checked_at("kernels/sparse_mla/sparse_mla.cpp"));
}
constexpr argument dense_unchecked(const char* name, expression width, const char* lengths) {
  return dense_lists(name, width, lengths, unchecked("kernels/sparse_mla/sparse_mla.cpp"));
}

}  // namespace detail

inline constexpr auto sparse_mla_paged_contract =
    detail::sparse_mla_contract("sparse_mla_paged", detail::lists, false);
inline constexpr auto sparse_mla_paged_dense_contract =
    detail::sparse_mla_contract("sparse_mla_paged_dense", detail::dense_checked, false);
inline constexpr auto sparse_mla_decode_contract =
    detail::with_splits(detail::sparse_mla_contract("sparse_mla_decode", detail::lists, true));
inline constexpr auto sparse_mla_decode_dense_contract = detail::with_splits(
    detail::sparse_mla_contract("sparse_mla_decode_dense", detail::dense_unchecked, true));

// The second set of slots; all three or none.
struct extra_slots {
  view<const bfloat16, 2> cache;
  view<const std::int32_t, 2, row_pitched> indices;
  view<const std::int32_t, 1> lengths;
};

// Where the splits of a decode kernel leave what the merge takes up: S splits, S * split_width at least the width.
struct split_scratch {
  view<float, 4> partial;       // (T, S, H, 512)
  view<float, 4> partial_sums;  // (T, S, H, 2): the largest score and the sum of weights
};

template <class IndexLayout>
struct sparse_mla_arguments {
  view<const bfloat16, 3> q;
  view<const bfloat16, 2> cache;
  view<const std::int32_t, 2, IndexLayout> indices;
  view<const std::int32_t, 1> lengths;
  std::optional<extra_slots> extra;
  view<bfloat16, 3> out;
  float scale = 1;
  std::optional<split_scratch> scratch;
};

void sparse_mla_paged(const queue& to, const sparse_mla_arguments<row_pitched>& a);
void sparse_mla_paged_dense(const queue& to, const sparse_mla_arguments<contiguous>& a);
void sparse_mla_decode(const queue& to, const sparse_mla_arguments<row_pitched>& a);

// Takes any rows and treats them as dense, as a kernel does that is handed a pointer and a width.
void sparse_mla_decode_dense(const queue& to, const sparse_mla_arguments<row_pitched>& a);

// Bytes of both scratch tensors.
constexpr index_t scratch_bytes(index_t tokens, index_t heads, index_t width) {
  const index_t splits = (width + split_width - 1) / split_width;
  return tokens * splits * heads * (latent_width + 2) * static_cast<index_t>(sizeof(float));
}

namespace host {
// Calculates in double.
void sparse_mla(const sparse_mla_arguments<row_pitched>& a);
}  // namespace host
namespace device {
template <class IndexLayout>
void sparse_mla_paged(void* stream, const sparse_mla_arguments<IndexLayout>& a);
template <class IndexLayout>
void sparse_mla_decode(void* stream, const sparse_mla_arguments<IndexLayout>& a);
}  // namespace device

}  // namespace stridelock::kernels
