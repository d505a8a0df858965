#include "stridelock/ledger.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fake_cuda.h"
#include "runtime/src/ledger_data.h"
#include "stridelock/audit_memory.h"
#include "stridelock/capture_guard.h"
#include "stridelock/persistent_buffer.h"

namespace stridelock {
namespace {

using stridelock_test::fake_cuda;
using buffer = persistent_buffer<int, 2>;

constexpr device gpu{device_kind::cuda, 0};

int* at(std::uintptr_t address) {
  return reinterpret_cast<int*>(address);
}

inline constexpr auto gather =
    make_contract("gather", arg("indices").type(types::int32).shape(sym("T"), sym("W")));

struct launch_parameters {
  const int* table;
  std::int64_t count;
  std::int64_t pitch;
};

struct ledger_test : testing::Test {
  registry all;
  fake_cuda cuda;
  fake_cuda::stream* const stream = cuda.make_stream();
  std::optional<buffer> indices = buffer::told("c128a_decode", {at(0x100000), {{512, 1024}}}, gpu, all);
  std::optional<buffer> out = buffer::told("out", {at(0x800000), {{512, 1024}}}, gpu, all);
  launch_parameters parameters{at(0x800010), 512, 1024};

  template <class View>
  captured_graph capture(const View& narrow, std::string_view name = "decode[bs=2]") {
    capture_guard guard(cuda.backend(), stream, name, capture_mode::thread_local_, all);
    guard.boundary<gather>(narrow)
        .scalar("scale", 0.5)
        .scalar("grid", 3)
        .value("parameters", parameters)
        .at(source_line("engine/step.cpp", 40));
    return guard.finish();
  }
  auto columns(index_t rows, index_t width) { return indices->full().rows(0, rows).columns(0, width); }
};

// ---- owners ----------------------------------------------------------------------------------------------------------

TEST_F(ledger_test, what_was_captured_stays_current_until_it_moves) {
  captured_graph captured = capture(columns(2, 256));
  const ledger& book = captured.book();
  EXPECT_TRUE(book.owners_current());
  EXPECT_TRUE(book.verify_owners().ok());
  EXPECT_EQ(text(book.verify_owners()), "current");
  EXPECT_TRUE(book.expect("gather", "indices", columns(2, 256)).ok());
  EXPECT_TRUE(book.expect_scalar("gather", "scale", 0.5).ok());
  EXPECT_TRUE(book.expect_value("gather", "parameters", parameters).ok());
  const buffer unrelated = buffer::told("unrelated", {at(0x4000000), {{1, 1}}}, gpu, all);
  EXPECT_TRUE(book.owners_current());

  EXPECT_TRUE(indices->moved({at(0x2000000), {{1024, 1024}}}).ok());
  EXPECT_FALSE(book.owners_current());
  const drift_report r = book.verify_owners();
  EXPECT_EQ(r.current(), tri::no);
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, drift_kind::owner_moved);
  EXPECT_EQ(text(r, "replay 118, bs=2"),
            "replay: the buffer of 'indices' moved, the graph still reads the old place   [ledger/moved]\n"
            "  captured   c128a_decode+0x0 gen 1   int32 (2,256):(1024,1)\n"
            "  at replay  c128a_decode+0x0 gen 2   another address, (1024,1024):(1024,1)\n"
            "  consumed   gather #0 (engine/step.cpp:40)\n"
            "  affects    1 graph: decode[bs=2]   first seen: replay 118, bs=2\n"
            "  fix        reserve the largest planned size before capture, or capture the graph again\n"
            "  not a fix  copying into the new place: the graph reads the old one\n");
  EXPECT_EQ(
      json(r),
      "{\"version\":1,\"graph\":\"decode[bs=2]\",\"state\":\"drifted\",\"drifts\":[{\"kind\":\"moved\","
      "\"boundary\":"
      "\"gather\",\"occurrence\":0,\"argument\":\"indices\",\"consequence\":false,\"where\":\"engine/"
      "step.cpp:40\","
      "\"captured\":{\"memory\":\"persistent\",\"owner\":\"c128a_decode\",\"offset\":0,\"generation\":1,"
      "\"type\":"
      "\"int32\",\"extents\":[2,256],\"strides\":[1024,1]},\"current\":{\"memory\":\"persistent\",\"owner\":"
      "\"c128a_decode\",\"offset\":0,\"generation\":2,\"type\":\"int32\",\"device\":\"cuda:0\",\"extents\":["
      "1024,1024],"
      "\"strides\":[1024,1]},\"graphs\":[\"decode[bs=2]\"]}]}\n");
}

TEST_F(ledger_test, names_a_block_that_was_freed_and_taken_again) {
  std::vector<captured_graph> graphs;
  for (const char* name : {"decode[bs=1]", "decode[bs=2]", "decode[bs=4]"})
    graphs.push_back(capture(indices->full().rows(16, 18), name));
  indices = std::nullopt;
  EXPECT_EQ(
      text(graphs[1].book().verify_owners()),
      "replay: the memory of 'indices' was freed, the graph still reads it   [ledger/freed]\n"
      "  captured   c128a_decode+0x10000 gen 1   int32 (2,1024):(1024,1)\n"
      "  at replay  c128a_decode+0x10000 gen 2   nothing is registered there\n"
      "  consumed   gather #0 (engine/step.cpp:40)\n"
      "  affects    3 graphs: decode[bs=1], decode[bs=2], decode[bs=4]\n"
      "  fix        keep one persistent buffer and copy_ into it before replay, or capture the graph again\n"
      "  not a fix  .contiguous(): it makes a new block that the graph does not read\n");
  indices = buffer::told("c128a_decode", {at(0x100000), {{512, 1024}}}, gpu, all);
  graphs.erase(graphs.begin());
  EXPECT_EQ(
      text(graphs[0].book().verify_owners()),
      "replay: the graph still reads the old block of 'indices'   [ledger/stale-owner]\n"
      "  captured   c128a_decode+0x10000 gen 1   int32 (2,1024):(1024,1)\n"
      "  at replay  c128a_decode+0x10000 gen 3   same address, freed and taken again in between\n"
      "  consumed   gather #0 (engine/step.cpp:40)\n"
      "  affects    2 graphs: decode[bs=2], decode[bs=4]\n"
      "  fix        keep one persistent buffer and copy_ into it before replay, or capture the graph again\n"
      "  not a fix  .contiguous(): it makes a new block that the graph does not read\n");
  indices = std::nullopt;
  const buffer other = buffer::told("other", {at(0x108000), {{512, 1024}}}, gpu, all);
  const drift_report r = graphs[0].book().verify_owners();
  EXPECT_EQ(r[0].kind, drift_kind::owner_retaken);
  EXPECT_EQ(r[0].current_place.owner, "other");
  EXPECT_EQ(r[0].current_place.offset, 0x8000u);
}

TEST_F(ledger_test, a_buffer_of_another_size_in_the_same_place_is_resized) {
  captured_graph captured = capture(columns(2, 256));
  EXPECT_TRUE(indices->moved({at(0x100000), {{256, 1024}}}).ok());
  const drift_report r = captured.book().verify_owners();
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, drift_kind::owner_resized);
  EXPECT_EQ(r[0].current.extent(0), 256);
}

