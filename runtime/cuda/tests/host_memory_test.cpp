#include "host_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <memory>
#include <thread>

namespace stridelock::cuda {
namespace {

int in_data = 1;
int in_bss;

std::uint64_t address_of(const void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

TEST(host_memory, tells_stack_image_heap_and_nothing) {
  int local = 0;
  const auto heap = std::make_unique<int[]>(1 << 20);
  void* reserved = mmap(nullptr, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(reserved, MAP_FAILED);
  const host_mappings maps;
  EXPECT_EQ(maps.storage_of(address_of(&local)), host_storage::stack);
  EXPECT_EQ(maps.storage_of(address_of(&in_data)), host_storage::static_storage);
  EXPECT_EQ(maps.storage_of(address_of(&in_bss)), host_storage::static_storage);
  EXPECT_EQ(maps.storage_of(address_of("a literal")), host_storage::static_storage);
  EXPECT_EQ(maps.storage_of(address_of(heap.get())), host_storage::other);
  EXPECT_EQ(maps.storage_of(address_of(reserved)), host_storage::unmapped);
  EXPECT_EQ(maps.storage_of(0x10), host_storage::unmapped);
  EXPECT_EQ(maps.storage_of(~std::uint64_t{0}), host_storage::unmapped);
  munmap(reserved, 1 << 20);
}

TEST(host_memory, knows_the_stack_of_the_thread_that_asks) {
  host_storage mine = host_storage::unknown;
  std::thread([&] {
    int local = 0;
    mine = host_mappings().storage_of(address_of(&local));
  }).join();
  EXPECT_EQ(mine, host_storage::stack);
}

}  // namespace
}  // namespace stridelock::cuda
