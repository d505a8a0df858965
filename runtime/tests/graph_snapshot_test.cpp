#include "stridelock/graph_snapshot.h"

#include <gtest/gtest.h>

#include "small_graphs.h"

namespace stridelock::test {
namespace {

TEST(graph_snapshot, text_numbers_allocations_and_shows_no_address) {
  graph_node loop;
  loop.kind = graph_node_kind::conditional;
  loop.bodies.emplace_back();
  loop.bodies[0].nodes.push_back(kernel_node("inner", {bytes_of({scratch + 0x4000}), bytes_of_int(7)}));
  graph_node future;
  future.raw_type = 77;
  future.unread = {"parameters: CUDA_ERROR_NOT_SUPPORTED"};
  graph_snapshot s = snapshot_of({kernel_node("gather", {bytes_of({pool}), bytes_of({1, gone, scratch})}),
                                  copy_node(on_stack, memory_kind::none, pool + 0x4000), loop, future});
  s.root.edges[1].type = 1;
  s.root.nodes[0].boundary = "sparse_mla";
  EXPECT_EQ(to_text(s),
            "graph 'decode[bs=4]': 5 nodes\n"
            "  0  kernel gather grid (1,1,1) block (128,1,1)  [sparse_mla]\n"
            "      0 at 0: m1+0x0\n"
            "      1 at 8: {0x1, 0x7f0000400000, m2+0x0}\n"
            "  1  memcpy\n"
            "      pageable host memory (stack) -> m1+0x4000, 256 bytes x 1 x 1\n"
            "  2  conditional\n"
            "    2.body0.0  kernel inner grid (1,1,1) block (128,1,1)\n"
            "        0 at 0: m2+0x4000\n"
            "        1 at 8: 0x7\n"
            "    0 edges\n"
            "  3  unknown (type 77)\n"
            "      not read: parameters: CUDA_ERROR_NOT_SUPPORTED\n"
            "  3 edges, 1 programmatic\n"
            "  m1: device:0, 1048576 bytes\n"
            "  m2: device:0, 65536 bytes\n");
}

TEST(graph_snapshot, json_form) {
  graph_snapshot s;
  s.label = "a\"\xff\x01";
  s.driver = "13000";
  s.devices = {{0, "NVIDIA H200", "9.0", false}};
  s.root.nodes.push_back(kernel_node("k", {bytes_of({pool}), bytes_of_int(3)}));
  s.root.nodes.push_back(copy_node(on_stack, memory_kind::none, pool));
  s.root.edges = {{0, 1, 1, 0, 1}};
  s.addresses = {device_memory(pool, pool, 4096, 5), no_memory(on_stack, host_storage::stack)};
  EXPECT_EQ(to_json(s),
            "{\"stridelock_graph_snapshot\":1,\"label\":\"a\\\"\xef\xbf\xbd\\u0001\",\"driver\":\"13000\","
            "\"devices\":[{\"ordinal\":0,"
            "\"name\":\"NVIDIA H200\",\"capability\":\"9.0\",\"reads_pageable\":false}],\n"
            "\"graph\":{\"nodes\":[\n"
            "  "
            "{\"kind\":\"kernel\",\"kernel\":{\"name\":\"k\",\"grid\":[1,1,1],\"block\":[128,1,1],\"shared_"
            "bytes\":0,\"source\":"
            "\"kernel_params\",\"layout_known\":true,\"parameters\":[{\"offset\":0,\"bytes\":"
            "\"00000000007f0000\"},{\"offset\":8,"
            "\"bytes\":\"03000000\"}]}},\n"
            "  "
            "{\"kind\":\"memcpy\",\"copy\":{\"from\":{\"declared\":\"none\",\"address\":\"0x7ffc00001000\","
            "\"pitch\":256,\"height\":1},"
            "\"to\":{\"declared\":\"device\",\"address\":\"0x7f0000000000\",\"pitch\":256,\"height\":1},"
            "\"width_bytes\":256,\"height\":1,"
            "\"depth\":1}}],\n"
            "\"edges\":[[0,1,1,0,1]]},\n"
            "\"addresses\":[\n"
            "  "
            "{\"address\":\"0x7f0000000000\",\"kind\":\"device\",\"device\":0,\"range_begin\":"
            "\"0x7f0000000000\",\"range_bytes\":4096,"
            "\"buffer_id\":5,\"mapped\":true},\n"
            "  {\"address\":\"0x7ffc00001000\",\"kind\":\"none\",\"storage\":\"stack\"}]}\n");
}

TEST(graph_snapshot, words_stand_at_multiples_of_eight_of_the_layout) {
  const std::vector<std::uint8_t> bytes(20, 1);
  EXPECT_EQ(words_of(bytes, 0).size(), 2U);
  const std::vector<parameter_word> shifted = words_of(bytes, 12);
  ASSERT_EQ(shifted.size(), 2U);
  EXPECT_EQ(shifted[0].offset, 4U);
  EXPECT_EQ(shifted[1].offset, 12U);
  EXPECT_TRUE(words_of({1, 2, 3}, 0).empty());
}

TEST(graph_snapshot, of_two_facts_the_first_stays) {
  graph_snapshot s;
  s.addresses = {device_memory(pool + 1, pool, 10, 1), no_memory(pool, host_storage::stack),
                 device_memory(pool + 1, pool, 10, 2)};
  normalise_addresses(s);
  ASSERT_EQ(s.addresses.size(), 2U);
  EXPECT_EQ(find_address(s, pool + 1)->buffer_id, 1U);
  EXPECT_EQ(find_address(s, pool + 2), nullptr);
}

}  // namespace
}  // namespace stridelock::test