TEST_F(ledger_test, probed_owners_are_asked_at_every_check) {
  bool is_alive = true;
  const buffer probed = buffer::probed(
      "torch", {at(0x6000000), {{2, 64}}}, [&is_alive]() noexcept { return is_alive; }, gpu, all);
  captured_graph captured = capture(probed.full());
  EXPECT_TRUE(captured.book().owners_current());
  is_alive = false;
  EXPECT_FALSE(captured.book().owners_current());
  const drift_report r = captured.book().verify_owners();
  EXPECT_EQ(r.current(), tri::no);
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, drift_kind::owner_freed);
}

TEST_F(ledger_test, a_part_stands_and_falls_with_its_whole) {
  const index_t extents[] = {4, 1024};
  registered_buffer part = registered_buffer::part_of(
      indices->registration(), "part", tensor_ref{at(0x101000), types::int32, 2, gpu, extents, nullptr});
  captured_graph captured = capture(view<int, 2>{at(0x101000), {{4, 1024}}});
  EXPECT_NE(text(captured.book()).find("part+0x0 gen 1"), std::string::npos);
  EXPECT_TRUE(captured.book().owners_current());
  indices->gone();
  EXPECT_FALSE(captured.book().owners_current());
}

TEST_F(ledger_test, a_pool_that_is_reset_is_no_longer_the_graphs) {
  std::optional<captured_graph> captured;
  std::optional<private_pool> pool;
  {
    capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
    guard.pool().note(at(0x7000000), 0x10000);
    pool = guard.pool();
    guard.boundary<gather>(view<int, 2>{at(0x7000000), {{2, 64}}});
    captured = guard.finish();
  }
  EXPECT_TRUE(captured->book().owners_current()) << "the ledger keeps the pool";
  pool->reset();
  EXPECT_FALSE(captured->book().owners_current());
  EXPECT_EQ(captured->book().verify_owners()[0].kind, drift_kind::pool_reset);
}

TEST_F(ledger_test, a_pool_lives_as_long_as_its_ledger) {
  {
    capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
    guard.pool().note(at(0x7000000), 0x10000);
    const captured_graph captured = guard.finish();
    EXPECT_EQ(all.find(at(0x7000000)).what(), memory_class::graph_private);
  }
  EXPECT_EQ(all.find(at(0x7000000)).what(), memory_class::unregistered);
}

// ---- arguments -------------------------------------------------------------------------------------------------------

TEST_F(ledger_test, a_pitch_that_changed_is_named) {
  captured_graph captured = capture(columns(2, 256));
  const view<int, 2> packed{at(0x100000), {{2, 256}}};  // rows packed at the width of the batch
  const drift_report r = captured.book().expect("gather", "indices", packed);
  EXPECT_EQ(r.current(), tri::no);
  EXPECT_EQ(text(r),
            "replay: row pitch of 'indices' is 256, the graph reads with 1024   [ledger/restrided]\n"
            "  captured   c128a_decode+0x0 gen 1   int32 (2,256):(1024,1)\n"
            "  at replay  c128a_decode+0x0 gen 1   int32 (2,256):(256,1)\n"
            "  consumed   gather #0 (engine/step.cpp:40)\n"
            "  affects    1 graph: decode[bs=2]\n"
            "  fix        build the view with the captured pitch: rows of the same persistent buffer, "
            "refilled in place\n"
            "  not a fix  .contiguous(): the graph keeps the captured pitch and never reads the copy\n");
}

