// Turns the fuzzer's bytes into choices. When they run out every choice is the first one, so short inputs mean small cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace stridelock::fuzz {

class bytes {
 public:
  bytes(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }
  int below(int n) { return byte() % n; }
  bool flag() { return (byte() & 1) != 0; }
  template <class T>
  T number() {
    T value{};
    const std::size_t n = left_ < sizeof value ? left_ : sizeof value;
    if (n > 0) std::memcpy(&value, at_, n);
    at_ += n;
    left_ -= n;
    return value;
  }
  template <class Table>
  const auto& one_of(const Table& table) {
    return table[byte() % std::size(table)];
  }
  bool empty() const { return left_ == 0; }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

// A property that does not hold ends the process, as the fuzzer wants it.
[[noreturn]] inline void broken(const char*) {
  __builtin_trap();
}
#define FUZZ_EXPECT(condition) \
  if (!(condition)) ::stridelock::fuzz::broken(#condition)

}  // namespace stridelock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
