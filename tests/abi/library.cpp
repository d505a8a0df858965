// Built four times: with either standard string, with a Stridelock of its own and with the shared one.
#include "library.h"

#include <cstring>
#include <exception>
#include <string>

#include "stridelock/check.h"
#include "stridelock/export_contract.h"
#include "stridelock/message.h"

#define ABI_TEST_JOIN_(a, b) a##b
#define ABI_TEST_JOIN(a, b) ABI_TEST_JOIN_(a, b)

namespace abi_test {
namespace {

using namespace stridelock;

inline constexpr auto decode =
    make_contract(
        "decode", arg("q").type(types::float32).shape(sym("T"), sym("H")),
        arg("indices").type(types::int32).shape(sym("T"), sym("W")).layout(notion::dense, unchecked()),
        arg("sink").optional())
        .when(sym("T") <= parameter("limit"));
inline constexpr auto paged = make_contract("paged", arg("q").type(types::float32).shape(sym("T"), sym("H")),
                                            arg("indices")
                                                .type(types::int32)
                                                .shape(sym("T"), sym("W"))
                                                .layout(notion::dense, checked_at("paged.cu:12")),
                                            arg("sink").optional())
                                  .when(sym("T") > parameter("limit"));
inline constexpr auto mla = make_dispatch("mla", decode, paged).with(library_parameter("limit", {4}));

constexpr index_t q_extents[] = {8, 8}, extents[] = {8, 4}, strides[] = {16, 1};
float q_data[64];
int index_data[8 * 16];
const tensor_ref q{q_data, types::float32, 2, {device_kind::cuda, 0}, q_extents};
const tensor_ref indices{index_data, types::int32, 2, {device_kind::cuda, 0}, extents, strides};

void refuse() {
  require<mla>(q, indices, absent);
}
report judge() {
  return check<mla>(q, indices, absent);
}

bool reads(const report& r, const char* expected) {
  const std::string whole = text(r);
  return whole.find(expected) != std::string::npos && r.result() == verdict::refused && r.size() == 1 &&
         r[r.headline()].kind == violation_kind::row_pitch && r[0].found == 16 && r[0].needed == 4 &&
         r.branch() == "paged" && r.symbol_count() == 3 && r.symbol(0).name == "T" &&
         r.symbol(0).value == 8 && r.where().kind == device_kind::cuda;
}

void drop(report r) {
  const report last = static_cast<report&&>(r);
}

caught runs(void (*action)(), const char* expected_text) {
  try {
    action();
    return caught::nothing;
  } catch (const contract_violation& e) {
    contract_violation copy = e;
    const contract_violation other = copy;
    copy = other;
    return std::strstr(copy.what(), expected_text) != nullptr && reads(other.violations(), expected_text)
               ? caught::violation
               : caught::nothing;
  } catch (const std::exception&) {
    return caught::exception;
  }
}

int hook_calls(void (*action)()) {
  int calls = 0;
  const scoped_failure_hook hook([](const report&, void* n) { ++*static_cast<int*>(n); }, &calls);
  action();
  return calls;
}

constexpr library functions = {_GLIBCXX_USE_CXX11_ABI != 0, refuse, judge, reads, drop, runs, hook_calls};

}  // namespace
}  // namespace abi_test

extern "C" STRIDELOCK_PUBLIC const abi_test::library* ABI_TEST_JOIN(ABI_TEST_NAME, _functions)() {
  return &abi_test::functions;
}

STRIDELOCK_EXPORT_CONTRACT(ABI_TEST_JOIN(ABI_TEST_NAME, _mla), abi_test::mla)
STRIDELOCK_EXPORT_CONTRACT(ABI_TEST_JOIN(ABI_TEST_NAME, _paged), abi_test::paged)