TEST_F(ledger_test, a_width_that_changed_is_named) {
  captured_graph captured = capture(columns(2, 128));
  EXPECT_EQ(text(captured.book().expect("gather", "indices", columns(2, 256))),
            "replay: shape[1] of 'indices' is 256, the graph was captured with 128   [ledger/resized]\n"
            "  captured   c128a_decode+0x0 gen 1   int32 (2,128):(1024,1)\n"
            "  at replay  c128a_decode+0x0 gen 1   int32 (2,256):(1024,1)\n"
            "  consumed   gather #0 (engine/step.cpp:40)\n"
            "  affects    1 graph: decode[bs=2]\n"
            "  fix        make it part of the graph's key, or pad to the captured shape and bound the reads "
            "by lengths\n");
}

TEST_F(ledger_test, another_place_is_named_and_what_follows_is_a_consequence) {
  captured_graph captured = capture(columns(2, 256));
  const view<int, 2> copy{at(0x7000000), {{2, 256}}};
  EXPECT_EQ(
      text(captured.book().expect("gather", "indices", copy)),
      "replay: 'indices' is in another place, the graph reads the captured one   [ledger/other-place]\n"
      "  captured   c128a_decode+0x0 gen 1   int32 (2,256):(1024,1)\n"
      "  at replay  unregistered memory   int32 (2,256):(256,1)\n"
      "  consumed   gather #0 (engine/step.cpp:40)\n"
      "  affects    1 graph: decode[bs=2]\n"
      "  fix        refill the captured buffer in place, or tell the ledger what the node was updated to\n"
      "  not a fix  .contiguous(): it makes a new block that the graph does not read\n"
      "  follows    'indices' of gather #0 (restrided)\n");
  const drift_report shifted =
      captured.book().expect("gather", "indices", indices->full().rows(1, 3).columns(0, 256));
  ASSERT_EQ(shifted.size(), 1);
  EXPECT_EQ(shifted[0].kind, drift_kind::place);
  EXPECT_EQ(shifted[0].current_place.offset, 4096u);
}

TEST_F(ledger_test, types_ranks_and_presence_are_compared) {
  captured_graph captured = capture(columns(2, 256));
  const ledger& book = captured.book();
  const index_t extents[] = {2, 256}, strides[] = {1024, 1};
  const tensor_ref other{at(0x100000), types::float32, 2, gpu, extents, strides};
  const drift_report type = book.expect("gather", "indices", other);
  ASSERT_EQ(type.size(), 1);
  EXPECT_EQ(text(type).substr(0, 70),
            "replay: 'indices' is float32, the graph reads int32   [ledger/type]\n  ");
  const drift_report rank = book.expect("gather", "indices", view<int, 1>{at(0x100000), {{256}}});
  EXPECT_EQ(rank[0].kind, drift_kind::resized);
  EXPECT_NE(text(rank).find("rank of 'indices' is 1, the graph was captured with 2"), std::string::npos);
  EXPECT_EQ(book.expect("gather", "indices", absent)[0].kind, drift_kind::missing);
  const drift_report added = book.expect("gather", "weights", columns(2, 256));
  EXPECT_EQ(added[0].kind, drift_kind::added);
  EXPECT_EQ(text(added),
            "replay: 'weights' is not in the graph: it was not captured with it   [ledger/added]\n"
            "  captured   nothing of that name\n"
            "  at replay  int32 (2,256):(1024,1) (tensor)\n"
            "  consumed   gather #0\n"
            "  affects    1 graph: decode[bs=2]\n"
            "  fix        make it part of the graph's key, or pad to the captured shape and bound the reads "
            "by lengths\n");
  EXPECT_EQ(book.expect("scatter", "indices", columns(2, 256))[0].kind, drift_kind::added);
}

TEST_F(ledger_test, unknown_names_are_answered_with_the_nearest) {
  captured_graph captured = capture(columns(2, 256));
  const ledger& book = captured.book();
  const drift_report argument = book.expect("gather", "indizes", columns(2, 256));
  EXPECT_EQ(argument.current(), tri::no);
  EXPECT_EQ(argument[0].nearest, "indices");
  EXPECT_EQ(text(argument),
            "replay: 'indizes' is not in the graph: it was not captured with it   [ledger/added]\n"
            "  captured   nothing of that name; did you mean 'indices'?\n"
            "  at replay  int32 (2,256):(1024,1) (tensor)\n"
            "  consumed   gather #0\n"
            "  affects    1 graph: decode[bs=2]\n"
            "  fix        ask by the names that the boundary was captured with: text(ledger) lists them\n");
  const drift_report boundary = book.expect_scalar("gahter", "scale", 0.5);
  EXPECT_EQ(text(boundary),
            "replay: the graph has no boundary 'gahter'   [ledger/added]\n"
            "  captured   nothing of that name; did you mean 'gather'?\n"
            "  at replay  0.5 (scalar)\n"
            "  affects    1 graph: decode[bs=2]\n"
            "  fix        ask by the names that the boundary was captured with: text(ledger) lists them\n");
  EXPECT_NE(json(boundary).find(",\"nearest\":\"gather\""), std::string::npos) << json(boundary);
  EXPECT_EQ(book.expect_host("gather", "quite another name", nullptr, 0)[0].nearest, "");
  EXPECT_EQ(book.expect_scalar("gather", "scal", 0.5)[0].nearest, "scale");
  const drift_report call = book.expect("gather", "indices", columns(2, 256), 3);
  EXPECT_EQ(text(call).substr(0, text(call).find("  at replay")),
            "replay: the graph has no call 3 of boundary 'gather'   [ledger/added]\n"
            "  captured   1 call, numbered from 0\n");
  EXPECT_EQ(book.expect("gather", std::string(100000, 'x'), absent)[0].nearest, "") << "no quadratic cost";
}

