// Reports and exceptions between libraries of both standard strings, and between several copies of Stridelock.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "library.h"
#include "stridelock/c_api.h"
#include "stridelock/message.h"

extern "C" const abi_test::library* own_functions();

namespace abi_test {
namespace {

constexpr const char* expected = "mla: argument 'indices' breaks its contract: row pitch is 16, needs 4";

struct loaded {
  std::string name;
  bool own_copy = false;  // of Stridelock
  const library* functions = nullptr;
  const stridelock_contract* (*contract)() = nullptr;
};

// As Python loads modules: nothing of one is visible to the next.
loaded load(const std::string& name, bool own_copy) {
  loaded l;
  l.name = name;
  l.own_copy = own_copy;
  void* const handle =
      dlopen((std::string(ABI_TEST_FOLDER) + "/lib" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::string(dlerror());
  l.functions = reinterpret_cast<const library* (*)()>(dlsym(handle, (name + "_functions").c_str()))();
  l.contract = reinterpret_cast<const stridelock_contract* (*)()>(dlsym(handle, (name + "_mla").c_str()));
  return l;
}

const std::vector<loaded>& all() {
  static const std::vector<loaded> libraries = {load("abi_old_own", true),
                                                load("abi_new_own", true),
                                                load("abi_old_shared", false),
                                                load("abi_new_shared", false),
                                                {"main", ABI_TEST_MAIN_OWN, own_functions(), nullptr}};
  return libraries;
}

template <class Test>
void each_pair(Test test) {
  for (const loaded& from : all())
    for (const loaded& to : all()) {
      SCOPED_TRACE(from.name + " -> " + to.name);
      test(from, to);
    }
}

TEST(abi, the_libraries_are_what_they_should_be) {
  for (const loaded& l : all())
    EXPECT_EQ(l.functions->new_string, l.name.find("old") == std::string::npos) << l.name;
}

TEST(abi, an_exception_of_one_is_caught_by_type_in_another) {
  each_pair([](const loaded& from, const loaded& to) {
    EXPECT_EQ(to.functions->runs(from.functions->refuse, expected), caught::violation);
  });
  for (const loaded& from : all()) {
    SCOPED_TRACE(from.name);
    try {
      from.functions->refuse();
      FAIL() << "expected contract_violation";
    } catch (const stridelock::contract_violation& e) {
      EXPECT_EQ(std::string(e.what()).rfind(expected, 0), 0u) << e.what();
    }
  }
}

TEST(abi, an_exception_outlives_the_call_that_threw_it) {
  for (const loaded& from : all()) {
    std::exception_ptr kept;
    try {
      from.functions->refuse();
    } catch (...) {
      kept = std::current_exception();
    }
    static std::exception_ptr thrown;
    thrown = kept;
    kept = nullptr;
    for (const loaded& to : all())
      EXPECT_EQ(to.functions->runs([] { std::rethrow_exception(thrown); }, expected), caught::violation)
          << from.name << " -> " << to.name;
    thrown = nullptr;
  }
}

TEST(abi, a_report_of_one_is_read_and_freed_in_another) {
  each_pair([](const loaded& from, const loaded& to) {
    stridelock::report r = from.functions->judge();
    EXPECT_TRUE(to.functions->reads(r, expected));
    EXPECT_EQ(stridelock::text(r).rfind(expected, 0), 0u);
    to.functions->drop(std::move(r));
    EXPECT_TRUE(r.ok());
  });
}

// Hooks and pretended capabilities belong to a copy of the library: who shares one, shares them.
TEST(abi, hooks_are_shared_exactly_by_those_who_share_a_copy) {
  each_pair([](const loaded& from, const loaded& to) {
    const bool same_copy = &from == &to || (!from.own_copy && !to.own_copy);
    if (same_copy)
      EXPECT_EQ(to.functions->hook_calls(from.functions->refuse), 1);
    else
      EXPECT_THROW(to.functions->hook_calls(from.functions->refuse), stridelock::contract_violation);
  });
}

// The C functions that this program linked, on contracts of every copy.
TEST(abi, the_c_functions_of_one_copy_work_on_contracts_of_another) {
  for (const loaded& from : all()) {
    if (from.contract == nullptr) continue;
    SCOPED_TRACE(from.name);
    const stridelock_contract* const contract = from.contract();
    const stridelock_text name = stridelock_v1_contract_name(contract);
    EXPECT_EQ(std::string(name.data, name.size), "mla");
    ASSERT_EQ(stridelock_v1_argument_count(contract), 3);

    const std::int64_t extents[] = {8, 4}, strides[] = {16, 1};
    int data[8 * 16] = {};
    stridelock_tensor q{};
    q.data = data;
    q.extents = extents;
    q.rank = 2;
    q.device_kind = 2;
    q.type_code = 2;
    q.type_bits = 32;
    q.type_lanes = 1;
    stridelock_tensor indices = q;
    indices.strides = strides;
    indices.type_code = 0;
    const stridelock_tensor* const arguments[] = {&q, &indices, nullptr};
    stridelock_report report;
    EXPECT_EQ(stridelock_v1_check(contract, arguments, 3, nullptr, &report), STRIDELOCK_REFUSED);
    ASSERT_EQ(report.violation_count, 1);
    stridelock_violation violation;
    ASSERT_EQ(stridelock_v1_report_violation(&report, 0, &violation), 1);
    EXPECT_EQ(std::string(violation.kind.data, violation.kind.size), "row_pitch");
    char message[1024];
    stridelock_v1_report_text(&report, message, sizeof message);
    EXPECT_EQ(std::string(message).rfind(expected, 0), 0u) << message;
    stridelock_v1_report_release(&report);
  }
}

}  // namespace
}  // namespace abi_test
