#include "analyzer/ir/name.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace stridelock::ir {
namespace {

TEST(Name, EqualContentIsTheSameName) {
  const std::string content = "at::Tensor::narrow";
  EXPECT_EQ(name(content), name("at::Tensor::narrow"));
  EXPECT_EQ(&name(content).str(), &name("at::Tensor::narrow").str());
  EXPECT_NE(name("a"), name("b"));
  EXPECT_EQ(name(), name(""));
  EXPECT_TRUE(name().empty());
}

TEST(Name, KeepsBytesThatAreNoText) {
  const std::string content("a\0b\xFF", 4);
  EXPECT_EQ(name(content).str(), content);
}

TEST(Name, OrderIsByContent) {
  const name late("z"), early("a");
  EXPECT_LT(early, late);
  EXPECT_FALSE(late < early);
  EXPECT_FALSE(early < early);
}

TEST(Name, ThreadsAgree) {
  std::vector<const std::string*> seen(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < seen.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const name n("thread-" + std::to_string(i));
        if (i == 1234) seen[t] = &n.str();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string* s : seen) EXPECT_EQ(s, seen[0]);
}

}  // namespace
}  // namespace stridelock::ir