TEST_F(ledger_test, an_argument_of_another_form_is_told_by_both) {
  captured_graph captured = capture(columns(2, 256));
  const ledger& book = captured.book();
  const drift_report tensor = book.expect("gather", "scale", columns(2, 256));
  EXPECT_EQ(tensor.current(), tri::no);
  EXPECT_EQ(text(tensor),
            "replay: 'scale' is a tensor, the graph was captured with a scalar   [ledger/form]\n"
            "  captured   0.5 (scalar)\n"
            "  at replay  int32 (2,256):(1024,1) (tensor)\n"
            "  consumed   gather #0 (engine/step.cpp:40)\n"
            "  affects    1 graph: decode[bs=2]\n"
            "  fix        ask with the function of that form: expect() for tensors, expect_scalar(), "
            "expect_host(), expect_value()\n");
  EXPECT_NE(json(tensor).find("\"captured_form\":\"scalar\",\"current_form\":\"tensor\""), std::string::npos)
      << json(tensor);
  const auto headline = [](const drift_report& r) { return text(r).substr(0, text(r).find("   [")); };
  EXPECT_EQ(headline(book.expect_scalar("gather", "indices", 1)),
            "replay: 'indices' is a scalar, the graph was captured with a tensor");
  EXPECT_EQ(headline(book.expect_value("gather", "indices", parameters)),
            "replay: 'indices' is a by-value struct, the graph was captured with a tensor");
  EXPECT_EQ(headline(book.expect_host("gather", "parameters", &parameters, sizeof parameters)),
            "replay: 'parameters' is a host buffer, the graph was captured with a by-value struct");
  EXPECT_EQ(book.expect("gather", "parameters", absent)[0].kind, drift_kind::missing);
}

TEST_F(ledger_test, an_optional_argument_that_was_absent_stays_absent) {
  static constexpr auto two = make_contract("two", arg("x"), arg("sink").optional());
  capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
  guard.boundary<two>(indices->full(), absent);
  captured_graph captured = guard.finish();
  EXPECT_TRUE(captured.book().expect("two", "sink", absent).ok());
  const drift_report r = captured.book().expect("two", "sink", indices->full());
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].kind, drift_kind::added);
  EXPECT_EQ(text(r).substr(0, text(r).find("  consumed")),
            "replay: 'sink' is there, the graph was captured without it   [ledger/added]\n"
            "  captured   absent\n"
            "  at replay  int32 (512,1024):(1024,1) (tensor)\n");
}

// A graph with one row never uses its pitch.
TEST_F(ledger_test, strides_of_extents_of_one_are_not_compared) {
  captured_graph captured = capture(columns(1, 256));
  EXPECT_TRUE(captured.book().expect("gather", "indices", view<int, 2>{at(0x100000), {{1, 256}}}).ok());
}

TEST_F(ledger_test, every_occurrence_is_compared_unless_one_is_named) {
  capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
  guard.boundary<gather>(indices->full().rows(0, 2));
  guard.boundary<gather>(indices->full().rows(2, 4));
  captured_graph captured = guard.finish();
  const ledger& book = captured.book();
  EXPECT_TRUE(book.expect("gather", "indices", indices->full().rows(0, 2), 0).ok());
  EXPECT_TRUE(book.expect("gather", "indices", indices->full().rows(2, 4), 1).ok());
  const drift_report r = book.expect("gather", "indices", indices->full().rows(0, 2));
  ASSERT_EQ(r.size(), 1);
  EXPECT_EQ(r[0].occurrence, 1);
  EXPECT_EQ(book.expect("gather", "indices", indices->full().rows(0, 2), 2)[0].kind, drift_kind::added);
}

TEST_F(ledger_test, scalars_and_values_are_compared_bit_by_bit) {
  captured_graph captured = capture(columns(2, 256));
  const ledger& book = captured.book();
  EXPECT_EQ(text(book.expect_scalar("gather", "scale", 0.25)),
            "replay: 'scale' is 0.25, the graph has 0.5 baked in   [ledger/scalar]\n"
            "  captured   0.5\n"
            "  at replay  0.25\n"
            "  consumed   gather #0 (engine/step.cpp:40)\n"
            "  affects    1 graph: decode[bs=2]\n"
            "  fix        keep it in device memory that the kernel reads, make it part of the graph's key, "
            "or update the "
            "node\n");
  EXPECT_FALSE(book.expect_scalar("gather", "grid", 3.0).ok()) << "an integer was captured";
  EXPECT_TRUE(book.expect_scalar("gather", "grid", 3u).ok());

  launch_parameters now = parameters;
  now.count = 768;
  EXPECT_EQ(text(book.expect_value("gather", "parameters", now)),
            "replay: 'parameters' differs from the captured value at byte 9   [ledger/value]\n"
            "  captured   24 bytes by value\n"
            "  at replay  24 bytes by value\n"
            "  consumed   gather #0 (engine/step.cpp:40)\n"
            "  affects    1 graph: decode[bs=2]\n"
            "  fix        encode it before capture over a persistent buffer, make it part of the graph's "
            "key, or update "
            "the node\n");
  now = parameters;
  now.table = at(0x100040);
  EXPECT_NE(text(book.expect_value("gather", "parameters", now))
                .find("  captured   out+0x10 gen 1\n  at replay  c128a_decode+0x40 gen 1\n"),
            std::string::npos)
      << text(book.expect_value("gather", "parameters", now));
  const std::array<char, 16> smaller{};
  EXPECT_NE(text(book.expect_value("gather", "parameters", smaller))
                .find("has 16 bytes, the graph was captured with 24"),
            std::string::npos);
  out = std::nullopt;
  EXPECT_FALSE(book.owners_current()) << "a pointer inside a by-value struct has an owner too";
  EXPECT_FALSE(book.expect_value("gather", "parameters", parameters).ok());
}

