// Memory shared between arguments: the predicates against brute force, and the facts of a contract.
#include "stridelock/sharing.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "contracts/tests/judging.h"
#include "contracts/tests/small_layouts.h"

namespace stridelock {
namespace {

using namespace testing;

// Every byte that belongs to an element.
std::set<index_t> bytes_reached(const small_layout& l, index_t base, index_t element_bytes) {
  std::set<index_t> bytes;
  for (const index_t offset : offsets_in_order(l))
    for (index_t b = 0; b < element_bytes; ++b) bytes.insert(base + offset * element_bytes + b);
  return bytes;
}

memory_view memory_at(index_t position, const small_layout& l, index_t element_bytes) {
  return {gpu, 0, static_cast<std::uint64_t>(1000 + position), l, element_bytes * 8};
}

TEST(sharing, agrees_with_the_bytes_that_indexing_reaches) {
  std::mt19937_64 random(20260101);
  const auto pick = [&](index_t low, index_t high) {
    return low + static_cast<index_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  int shared = 0, apart_in_one_range = 0, same = 0;
  for (int round = 0; round < 60000; ++round) {
    small_layout l[2];
    index_t position[2], bytes[2];
    for (int k = 0; k < 2; ++k) {
      l[k].rank = static_cast<int>(pick(0, 3));
      position[k] = pick(-12, 12);
      bytes[k] = index_t{1} << pick(0, 2);
      for (int d = 0; d < l[k].rank; ++d) {
        l[k].extents[d] = pick(0, 3);
        l[k].strides[d] = pick(-4, 8);
      }
    }
    if (round % 3 == 0) l[1] = l[0], bytes[1] = bytes[0];  // often of one layout, as slices of one buffer are
    const std::set<index_t> a = bytes_reached(l[0], position[0], bytes[0]);
    const std::set<index_t> b = bytes_reached(l[1], position[1], bytes[1]);
    const bool meet = std::any_of(a.begin(), a.end(), [&](index_t x) { return b.count(x) > 0; });
    const memory_view x = memory_at(position[0], l[0], bytes[0]), y = memory_at(position[1], l[1], bytes[1]);
    ASSERT_EQ(shares_memory(x, y), to_tri(meet)) << l[0].text() << " and " << l[1].text();
    ASSERT_EQ(shares_memory(y, x), to_tri(meet)) << l[0].text() << " and " << l[1].text();
    const tri equal = is_same_memory(x, y);
    ASSERT_TRUE(equal == tri::unknown || (equal == tri::yes) == (a == b))
        << l[0].text() << " and " << l[1].text();
    ASSERT_TRUE(!is_same_view(x, y) || equal == tri::yes);
    shared += meet ? 1 : 0;
    same += equal == tri::yes ? 1 : 0;
    const bool ranges_cross =
        !a.empty() && !b.empty() && *a.begin() <= *b.rbegin() && *b.begin() <= *a.rbegin();
    apart_in_one_range += ranges_cross && !meet ? 1 : 0;
  }
  EXPECT_GT(shared, 1000);  // the sample contains all three
  EXPECT_GT(apart_in_one_range, 1000);
  EXPECT_GT(same, 100);
}

TEST(sharing, slices_of_one_buffer) {
  const tensor_desc qkv = tensor_desc::dense("qkv", types::float16, {4096, 384}, gpu, base);
  const tensor_desc q = qkv.columns(0, 128), k = qkv.columns(128, 256), wide = qkv.columns(64, 192);
  EXPECT_EQ(shares_memory(q, k), tri::no);  // their ranges cross, their elements do not
  EXPECT_EQ(shares_memory(q, wide), tri::yes);
  EXPECT_TRUE(is_same_view(q, q));
  EXPECT_FALSE(is_same_view(q, k));
  const tensor_desc even = qkv.slice(0, 0, 4096, 2), odd = qkv.slice(0, 1, 4096, 2);
  EXPECT_EQ(shares_memory(even, odd), tri::no);
  // The low end counts: the reversed vector reaches the three elements below its base.
  const tensor_desc reversed = tensor_desc::strided("r", types::int32, {4}, {-1}, gpu, memory + 12);
  const tensor_desc below = tensor_desc::dense("b", types::int32, {1}, gpu, memory);
  const tensor_desc above = tensor_desc::dense("a", types::int32, {1}, gpu, memory + 16);
  EXPECT_EQ(shares_memory(reversed, below), tri::yes);
  EXPECT_EQ(shares_memory(reversed, above), tri::no);
}

TEST(sharing, offset_and_shifted_pointer_are_the_same_memory) {
  const tensor_desc by_offset = tensor_desc::dense("x", types::int32, {8, 4}, gpu, memory).rows(2, 4);
  const tensor_desc by_pointer = tensor_desc::dense("x", types::int32, {2, 4}, gpu, memory + 32);
  EXPECT_TRUE(is_same_view(by_offset, by_pointer));
  // Raw bytes of it: the same memory, another view.
  const tensor_desc raw = tensor_desc::dense("x", types::uint8, {32}, gpu, memory + 32);
  EXPECT_FALSE(is_same_view(by_offset, raw));
  EXPECT_EQ(is_same_memory(by_offset, raw), tri::yes);
}

TEST(sharing, opaque_handles) {
  const device opaque{device_kind::vulkan, 0};
  const tensor_desc whole = tensor_desc::dense("x", types::int32, {8, 4}, opaque, memory + 3);
  const tensor_desc first = whole.rows(0, 4), second = whole.rows(4, 8);
  EXPECT_EQ(shares_memory(first, second), tri::no);
  EXPECT_EQ(shares_memory(first, whole), tri::yes);
  const tensor_desc other = tensor_desc::dense("y", types::int32, {8, 4}, opaque, memory + 4);
  EXPECT_EQ(shares_memory(whole, other), tri::unknown);
  const tensor_desc elsewhere =
      tensor_desc::dense("y", types::int32, {8, 4}, {device_kind::vulkan, 1}, memory + 3);
  EXPECT_EQ(shares_memory(whole, elsewhere), tri::no);
}

TEST(sharing, sub_byte_values_and_limits) {
  const tensor_desc packed = tensor_desc::dense("x", types::int4, {4, 8}, gpu, memory);
  EXPECT_EQ(shares_memory(packed, packed.rows(2, 3)), tri::yes);
  EXPECT_EQ(shares_memory(packed.rows(0, 2), packed.rows(2, 4)), tri::no);
  // Rows of five nibbles: the second one starts inside a byte, so only the ends are known.
  const tensor_desc odd = tensor_desc::dense("x", types::int4, {2, 5}, gpu, memory);
  EXPECT_EQ(shares_memory(odd, packed), tri::unknown);
  const tensor_desc away = tensor_desc::dense("x", types::int4, {2, 5}, gpu, memory + 64);
  EXPECT_EQ(shares_memory(odd, away), tri::no);

  const index_t most = std::numeric_limits<index_t>::max();
  const tensor_desc enormous = tensor_desc::strided("x", types::int8, {2}, {most - 1}, gpu, memory);
  EXPECT_EQ(shares_memory(enormous, packed), tri::unknown);
  const index_t three[] = {3}, lowest[] = {std::numeric_limits<index_t>::min()};
  const memory_view wrapped{gpu, 0, 0, {1, three, lowest}, 8};
  EXPECT_EQ(shares_memory(wrapped, memory_of(packed)), tri::unknown);
}

// ---- in a contract -------------------------------------------------------------------------------------------------

constexpr auto apart =
    make_contract("apart", arg("x"), arg("out").output().disjoint_from("x", checked_at("k.cu:3")));
constexpr auto in_place =
    make_contract("in_place", arg("x"), arg("out").same_view_or_disjoint("x", unchecked()));
constexpr auto residual = make_contract("residual", arg("x"), arg("out").same_memory_as("x"));

TEST(sharing, an_output_apart_from_its_input) {
  const tensor_desc buffer = tensor_desc::dense("buffer", types::float16, {8, 64}, gpu, base);
  EXPECT_TRUE(judge(apart, buffer.rows(0, 4), buffer.rows(4, 8)));
  EXPECT_TRUE(judge(apart, buffer.columns(0, 32), buffer.columns(32, 64)));
  const report r = judge(apart, buffer.rows(0, 4), buffer.rows(3, 7));
  ASSERT_EQ(kinds(r), list{violation_kind::shared_memory});
  EXPECT_EQ(r[0].argument, 1);
  EXPECT_EQ(r[0].other, 0);
  EXPECT_EQ(r[0].where, "k.cu:3");
  EXPECT_FALSE(judge(apart, buffer, buffer));
}

TEST(sharing, in_place_is_the_very_same_view_or_nothing) {
  const tensor_desc buffer = tensor_desc::dense("buffer", types::float16, {8, 64}, gpu, base);
  EXPECT_TRUE(judge(in_place, buffer, buffer));
  EXPECT_TRUE(judge(in_place, buffer.rows(0, 4), buffer.rows(4, 8)));
  const report r = judge(in_place, buffer.rows(0, 4), buffer.rows(1, 5));
  EXPECT_EQ(kinds(r), list{violation_kind::shared_memory});
  EXPECT_EQ(r.result(), verdict::silent);  // nobody looks
  EXPECT_FALSE(judge(in_place, buffer, buffer.rows(0, 4)));
  EXPECT_FALSE(
      judge(in_place, buffer.rows(0, 8).columns(0, 8), buffer.rows(0, 8).columns(0, 8).transpose(0, 1)));
}

TEST(sharing, one_memory_for_both) {
  const tensor_desc buffer = tensor_desc::dense("buffer", types::float16, {8, 64}, gpu, base);
  EXPECT_TRUE(judge(residual, buffer, buffer));
  EXPECT_EQ(kinds(judge(residual, buffer.rows(0, 4), buffer.rows(4, 8))), list{violation_kind::other_memory});
  EXPECT_EQ(kinds(judge(residual, buffer.rows(0, 4), buffer.rows(1, 5))), list{violation_kind::other_memory});
  // The same ends, gaps in both: whether the same bytes are meant is not known, and not passed.
  const tensor_desc gaps = tensor_desc::strided("g", types::int8, {2, 2}, {5, 2}, gpu, base);
  const tensor_desc other_gaps = tensor_desc::strided("g", types::int8, {2, 2}, {4, 3}, gpu, base);
  EXPECT_EQ(kinds(judge(residual, gaps, other_gaps)), list{violation_kind::other_memory_unknown});
}

TEST(sharing, absent_arguments_and_fake_tensors) {
  constexpr static auto maybe = make_contract("maybe", arg("x").optional(), arg("out").disjoint_from("x"));
  const tensor_desc buffer = tensor_desc::dense("buffer", types::float16, {8, 64}, gpu, base);
  const argument_value only_out[] = {argument_value(), argument_value(buffer.ref())};
  EXPECT_TRUE(evaluate(maybe.view(), only_out, 2));
  const tensor_desc fake = tensor_desc::dense("fake", types::float16, {8, 64}, gpu);
  const argument_value both[] = {argument_value(fake.ref()), argument_value(fake.ref())};
  evaluation_context context;
  context.without_data = true;
  const report r = evaluate(maybe.view(), both, 2, context);
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(r.unevaluated(), 1);  // said, not passed over
}

TEST(sharing, what_cannot_be_decided_is_not_passed) {
  const device opaque{device_kind::vulkan, 0};
  const tensor_desc one = tensor_desc::dense("one", types::int8, {4}, opaque, memory);
  const tensor_desc two = tensor_desc::dense("two", types::int8, {4}, opaque, memory + 1);
  EXPECT_EQ(kinds(judge(apart, one, two)), list{violation_kind::shared_memory_unknown});
}

}  // namespace
}  // namespace stridelock
