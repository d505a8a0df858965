#include "kernels/sparse_mla/sparse_mla.h"

#include <gtest/gtest.h>

#include <optional>

#include "kernels/sparse_mla/problem_for_tests.h"
#include "kernels/testing/refusals.h"
#include "stridelock/check.h"

namespace stridelock::kernels {
namespace {

using testing::headlines;
using testing::host_problem;
using testing::refusal;
using testing::relative_error;

float at(const host_problem& p, index_t token, index_t head, index_t column) {
  return to_float(p.out[static_cast<std::size_t>((token * p.sizes.heads + head) * latent_width + column)]);
}
float slot_value(const host_problem& p, std::int32_t slot, index_t column) {
  return to_float(p.cache[static_cast<std::size_t>(slot * latent_width + column)]);
}

TEST(SparseMlaHost, OneEntryIsThatSlot) {
  host_problem p({.tokens = 2}, 1);
  p.indices[0] = 7;
  p.lengths = {1, 0};
  sparse_mla_paged(queue::host(), p.arguments());
  for (index_t column = 0; column < latent_width; ++column) {
    EXPECT_EQ(at(p, 0, 3, column), slot_value(p, 7, column));
    EXPECT_EQ(at(p, 1, 3, column), 0.0f);  // no entries: zeros
  }
}

TEST(SparseMlaHost, EqualScoresAverageBothSets) {
  host_problem p({.tokens = 1, .extra_width = 32}, 2);
  p.q.assign(p.q.size(), bfloat16{});  // every score is 0
  p.indices[0] = 3;
  p.indices[1] = -1;    // no entry
  p.indices[2] = 1000;  // outside the cache
  p.lengths = {3};
  p.extra_indices[0] = 4;
  p.extra_lengths = {1};
  sparse_mla_paged(queue::host(), p.arguments());
  const float extra = to_float(p.extra_cache[4 * latent_width + 9]);
  EXPECT_EQ(at(p, 0, 0, 9), to_float(to_bfloat16((slot_value(p, 3, 9) + extra) / 2)));
}

TEST(SparseMla, BothPitchedFormsAgreeAndTheDenseDecodeFormDoesNot) {
  host_problem p({.tokens = 2, .width = 256, .capacity = 1024}, 3);
  p.lengths = {256, 256};
  sparse_mla_paged(queue::host(), p.arguments());
  const auto right = p.out;
  sparse_mla_decode(queue::host(), p.arguments());
  EXPECT_EQ(relative_error(p.out, right), 0.0);

  // Row 0 is right; row 1 is read from columns 256 to 511 of buffer row 0.
  sparse_mla_decode_dense(queue::host(), p.arguments());
  const std::size_t row = p.out.size() / 2;
  EXPECT_TRUE(std::equal(p.out.begin(), p.out.begin() + row, right.begin(),
                         [](bfloat16 a, bfloat16 b) { return a.bits == b.bits; }));
  EXPECT_GT(relative_error({p.out.begin() + row, p.out.end()}, {right.begin() + row, right.end()}), 0.1);
}

TEST(SparseMla, TheContractOfTheDenseDecodeFormSaysThatNobodyLooks) {
  host_problem p({.tokens = 2, .width = 256, .capacity = 1024}, 4);
  const auto a = p.arguments();
  const report r =
      check<sparse_mla_decode_dense_contract>(a.q, a.cache, a.indices, a.lengths, absent, absent, absent,
                                              a.out, a.scratch->partial, a.scratch->partial_sums);
  EXPECT_EQ(r.result(), verdict::silent);
  EXPECT_EQ(headlines(text(r)),
            "sparse_mla_decode_dense: argument 'indices' breaks its contract: row pitch is 1024, needs 256 "
            "(dense rows)");
}

TEST(SparseMla, RefusesBadInput) {
  host_problem p({.tokens = 2, .extra_width = 64}, 5);
  const auto good = p.arguments();
  const auto decode = [](const sparse_mla_arguments<row_pitched>& a) {
    return headlines(refusal([&](const queue& to) { sparse_mla_decode(to, a); }));
  };
  EXPECT_EQ(decode(good), "launched");

  host_problem sixteen({.tokens = 2, .heads = 16, .extra_width = 64}, 5);
  auto a = sixteen.arguments();
  a.q.numbers.extents[1] = 12;
  a.out.numbers.extents[1] = 12;
  EXPECT_EQ(decode(a),
            "sparse_mla_decode: argument 'partial' breaks its contract: shape[2] is 16, needs H = 12 from "
            "q.shape[1]\nsparse_mla_decode: needs (H) in {(8), (16)}, but H = 12");
  a = good;
  a.scratch.reset();
  EXPECT_EQ(
      decode(a),
      "sparse_mla_decode: argument 'partial' breaks its contract: it is absent, but "
      "required\nsparse_mla_decode: argument 'partial_sums' breaks its contract: it is absent, but required");
  a = good;
  a.scratch->partial.numbers.extents[1] = a.scratch->partial_sums.numbers.extents[1] = 3;
  EXPECT_EQ(decode(a), "sparse_mla_decode: needs 64*S >= W, but S = 3, W = 256");
  a = good;
  a.cache.data = reinterpret_cast<const bfloat16*>(reinterpret_cast<const char*>(a.cache.data) + 2);
  EXPECT_EQ(decode(a),
            "sparse_mla_decode: argument 'cache' breaks its contract: address is 2 bytes past a multiple of "
            "16 (data 2, byte offset 0)");
  a = good;
  a.lengths.data = nullptr;
  EXPECT_EQ(decode(a),
            "sparse_mla_decode: argument 'lengths' breaks its contract: data is null, but 2 elements are "
            "addressed");
  a = good;
  a.extra->indices.numbers.extents[0] = 1;
  EXPECT_EQ(decode(a),
            "sparse_mla_decode: argument 'extra_indices' breaks its contract: shape[0] is 1, needs T = 2 "
            "from q.shape[0]");
}

TEST(SparseMla, RefusesOutputsOverAnythingElse) {
  host_problem p({.tokens = 2, .extra_width = 64}, 8);
  const auto good = p.arguments();
  const auto decode = [](const sparse_mla_arguments<row_pitched>& a) {
    return headlines(refusal([&](const queue& to) { sparse_mla_decode(to, a); }));
  };
  const auto shares = [](const std::string& one, const std::string& other) {
    return "sparse_mla_decode: argument '" + one + "' breaks its contract: it shares memory with '" + other +
           "', which starts at the same byte";
  };
  auto a = good;
  a.out.data = p.cache.data();
  EXPECT_EQ(decode(a), shares("cache", "out"));
  a = good;
  a.out.data = p.extra_cache.data();
  EXPECT_EQ(decode(a), shares("extra_cache", "out"));
  a = good;
  a.lengths.data = reinterpret_cast<const std::int32_t*>(p.out.data());
  EXPECT_EQ(decode(a), shares("lengths", "out"));
  a = good;
  a.indices.data = reinterpret_cast<const std::int32_t*>(p.partial.data());
  EXPECT_EQ(decode(a), shares("indices", "partial"));
  a = good;
  a.scratch->partial_sums.data = p.partial.data();
  EXPECT_EQ(decode(a), shares("partial_sums", "partial"));
  a = good;
  a.scratch->partial.data = reinterpret_cast<float*>(p.out.data());
  EXPECT_EQ(decode(a).substr(0, shares("partial", "out").size()), shares("partial", "out"));
}

// Every block holds its q before it writes; the host reference calculates a head before it writes that head.
TEST(SparseMla, WorksInPlaceButNotHalfInPlace) {
  host_problem p({.tokens = 2}, 9);
  const auto apart = p.arguments();
  sparse_mla_paged(queue::host(), apart);
  auto a = apart;
  a.out.data = p.q.data();
  sparse_mla_paged(queue::host(), a);
  EXPECT_EQ(relative_error(p.q, p.out), 0.0);

  a.out.data = p.q.data() + latent_width;
  a.out.numbers.extents[0] = a.q.numbers.extents[0] = a.indices.numbers.extents[0] = 1;
  a.lengths.numbers.extents[0] = 1;
  a.scratch.reset();
  EXPECT_EQ(headlines(refusal([&](const queue& to) { sparse_mla_paged(to, a); })),
            "sparse_mla_paged: argument 'q' breaks its contract: it shares memory with 'out', which starts "
            "1,024 bytes after it");
}

TEST(SparseMla, RefusesNumbersThatAreCountedInAnInt) {
  host_problem p({.tokens = 2}, 10);
  auto a = p.arguments();
  a.scratch.reset();
  a.cache.numbers.extents[0] = index_t{1} << 33;
  EXPECT_NE(headlines(refusal([&](const queue& to) {
              sparse_mla_paged(to, a);
            })).find("needs N <= 2147483647, but N = 8589934592"),
            std::string::npos);
  a = p.arguments();
  a.scratch.reset();
  a.indices.numbers.extents[1] = a.indices.numbers.pitch = (index_t{1} << 31) - 1;
  a.q.numbers.extents[0] = a.out.numbers.extents[0] = a.indices.numbers.extents[0] = 1;
  a.lengths.numbers.extents[0] = 1;
  EXPECT_NE(headlines(refusal([&](const queue& to) {
              sparse_mla_paged(to, a);
            })).find("argument 'indices' breaks its contract: "),
            std::string::npos);
}

TEST(SparseMla, RefusesListsBetweenElements) {
  host_problem p({.tokens = 2, .extra_width = 64}, 11);
  const auto good = p.arguments();
  const auto shifted = [](const std::int32_t* data) {
    return reinterpret_cast<const std::int32_t*>(reinterpret_cast<const char*>(data) + 2);
  };
  const auto launched = [](const sparse_mla_arguments<row_pitched>& a) {
    return refusal([&](const queue& to) { sparse_mla_decode(to, a); }) == "launched";
  };
  auto a = good;
  a.indices.data = shifted(a.indices.data);
  EXPECT_FALSE(launched(a));
  a = good;
  a.lengths.data = shifted(a.lengths.data);
  EXPECT_FALSE(launched(a));
  a = good;
  a.extra->indices.data = shifted(a.extra->indices.data);
  EXPECT_FALSE(launched(a));
  a = good;
  a.extra->lengths.data = shifted(a.extra->lengths.data);
  EXPECT_FALSE(launched(a));
}

TEST(SparseMla, TheDecodeFormsTakeUpTo64Tokens) {
  host_problem p({.tokens = 65, .width = 16, .capacity = 16, .slots = 10}, 6);
  EXPECT_EQ(headlines(refusal([&](const queue& to) { sparse_mla_decode(to, p.arguments()); })),
            "sparse_mla_decode: needs T <= 64, but T = 65");
  EXPECT_EQ(headlines(refusal([&](const queue& to) { sparse_mla_decode_dense(to, p.arguments()); })),
            "sparse_mla_decode_dense: needs T <= 64, but T = 65");
  EXPECT_EQ(refusal([&](const queue& to) { sparse_mla_paged(to, p.arguments()); }), "launched");
}

// What is not dense does not even compile (misuse/); a second set that is not dense is refused.
TEST(SparseMla, ThePagedDenseFormRefusesAPitchedSecondSet) {
  host_problem p({.tokens = 2, .extra_width = 64}, 7);
  auto pitched = p.arguments();
  pitched.extra->indices.numbers.extents[1] = 32;
  const sparse_mla_arguments<contiguous> dense{pitched.q,
                                               pitched.cache,
                                               {pitched.indices.data, {{2, 256}}},
                                               pitched.lengths,
                                               pitched.extra,
                                               pitched.out,
                                               pitched.scale,
                                               {}};
  EXPECT_EQ(headlines(refusal([&](const queue& to) { sparse_mla_paged_dense(to, dense); })),
            "sparse_mla_paged_dense: argument 'extra_indices' breaks its contract: row pitch is 64, needs 32 "
            "(dense rows)");
}

TEST(SparseMla, ScratchGrowsWithTheWidth) {
  EXPECT_EQ(scratch_bytes(64, 16, 256), 64 * 4 * 16 * 514 * 4);
  EXPECT_EQ(scratch_bytes(64, 16, 8192), 32 * scratch_bytes(64, 16, 256));
}

}  // namespace
}  // namespace stridelock::kernels