TEST_F(ledger_test, host_buffers_are_compared) {
  std::vector<int> pinned(256);
  const auto staging =
      persistent_buffer<int, 1>::told("staging", {pinned.data(), {{256}}}, {device_kind::cuda_host, 0}, all);
  capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
  guard.boundary<gather>(indices->full()).host("lengths", pinned.data(), 64);
  captured_graph captured = guard.finish();
  EXPECT_TRUE(captured.book().expect_host("gather", "lengths", pinned.data(), 64).ok());
  EXPECT_EQ(captured.book().expect_host("gather", "lengths", pinned.data() + 1, 64)[0].kind,
            drift_kind::place);
  const drift_report r = captured.book().expect_host("gather", "lengths", pinned.data(), 128);
  EXPECT_EQ(r[0].kind, drift_kind::resized);
  EXPECT_NE(text(r).find("'lengths' has 128 bytes, the graph copies 64"), std::string::npos) << text(r);
}

TEST(expectation, takes_compact_tensors_and_never_holds_where_the_description_is_none) {
  const index_t extents[max_rank + 1] = {2, 3, 1, 1, 1, 1, 1, 1, 1}, strides[max_rank + 1] = {3, 1};
  tensor_ref t;
  t.data = at(0x1000);
  t.type = types::int32;
  t.rank = 2;
  t.extents = extents;
  const expectation compact(t);
  t.strides = strides;
  EXPECT_TRUE(compact.holds(t));
  EXPECT_TRUE(expectation(t).holds(t));
  for (const std::int32_t rank : {-1, max_rank + 1}) {
    tensor_ref wrong = t;
    wrong.rank = rank;
    EXPECT_FALSE(expectation(wrong).holds(wrong)) << rank;
    EXPECT_FALSE(expectation(t).holds(wrong)) << rank;
  }
  tensor_ref none;
  none.rank = -1;
  EXPECT_FALSE(expectation().holds(none)) << "by default it never holds";
  EXPECT_FALSE(expectation(none).holds(none));
  none.rank = 2;
  EXPECT_FALSE(expectation(none).holds(none)) << "no extents";
  tensor_ref scalar;
  EXPECT_FALSE(expectation().holds(scalar));
}

TEST_F(ledger_test, expectations_hold_exactly_where_expect_finds_nothing) {
  captured_graph captured = capture(columns(2, 256));
  const ledger& book = captured.book();
  const expectation e = book.expectation_of("gather", "indices");
  const auto agree = [&](const auto& now) {
    const bool ok = book.expect("gather", "indices", now).ok();
    EXPECT_EQ(e.holds(now), ok);
    return ok;
  };
  EXPECT_TRUE(agree(columns(2, 256)));
  EXPECT_FALSE(agree(columns(2, 128)));
  EXPECT_FALSE(agree(columns(3, 256)));
  EXPECT_FALSE(agree(indices->full().rows(1, 3).columns(0, 256)));
  EXPECT_FALSE(agree(view<int, 2>{at(0x100000), {{2, 256}}}));
  EXPECT_FALSE(agree(view<float, 2, row_pitched>{reinterpret_cast<float*>(at(0x100000)), {{2, 256}, 1024}}));
  EXPECT_FALSE(agree(view<int, 1>{at(0x100000), {{256}}}));
  EXPECT_FALSE(agree(absent));
  EXPECT_FALSE(expectation().holds(columns(2, 256)));
  EXPECT_FALSE(book.expectation_of("gather", "scale").holds(columns(2, 256)));
  EXPECT_FALSE(book.expectation_of("gather", "weights").holds(columns(2, 256)));
  captured_graph one_row = capture(columns(1, 256));
  EXPECT_TRUE(
      one_row.book().expectation_of("gather", "indices").holds(view<int, 2>{at(0x100000), {{1, 256}}}));

  capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
  guard.boundary<gather>(indices->full().rows(0, 2));
  guard.boundary<gather>(indices->full().rows(2, 4));
  captured_graph two = guard.finish();
  EXPECT_FALSE(two.book().expectation_of("gather", "indices").holds(indices->full().rows(0, 2)));
  EXPECT_TRUE(two.book().expectation_of("gather", "indices", 1).holds(indices->full().rows(2, 4)));
}

// ---- updates ---------------------------------------------------------------------------------------------------------

