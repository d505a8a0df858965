// ggml: its notions of contiguous. D3 to D7 of docs/differences.md are the differences, asserted exactly.
#include "stridelock/adapters/ggml.h"

#include <ggml.h>
#include <gtest/gtest.h>

#include "random_layouts.h"

namespace stridelock::testing {
namespace {

constexpr int layouts = 1'000'000;

// A layout of rank up to 4 as ggml has it, padded with extents of 1.
ggml_tensor tensor_of(random_layouts& random, const small_layout& l, ggml_type type) {
  ggml_tensor t{};
  t.type = type;
  const std::size_t unit = ggml_type_size(type);
  for (int i = 0; i < 4; ++i) {
    const int d = l.rank - 1 - i;
    t.ne[i] = d >= 0 ? l.extents[d] : 1;
    t.nb[i] = unit * static_cast<std::size_t>(d >= 0 ? l.strides[d] : random.below(50));
  }
  t.ne[0] *= ggml_blck_size(type);
  return t;
}

// D3: ggml walks an empty tensor like any other, with an extent of 0 as a factor. D4, D5: it steps from dimension to dimension by
// nb[m] * ne[m] of the last free dimension m, also where ne[m] is 1 and nb[m] therefore noise, and never asks whether rows overlap.
bool walk(const layout_ref& l, int free_dims) {
  const int inner = l.rank - 1;
  if (l.extents[inner] != 1 && l.strides[inner] != 1) return false;
  index_t expected = l.extents[inner];
  for (int i = 1; i < l.rank; ++i) {
    const int d = inner - i;
    if (i <= free_dims) {
      expected = l.extents[d] * l.strides[d];
    } else {
      if (l.extents[d] != 1 && l.strides[d] != expected) return false;
      expected *= l.extents[d];
    }
  }
  return true;
}

TEST(differential_ggml, notions) {
  random_layouts random(7);
  int empties = 0, noise = 0, overlaps = 0, spans = 0, blocks = 0, dense = 0;
  for (int i = 0; i < layouts; ++i) {
    const small_layout made = random.next(4, {true, false});
    const ggml_type type = random.one_in(4)   ? GGML_TYPE_Q4_0
                           : random.one_in(2) ? GGML_TYPE_F32
                                              : GGML_TYPE_F16;
    const ggml_tensor t = tensor_of(random, made, type);
    const ggml::description d = ggml::read(t);
    const tensor_ref r = d.ref();
    ASSERT_EQ(r.rank, 4);
    const layout_ref l = r.layout();
    const bool empty = is_empty(l);
    const auto text = [&] { return made.text() + " " + ggml_type_name(type); };
    dense += is_dense(l);

    // Dense.
    const bool contiguous = ggml_is_contiguous(&t);
    ASSERT_EQ(contiguous, walk(l, 0)) << text();
    ASSERT_EQ(is_dense(l), empty || contiguous) << text();  // D3, and no other
    empties += empty && !contiguous;

    // Inner-contiguous.
    ASSERT_EQ(is_inner_contiguous(l), empty || ggml_is_contiguous_rows(&t)) << text();

    // Row-pitched.
    const bool pitched = ggml_is_contiguous_1(&t);
    ASSERT_EQ(pitched, walk(l, 1)) << text();
    if (empty) {
      ASSERT_TRUE(is_row_pitched(l)) << text();  // D3
    } else if (pitched != is_row_pitched(l)) {
      const bool free_dim_is_one = l.extents[2] == 1;
      if (is_row_pitched(l)) {
        ASSERT_TRUE(free_dim_is_one) << text();  // D4: ggml looks at a stride that addresses nothing
        ++noise;
      } else {
        // D5: rows overlap, or the outer dimensions do not merge and noise hides it.
        ASSERT_TRUE(free_dim_is_one || row_pitch(l).pitch < l.extents[3]) << text();
        ++overlaps;
      }
    }

    // Allocated without gaps: D6 where elements share addresses and yet span as many as there are, D7 where blocks have gaps.
    const bool spans_its_size = ggml_is_contiguously_allocated(&t);
    const bool gaps_between_blocks = type == GGML_TYPE_Q4_0 && l.strides[3] != 1;
    if (empty) {
      ASSERT_TRUE(spans_its_size && is_permutation_dense(l)) << text();
    } else if (spans_its_size != is_permutation_dense(l)) {
      if (gaps_between_blocks) {
        ++blocks;
      } else {
        ASSERT_TRUE(spans_its_size && !truly_injective(l)) << text();
        ++spans;
      }
    }
  }
  // Each listed difference occurs: a list that nothing meets would be no list.
  EXPECT_GT(empties, 100);
  EXPECT_GT(noise, 100);
  EXPECT_GT(overlaps, 100);
  EXPECT_GT(spans, 10);
  EXPECT_GT(blocks, 10);
  EXPECT_GT(dense, layouts / 5);
}

}  // namespace
}  // namespace stridelock::testing
