#include "stridelock/graph_audit.h"

#include <gtest/gtest.h>

#include "small_graphs.h"

namespace stridelock::test {
namespace {

std::size_t pointers(const audit_result& r, audit_verdict v) {
  return r.counts.pointers[static_cast<std::size_t>(v)];
}
std::size_t nodes(const audit_result& r, audit_verdict v) {
  return r.counts.nodes[static_cast<std::size_t>(v)];
}

std::string only_code(const audit_result& r) {
  std::string codes;
  for (const audit_finding& f : r.findings) codes += (codes.empty() ? "" : " ") + f.code;
  return codes;
}

TEST(graph_audit, a_graph_over_registered_memory_is_silent) {
  const graph_snapshot s = snapshot_of({
      kernel_node("gather", {bytes_of({pool}), bytes_of({pool + 0x4000}), bytes_of_int(66)}),
      copy_node(in_image, memory_kind::none, pool),
  });
  const audit_result r = audit(s, registered_pool());
  EXPECT_EQ(r.text(),
            "graph audit: 2 nodes (1 kernel): 2 ok, 0 violated, 0 possible, 0 unknown; 4 pointers: 4 ok, 0 "
            "violated, 0 "
            "possible, 0 unknown\n");
  EXPECT_EQ(r.worst(), audit_verdict::ok);
}

TEST(graph_audit, a_pointer_that_nothing_backs) {
  const graph_snapshot s =
      snapshot_of({kernel_node("gather", {bytes_of({pool}), bytes_of({gone + 0x4000})})});
  const audit_result r = audit(s, registered_pool());
  EXPECT_EQ(
      r.text(),
      "audit: the graph holds a pointer that no live allocation backs                      "
      "[audit/dangling-pointer]\n"
      "  node       0: gather, parameter 1\n"
      "  found      an address among those of live allocations, in none of them\n"
      "  fix        keep the buffer alive as long as the graph; register it, so that its name stands here\n"
      "graph audit: 1 node (1 kernel): 0 ok, 1 violated, 0 possible, 0 unknown; 2 pointers: 1 ok, 1 "
      "violated, 0 "
      "possible, 0 unknown\n");
}

TEST(graph_audit, where_the_device_reads_pageable_memory_it_is_only_possible) {
  graph_snapshot s = snapshot_of({kernel_node("gather", {bytes_of({pool}), bytes_of({gone})})});
  s.devices[0].reads_pageable = true;
  const audit_result r = audit(s, registered_pool());
  ASSERT_EQ(only_code(r), "audit/dangling-pointer");
  EXPECT_EQ(r.findings[0].verdict, audit_verdict::possible);
}

TEST(graph_audit, known_to_the_driver_at_capture_it_is_certain_even_there) {
  graph_snapshot now = snapshot_of({kernel_node("gather", {bytes_of({gone})})});
  now.devices[0].reads_pageable = true;
  graph_snapshot then = now;
  for (address_facts& f : then.addresses) {
    if (f.address == gone) f = device_memory(gone, gone, 0x10000, 13);
  }
  audit_options options;
  options.at_capture = &then;
  const audit_result r = audit(now, registered_pool(), options);
  ASSERT_EQ(only_code(r), "audit/dangling-pointer");
  EXPECT_EQ(r.findings[0].verdict, audit_verdict::violated);
}

TEST(graph_audit, scalars_are_not_pointers) {
  const graph_snapshot s =
      snapshot_of({kernel_node("scale", {bytes_of({0x3ff0000000000000}), bytes_of({1024}),
                                         bytes_of({0x0000004200000100}), bytes_of({0})})});
  const audit_result r = audit(s, registered_pool());
  EXPECT_TRUE(r.findings.empty());
  EXPECT_EQ(pointers(r, audit_verdict::ok), 0U);
}

TEST(graph_audit, words_inside_structs_are_never_more_than_possible) {
  const graph_snapshot s = snapshot_of({kernel_node("fused", {bytes_of({1, gone, 2, scratch})})});
  const audit_result r = audit(s, registered_pool());
  ASSERT_EQ(only_code(r), "audit/dangling-pointer audit/unregistered-memory");
  for (const audit_finding& f : r.findings) EXPECT_EQ(f.verdict, audit_verdict::possible);
  EXPECT_EQ(r.findings[0].offset, 8U);
  EXPECT_NE(r.text().find("  node       0: fused, parameter 0 at byte 24\n"), std::string::npos) << r.text();
}

TEST(graph_audit, host_addresses_inside_structs_are_counted_not_reported) {
  const graph_snapshot s = snapshot_of({kernel_node("fused", {bytes_of({on_stack, pool, on_heap})})});
  const audit_result r = audit(s, registered_pool());
  EXPECT_TRUE(r.findings.empty());
  EXPECT_EQ(r.counts.host_words_in_structs, 2U);
  EXPECT_NE(r.summary().find("; host addresses inside structs, not judged 2"), std::string::npos);
  EXPECT_EQ(only_code(audit(snapshot_of({kernel_node("k", {bytes_of({on_stack})})}), registered_pool())),
            "audit/stack-pointer");
}

TEST(graph_audit, addresses_that_are_reserved_and_not_mapped) {
  graph_snapshot s = snapshot_of({kernel_node("gather", {bytes_of({scratch})})});
  for (address_facts& f : s.addresses) {
    if (f.range_begin == scratch) {
      f.kind = memory_kind::none;
      f.mapped = false;
    }
  }
  EXPECT_EQ(only_code(audit(s, registered_pool())), "audit/dangling-pointer");
}

TEST(graph_audit, memory_that_nobody_registered) {
  graph_snapshot s = snapshot_of({kernel_node("gather", {bytes_of({pool}), bytes_of({scratch + 0x4000})}),
                                  kernel_node("scatter", {bytes_of({scratch})})});
  attribute(s, {{"sparse_mla", 0, 1}});
  const audit_result r = audit(s, registered_pool());
  EXPECT_EQ(r.text(),
            "audit: the graph uses device memory that nobody registered                          "
            "[audit/unregistered-memory]\n"
            "  node       0: gather, parameter 1, launched by sparse_mla\n"
            "  found      byte 0x4000 of an allocation of 65536 bytes\n"
            "  also       node 1 parameter 0\n"
            "  fix        register the buffer (a library's workspace too), or allocate it from the graph's "
            "own pool\n"
            "graph audit: 2 nodes (2 kernels): 0 ok, 2 violated, 0 possible, 0 unknown; 3 pointers: 1 ok, 2 "
            "violated, 0 "
            "possible, 0 unknown\n");
}

TEST(graph_audit, without_known_memory_live_pointers_are_unknown_not_ok) {
  const graph_snapshot s = snapshot_of({kernel_node("gather", {bytes_of({pool}), bytes_of({scratch})})});
  const audit_result r = audit(s, {});
  EXPECT_TRUE(r.findings.empty());
  EXPECT_TRUE(r.understood_nothing());
  EXPECT_EQ(r.summary(),
            "graph audit: 1 node (1 kernel): 0 ok, 0 violated, 0 possible, 1 unknown; 2 pointers: 0 ok, 0 "
            "violated, 0 possible, "
            "2 unknown; no known memory was given for 2; nothing was judged");
}

TEST(graph_audit, an_address_that_the_driver_gave_no_answer_for_is_unknown) {
  graph_snapshot s = snapshot_of({kernel_node("gather", {bytes_of({scratch})})});
  for (address_facts& f : s.addresses) f.kind = memory_kind::unknown;
  const audit_result r = audit(s, registered_pool());
  EXPECT_EQ(r.counts.not_answered, 1U);
  EXPECT_TRUE(r.understood_nothing());
}

TEST(graph_audit, an_empty_graph_is_not_green) {
  const audit_result r = audit(snapshot_of({}), registered_pool());
  EXPECT_TRUE(r.understood_nothing());
}

TEST(graph_audit, freed_and_taken_again) {
  const graph_snapshot s = snapshot_of({kernel_node("decode", {bytes_of({pool + 0x4000})})});
  known_memory now = registered_pool(9);
  now.words = record_owners(s, registered_pool(7));
  ASSERT_EQ(now.words.size(), 1U);
  const audit_result r = audit(s, now);
  EXPECT_EQ(
      r.text(),
      "audit: the graph still uses the old block of 'kv_pool'                              "
      "[audit/stale-owner]\n"
      "  node       0: decode, parameter 0\n"
      "  captured   kv_pool gen 7\n"
      "  now        kv_pool+0x4000 gen 9\n"
      "  fix        keep one persistent buffer for kv_pool and copy into it before replay, or capture again\n"
      "  not a fix  .contiguous(): it makes a new block, which the graph does not use\n"
      "graph audit: 1 node (1 kernel): 0 ok, 1 violated, 0 possible, 0 unknown; 1 pointer: 0 ok, 1 violated, "
      "0 possible, 0 "
      "unknown\n");
  now.words = record_owners(s, now);
  EXPECT_TRUE(audit(s, now).findings.empty());
}

TEST(graph_audit, a_recorded_word_whose_owner_is_gone_altogether) {
  const graph_snapshot s = snapshot_of({kernel_node("decode", {bytes_of({gone + 0x4000})})});
  known_memory now = registered_pool();
  now.words = {{gone + 0x4000, "scores", 3}};
  EXPECT_EQ(
      audit(s, now).text(),
      "audit: the graph still uses the old block of 'scores'                               "
      "[audit/stale-owner]\n"
      "  node       0: decode, parameter 0\n"
      "  captured   scores gen 3\n"
      "  now        in no registered memory; the driver knows no allocation there\n"
      "  fix        keep one persistent buffer for scores and copy into it before replay, or capture again\n"
      "  not a fix  .contiguous(): it makes a new block, which the graph does not use\n"
      "graph audit: 1 node (1 kernel): 0 ok, 1 violated, 0 possible, 0 unknown; 1 pointer: 0 ok, 1 violated, "
      "0 possible, 0 "
      "unknown\n");
  now.ranges.clear();  // the driver's word alone
  EXPECT_EQ(only_code(audit(s, now)), "audit/stale-owner");
  // Somebody's memory by now, which nobody registered.
  const graph_snapshot taken = snapshot_of({kernel_node("decode", {bytes_of({scratch})})});
  now.words = {{scratch, "scores", 3}};
  EXPECT_TRUE(audit(taken, now).findings.empty());  // no ranges: the owner may be alive
  now.ranges = registered_pool().ranges;
  EXPECT_EQ(only_code(audit(taken, now)), "audit/stale-owner");
  // An address that looks like no pointer, and one inside a struct.
  graph_snapshot low = snapshot_of({kernel_node("decode", {bytes_of({0x302000008})})});
  low.addresses.push_back(no_memory(0x302000008, host_storage::unmapped));
  normalise_addresses(low);
  now.words = {{0x302000008, "pooled", 1}, {gone, "scores", 3}};
  EXPECT_EQ(only_code(audit(low, now)), "audit/stale-owner");
  const audit_result inside = audit(snapshot_of({kernel_node("decode", {bytes_of({1, gone})})}), now);
  ASSERT_EQ(only_code(inside), "audit/stale-owner");
  EXPECT_EQ(inside.findings[0].verdict, audit_verdict::possible);
}

TEST(graph_audit, host_memory_that_another_owner_has_now) {
  graph_node call;
  call.kind = graph_node_kind::host;
  call.host_call = host_call_details{in_image, on_heap};
  const graph_snapshot s = snapshot_of(
      {copy_node(on_heap, memory_kind::none, pool), call, copy_node(on_heap, memory_kind::unknown, pool)});
  known_memory known = registered_pool();
  known.ranges.push_back({"staging_a", on_heap, 256, 1, memory_role::host_buffer});
  known.words = record_owners(s, known);
  EXPECT_TRUE(audit(s, known).findings.empty());
  known.ranges.back() = {"staging_b", on_heap, 256, 5, memory_role::host_buffer};
  const audit_result r = audit(s, known);
  EXPECT_EQ(only_code(r), "audit/stale-owner audit/stale-owner audit/stale-owner");
  EXPECT_EQ(nodes(r, audit_verdict::violated), 3U);
  known.ranges.pop_back();
  EXPECT_EQ(only_code(audit(s, known)), "audit/stale-owner audit/stale-owner audit/stale-owner");
}

TEST(graph_audit, a_digest_vouches_for_bytes_and_not_for_memory) {
  const graph_snapshot s = snapshot_of(
      {kernel_node("fused", {bytes_of({1, pool + 0x4000, gone})}), kernel_node("use", {bytes_of({gone})})});
  known_memory known = registered_pool();
  known.words = record_owners(s, known);
  for (const graph_node& n : s.root.nodes) {
    const std::vector<std::uint8_t>& bytes = n.kernel->parameters[0].bytes;
    known.digests.push_back({digest_of(bytes.data(), bytes.size()), "value"});
  }
  const audit_result fresh = audit(s, known);
  ASSERT_EQ(only_code(fresh),
            "audit/dangling-pointer");  // the 8-byte pointer; the guess in the struct is silent
  EXPECT_EQ(fresh.findings[0].node, "1");
  known.ranges[0].generation = 8;
  EXPECT_EQ(only_code(audit(s, known)), "audit/stale-owner audit/dangling-pointer");
  known.words.clear();
  known.ranges[0].live = false;
  EXPECT_EQ(only_code(audit(s, known)), "audit/dangling-pointer audit/dangling-pointer");
}

TEST(graph_audit, an_address_that_the_driver_was_not_asked_about_is_unknown) {
  graph_snapshot s = snapshot_of({kernel_node("gather", {bytes_of({scratch}), bytes_of({1, gone})}),
                                  copy_node(scratch, memory_kind::device, gone)});
  s.addresses.clear();
  const audit_result r = audit(s, registered_pool());
  EXPECT_EQ(r.counts.not_answered, 4U);
  EXPECT_TRUE(r.understood_nothing());
}

TEST(graph_audit, nodes_without_their_details_are_unread) {
  for (const graph_node_kind kind :
       {graph_node_kind::kernel, graph_node_kind::memcpy, graph_node_kind::memset, graph_node_kind::host,
        graph_node_kind::mem_alloc, graph_node_kind::mem_free, graph_node_kind::batch_mem_op}) {
    graph_node n;
    n.kind = kind;
    const audit_result r = audit(snapshot_of({n}), registered_pool());
    EXPECT_EQ(r.counts.unread, 1U) << name_of(kind);
    EXPECT_TRUE(r.understood_nothing()) << name_of(kind);
  }
  graph_node other;
  other.kind = graph_node_kind::kernel;
  other.fill = fill_details{pool, 0, 0, 4, 64, 1};
  EXPECT_EQ(audit(snapshot_of({other}), registered_pool()).worst(), audit_verdict::unknown);
}

TEST(graph_audit, parents_without_bodies_are_unknown) {
  for (const graph_node_kind kind : {graph_node_kind::child_graph, graph_node_kind::conditional}) {
    graph_node n;
    n.kind = kind;
    const audit_result r = audit(snapshot_of({n}), registered_pool());
    EXPECT_EQ(r.counts.bodies_unknown, 1U);
    EXPECT_TRUE(r.understood_nothing());
  }
}

TEST(graph_audit, a_layout_without_parameters_is_none) {
  graph_node packed = kernel_node("k", {});
  packed.kernel->packed = bytes_of({gone});
  const audit_result r = audit(snapshot_of({packed}), registered_pool());
  EXPECT_EQ(r.counts.layout_unknown, 1U);
  EXPECT_EQ(only_code(r), "audit/dangling-pointer");
  const audit_result blank = audit(snapshot_of({kernel_node("k", {{}})}), registered_pool());
  EXPECT_EQ(blank.counts.layout_unknown, 1U);
  EXPECT_TRUE(blank.understood_nothing());
}

TEST(graph_audit, nodes_without_addresses_prove_no_understanding) {
  graph_node future;
  future.raw_type = 77;
  graph_node empty;
  empty.kind = graph_node_kind::empty;
  graph_node child;
  child.kind = graph_node_kind::child_graph;
  child.bodies.emplace_back();
  child.bodies[0].nodes = {future};
  EXPECT_TRUE(audit(snapshot_of({empty, future, child}), registered_pool()).understood_nothing());
  child.bodies[0].nodes.push_back(kernel_node("k", {bytes_of({pool})}));
  EXPECT_FALSE(audit(snapshot_of({empty, future, child}), registered_pool()).understood_nothing());
}

TEST(graph_audit, a_block_used_again_is_told_by_its_buffer_id) {
  const graph_snapshot then = snapshot_of({kernel_node("decode", {bytes_of({scratch})})});
  graph_snapshot now = then;
  for (address_facts& f : now.addresses) {
    if (f.range_begin == scratch) f.buffer_id = 99;
  }
  audit_options options;
  options.at_capture = &then;
  const audit_result r = audit(now, {}, options);
  EXPECT_EQ(only_code(r), "audit/stale-owner");
  EXPECT_TRUE(audit(then, {}, options).findings.empty());
}

TEST(graph_audit, segments_know_which_blocks_are_in_use) {
  known_memory known;
  known.ranges.push_back({"segment 1", scratch, 0x10000, 0, memory_role::segment});
  known.ranges.push_back({"indices", scratch, 0x1000, 0, memory_role::block});
  const graph_snapshot s =
      snapshot_of({kernel_node("gather", {bytes_of({scratch}), bytes_of({scratch + 0x4000})})});
  EXPECT_EQ(only_code(audit(s, known)), "audit/freed-block");
  known.ranges.push_back({"free", scratch + 0x4000, 0x1000, 0, memory_role::block, false});
  EXPECT_EQ(only_code(audit(s, known)), "audit/freed-block");
  known.ranges.back().live = true;
  EXPECT_TRUE(audit(s, known).findings.empty());
  known.ranges = {{"graph pool", scratch, 0x10000, 0, memory_role::graph_private}};
  EXPECT_TRUE(audit(s, known).findings.empty());
}

TEST(graph_audit, a_registered_owner_that_is_gone) {
  known_memory known = registered_pool();
  known.ranges[0].live = false;
  const graph_snapshot s = snapshot_of({kernel_node("gather", {bytes_of({pool})})});
  EXPECT_EQ(only_code(audit(s, known)), "audit/dangling-pointer");
}

TEST(graph_audit, registered_as_live_but_unmapped) {
  graph_snapshot s = snapshot_of({kernel_node("gather", {bytes_of({pool})})});
  for (address_facts& f : s.addresses) {
    if (f.range_begin == pool) f.mapped = false;
  }
  const audit_result r = audit(s, registered_pool());
  ASSERT_EQ(only_code(r), "audit/unbacked-owner");
  EXPECT_EQ(r.findings[0].verdict, audit_verdict::violated);
}

TEST(graph_audit, copies_from_stack_and_heap) {
  const graph_snapshot s = snapshot_of(
      {copy_node(on_stack, memory_kind::none, pool), copy_node(on_heap, memory_kind::none, pool)});
  const audit_result r = audit(s, registered_pool());
  ASSERT_EQ(only_code(r), "audit/stack-copy audit/pageable-copy");
  EXPECT_EQ(r.text().substr(0, r.text().find("audit: a captured copy reads pageable")),
            "audit: a captured copy reads stack memory again at every replay                     "
            "[audit/stack-copy]\n"
            "  node       0, the source of a copy\n"
            "  means      the frame is gone by then: whatever stands there is copied\n"
            "  fix        copy from a pinned buffer that lives as long as the graph and is refilled before "
            "each replay\n");
  known_memory known = registered_pool();
  known.ranges.push_back({"staging", on_heap, 256, 1, memory_role::host_buffer});
  EXPECT_EQ(only_code(audit(s, known)), "audit/stack-copy");
}

TEST(graph_audit, allocation_nodes) {
  graph_node alloc;
  alloc.kind = graph_node_kind::mem_alloc;
  alloc.allocation = allocation_details{0x302000000, 4096};
  graph_node free = alloc;
  free.kind = graph_node_kind::mem_free;
  free.allocation->bytes = 0;
  const graph_node use = kernel_node("use", {bytes_of({0x302000000}), bytes_of({0x302000800})});
  const audit_result leaked = audit(snapshot_of({alloc, use}), registered_pool());
  ASSERT_EQ(only_code(leaked), "audit/allocation-node");
  EXPECT_NE(leaked.text().find("never freed in the graph: the second launch fails"), std::string::npos);
  EXPECT_EQ(pointers(leaked, audit_verdict::ok), 2U);
  const audit_result paired = audit(snapshot_of({alloc, use, free}), registered_pool());
  ASSERT_EQ(only_code(paired), "audit/allocation-node");
  EXPECT_EQ(only_code(audit(snapshot_of({free}), registered_pool())), "audit/foreign-free");
}

TEST(graph_audit, a_copy_kernel_that_contiguous_left) {
  const char* name =
      "void at::native::elementwise_kernel<128, 2, "
      "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(...)> >(int, ...)";
  const audit_result r = audit(snapshot_of({kernel_node(name, {bytes_of({pool})})}), registered_pool());
  ASSERT_EQ(only_code(r), "audit/framework-copy");
  EXPECT_EQ(r.findings[0].verdict, audit_verdict::possible);
  const kernel_name_patterns none;
  audit_options options;
  options.names = &none;
  EXPECT_TRUE(audit(snapshot_of({kernel_node(name, {bytes_of({pool})})}), registered_pool(), options)
                  .findings.empty());
}

TEST(graph_audit, what_was_not_understood_is_counted) {
  graph_node packed = kernel_node("nvjet", {});
  packed.kernel->source = parameter_source::extra;
  packed.kernel->layout_known = false;
  packed.kernel->packed = bytes_of({pool, 3, scratch});
  graph_node map = kernel_node("tma_load", {std::vector<std::uint8_t>(128, 0)});
  graph_node loop;
  loop.kind = graph_node_kind::conditional;
  loop.bodies_known = false;
  graph_node future;
  future.raw_type = 77;
  known_memory known = registered_pool();
  known.ranges.push_back({"block_table", scratch, 0x10000, 1, memory_role::persistent, true, true});
  const audit_result r = audit(snapshot_of({packed, map, loop, future}), known);
  EXPECT_EQ(r.counts.layout_unknown, 1U);
  EXPECT_EQ(r.counts.second_level, 1U);
  EXPECT_EQ(r.counts.opaque, 1U);
  EXPECT_EQ(r.counts.bodies_unknown, 1U);
  EXPECT_EQ(r.counts.unread, 1U);
  EXPECT_EQ(nodes(r, audit_verdict::unknown), 4U);
  EXPECT_TRUE(r.understood_nothing());
  EXPECT_EQ(r.summary(),
            "graph audit: 4 nodes (2 kernels): 0 ok, 0 violated, 0 possible, 4 unknown; 2 pointers: 2 ok, 0 "
            "violated, 0 possible, "
            "0 unknown; kernels of unknown parameter layout 1; kernels with pointers behind pointers 1; "
            "opaque tensor maps 1; "
            "nodes whose graphs could not be opened 1; nodes that could not be read 1; nothing was judged");
  known.digests.push_back({digest_of(map.kernel->parameters[0].bytes.data(), 128), "q map"});
  EXPECT_EQ(audit(snapshot_of({map}), known).counts.opaque, 0U);
}

TEST(graph_audit, bodies_are_judged_too) {
  graph_node child;
  child.kind = graph_node_kind::child_graph;
  child.bodies.emplace_back();
  child.bodies[0].nodes.push_back(kernel_node("inner", {bytes_of({gone})}));
  const audit_result r = audit(snapshot_of({child}), registered_pool());
  ASSERT_EQ(only_code(r), "audit/dangling-pointer");
  EXPECT_EQ(r.findings[0].node, "0.body0.0");
}

TEST(graph_audit, host_calls) {
  graph_node call;
  call.kind = graph_node_kind::host;
  call.host_call = host_call_details{in_image, on_stack};
  EXPECT_EQ(audit(snapshot_of({call}), registered_pool()).worst(), audit_verdict::violated);
  call.host_call->user_data = on_heap;
  EXPECT_EQ(audit(snapshot_of({call}), registered_pool()).worst(), audit_verdict::possible);
  call.host_call->user_data = in_image;
  EXPECT_EQ(audit(snapshot_of({call}), registered_pool()).worst(), audit_verdict::ok);
}

TEST(graph_audit, ranges_at_the_end_of_the_address_space) {
  known_memory known;
  known.ranges.push_back({"everything", 0, ~std::uint64_t{0}, 1});
  known.ranges.push_back({"last", ~std::uint64_t{0} - 15, 16, 1});
  const graph_snapshot s =
      snapshot_of({kernel_node("k", {bytes_of({~std::uint64_t{0} - 7}), bytes_of({pool})})});
  EXPECT_EQ(pointers(audit(s, known), audit_verdict::ok), 2U);
}

TEST(graph_audit, json_form) {
  const audit_result r = audit(snapshot_of({kernel_node("k\"1", {bytes_of({gone})})}), registered_pool());
  EXPECT_EQ(
      r.json(),
      "{\"version\":1,\"findings\":[\n"
      "  "
      "{\"code\":\"audit/"
      "dangling-pointer\",\"verdict\":\"violated\",\"node\":\"0\",\"kernel\":\"k\\\"1\",\"parameter\":0,"
      "\"offset\":0,\"message\":\"the graph holds a pointer that no live allocation "
      "backs\",\"lines\":[{\"label\":\"node\","
      "\"text\":\"0: k\\\"1, parameter 0\"},{\"label\":\"found\",\"text\":\"an address among those of live "
      "allocations, in none "
      "of them\"},{\"label\":\"fix\",\"text\":\"keep the buffer alive as long as the graph; register it, so "
      "that its name "
      "stands here\"}]}],\n"
      "\"counts\":{\"nodes\":{\"ok\":0,\"unknown\":0,\"possible\":0,\"violated\":1},\"pointers\":{\"ok\":0,"
      "\"unknown\":0,"
      "\"possible\":0,\"violated\":1},\"kernels\":1,\"owner_unknown\":0,\"not_answered\":0,\"host_words_in_"
      "structs\":0,\"layout_"
      "unknown\":0,\"second_"
      "level\":0,\"opaque\":0,"
      "\"bodies_unknown\":0,\"unread\":0},\n"
      "\"summary\":\"graph audit: 1 node (1 kernel): 0 ok, 1 violated, 0 possible, 0 unknown; 1 pointer: 0 "
      "ok, 1 violated, 0 "
      "possible, 0 unknown\"}\n");
}

}  // namespace
}  // namespace stridelock::test