TEST_F(ledger_test, a_reported_update_is_what_the_graph_reads_from_then_on) {
  captured_graph captured = capture(columns(2, 256));
  ledger& book = captured.book();
  const buffer larger = buffer::told("larger", {at(0x2000000), {{512, 2048}}}, gpu, all);
  EXPECT_TRUE(book.node_updated("gather", "indices", larger.full().rows(0, 2)));
  EXPECT_TRUE(book.scalar_updated("gather", "scale", 0.25));
  EXPECT_TRUE(book.owners_current());
  EXPECT_TRUE(book.expect("gather", "indices", larger.full().rows(0, 2)).ok());
  EXPECT_FALSE(book.expect("gather", "indices", columns(2, 256)).ok());
  EXPECT_TRUE(book.expect_scalar("gather", "scale", 0.25).ok());
  indices->gone();
  EXPECT_TRUE(book.owners_current()) << "the graph no longer reads it";
  EXPECT_TRUE(book.node_updated("gather", "indices", view<int, 2>{at(0x9000000), {{2, 4}}}));
  EXPECT_FALSE(book.owners_current()) << "memory that nobody answers for";
}

TEST_F(ledger_test, updated_structs_and_host_buffers_are_what_the_graph_reads) {
  std::vector<int> pinned(256);
  const auto staging =
      persistent_buffer<int, 1>::told("staging", {pinned.data(), {{256}}}, {device_kind::cuda_host, 0}, all);
  capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
  guard.boundary<gather>(columns(2, 256)).host("lengths", pinned.data(), 64).value("parameters", parameters);
  captured_graph captured = guard.finish();
  ledger& book = captured.book();
  EXPECT_TRUE(book.host_updated("gather", "lengths", pinned.data() + 64, 128));
  EXPECT_TRUE(book.owners_current());
  EXPECT_TRUE(book.expect_host("gather", "lengths", pinned.data() + 64, 128).ok());
  EXPECT_FALSE(book.expect_host("gather", "lengths", pinned.data(), 64).ok());

  launch_parameters now = parameters;
  now.table = at(0x100040);
  now.count = 768;
  EXPECT_TRUE(book.value_updated("gather", "parameters", now));
  EXPECT_TRUE(book.expect_value("gather", "parameters", now).ok());
  EXPECT_FALSE(book.expect_value("gather", "parameters", parameters).ok());
  out->gone();
  EXPECT_TRUE(book.owners_current()) << "the struct no longer points there";
  EXPECT_NE(text(book).find("at 0 a pointer into c128a_decode+0x40 gen 1"), std::string::npos) << text(book);
  const std::array<char, 16> smaller{};
  EXPECT_TRUE(book.value_updated("gather", "parameters", smaller));
  EXPECT_TRUE(book.expect_value("gather", "parameters", smaller).ok());
  EXPECT_TRUE(book.owners_current());

  EXPECT_TRUE(book.host_updated("gather", "lengths", &now, 64)) << "memory that nobody answers for";
  EXPECT_FALSE(book.owners_current());
  EXPECT_TRUE(book.known());
  EXPECT_FALSE(book.value_updated("gather", "lengths", now)) << "a struct where a host buffer was captured";
  EXPECT_FALSE(book.known());
}

TEST_F(ledger_test, an_update_of_one_boundary_leaves_the_others_known) {
  static constexpr auto scatter = make_contract("scatter", arg("out").type(types::int32));
  capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
  guard.boundary<gather>(columns(2, 256)).at(source_line("engine/step.cpp", 40));
  guard.boundary<gather>(columns(4, 256));
  guard.boundary<scatter>(out->full());
  captured_graph captured = guard.finish();
  ledger& book = captured.book();
  EXPECT_TRUE(book.owners_current());
  EXPECT_TRUE(book.boundary_updated_unknown("gather", 0));
  EXPECT_FALSE(book.known());
  EXPECT_FALSE(book.owners_current());
  EXPECT_EQ(book.expect("gather", "indices", columns(2, 256), 0).current(), tri::unknown);
  EXPECT_EQ(book.expect("gather", "indices", columns(2, 128), 0).current(), tri::no);
  EXPECT_TRUE(book.expect("gather", "indices", columns(4, 256), 1).ok());
  EXPECT_TRUE(book.expect("scatter", "out", out->full()).ok());
  EXPECT_EQ(text(book.verify_owners()),
            "replay: nodes of 'gather' were changed and nobody said how   [ledger/updated]\n"
            "  consumed   gather #0 (engine/step.cpp:40)\n"
            "  affects    1 graph: g\n"
            "  fix        tell the ledger what was updated (node_updated), or capture the graph again\n");
  EXPECT_FALSE(book.boundary_updated_unknown("scater"));
  EXPECT_EQ(book.expect("scatter", "out", out->full()).current(), tri::unknown) << "nobody knows which";
}

TEST_F(ledger_test, after_a_whole_update_the_other_captures_ledger_counts) {
  captured_graph captured = capture(columns(2, 256));
  captured_graph other = capture(columns(4, 256), "decode[bs=4]");
  ledger book = captured.take_ledger();
  EXPECT_TRUE(book.owners_current());
  EXPECT_TRUE(book.exec_updated(0, other.take_ledger()));
  EXPECT_EQ(book.graph(), "decode[bs=4]");
  EXPECT_TRUE(book.owners_current());
  EXPECT_TRUE(book.expect("gather", "indices", columns(4, 256)).ok());
  EXPECT_FALSE(book.expect("gather", "indices", columns(2, 256)).ok());
  constexpr int update_failure = 910;  // cudaErrorGraphExecUpdateFailure
  captured_graph third = capture(columns(1, 256));
  EXPECT_FALSE(book.exec_updated(update_failure, third.take_ledger()));
  EXPECT_FALSE(book.known());
  EXPECT_FALSE(book.owners_current());
  EXPECT_FALSE(book.exec_updated(0, ledger())) << "of no graph";
  EXPECT_FALSE(book.owners_current());
}

