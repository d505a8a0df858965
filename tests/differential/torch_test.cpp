// PyTorch: the two predicates it caches, and what its view operations make of a layout. docs/differences.md lists nothing for
// them but the limits of 64 bits.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include <vector>

#include "random_layouts.h"
#include "stridelock/tensor_desc.h"

namespace stridelock::testing {
namespace {

constexpr int layouts = 1'000'000;
constexpr strides_allowed by_torch{true, false};
std::vector<float> memory(1 << 16);

at::IntArrayRef list(const index_t* values, int count) {
  return {values, static_cast<std::size_t>(count)};
}

void set_layout(const at::Tensor& t, const small_layout& l) {
  t.unsafeGetTensorImpl()->set_sizes_and_strides(list(l.extents, l.rank), list(l.strides, l.rank));
}

TEST(differential_torch, predicates) {
  const at::Tensor t = at::from_blob(memory.data(), {1});
  random_layouts random(3);
  int contiguous = 0, permuted = 0;
  for (int i = 0; i < layouts; ++i) {
    const small_layout l = random.next(6, by_torch);
    set_layout(t, l);
    ASSERT_EQ(t.is_contiguous(), is_dense(l)) << l.text();
    ASSERT_EQ(t.is_non_overlapping_and_dense(), is_permutation_dense(l)) << l.text();
    contiguous += is_dense(l);
    permuted += is_permutation_dense(l) && !is_dense(l);
  }
  EXPECT_GT(contiguous, layouts / 5);
  EXPECT_LT(contiguous, layouts * 4 / 5);
  EXPECT_GT(permuted, layouts / 50);
}

// D1 of docs/differences.md.
TEST(differential_torch, D1_an_element_count_beyond_64_bits_has_no_notion_for_us) {
  small_layout l;
  l.rank = 2;
  l.extents[0] = l.extents[1] = l.strides[0] = index_t{1} << 32;
  l.strides[1] = 1;
  EXPECT_FALSE(is_dense(l));
  const at::Tensor t = at::from_blob(memory.data(), {1});
  bool accepted = false;
  try {
    set_layout(t, l);
    accepted = t.is_contiguous();
  } catch (const c10::Error&) {  // newer versions refuse the sizes
    accepted = true;
  }
  EXPECT_TRUE(accepted);
}

// ---- view operations ---------------------------------------------------------------------------------------------------

// What we say a layout keeps, it keeps.
void expect_kept(operation what, const layout_ref& before, const at::Tensor& result,
                 const std::string& text) {
  const layout_facts said = after(what, facts_of(before));
  const layout_ref l{static_cast<int>(result.dim()), result.sizes().data(), result.strides().data()};
  const layout_facts is = facts_of(l);
  const auto holds = [](tri claim, tri fact) { return claim != tri::yes || fact == tri::yes; };
  EXPECT_TRUE(holds(said.dense, is.dense)) << to_string(what) << " of " << text;
  EXPECT_TRUE(holds(said.inner_contiguous, is.inner_contiguous)) << to_string(what) << " of " << text;
  EXPECT_TRUE(holds(said.row_pitched, is.row_pitched)) << to_string(what) << " of " << text;
  EXPECT_TRUE(holds(said.permutation_dense, is.permutation_dense)) << to_string(what) << " of " << text;
  // Where both proofs fail, injectivity is unknown; then nothing contradicts the claim.
  EXPECT_TRUE(said.injective != tri::yes || is.injective != tri::no) << to_string(what) << " of " << text;
}

void expect_same(const tensor_desc& ours, const at::Tensor& result, const layout_ref& before,
                 const std::string& text) {
  ASSERT_TRUE(ours.valid()) << text;
  ASSERT_EQ(ours.rank(), result.dim()) << text;
  for (int d = 0; d < ours.rank(); ++d) {
    EXPECT_EQ(ours.extent(d), result.size(d)) << text;
    EXPECT_EQ(ours.stride(d), result.stride(d)) << text;
  }
  EXPECT_EQ(ours.byte_offset(), static_cast<std::uint64_t>(result.storage_offset()) * 4) << text;
  ASSERT_EQ(ours.from().kept_steps(), 1);
  expect_kept(ours.from().steps[0].what, before, result, text);
}

TEST(differential_torch, view_operations) {
  const at::Tensor whole = at::from_blob(memory.data(), {static_cast<std::int64_t>(memory.size())});
  random_layouts random(4);
  int compared = 0;
  for (int i = 0; i < 30'000; ++i) {
    const small_layout l = random.next(4, by_torch);
    const reach r = offsets_of(l);
    if (r.high >= static_cast<index_t>(memory.size()) / 2) continue;
    ++compared;
    const at::Tensor t = whole.as_strided(list(l.extents, l.rank), list(l.strides, l.rank));
    provenance named;
    named.root = "t";
    tensor_ref ref{memory.data(), types::float32, l.rank, {device_kind::cpu, 0}, l.extents, l.strides};
    ref.from = &named;
    const tensor_desc desc = tensor_desc::copy_of(ref);

    if (l.rank > 0) {
      const int a = static_cast<int>(random.below(l.rank)), b = static_cast<int>(random.below(l.rank));
      const index_t begin = random.below(l.extents[a] + 1),
                    end = begin + random.below(l.extents[a] - begin + 1);
      const index_t step = 1 + random.below(3);
      expect_same(desc.slice(a, begin, end, step), t.slice(a, begin, end, step), l, l.text());
      expect_same(desc.transpose(a, b), t.transpose(a, b), l, l.text());
      if (l.extents[a] > 0) {
        const index_t at = random.below(l.extents[a]);
        expect_same(desc.select(a, at), t.select(a, at), l, l.text());
      }
      const bool last = a == l.rank - 1;
      if (l.extents[a] == 1) {
        expect_kept(last ? operation::squeeze_last : operation::squeeze, l, t.squeeze(a), l.text());
        std::vector<std::int64_t> more(l.extents, l.extents + l.rank);
        more[static_cast<std::size_t>(a)] = 3;
        expect_kept(operation::expand, l, t.expand(more), l.text());
      }
      std::vector<std::int64_t> order;
      for (int d = 0; d < l.rank; ++d) order.push_back((d + a) % l.rank);
      if (a != 0) expect_kept(operation::permute, l, t.permute(order), l.text());
      expect_kept(operation::unsqueeze, l, t.unsqueeze(a), l.text());
      expect_kept(operation::unsqueeze_last, l, t.unsqueeze(-1), l.text());
    }
    expect_kept(operation::dense_copy, l, t.contiguous(), l.text());
    const at::Tensor like = at::empty_like(t);
    expect_kept(operation::like_copy, l, like, l.text());
    if (is_permutation_dense(l) && !is_empty(l)) {
      for (int d = 0; d < l.rank; ++d) {
        if (l.extents[d] > 1) {
          EXPECT_EQ(like.stride(d), l.strides[d]) << l.text();
        }
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, 20'000);
}

}  // namespace
}  // namespace stridelock::testing
