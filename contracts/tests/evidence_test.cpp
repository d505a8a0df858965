// Every fact of a contract has its own evidence, and a violation carries that of the fact it breaks.
#include "stridelock/evidence.h"

#include <gtest/gtest.h>

#include "contracts/tests/judging.h"

namespace stridelock {
namespace {

using namespace testing;

constexpr descriptor_rule plain{};

constexpr auto every_fact = make_contract("every_fact",
                                          arg("x")
                                              .type(types::float16, checked_at("type"))
                                              .shape(sym("T"), 8, 4)
                                              .strides(any, 4, sym("S"))
                                              .shape_by(checked_at("shape"))
                                              .extent_by(1, checked_at("extent 1"))
                                              .stride_by(1, checked_at("stride 1"))
                                              .layout(notion::dense, checked_at("dense"))
                                              .aligned(16, checked_at("aligned"))
                                              .aligned_rows(16, checked_at("aligned rows"))
                                              .descriptor_legal(plain, checked_at("descriptor"))
                                              .output(checked_at("output"))
                                              .on(device_kind::cuda, checked_at("device"))
                                              .up_to_tile(8, stale_policy::refused, checked_at("reader"))
                                              .disjoint_from("y", checked_at("sharing")),
                                          arg("y").required_by(checked_at("presence")));

std::string_view evidence_for(const report& r, violation_kind kind) {
  for (const violation& v : r)
    if (v.kind == kind) return v.where;
  return "no such violation";
}

TEST(evidence, stands_beside_every_fact) {
  const tensor_desc y = tensor_desc::dense("y", types::float16, {4}, gpu, memory);
  const auto found = [&](const tensor_desc& x, violation_kind kind) {
    return evidence_for(judge(every_fact, x, y), kind);
  };
  const tensor_desc good = tensor_desc::dense("x", types::float16, {2, 8, 4}, gpu, memory + 16);
  EXPECT_EQ(found(tensor_desc::dense("x", types::int32, {2, 8, 4}, gpu, base), violation_kind::type), "type");
  EXPECT_EQ(found(tensor_desc::dense("x", types::float16, {2, 8}, gpu, base), violation_kind::rank), "shape");
  EXPECT_EQ(found(tensor_desc::dense("x", types::float16, {2, 8, 5}, gpu, base), violation_kind::extent),
            "shape");
  EXPECT_EQ(found(tensor_desc::dense("x", types::float16, {2, 7, 4}, gpu, base), violation_kind::extent),
            "extent 1");
  EXPECT_EQ(found(tensor("x", types::float16, {2, 8, 4}, {64, 8, 1}), violation_kind::stride), "stride 1");
  EXPECT_EQ(found(tensor("x", types::float16, {2, 8, 4}, {64, 8, 2}), violation_kind::layout), "dense");
  EXPECT_EQ(
      found(tensor_desc::dense("x", types::float16, {2, 8, 4}, gpu, memory + 2), violation_kind::aligned),
      "aligned");
  EXPECT_EQ(found(good, violation_kind::aligned_rows), "aligned rows");
  EXPECT_EQ(found(good, violation_kind::descriptor), "descriptor");
  EXPECT_EQ(found(tensor("x", types::float16, {2, 8, 4}, {0, 4, 1}), violation_kind::overlap), "output");
  EXPECT_EQ(found(tensor_desc::dense("x", types::float16, {2, 8, 4}, {device_kind::cpu, 0}, base),
                  violation_kind::device),
            "device");
  EXPECT_EQ(found(good, violation_kind::reads_beyond), "reader");
  EXPECT_EQ(found(good.activated(0, 1), violation_kind::stale_read), "reader");
  EXPECT_EQ(
      found(tensor_desc::dense("x", types::float16, {2, 8, 4}, gpu, memory), violation_kind::shared_memory),
      "sharing");
  const argument_value without_y[] = {argument_value(good.ref()), argument_value()};
  EXPECT_EQ(evidence_for(evaluate(every_fact.view(), without_y, 2), violation_kind::missing), "presence");
}

TEST(evidence, an_unchecked_extent_is_silent_and_its_checked_neighbour_refused) {
  constexpr static auto half =
      make_contract("half", arg("x").shape(4, 8).shape_by(checked_at("k.cu:1")).extent_by(1, unchecked()));
  EXPECT_EQ(judge(half, tensor_desc::dense("x", types::int8, {3, 8}, gpu, base)).result(), verdict::refused);
  EXPECT_EQ(judge(half, tensor_desc::dense("x", types::int8, {4, 9}, gpu, base)).result(), verdict::silent);
}

}  // namespace
}  // namespace stridelock
