#include "analyzer/snapshot/snapshot_json.h"

#include <gtest/gtest.h>

#include "runtime/tests/small_graphs.h"
#include "stridelock/graph_difference.h"

namespace stridelock::snapshot {
namespace {

using namespace stridelock::test;

graph_snapshot everything() {
  graph_node packed = kernel_node("_Z6packedv", {});
  packed.kernel->demangled = "packed()";
  packed.kernel->source = parameter_source::extra;
  packed.kernel->layout_known = false;
  packed.kernel->packed = bytes_of({pool, 3});
  packed.boundary = "sparse_mla \"quoted\"";
  packed.context = 1;
  packed.device = 0;
  graph_node fill;
  fill.kind = graph_node_kind::memset;
  fill.fill = fill_details{pool, 512, 0xffffffffU, 4, 64, 2};
  graph_node alloc;
  alloc.kind = graph_node_kind::mem_alloc;
  alloc.allocation = allocation_details{0x302000000, 4096};
  graph_node call;
  call.kind = graph_node_kind::host;
  call.host_call = host_call_details{in_image, ~std::uint64_t{0}};
  graph_node batch;
  batch.kind = graph_node_kind::batch_mem_op;
  batch.operations = {{1, scratch, 7}, {6, 0, 0}};
  graph_node semaphores;
  semaphores.kind = graph_node_kind::semaphore_wait;
  semaphores.semaphore_count = 2;
  graph_node loop;
  loop.kind = graph_node_kind::conditional;
  loop.bodies.emplace_back();
  loop.bodies[0].nodes = {kernel_node("inner", {bytes_of({scratch, 1})}), kernel_node("empty", {})};
  loop.bodies[0].edges = {{0, 1, 1, 0, 1}};
  graph_node closed;
  closed.kind = graph_node_kind::conditional;
  closed.bodies_known = false;
  graph_node future;
  future.raw_type = 77;
  future.unread = {"parameters: not supported", "\xff"};
  graph_snapshot s = snapshot_of({packed, fill, alloc, call, batch, semaphores, loop, closed, future,
                                  copy_node(on_stack, memory_kind::none, pool)});
  s.devices.push_back({1, "other", "10.0", {}});
  s.addresses[0].mapped.reset();
  s.addresses[0].from_pool = true;
  return s;
}

std::string error_of(const std::string& text) {
  auto result = read_snapshot(text, "g.json");
  const auto* error = std::get_if<read_error>(&result);
  return error != nullptr ? error->str() : "no error";
}

std::string with(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(snapshot_json, what_was_written_is_read_back) {
  const std::string written = to_json(everything());
  auto result = read_snapshot(written, "g.json");
  ASSERT_TRUE(std::holds_alternative<graph_snapshot>(result)) << std::get<read_error>(result).str();
  EXPECT_EQ(to_json(std::get<graph_snapshot>(result)), written);
  EXPECT_EQ(to_text(std::get<graph_snapshot>(result)).find('\xff'), std::string::npos);
}

TEST(snapshot_json, every_error_says_where) {
  const std::string good = to_json(everything());
  EXPECT_EQ(error_of(""), "g.json:1:1: error: expected JSON: Unexpected EOF");
  EXPECT_EQ(error_of("{\n  ]"), "g.json:2:4: error: expected JSON: Expected object key");
  EXPECT_EQ(error_of("[]"), "g.json: error: expected an object, found an array of 0");
  EXPECT_EQ(error_of("{}"), "g.json: error: the key 'stridelock_graph_snapshot' is missing");
  EXPECT_EQ(error_of(with(good, "snapshot\":1", "snapshot\":2")),
            "g.json: error: stridelock_graph_snapshot: version 2, this program reads version 1");
  EXPECT_EQ(error_of(with(good, "\"grid\":[1,1,1]", "\"grid\":[1,1]")),
            "g.json: error: graph.nodes[0].kernel.grid: expected three numbers, found an array of 2");
  EXPECT_EQ(error_of(with(good, "\"grid\":[1,", "\"grid\":[-1,")),
            "g.json: error: graph.nodes[0].kernel.grid[0]: expected a whole number up to 4294967295, found a "
            "number");
  EXPECT_EQ(
      error_of(with(good, "\"packed\":\"00", "\"packed\":\"0x")),
      "g.json: error: graph.nodes[0].kernel.packed: expected bytes as pairs of hexadecimal digits, found "
      "'0x000000007f00000300000000000000'");
  EXPECT_EQ(error_of(with(good, "\"kind\":\"memset\"", "\"kind\":\"fill\"")),
            "g.json: error: graph.nodes[1].kind: 'fill' is no kind of node");
  EXPECT_EQ(error_of(with(good, "\"pitch\":512", "\"pitsch\":512")),
            "g.json: error: graph.nodes[1].fill: the key 'pitch' is missing");
  EXPECT_EQ(error_of(with(good, "\"pitch\":512", "\"pitch\":512,\"colour\":1")),
            "g.json: error: graph.nodes[1].fill: unknown key 'colour'");
  EXPECT_EQ(error_of(with(good, "[0,1]", "[0,10]")),
            "g.json: error: graph.edges[0][1]: expected a whole number up to 9, found a number");
  EXPECT_EQ(error_of(with(good, "\"0x302000000\"", "\"0x30200000000000000\"")),
            "g.json: error: graph.nodes[2].allocation.address: expected an address such as \"0x7f00\", found "
            "'0x30200000000000000'");
  EXPECT_EQ(error_of(with(good, "\"range_bytes\":1048576", "\"range_bytes\":0")),
            "g.json: error: addresses[2]: the address lies outside its own range");
}

std::string graph_of(const std::string& node, const std::string& addresses = "") {
  return "{\"stridelock_graph_snapshot\":1,\"graph\":{\"nodes\":[" + node +
         "],\"edges\":[]},\"addresses\":[" + addresses + "]}";
}

TEST(snapshot_json, an_address_has_one_description) {
  const std::string once = "{\"address\":\"0x7f0000000000\",\"kind\":\"device\"}";
  const std::string again = "{\"address\":\"0x7f0000000000\",\"kind\":\"none\"}";
  EXPECT_EQ(error_of(graph_of("", once)), "no error");
  EXPECT_EQ(error_of(graph_of("", once + "," + again)),
            "g.json: error: addresses[1]: expected each address once, found that of addresses[0] again");
}

TEST(snapshot_json, bodies_that_are_not_there_are_not_known) {
  for (const std::string kind : {"child_graph", "conditional"}) {
    auto result = read_snapshot(graph_of("{\"kind\":\"" + kind + "\"}"), "g.json");
    ASSERT_TRUE(std::holds_alternative<graph_snapshot>(result));
    EXPECT_FALSE(std::get<graph_snapshot>(result).root.nodes[0].bodies_known);
    EXPECT_TRUE(audit(std::get<graph_snapshot>(result), {}).understood_nothing());
  }
}

TEST(snapshot_json, deep_nesting_is_an_error_and_no_overflow) {
  EXPECT_EQ(error_of(std::string(50000, '[')), "g.json:1:257: error: more than 256 levels of nesting");
  EXPECT_EQ(error_of("\n" + std::string(300, '{')), "g.json:2:257: error: more than 256 levels of nesting");
  // Brackets inside texts do not count.
  auto result = read_known_memory("{\"stridelock_known_memory\":1,\"ranges\":[{\"name\":\"\\\"" +
                                      std::string(1000, '[') + "\",\"begin\":\"0x10\",\"bytes\":1}]}",
                                  "k.json");
  EXPECT_TRUE(std::holds_alternative<known_memory>(result));
}

// What the fuzzer does, for every build: cut and changed files are read or refused, and what is read can be judged.
TEST(snapshot_json, damaged_files_are_data_or_errors) {
  const std::string good = to_json(everything());
  std::size_t refused = 0;
  const auto try_it = [&](const std::string& text) {
    auto result = read_snapshot(text, "g.json");
    if (std::holds_alternative<read_error>(result)) {
      ++refused;
      EXPECT_FALSE(std::get<read_error>(result).message.empty());
      return;
    }
    const graph_snapshot& s = std::get<graph_snapshot>(result);
    EXPECT_FALSE(audit(s, registered_pool()).text().empty());
    EXPECT_FALSE(to_text(s).empty());
    EXPECT_TRUE(compare_graphs(s, s).differences.empty());
  };
  std::size_t tried = 0;
  for (std::size_t i = 0; i < good.size(); i += 7, ++tried) try_it(good.substr(0, i));
  const std::string replacements = "0f{}[],:\"-x";
  for (std::size_t i = 0; i < good.size(); i += 3, ++tried) {
    std::string changed = good;
    changed[i] = replacements[i % replacements.size()];
    try_it(changed);
  }
  EXPECT_GT(refused, tried / 2);
  EXPECT_LT(refused, tried);
}

TEST(snapshot_json, known_memory) {
  auto result = read_known_memory(
      R"({"stridelock_known_memory":1,"ranges":[
          {"name":"kv_pool","begin":"0x7f0000000000","bytes":1048576,"generation":7},
          {"name":"old","begin":"0x10000","bytes":16,"role":"block","live":false,"holds_pointers":true}],
          "words":[{"value":"0x7f0000000000","owner":"kv_pool","generation":6},
                   {"value":"0x42","boundary":"step","parameter":2}],
          "digests":[{"digest":"0xff","name":"map"}]})",
      "k.json");
  ASSERT_TRUE(std::holds_alternative<known_memory>(result)) << std::get<read_error>(result).str();
  const known_memory& known = std::get<known_memory>(result);
  ASSERT_EQ(known.ranges.size(), 2U);
  EXPECT_EQ(known.ranges[0].generation, 7U);
  EXPECT_EQ(known.ranges[1].role, memory_role::block);
  EXPECT_FALSE(known.ranges[1].live);
  EXPECT_TRUE(known.ranges[1].holds_pointers);
  EXPECT_EQ(known.words[0].owner, "kv_pool");
  EXPECT_FALSE(known.words[0].parameter);
  EXPECT_EQ(known.words[1].boundary, "step");
  EXPECT_EQ(known.words[1].parameter, 2U);
  EXPECT_EQ(known.digests[0].digest, 0xffU);
  auto bad = read_known_memory(
      R"({"stridelock_known_memory":1,"ranges":[{"name":"a","begin":4096,"bytes":1}]})", "k.json");
  EXPECT_EQ(std::get<read_error>(bad).str(),
            "k.json: error: ranges[0].begin: expected an address such as \"0x7f00\", found a number");
}

}  // namespace
}  // namespace stridelock::snapshot
