#include "stridelock/graph_difference.h"

#include <gtest/gtest.h>

#include "small_graphs.h"

namespace stridelock::test {
namespace {

TEST(graph_difference, equal_captures_do_not_differ) {
  const graph_snapshot s = snapshot_of(
      {kernel_node("k", {bytes_of({pool}), bytes_of_int(3)}), copy_node(on_heap, memory_kind::none, pool)});
  EXPECT_EQ(compare_graphs(s, s).text(),
            "graph difference: 2 nodes matched, 11 words compared, 0 differences\n");
}

TEST(graph_difference, a_baked_scalar_and_a_temporary) {
  const graph_snapshot a = snapshot_of({kernel_node("scale", {bytes_of({pool}), bytes_of_int(66)}),
                                        kernel_node("use", {bytes_of({scratch})})});
  graph_snapshot b = snapshot_of({kernel_node("scale", {bytes_of({pool}), bytes_of_int(68)}),
                                  kernel_node("use", {bytes_of({scratch + 0x4000})})});
  b.root.nodes[0].boundary = "step";
  EXPECT_EQ(compare_graphs(a, b, registered_pool(), registered_pool()).text(),
            "difference: baked scalar: node 0, scale, parameter 1: 66, then 68, launched by step\n"
            "difference: temporary address: node 1, use, parameter 0: device memory, byte 0x0 of 65536, then "
            "device memory, byte "
            "0x4000 of 65536\n"
            "graph difference: 2 nodes matched, 3 words compared, 2 differences; baked scalar 1; temporary "
            "address 1\n");
}

TEST(graph_difference, a_moved_owner_is_the_same_place) {
  const graph_snapshot a = snapshot_of({kernel_node("k", {bytes_of({pool + 0x4000})})});
  const graph_snapshot b = snapshot_of({kernel_node("k", {bytes_of({scratch + 0x4000})})});
  known_memory moved;
  moved.ranges.push_back({"kv_pool", scratch, 0x10000, 8});
  EXPECT_TRUE(compare_graphs(a, b, registered_pool(), moved).differences.empty());
  moved.ranges[0].begin = scratch + 0x1000;
  const graph_difference other = compare_graphs(a, b, registered_pool(), moved);
  ASSERT_EQ(other.differences.size(), 1U);
  EXPECT_EQ(other.differences[0].kind, difference_kind::other_place);
  EXPECT_EQ(other.differences[0].first + " " + other.differences[0].second, "kv_pool+0x4000 kv_pool+0x3000");
}

TEST(graph_difference, recorded_scalars_may_differ) {
  graph_snapshot a = snapshot_of({kernel_node("k", {bytes_of_int(66)})});
  graph_snapshot b = snapshot_of({kernel_node("k", {bytes_of_int(68)})});
  a.root.nodes[0].boundary = b.root.nodes[0].boundary = "step";
  known_memory first;
  first.words.push_back({66, "", 0, "step", {}});
  known_memory second;
  second.words.push_back({68, "", 0, "step", {}});
  const graph_difference expected = compare_graphs(a, b, first, second);
  EXPECT_EQ(expected.known_words, 1U);
  EXPECT_TRUE(expected.differences.empty());
  EXPECT_EQ(compare_graphs(a, b, first, {}).differences.size(), 1U);
}

TEST(graph_difference, a_recorded_value_elsewhere_is_only_possible) {
  graph_snapshot a = snapshot_of({kernel_node("k", {bytes_of_int(4), bytes_of_int(4)})});
  graph_snapshot b = snapshot_of({kernel_node("k", {bytes_of_int(8), bytes_of_int(8)})});
  known_memory first;
  first.words = {{4}};
  known_memory second;
  second.words = {{8}};
  const graph_difference by_value = compare_graphs(a, b, first, second);
  EXPECT_EQ(by_value.text(),
            "difference: possible: baked scalar: node 0, k, parameter 0: 4, then 8\n"
            "difference: possible: baked scalar: node 0, k, parameter 1: 4, then 8\n"
            "graph difference: 1 node matched, 2 words compared, 2 differences; baked scalar 2\n");
  a.root.nodes[0].boundary = b.root.nodes[0].boundary = "step";
  first.words = {{4, "", 0, "step", 1}};
  second.words = {{8, "", 0, "step", 1}};
  const graph_difference tied = compare_graphs(a, b, first, second);
  EXPECT_EQ(tied.known_words, 1U);
  ASSERT_EQ(tied.differences.size(), 1U);
  EXPECT_FALSE(tied.differences[0].possible);
  EXPECT_EQ(tied.differences[0].parameter, 0U);
  first.words[0].boundary = second.words[0].boundary = "another step";
  EXPECT_EQ(compare_graphs(a, b, first, second).differences.size(), 2U);
}

TEST(graph_difference, recorded_addresses_belong_to_one_owner) {
  const graph_snapshot a = snapshot_of({kernel_node("k", {bytes_of({scratch})})});
  const graph_snapshot b = snapshot_of({kernel_node("k", {bytes_of({scratch + 0x4000})})});
  known_memory first;
  first.words = {{scratch, "scores", 1}};
  known_memory second;
  second.words = {{scratch + 0x4000, "scores", 2}};
  EXPECT_TRUE(compare_graphs(a, b, first, second).differences.empty());
  second.words[0].owner = "indices";
  EXPECT_EQ(compare_graphs(a, b, first, second).differences.size(), 1U);
}

TEST(graph_difference, an_address_that_stayed_while_its_owner_moved_is_frozen) {
  const graph_snapshot a = snapshot_of({kernel_node("k", {bytes_of({pool + 0x4000})})});
  known_memory moved;
  moved.ranges.push_back({"kv_pool", scratch, 0x10000, 8});
  EXPECT_EQ(compare_graphs(a, a, registered_pool(), moved).text(),
            "difference: frozen input: node 0, k, parameter 0: kv_pool+0x4000, then the same address, where "
            "kv_pool is no longer\n"
            "graph difference: 1 node matched, 1 word compared, 1 difference; frozen input 1\n");
  EXPECT_TRUE(compare_graphs(a, a, registered_pool(), registered_pool()).differences.empty());
  EXPECT_TRUE(compare_graphs(a, a, registered_pool(), {}).differences.empty()) << "nothing is known of it";
}

TEST(graph_difference, a_parameter_that_was_recorded_with_two_values_and_has_one_is_frozen) {
  graph_snapshot a = snapshot_of({kernel_node("k", {bytes_of({pool}), bytes_of_int(4)})});
  a.root.nodes[0].boundary = "step";
  known_memory first = registered_pool();
  first.words = {{4, "", 0, "step", 1}};
  known_memory second = registered_pool();
  second.words = {{8, "", 0, "step", 1}};
  EXPECT_EQ(
      compare_graphs(a, a, first, second).text(),
      "difference: frozen input: node 0, k, parameter 1: 4, then 4 again, recorded as 8, launched by step\n"
      "graph difference: 1 node matched, 2 words compared, 1 difference; frozen input 1\n");
  EXPECT_TRUE(compare_graphs(a, a, first, first).differences.empty()) << "recorded as equal";
  second.words[0].boundary = "another step";
  EXPECT_TRUE(compare_graphs(a, a, first, second).differences.empty());
  second.words = {{8, "", 0, "step", {}}};
  EXPECT_TRUE(compare_graphs(a, a, first, second).differences.empty()) << "for which parameter is not known";
}

TEST(graph_difference, what_a_node_does_and_where) {
  graph_node fill;
  fill.kind = graph_node_kind::memset;
  fill.fill = fill_details{pool, 0, 0, 4, 64, 1};
  graph_node batch;
  batch.kind = graph_node_kind::batch_mem_op;
  batch.operations = {{1, pool, 7}};
  graph_node wait;
  wait.kind = graph_node_kind::semaphore_wait;
  wait.semaphore_count = 1;
  const graph_snapshot a =
      snapshot_of({fill, copy_node(pool, memory_kind::device, pool), batch, wait, kernel_node("k", {})});
  graph_snapshot b = a;
  b.root.nodes[0].fill->element_bytes = 2;
  b.root.nodes[1].copy->from.declared = memory_kind::unknown;
  b.root.nodes[1].copy->to.height = 9;
  b.root.nodes[2].operations[0].operation = 2;
  b.root.nodes[3].semaphore_count = 2;
  b.root.nodes[4].device = 1;
  EXPECT_EQ(compare_graphs(a, b).text(),
            "difference: attribute: node 0, memset, bytes of an element: 4, then 2\n"
            "difference: attribute: node 1, memcpy, declared memory of the source: device, then unknown\n"
            "difference: baked scalar: node 1, memcpy, target height: 1, then 9\n"
            "difference: attribute: node 2, batch_mem_op, operation 0: 1, then 2\n"
            "difference: attribute: node 3, semaphore_wait, semaphores: 1, then 2\n"
            "difference: attribute: node 4, k, device: not known, then 1\n"
            "graph difference: 5 nodes matched, 16 words compared, 6 differences; baked scalar 1; attribute "
            "5\n");
}

TEST(graph_difference, what_was_not_read_is_not_equal) {
  const graph_snapshot a = snapshot_of({kernel_node("k", {bytes_of_int(1)})});
  graph_snapshot b = a;
  b.root.nodes[0].kernel.reset();
  EXPECT_EQ(compare_graphs(a, b).text(),
            "difference: not comparable: node 0, k, details: read, then not read\n"
            "graph difference: 1 node matched, 0 words compared, 1 difference; not comparable 1; not "
            "comparable in full 1\n");
  EXPECT_EQ(compare_graphs(b, b).uncomparable, 1U);
  graph_snapshot packed = snapshot_of({kernel_node("k", {})});
  packed.root.nodes[0].kernel->packed = bytes_of({1});
  graph_snapshot other = packed;
  other.root.nodes[0].kernel->packed = bytes_of({2});
  EXPECT_EQ(compare_graphs(packed, other).differences.size(), 1U);
}

TEST(graph_difference, a_missing_node_is_found_by_structure) {
  const graph_node k = kernel_node("k", {bytes_of({pool})});
  graph_node fill;
  fill.kind = graph_node_kind::memset;
  fill.fill = fill_details{pool, 0, 0, 4, 64, 1};
  const graph_difference d = compare_graphs(snapshot_of({k, fill, k}), snapshot_of({k, k}));
  ASSERT_EQ(d.differences.size(), 1U);
  EXPECT_EQ(d.differences[0].kind, difference_kind::only_in_first);
  EXPECT_EQ(
      d.text(),
      "difference: only in the first capture: node 1, memset\n"
      "graph difference: 2 nodes matched, 2 words compared, 1 difference; only in the first capture 1\n");
  EXPECT_EQ(compare_graphs(snapshot_of({k, k}), snapshot_of({k, fill, k})).differences[0].kind,
            difference_kind::only_in_second);
}

TEST(graph_difference, launch_sizes_edges_and_layouts) {
  const graph_snapshot a =
      snapshot_of({kernel_node("k", {bytes_of_int(1)}), kernel_node("l", {}), kernel_node("m", {})});
  graph_snapshot b = a;
  b.root.nodes[0].kernel->grid[0] = 2;
  b.root.nodes[1].kernel->parameters.push_back({0, bytes_of_int(1)});
  b.root.edges[1].from = 0;
  const graph_difference d = compare_graphs(a, b);
  EXPECT_EQ(d.text(),
            "difference: launch size: node 0, k, grid: (1,1,1), then (2,1,1)\n"
            "difference: not comparable: node 1, l, parameters: 0, then 1\n"
            "difference: edges: the graph: 2 edges, then 2 edges, between other nodes\n"
            "graph difference: 3 nodes matched, 1 word compared, 3 differences; launch size 1; edges 1; not "
            "comparable 1\n");
}

TEST(graph_difference, half_words_of_structs) {
  const graph_snapshot a = snapshot_of({kernel_node("k", {bytes_of({0x0000000200000001, 5})})});
  const graph_snapshot b = snapshot_of({kernel_node("k", {bytes_of({0x0000000300000001, 5})})});
  const graph_difference d = compare_graphs(a, b);
  ASSERT_EQ(d.differences.size(), 1U);
  EXPECT_EQ(d.differences[0].offset, 4U);
  EXPECT_EQ(d.differences[0].first, "2");
}

TEST(graph_difference, large_bodies_are_matched_greedily_and_say_so) {
  std::vector<graph_node> left;
  std::vector<graph_node> right;
  for (int i = 0; i < 2100; ++i) {
    left.push_back(kernel_node(i % 2 == 0 ? "a" : "b", {}));
    right.push_back(kernel_node(i % 2 == 0 ? "b" : "a", {}));
  }
  const graph_difference d = compare_graphs(snapshot_of(left), snapshot_of(right));
  EXPECT_TRUE(d.greedy);
  EXPECT_EQ(d.matched_nodes, 2099U);
}

}  // namespace
}  // namespace stridelock::test
