// Hooks by thread, by device and by context; boundaries built without exceptions. Run under ThreadSanitizer as well.
#include "stridelock/failure.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "stridelock/check.h"
#include "stridelock/message.h"
#include "without_exceptions.h"

namespace stridelock {
namespace {

inline constexpr auto dense_rows =
    make_contract("dense_rows", arg("x").type(types::int32).layout(notion::dense));
inline constexpr auto on_12 = make_contract("on_12", arg("x")).when(on_capability(12, 0));
inline constexpr auto on_9 = make_contract("on_9", arg("x").layout(notion::dense)).when(on_capability(9, 0));
inline constexpr auto by_capability = make_dispatch("by_capability", on_12, on_9);

int data[64];
constexpr index_t extents[] = {4, 4};
constexpr index_t pitched[] = {16, 1};

tensor_ref pitched_on(std::int32_t ordinal) {
  return {data, types::int32, 2, {device_kind::cuda, ordinal}, extents, pitched};
}

void count(const report&, void* n) {
  ++*static_cast<std::atomic<int>*>(n);
}

TEST(failure_hook, innermost_scope_that_fits_the_device_counts) {
  std::atomic<int> every{0}, first{0}, inner{0};
  const scoped_failure_hook on_every(count, &every);
  {
    const scoped_failure_hook on_first(count, &first, 1);
    EXPECT_FALSE(require<dense_rows>(pitched_on(0)));
    EXPECT_FALSE(require<dense_rows>(pitched_on(1)));
    EXPECT_EQ(every, 1);
    EXPECT_EQ(first, 1);
    {
      const scoped_failure_hook on_all_again(count, &inner);
      EXPECT_FALSE(require<dense_rows>(pitched_on(1)));
      EXPECT_EQ(inner, 1);
    }
    EXPECT_FALSE(require<dense_rows>(pitched_on(1)));
    EXPECT_EQ(first, 2);
  }
  EXPECT_FALSE(require<dense_rows>(pitched_on(1)));
  EXPECT_EQ(every, 2);
  EXPECT_EQ(first, 2);
}

TEST(failure_hook, of_one_device_leaves_the_others_and_the_host_to_the_exception) {
  std::atomic<int> seen{0};
  const scoped_failure_hook only(count, &seen, 0);
  EXPECT_THROW(require<dense_rows>(pitched_on(1)), contract_violation);
  const tensor_ref on_host{data, types::int32, 2, {device_kind::cpu, 0}, extents, pitched};
  EXPECT_THROW(require<dense_rows>(on_host), contract_violation);
  EXPECT_EQ(seen, 0);
}

TEST(failure_hook, of_the_context_comes_before_the_threads) {
  std::atomic<int> thread_saw{0}, context_saw{0};
  const scoped_failure_hook on_thread(count, &thread_saw);
  evaluation_context context;
  context.on_failure = count;
  context.on_failure_state = &context_saw;
  EXPECT_FALSE(require_in<dense_rows>(context, pitched_on(0)));
  EXPECT_EQ(context_saw, 1);
  EXPECT_EQ(thread_saw, 0);
  EXPECT_FALSE(require_in<dense_rows>(evaluation_context(), pitched_on(0)));
  EXPECT_EQ(thread_saw, 1);
}

TEST(failure_hook, may_throw) {
  const scoped_failure_hook own([](const report& r, void*) { throw std::string(text(r)); });
  EXPECT_THROW(require<dense_rows>(pitched_on(0)), std::string);
}

TEST(capability_scope, by_device_ordinal_and_nested) {
  const scoped_capability every({9, 0});
  EXPECT_EQ(check<by_capability>(pitched_on(0)).result(), verdict::refused);
  EXPECT_EQ(check<by_capability>(pitched_on(1)).result(), verdict::refused);
  {
    const scoped_capability one({12, 0}, 1);
    EXPECT_EQ(check<by_capability>(pitched_on(0)).branch(), "on_9");
    EXPECT_TRUE(check<by_capability>(pitched_on(1)).ok());
    {
      const scoped_capability again({9, 0}, 1);
      EXPECT_FALSE(check<by_capability>(pitched_on(1)).ok());
    }
    {
      const scoped_capability other({12, 0}, 0);
      EXPECT_TRUE(check<by_capability>(pitched_on(0)).ok());
      EXPECT_TRUE(check<by_capability>(pitched_on(1)).ok());
      EXPECT_FALSE(check<by_capability>(pitched_on(2)).ok());
    }
    EXPECT_TRUE(check<by_capability>(pitched_on(1)).ok());
  }
  EXPECT_FALSE(check<by_capability>(pitched_on(1)).ok());
  EXPECT_EQ(overridden_capability(every_device), (capability{9, 0}));
}

TEST(threads, a_worker_inherits_nothing_and_a_context_carries_everything) {
  std::atomic<int> seen{0};
  const scoped_capability pretend({12, 0}, 1);
  const scoped_failure_hook on_device(count, &seen, 1);
  const evaluation_context carried = context_of_this_thread(1);
  const evaluation_context of_device_0 = context_of_this_thread(0);
  EXPECT_EQ(carried.device_capability, (capability{12, 0}));
  EXPECT_FALSE(of_device_0.device_capability.known());
  EXPECT_EQ(of_device_0.on_failure, nullptr);

  bool threw = false, ok_alone = true, ok_with_context = false;
  std::thread([&] {
    EXPECT_FALSE(overridden_capability(1).known());
    ok_alone = check<by_capability>(pitched_on(1)).ok();
    ok_with_context = check_in<by_capability>(carried, pitched_on(1)).ok();
    EXPECT_FALSE(require_in<dense_rows>(carried, pitched_on(1)));
    try {
      require<dense_rows>(pitched_on(1));
    } catch (const contract_violation&) {
      threw = true;
    }
  }).join();
  EXPECT_FALSE(ok_alone);
  EXPECT_TRUE(ok_with_context);
  EXPECT_TRUE(threw);
  EXPECT_EQ(seen, 1);
}

// Each worker pretends a capability and has a hook of its own; none sees another's.
TEST(threads, scopes_of_many_threads_do_not_meet) {
  constexpr int rounds = 200;
  std::vector<std::thread> workers;
  std::atomic<int> wrong{0};
  for (std::int32_t w = 0; w < 4; ++w) {
    workers.emplace_back([w, &wrong] {
      std::atomic<int> mine{0};
      const capability pretended{w % 2 == 0 ? 12 : 9, 0};
      for (int i = 0; i < rounds; ++i) {
        const scoped_capability scope(pretended, w);
        const scoped_failure_hook hook(count, &mine);
        const report r = check<by_capability>(pitched_on(w));
        if (r.ok() != (w % 2 == 0)) ++wrong;
        if (require<dense_rows>(pitched_on(w))) ++wrong;
        if (text(r).empty()) ++wrong;
      }
      if (mine != rounds) ++wrong;
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(wrong, 0);
}

// The copies of one exception are read and dropped by several threads: std::exception_ptr does this in every engine.
TEST(threads, copies_of_an_exception_are_shared) {
  std::exception_ptr thrown;
  try {
    require<dense_rows>(pitched_on(0));
  } catch (...) {
    thrown = std::current_exception();
  }
  ASSERT_NE(thrown, nullptr);
  std::atomic<int> readable{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([thrown, &readable] {
      try {
        std::rethrow_exception(thrown);
      } catch (const contract_violation& e) {
        const contract_violation copy = e;
        if (std::string(copy.what()).find("row pitch is 16, needs 4") != std::string::npos &&
            copy.violations().size() == 1)
          ++readable;
      }
    });
  }
  thrown = nullptr;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(readable, 4);
}

TEST(without_exceptions, a_boundary_returns_false_with_and_without_a_hook) {
  const tensor_ref dense{data, types::int32, 2, {device_kind::cuda, 0}, extents, nullptr};
  EXPECT_TRUE(without_exceptions::require_dense(dense));
  EXPECT_FALSE(without_exceptions::require_dense(pitched_on(0)));
  std::atomic<int> thread_saw{0}, context_saw{0};
  const scoped_failure_hook hook(count, &thread_saw);
  EXPECT_FALSE(without_exceptions::require_dense(pitched_on(0)));
  EXPECT_TRUE(without_exceptions::layout_is_empty_after_refusal(data));
  EXPECT_EQ(thread_saw, 2);
  evaluation_context context;
  context.on_failure = count;
  context.on_failure_state = &context_saw;
  EXPECT_FALSE(without_exceptions::require_dense_in(context, pitched_on(0)));
  EXPECT_EQ(context_saw, 1);
  EXPECT_EQ(thread_saw, 2);
}

}  // namespace
}  // namespace stridelock