TEST_F(ledger_test, an_argument_that_is_updated_at_every_step_takes_no_more_memory) {
  captured_graph captured = capture(columns(2, 256));
  ledger& book = captured.book();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(book.node_updated("gather", "indices", columns(1 + i % 8, 256)));
    parameters.count = i;
    EXPECT_TRUE(book.value_updated("gather", "parameters", parameters));
    EXPECT_TRUE(book.owners_current());
    EXPECT_TRUE(book.expect("gather", "indices", columns(1 + i % 8, 256)).ok());
    EXPECT_TRUE(book.expect_value("gather", "parameters", parameters).ok());
  }
  EXPECT_EQ(book.owner_count(), 2);
  const detail::ledger_data& data = *detail::ledger_access::data(book);
  EXPECT_EQ(data.numbers.size(), 4u);
  EXPECT_EQ(data.words_of_values.size(), sizeof parameters);
}

TEST_F(ledger_test, a_ledger_that_was_moved_from_knows_nothing) {
  captured_graph captured = capture(columns(2, 256));
  ledger book = captured.take_ledger();
  EXPECT_TRUE(book.owners_current());
  ledger taken = std::move(book);
  EXPECT_TRUE(taken.owners_current());
  EXPECT_FALSE(book.owners_current());  // NOLINT(bugprone-use-after-move)
  book = std::move(taken);
  EXPECT_TRUE(book.owners_current());
  EXPECT_FALSE(taken.owners_current());  // NOLINT(bugprone-use-after-move)
}

// Both at once: whoever comes last, the ledger stays unknown.
TEST_F(ledger_test, an_update_that_meets_a_check_is_not_lost) {
  const buffer moving = buffer::told("moving", {at(0x10000000), {{64, 64}}}, gpu, all);
  for (int round = 0; round < 200; ++round) {
    captured_graph captured = capture(columns(2, 256));
    ledger& book = captured.book();
    std::atomic<bool> begin{false};
    std::thread checker([&] {
      while (!begin) {
      }
      for (int i = 0; i < 4; ++i) (void)book.owners_current();
    });
    begin = true;
    book.exec_updated_unknown();
    checker.join();
    ASSERT_FALSE(book.owners_current());
  }
}

TEST_F(ledger_test, an_update_nobody_explains_leaves_nothing_known) {
  captured_graph captured = capture(columns(2, 256));
  ledger& book = captured.book();
  book.exec_updated_unknown();
  EXPECT_FALSE(book.known());
  EXPECT_FALSE(book.owners_current());
  EXPECT_EQ(text(book.verify_owners()),
            "replay: the executable graph was changed and nobody said how   [ledger/updated]\n"
            "  affects    1 graph: decode[bs=2]\n"
            "  fix        tell the ledger what was updated (node_updated), or capture the graph again\n");
  EXPECT_EQ(book.expect("gather", "indices", columns(2, 256)).current(), tri::unknown);
  EXPECT_EQ(book.expect("gather", "indices", columns(2, 128)).current(), tri::no)
      << "a drift is still a drift";
  EXPECT_TRUE(book.node_updated("gather", "indices", columns(2, 256)));
  EXPECT_FALSE(book.owners_current()) << "one explained update does not explain the other";

  captured_graph second = capture(columns(2, 256));
  EXPECT_FALSE(second.book().node_updated("gather", "no such argument", columns(2, 256)));
  EXPECT_FALSE(second.book().owners_current());
}

TEST_F(ledger_test, a_ledger_of_no_graph_knows_nothing) {
  const ledger book;
  EXPECT_FALSE(book.owners_current());
  EXPECT_FALSE(book.known());
  EXPECT_EQ(book.verify_owners().current(), tri::unknown);
  EXPECT_EQ(book.expect("gather", "indices", absent).current(), tri::unknown);
  EXPECT_EQ(text(book), "ledger of no graph\n");
  EXPECT_EQ(json(book), "{\"version\":1,\"graph\":null}\n");
  EXPECT_EQ(text(book.verify_owners()),
            "replay: the ledger belongs to no graph   [ledger/no-graph]\n"
            "  fix        keep the ledger that finish() gave together with the executable graph\n");
}

// ---- forms -----------------------------------------------------------------------------------------------------------

TEST_F(ledger_test, text_and_json_show_everything_and_no_address) {
  parameters.table = at(0x800010);
  captured_graph captured = capture(columns(2, 256), "decode \"2\"");
  EXPECT_EQ(
      text(captured.book()),
      "ledger of 'decode \"2\"': 1 boundary, 4 arguments, 2 owners, current\n"
      "  gather #0  (engine/step.cpp:40)\n"
      "    indices     c128a_decode+0x0 gen 1          int32 (2,256):(1024,1)\n"
      "    scale       0.5 (scalar)\n"
      "    grid        3 (scalar)\n"
      "    parameters  24 bytes by value, digest 28bddd53597fdf23, at 0 a pointer into out+0x10 gen 1\n");
  EXPECT_EQ(json(captured.book()),
            "{\"version\":1,\"graph\":\"decode "
            "\\\"2\\\"\",\"state\":\"current\",\"boundaries\":[{\"name\":\"gather\","
            "\"occurrence\":0,\"where\":\"engine/"
            "step.cpp:40\",\"arguments\":[{\"name\":\"indices\",\"form\":\"tensor\","
            "\"memory\":\"persistent\",\"owner\":\"c128a_decode\",\"offset\":0,\"generation\":1,\"type\":"
            "\"int32\",\"extents\":"
            "[2,256],\"strides\":[1024,1]},{\"name\":\"scale\",\"form\":\"scalar\",\"value\":0.5},{\"name\":"
            "\"grid\",\"form\":"
            "\"scalar\",\"value\":3},{\"name\":\"parameters\",\"form\":\"value\",\"bytes\":24,\"digest\":"
            "\"28bddd53597fdf23\","
            "\"pointers\":[{\"at\":0,\"memory\":\"persistent\",\"owner\":\"out\",\"offset\":16,"
            "\"generation\":1}]}]}]}\n");
  for (const std::string& form : {text(captured.book()), json(captured.book())}) {
    EXPECT_EQ(form.find("100000"), std::string::npos) << form;
    EXPECT_EQ(form.find("8000"), std::string::npos) << form;
  }
}

