#include "stridelock/check.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <thread>

namespace third_party {

// A tensor class that knows nothing of this library.
struct matrix {
  float* data = nullptr;
  std::int64_t sizes[2] = {};
  std::int64_t strides[2] = {};
};

}  // namespace third_party

template <>
struct stridelock::adapter<third_party::matrix> {
  static described_ref describe(const third_party::matrix& m) noexcept {
    return {{m.data, types::float32, 2, {}, m.sizes, m.strides}};
  }
};

namespace stridelock {
namespace {

inline constexpr auto decode =
    make_contract(
        "decode", arg("q").type(types::float32).shape(sym("T"), sym("H")),
        arg("indices").type(types::int32).shape(sym("T"), sym("W")).layout(notion::dense, unchecked()),
        arg("sink").optional().layout(notion::dense))
        .when(sym("T") <= parameter("limit"));
inline constexpr auto paged = make_contract("paged", arg("q").type(types::float32).shape(sym("T"), sym("H")),
                                            arg("indices")
                                                .type(types::int32)
                                                .shape(sym("T"), sym("W"))
                                                .layout(notion::dense, checked_at("paged.cu:12")),
                                            arg("sink").optional().layout(notion::dense))
                                  .when(sym("T") > parameter("limit"));
inline constexpr auto mla = make_dispatch("mla", decode, paged).with(library_parameter("limit", {4}));

inline constexpr auto few_rows = make_contract("few_rows", arg("q").shape(sym("T"), any)).when(sym("T") <= 4);

float q_data[64 * 8];
int index_data[64 * 16];

TEST(check, typed_views_borrowed_and_owning_descriptions_mix) {
  const view<float, 2> q{q_data, {{8, 8}}};
  const view<int, 2> buffer{index_data, {{64, 16}}};
  EXPECT_TRUE(check<mla>(q, buffer.rows(0, 8), absent).ok());
  EXPECT_EQ(check<mla>(q, buffer.rows(0, 8).columns(0, 4), absent).result(), verdict::refused);

  const tensor_desc whole =
      tensor_desc::dense("buffer", types::int32, {64, 16}, {device_kind::cuda, 0}, index_data);
  const tensor_desc narrow = whole.rows(0, 8).columns(0, 4, STRIDELOCK_HERE);
  const report r = check<mla>(q, narrow, absent);
  EXPECT_EQ(r.result(), verdict::refused);
  EXPECT_EQ(r.branch(), "paged");
  const tensor_desc full_rows = whole.rows(0, 8);
  EXPECT_TRUE(check<mla>(q, full_rows.ref(), absent).ok());
}

TEST(check, a_class_of_your_own_its_pointer_and_its_optional) {
  static constexpr auto scale = make_contract("scale", arg("x").type(types::float32).layout(notion::dense),
                                              arg("bias").layout(notion::dense).optional());
  const third_party::matrix dense{q_data, {8, 8}, {8, 1}}, narrow{q_data, {8, 4}, {8, 1}};
  EXPECT_TRUE(check<scale>(dense, dense).ok());
  EXPECT_FALSE(check<scale>(dense, narrow).ok());
  EXPECT_TRUE(check<scale>(&dense, absent).ok());
  const third_party::matrix* none = nullptr;
  EXPECT_TRUE(check<scale>(dense, none).ok());
  EXPECT_EQ(check<scale>(none, none)[0].kind, violation_kind::missing);
  EXPECT_TRUE(check<scale>(dense, std::optional<third_party::matrix>()).ok());
  EXPECT_FALSE(check<scale>(dense, std::optional<third_party::matrix>(narrow)).ok());
}

TEST(check, is_noexcept_and_works_on_a_single_contract) {
  const view<float, 2> q{q_data, {{8, 8}}};
  static_assert(noexcept(check<mla>(q, q, absent)));
  // A contract whose conditions do not hold is no kernel for the call.
  EXPECT_EQ(check<few_rows>(q)[0].kind, violation_kind::uncovered);
  EXPECT_TRUE(check<few_rows>(q.rows(0, 4)).ok());
}

TEST(check, context_is_explicit_or_of_this_thread) {
  const view<float, 2> q{q_data, {{8, 8}}};
  const auto narrow = view<int, 2>{index_data, {{64, 16}}}.rows(0, 8).columns(0, 4);
  const parameter_value values[] = {{"limit", 64}};
  evaluation_context context;
  context.parameters = values;
  context.parameter_count = 1;
  EXPECT_EQ(check_in<mla>(context, q, narrow, absent).result(), verdict::silent);
  EXPECT_THROW(require_in<mla>(context, q, narrow, absent), contract_violation);
}

// A range beyond its buffer gives no view: it must not be judged as if it were the whole buffer.
TEST(check, an_invalid_description_is_refused) {
  constexpr device gpu{device_kind::cuda, 0};
  const auto buffer =
      tensor_desc::dense("buf", types::float32, {512, 1024}, gpu, reinterpret_cast<void*>(0x10000));
  static constexpr auto dense_rows = make_contract(
      "dense_rows", arg("x").type(types::float32).shape(sym("T"), sym("W")).layout(notion::dense));
  static constexpr auto anything = make_contract("anything", arg("x").type(types::float32));
  EXPECT_EQ(check<dense_rows>(buffer).result(), verdict::ok);
  EXPECT_EQ(check<dense_rows>(buffer.columns(1000, 2000)).result(), verdict::refused);
  EXPECT_EQ(check<dense_rows>(buffer.rows(500, 600)).result(), verdict::refused);
  EXPECT_EQ(check<anything>(buffer.rows(500, 600)).result(), verdict::refused);
}

TEST(require, throws_one_exception_with_the_whole_message) {
  const view<float, 2> q{q_data, {{8, 8}}};
  const view<int, 2> buffer{index_data, {{64, 16}}};
  EXPECT_NO_THROW(require<mla>(q, buffer.rows(0, 8), absent));
  try {
    require<mla>(q, buffer.rows(0, 8).columns(0, 4), absent);
    FAIL() << "expected contract_violation";
  } catch (const std::exception& e) {  // torch and TVM-FFI translate std::exception
    const auto* violation = dynamic_cast<const contract_violation*>(&e);
    ASSERT_NE(violation, nullptr);
    EXPECT_EQ(violation->violations().result(), verdict::refused);
    contract_violation copy = *violation;
    const contract_violation other = copy;
    copy = other;
    copy = *violation;
    EXPECT_STREQ(copy.what(), e.what());
    EXPECT_NE(std::strstr(e.what(), "mla: argument 'indices' breaks its contract: row pitch is 16, needs 4"),
              nullptr)
        << e.what();
  }
}

TEST(require, a_hook_replaces_the_exception_on_its_thread_only) {
  const view<float, 2> q{q_data, {{8, 8}}};
  const auto narrow = view<int, 2>{index_data, {{64, 16}}}.rows(0, 8).columns(0, 4);
  int seen = 0;
  {
    const scoped_failure_hook count([](const report& r, void* n) { *static_cast<int*>(n) += r.size(); },
                                    &seen);
    EXPECT_NO_THROW(require<mla>(q, narrow, absent));
    EXPECT_EQ(seen, 1);
    bool threw = false;
    std::thread([&] {
      try {
        require<mla>(q, narrow, absent);
      } catch (const contract_violation&) {
        threw = true;
      }
    }).join();
    EXPECT_TRUE(threw);
  }
  EXPECT_THROW(require<mla>(q, narrow, absent), contract_violation);
}

}  // namespace
}  // namespace stridelock
