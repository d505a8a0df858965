// No notion but `canonical` and the descriptor's rule may look at a stride that addresses nothing; and what is said of small
// layouts is what enumeration finds.
#include <gtest/gtest.h>

#include "random_layouts.h"

namespace stridelock::testing {
namespace {

constexpr int layouts = 1'000'000;

struct verdicts {
  bool dense, inner, pitched, permutation, has_pitch, rows16, bits8;
  bool suffix[max_rank + 1], collapses[max_rank];
  tri injective;
  index_t pitch, low, high;

  explicit verdicts(const layout_ref& l)
      : dense(is_dense(l)),
        inner(is_inner_contiguous(l)),
        pitched(is_row_pitched(l)),
        permutation(is_permutation_dense(l)),
        has_pitch(row_pitch(l).has_pitch),
        rows16(is_rows_aligned(l, 4, 16)),
        bits8(fits_index_bits(l, 8)),
        injective(injectivity(l)),
        pitch(row_pitch(l).pitch),
        low(bytes_of(l, 4).low),
        high(bytes_of(l, 4).high) {
    for (int k = 0; k <= max_rank; ++k) suffix[k] = is_suffix_dense(l, k);
    for (int k = 0; k < max_rank; ++k) collapses[k] = is_collapsible(l, 0, k);
  }
  bool operator==(const verdicts&) const = default;
};

TEST(differential, scrambling_strides_that_nobody_uses_changes_no_verdict) {
  random_layouts random(1);
  int changed = 0, dense = 0, pitched = 0, canonical_changed = 0;
  for (int i = 0; i < layouts; ++i) {
    const small_layout l = random.next(5);
    const small_layout other = random.scrambled(l);
    const verdicts before(l), after(other);
    ASSERT_TRUE(before == after) << l.text() << " against " << other.text();
    for (int d = 0; d < l.rank; ++d)
      if (l.strides[d] != other.strides[d]) {
        ++changed;
        break;
      }
    dense += before.dense;
    pitched += before.pitched && !before.dense;
    canonical_changed += is_canonical(l) != is_canonical(other);
  }
  // The comparison means something: many layouts were changed, and there are many of each kind.
  EXPECT_GT(changed, layouts / 3);
  EXPECT_GT(dense, layouts / 5);
  EXPECT_GT(pitched, layouts / 50);
  EXPECT_GT(canonical_changed, layouts / 50);
}

TEST(differential, random_layouts_are_what_enumeration_finds) {
  random_layouts random(2);
  for (int i = 0; i < layouts / 20; ++i) {
    const small_layout l = random.next(3);
    EXPECT_EQ(is_dense(l), truly_dense(l)) << l.text();
    const tri injective = injectivity(l);
    if (injective != tri::unknown) {
      EXPECT_EQ(injective == tri::yes, truly_injective(l)) << l.text();
    }
  }
}

}  // namespace
}  // namespace stridelock::testing
