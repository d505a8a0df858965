#include "contracts/tests/scramble.h"

#include <gtest/gtest.h>

#include <random>

#include "contracts/tests/judging.h"
#include "contracts/tests/small_contracts.h"
#include "stridelock/descriptor.h"
#include "stridelock/sharing.h"

namespace stridelock {
namespace {

using namespace testing;

bool is_used(const layout_ref& l, int dim) {
  return l.extents[dim] != 1 && !is_empty(l);
}

TEST(scramble, no_notion_looks_at_an_unused_stride) {
  int changed_canonical = 0, changed_descriptor = 0;
  descriptor_rule fp16;
  fp16.element_bytes = 2;
  for (int rank = 1; rank <= 3; ++rank) {
    for_each_layout(rank, {0, 1, 2, 3}, {-2, 0, 1, 2, 3, 6, 8}, [&](const small_layout& l) {
      bool any_unused = false;
      for (int d = 0; d < rank; ++d) any_unused = any_unused || !is_used(l, d);
      if (!any_unused) return;
      const int seed = static_cast<int>((l.strides[0] + 2 * l.extents[0] + 16) % noise_count);
      const small_layout s = scrambled(l, seed);
      bool same = facts_of(l) == facts_of(s) && row_pitch(l).has_pitch == row_pitch(s).has_pitch &&
                  row_pitch(l).pitch == row_pitch(s).pitch && is_addressable(s) &&
                  offsets_of(l).low == offsets_of(s).low && offsets_of(l).high == offsets_of(s).high &&
                  fits_index_bits(l, 4) == fits_index_bits(s, 4) &&
                  is_rows_aligned(l, 2, 4) == is_rows_aligned(s, 2, 4);
      for (int k = 0; k <= rank; ++k) same = same && is_suffix_dense(l, k) == is_suffix_dense(s, k);
      for (int first = 0; first < rank; ++first)
        for (int last = first; last < rank; ++last)
          same = same && is_collapsible(l, first, last) == is_collapsible(s, first, last);
      if (!same) ADD_FAILURE() << l.text() << " against " << s.text();
      changed_canonical += is_canonical(l) != is_canonical(s) ? 1 : 0;
      changed_descriptor += check_descriptor(l, 0, fp16).kind != check_descriptor(s, 0, fp16).kind ? 1 : 0;
    });
  }
  EXPECT_GT(changed_canonical, 0);  // the two that are about the numbers themselves
  EXPECT_GT(changed_descriptor, 0);
}

// Everything a contract can say, but the two.
constexpr auto everything = make_contract("everything",
                                          arg("x")
                                              .shape(sym("T"), any, sym("W"))
                                              .or_shape(sym("T"), sym("W"))
                                              .strides(sym("P"), any)
                                              .layout(notion::row_pitched)
                                              .layout(notion::permutation_dense)
                                              .suffix_dense(1)
                                              .collapsible(0, 1)
                                              .aligned_rows(4)
                                              .index_bits(4)
                                              .output(),
                                          arg("y")
                                              .shape(sym("T"), sym("W"))
                                              .strides(sym("P"), 1)
                                              .layout(notion::dense)
                                              .layout(notion::inner_contiguous)
                                              .up_to_tile(2)
                                              .same_view_or_disjoint("x"))
                                .needs(sym("T") <= 2);

TEST(scramble, no_verdict_of_a_contract_changes) {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); };
  int scrambled_calls = 0;
  for (int round = 0; round < 20000; ++round) {
    tensor_desc t[2];
    for (tensor_desc& one : t) {
      const void* data = memory + 4 * pick(0, 8);
      one = pick(0, 2) == 0 ? tensor_desc::strided("x", types::float16, {pick(0, 3), pick(0, 2), pick(0, 3)},
                                                   {pick(-1, 6), pick(0, 4), pick(0, 2)}, gpu, data)
                            : tensor_desc::strided("x", types::float16, {pick(0, 3), pick(0, 4)},
                                                   {pick(-1, 6), pick(0, 2)}, gpu, data);
    }
    const tensor_desc s[2] = {scrambled(t[0], round % noise_count),
                              scrambled(t[1], (round / 3) % noise_count)};
    const report before = judge(everything, t[0], t[1]), after = judge(everything, s[0], s[1]);
    ASSERT_EQ(before.result(), after.result()) << text(before) << text(after);
    ASSERT_EQ(kinds(before), kinds(after)) << text(before) << text(after);
    scrambled_calls += text(t[0]) != text(s[0]) || text(t[1]) != text(s[1]) ? 1 : 0;
  }
  EXPECT_GT(scrambled_calls, 5000);
}

}  // namespace
}  // namespace stridelock
