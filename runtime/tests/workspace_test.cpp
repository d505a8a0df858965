#include "stridelock/workspace.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "fake_cuda.h"
#include "stridelock/capture_guard.h"

namespace stridelock {
namespace {

using stridelock_test::fake_cuda;

inline constexpr auto split = make_contract("split", arg("scratch").type(types::uint8));

struct workspace_test : testing::Test {
  registry all;
  fake_cuda cuda;
  fake_cuda::stream* const stream = cuda.make_stream();
  int live = 0;
  memory_source source{this,
                       [](void* self, std::size_t bytes) noexcept -> void* {
                         if (bytes > (std::size_t{1} << 20)) return nullptr;
                         ++static_cast<workspace_test*>(self)->live;
                         return std::malloc(bytes);
                       },
                       [](void* self, void* memory) noexcept {
                         --static_cast<workspace_test*>(self)->live;
                         std::free(memory);
                       },
                       {device_kind::cpu, 0}};
};

view<std::uint8_t, 1> bytes_of(const workspace_block& b) {
  return {static_cast<std::uint8_t*>(b.data), {{static_cast<index_t>(b.bytes)}}};
}

TEST_F(workspace_test, grows_outside_captures_only) {
  workspace scratch("mla", source, cuda.backend(), all);
  const workspace_block small = scratch.reserve("split", 1024, stream);
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(all.find(small.data, 1024).name(), "mla/split");
  EXPECT_EQ(scratch.reserve("split", 512, stream).data, small.data);
  EXPECT_NE(scratch.reserve("merge", 512, stream).data, small.data);

  capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
  EXPECT_EQ(scratch.reserve("split", 1024, stream).data, small.data) << "what is there may be used";
  guard.boundary<split>(bytes_of(small));
  const workspace_block refused = scratch.reserve("split", 4194304, stream);
  EXPECT_EQ(refused.data, nullptr);
  EXPECT_EQ(text(refused.fault),
            "workspace 'mla': 'split' cannot grow inside a capture: 1,024 bytes are there, needs 4,194,304\n"
            "  fix   reserve the largest planned size before the capture\n");
  fake_cuda::stream* const other = cuda.make_stream();
  EXPECT_EQ(scratch.reserve("split", 2048, other).fault.what, workspace_error::grows_in_capture)
      << "this thread captures, on whatever stream";
  EXPECT_EQ(scratch.reserve("new", 16, stream).fault.what, workspace_error::grows_in_capture);
  captured_graph captured = guard.finish();
  EXPECT_TRUE(captured.book().owners_current());

  const workspace_block grown = scratch.reserve("split", 4096, stream);
  ASSERT_TRUE(grown.ok());
  EXPECT_EQ(live, 2) << "the old block is freed";
  EXPECT_FALSE(captured.book().owners_current());
  EXPECT_EQ(captured.book().verify_owners()[0].captured_place.owner, "mla/split");
}

TEST_F(workspace_test, a_capture_that_others_opened_counts) {
  const capture_backend& table = cuda.backend();
  workspace scratch("w", source, table, all);
  table.begin(table.self, stream, capture_mode::relaxed);
  EXPECT_EQ(scratch.reserve("k", 16, stream).fault.what, workspace_error::grows_in_capture);
  EXPECT_EQ(scratch.reserve("k", 16, nullptr).fault.what, workspace_error::grows_in_capture)
      << "the legacy stream answers 906";
  void* graph = nullptr;
  table.end(table.self, stream, &graph);
  EXPECT_TRUE(scratch.reserve("k", 16, stream).ok());
  table.destroy_graph(table.self, graph);
}

TEST_F(workspace_test, says_what_it_cannot_do) {
  workspace scratch("w", source, cuda.backend(), all);
  EXPECT_TRUE(scratch.reserve("k", 0, stream).ok());
  const workspace_block huge = scratch.reserve("k", ~std::uint64_t{0}, stream);
  EXPECT_EQ(huge.fault.what, workspace_error::out_of_memory);
  const workspace_block large = scratch.reserve("k", 1 << 21, stream);
  EXPECT_EQ(text(large.fault),
            "workspace 'w': 'k' cannot be allocated: 2,097,152 bytes\n  fix   a smaller plan, or free memory "
            "first\n");
  workspace twin("w", source, cuda.backend(), all);
  EXPECT_TRUE(scratch.reserve("k", 16, stream).ok());
  EXPECT_EQ(text(twin.reserve("k", 16, stream).fault),
            "workspace 'w': 'k' cannot be registered under this name\n  fix   one workspace name for each "
            "workspace\n");
  EXPECT_EQ(live, 1) << "the block that could not be registered is freed";
}

TEST_F(workspace_test, sizes_beyond_the_largest_signed_number_are_printed_as_they_are) {
  workspace scratch("w\nforged", source, cuda.backend(), all);
  EXPECT_EQ(text(scratch.reserve("k", ~std::uint64_t{0}, stream).fault),
            "workspace 'w?forged': 'k' cannot be allocated: 18,446,744,073,709,551,615 bytes\n"
            "  fix   a smaller plan, or free memory first\n");
}

TEST_F(workspace_test, a_workspace_that_was_moved_from_reserves_nothing) {
  workspace scratch("w", source, cuda.backend(), all);
  workspace there = std::move(scratch);
  const workspace_block none = scratch.reserve("k", 16, stream);
  EXPECT_EQ(none.data, nullptr);
  EXPECT_EQ(text(none.fault),
            "workspace '': 'k' cannot be reserved: the workspace was moved to another object\n"
            "  fix   reserve from that one\n");
  EXPECT_TRUE(there.reserve("k", 16, stream).ok());
}

TEST_F(workspace_test, frees_everything_at_its_end) {
  {
    workspace scratch("w", source, cuda.backend(), all);
    scratch.reserve("a", 16, stream);
    scratch.reserve("b", 16, stream);
    scratch.reserve("b", 64, stream);
    EXPECT_EQ(live, 2);
  }
  EXPECT_EQ(live, 0);
  EXPECT_EQ(all.buffer_count(), 0);
}

}  // namespace
}  // namespace stridelock