TEST_F(ledger_test, hands_the_audit_what_it_knows) {
  capture_guard guard(cuda.backend(), stream, "g", capture_mode::thread_local_, all);
  guard.pool().note(at(0x7000000), 0x1000);
  guard.boundary<gather>(columns(2, 256)).scalar("count", 512).value("parameters", parameters);
  captured_graph captured = guard.finish();
  known_memory known = known_memory_of(all);
  ASSERT_EQ(known.ranges.size(), 3u);
  EXPECT_EQ(known.ranges[0].name, "c128a_decode");
  EXPECT_EQ(known.ranges[0].begin, 0x100000u);
  EXPECT_EQ(known.ranges[0].bytes, 512u * 1024 * 4);
  EXPECT_EQ(known.ranges[0].role, memory_role::persistent);
  EXPECT_EQ(known.ranges[2].role, memory_role::graph_private);
  add_captured(known, captured.book());
  ASSERT_EQ(known.words.size(), 3u);
  EXPECT_EQ(known.words[0].value, 0x100000u);
  EXPECT_EQ(known.words[0].owner, "c128a_decode");
  EXPECT_EQ(known.words[1].value, 512u);
  EXPECT_EQ(known.words[1].boundary, "gather");
  EXPECT_EQ(known.words[2].owner, "out");
  ASSERT_EQ(known.digests.size(), 1u);
  EXPECT_EQ(known.digests[0].digest,
            digest_of(reinterpret_cast<const std::uint8_t*>(&parameters), sizeof parameters));
}

// ---- many graphs, many threads ---------------------------------------------------------------------------------------

TEST_F(ledger_test, a_thousand_graphs_share_buffers) {
  std::vector<captured_graph> graphs;
  for (int i = 0; i < 1000; ++i)
    graphs.push_back(capture(columns(1 + i % 64, 256), "decode " + std::to_string(i)));
  for (const captured_graph& g : graphs) EXPECT_TRUE(g.book().owners_current());
  EXPECT_TRUE(indices->moved({at(0x2000000), {{512, 1024}}}).ok());
  for (const captured_graph& g : graphs) EXPECT_FALSE(g.book().owners_current());
  const drift_report r = graphs[500].book().verify_owners();
  EXPECT_EQ(r[0].graph_count, 1000);
  const std::string message = text(r);
  EXPECT_NE(message.find("affects    1000 graphs: decode 0, decode 1, "), std::string::npos);
  EXPECT_NE(message.find(", and 992 more\n"), std::string::npos);
  graphs.resize(10);
  EXPECT_EQ(graphs[5].book().verify_owners()[0].graph_count, 10);
}

TEST_F(ledger_test, verifies_from_eight_threads_while_buffers_move) {
  std::vector<captured_graph> graphs;
  std::vector<buffer> buffers;
  for (int i = 0; i < 16; ++i) {
    buffers.push_back(buffer::told("moving " + std::to_string(i),
                                   {at(0x10000000 + 0x100000u * static_cast<unsigned>(i)), {{64, 64}}}, gpu,
                                   all));
    graphs.push_back(capture(buffers.back().full(), "graph " + std::to_string(i)));
  }
  std::atomic<bool> stop{false};
  std::atomic<int> checks{0}, false_alarms{0}, stale{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      do {
        for (std::size_t i = 0; i < graphs.size(); ++i) {
          const ledger& book = graphs[i].book();
          const bool current = book.owners_current();
          // Even buffers never move.
          if (i % 2 == 0 && !current) ++false_alarms;
          if (i % 4 == static_cast<std::size_t>(t % 4))
            (void)book.expect("gather", "indices", buffers[i & ~std::size_t{1}].full());
          if (!current && !book.verify_owners().ok()) ++stale;
          ++checks;
        }
      } while (!stop);
    });
  }
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 1; i < buffers.size(); i += 2) {
      // The handle is this thread's; only the registry is shared.
      (void)buffers[i].moved(
          {at(0x40000000 + 0x100000u * static_cast<unsigned>(i) + 0x1000u * static_cast<unsigned>(round)),
           {{8, 64}}});
    }
    std::this_thread::yield();
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(false_alarms, 0);
  EXPECT_GT(checks, 0);
  for (std::size_t i = 0; i < graphs.size(); ++i) EXPECT_EQ(graphs[i].book().owners_current(), i % 2 == 0);
}

}  // namespace
}  // namespace stridelock
