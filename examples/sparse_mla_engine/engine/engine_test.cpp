// The story of the seed as tests: on the host, where CI runs them, and the same on a CUDA device.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/pack_rows/pack_rows.h"
#include "kernels/prefill_row_count/prefill_row_count.h"
#include "stridelock/check.h"
#include "stridelock/message.h"

namespace sparse_mla_engine {
namespace {

using namespace stridelock;
using row = std::vector<std::int32_t>;

constexpr capability blackwell{12, 0};  // kernels that step by the width
constexpr capability others{10, 0};     // kernels that take the pitch

class Engine : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    on = std::string(GetParam()) == "cuda" ? make_cuda_machine() : make_host_machine();
    if (!on) GTEST_SKIP() << "no CUDA device";
  }
  static engine_options options(policy rows, capability on, bool watch) {
    engine_options o;
    o.rows = rows;
    o.on = on;
    o.watch = watch;
    return o;
  }
  // Wrong rows of a step that was replayed.
  static index_t wrong_rows(const engine& e, const step& s, const step_result& r) {
    EXPECT_EQ(r.what, outcome::done) << r.message;
    return r.what == outcome::done ? compare(r.out, e.reference(s), s.rows()).wrong : -1;
  }
  std::unique_ptr<machine> on;
};

std::string headline(const std::string& message) {
  return message.substr(0, message.find('\n'));
}

// ---- the regression test of the seed, in our terms -----------------------------------------------------------------

// Two decode and two prefill tokens; the table gives each request one block of 512 entries.
step small_step(std::int64_t last_decode, std::int64_t last_prefill) {
  step s;
  s.requests = 2;
  s.positions = {255, last_decode};
  s.prefill_positions = {383, last_prefill};
  s.block_size = 512;
  s.blocks = 1;
  s.block_table = {3, 5};
  return s;
}

class captured_reader {
 public:
  // Packs both views of the metadata densely, in a graph.
  captured_reader(machine& on, registry& in, const metadata& m)
      : on_(on),
        decode_(make_buffer<std::int32_t>(on, in, "decode copy", m.decode.extent(0), m.decode.extent(1))),
        prefill_(
            make_buffer<std::int32_t>(on, in, "prefill copy", m.prefill.extent(0), m.prefill.extent(1))) {
    const capture_backend& backend = on.capture();
    void* graph = nullptr;
    EXPECT_EQ(backend.begin(backend.self, on.stream(), capture_mode::thread_local_), 0);
    kernels::pack_rows(on.queue(), {m.decode, decode_.full()});
    kernels::pack_rows(on.queue(), {m.prefill, prefill_.full()});
    EXPECT_EQ(backend.end(backend.self, on.stream(), &graph), 0);
    executable_ = on.instantiate(graph);
  }
  ~captured_reader() { on_.destroy(executable_); }
  void replay() { on_.launch(executable_); }
  row decode(index_t r) { return first_four(decode_, r); }
  row prefill(index_t r) { return first_four(prefill_, r); }

 private:
  row first_four(const buffer<std::int32_t, 2>& b, index_t r) {
    return download(on_, b.full().data + r * b.full().extent(1), 4);
  }
  machine& on_;
  buffer<std::int32_t, 2> decode_, prefill_;
  void* executable_ = nullptr;
};

void expect_regression(machine& on, capability c, index_t decode_width, bool decode_dense) {
  registry in;
  metadata_builder builder(on, in, 8, 512);
  // Captured with a step that needs 256 columns.
  const metadata captured = builder.build(small_step(200 * ratio, 639), policy::seed_cure, c);
  EXPECT_EQ(captured.decode.extent(0), 2);
  EXPECT_EQ(captured.decode.extent(1), decode_width);
  EXPECT_EQ(is_dense(captured.decode_from.layout()), decode_dense);
  EXPECT_EQ(captured.prefill.extent(0), 2);
  EXPECT_EQ(captured.prefill.extent(1), 256);
  EXPECT_EQ(captured.decode.pitch(), 512);
  EXPECT_EQ(captured.prefill.pitch(), 512);
  captured_reader reader(on, in, captured);

  builder.poison();
  const metadata rebuilt = builder.build(small_step(511, 639), policy::seed_cure, c);
  EXPECT_EQ(rebuilt.width, 128);
  reader.replay();
  EXPECT_EQ(reader.decode(0), (row{1536, 1537, -1, -1}));
  EXPECT_EQ(reader.decode(1), (row{2560, 2561, 2562, 2563}));
  EXPECT_EQ(reader.prefill(0), (row{0, 1, 2, -1}));
  EXPECT_EQ(reader.prefill(1), (row{0, 1, 2, 3}));

  // Columns beyond the width are stale, in every row of both buffers.
  for (const auto& held : {builder.decode_buffer(), builder.prefill_buffer()})
    for (index_t r = 0; r < 8; ++r)
      for (index_t column = r < 2 ? 128 : 0; column < 512; ++column)
        ASSERT_EQ(held[static_cast<std::size_t>(r * 512 + column)], metadata_builder::stale)
            << r << ", " << column;
}

TEST_P(Engine, RegressionWhereKernelsStepByTheWidth) {
  expect_regression(*on, blackwell, 512, true);
}
TEST_P(Engine, RegressionWhereKernelsTakeThePitch) {
  expect_regression(*on, others, 256, false);
}

TEST_P(Engine, BlocksOfTwoEntries) {
  registry in;
  metadata_builder builder(*on, in, 8, 512);
  step s = small_step(511, 639);
  s.block_size = 2;
  s.blocks = 3;
  s.block_table = {9, 8, 7, 20, 23, 26};
  const metadata m = builder.build(s, policy::pitch_cure, blackwell);
  captured_reader reader(*on, in, m);
  reader.replay();
  EXPECT_EQ(reader.decode(0), (row{18, 19, -1, -1}));
  EXPECT_EQ(reader.decode(1), (row{40, 41, 46, 47}));
}

// ---- the bug, in its three forms -----------------------------------------------------------------------------------

TEST_P(Engine, TheDroppedPitchIsSilentUpTo64Rows) {
  for (const auto& [requests, draft] : {std::pair<index_t, index_t>{1, 1}, {10, 5}}) {
    engine e(*on, options(policy::bug, blackwell, false));
    const step s = make_step(requests, draft, 150, 0);
    const step_result r = e.run(s);
    EXPECT_EQ(wrong_rows(e, s, r), s.rows() - 1);  // row 0 is right
    EXPECT_EQ(compare(r.out, e.reference(s), s.rows()).first, 1);
  }
}

TEST_P(Engine, OneRowIsRight) {
  engine e(*on, options(policy::bug, blackwell, false));
  const step s = make_step(1, 0, 150, 0);
  EXPECT_EQ(wrong_rows(e, s, e.run(s)), 0);
}

TEST_P(Engine, ThePitchIsRefusedAbove64Rows) {
  engine e(*on, options(policy::bug, blackwell, false));
  const step_result r = e.run(make_step(11, 5, 150, 0));
  EXPECT_EQ(r.what, outcome::died);
  EXPECT_EQ(headline(r.message),
            "require_layout: argument 'view' breaks its contract: row pitch is 1024, needs 256 (dense rows)");
  // The stream is usable afterwards.
  const step again = make_step(1, 0, 150, 0);
  EXPECT_EQ(wrong_rows(e, again, e.run(again)), 0);
}

TEST_P(Engine, TheBugIsRightWhereKernelsTakeThePitch) {
  engine e(*on, options(policy::bug, others, true));
  for (const auto& [requests, draft] : {std::pair<index_t, index_t>{1, 1}, {11, 5}}) {
    const step s = make_step(requests, draft, 150, 0);
    EXPECT_EQ(wrong_rows(e, s, e.run(s)), 0);
  }
}

TEST_P(Engine, TheGuardRefusesBothHalvesOfTheBug) {
  engine e(*on, options(policy::bug, blackwell, true));
  const step_result silent = e.run(make_step(1, 1, 150, 0));
  EXPECT_EQ(silent.what, outcome::refused_at_capture);
  EXPECT_EQ(headline(silent.message),
            "sparse_mla: argument 'indices' breaks its contract: row pitch is 1024, needs 256 (dense rows)");
  const step_result refused = e.run(make_step(11, 5, 150, 0));
  EXPECT_EQ(refused.what, outcome::refused_at_capture);
  EXPECT_EQ(headline(refused.message),
            "sparse_mla: argument 'indices' breaks its contract: row pitch is 1024, needs 256 (dense rows)");
}

// K = 5 plans multiples of 6 rows: silent from 6 on, refused from 66 on; 64 is never planned.
TEST(Plan, VerdictsOfTheBugForADraftOfFive) {
  const scoped_capability pretend(blackwell);
  const auto described = [](index_t rows) {
    const device cuda{device_kind::cuda, 0};
    const void* data = &blackwell;
    const auto buffer = tensor_desc::dense("c128a_decode", types::int32, {512, 1024}, cuda, data);
    const auto q = tensor_desc::dense("q", types::bfloat16, {rows, 8, 512}, cuda, nullptr);
    const auto cache = tensor_desc::dense("kv_cache", types::bfloat16, {8192, 512}, cuda, nullptr);
    const auto lengths = tensor_desc::dense("topk_lengths", types::int32, {rows}, cuda, nullptr);
    const auto partial =
        tensor_desc::dense("split_partial", types::float32, {rows, 4, 8, 512}, cuda, nullptr);
    const auto sums = tensor_desc::dense("split_sums", types::float32, {rows, 4, 8, 2}, cuda, nullptr);
    const auto narrow = buffer.rows(0, rows).columns(0, 256);
    const argument_value values[] = {argument_value(q.ref()),
                                     argument_value(cache.ref()),
                                     argument_value(narrow.ref()),
                                     argument_value(lengths.ref()),
                                     {},
                                     {},
                                     {},
                                     argument_value(q.ref()),
                                     argument_value(partial.ref()),
                                     argument_value(sums.ref())};
    evaluation_context context;
    context.without_data = true;
    return evaluate(seed_attention.view(), values, 10, context).result();
  };
  EXPECT_EQ(described(1), verdict::ok);
  for (index_t rows = 6; rows <= 60; rows += 6) EXPECT_EQ(described(rows), verdict::silent) << rows;
  for (index_t rows = 66; rows <= 510; rows += 6) EXPECT_EQ(described(rows), verdict::refused) << rows;
}

// ---- the state that was reverted: rows packed at the width of the step ----------------------------------------------

TEST_P(Engine, PackedRowsAreSilentlyStaleInACapturedReader) {
  engine e(*on, options(policy::packed_rows, blackwell, false));
  const step wide = make_step(2, 1, 100, 0, 150), narrow = make_step(2, 1, 100, 1);
  EXPECT_EQ(wrong_rows(e, wide, e.run(wide)), 0);
  const step_result r = e.run(narrow);
  EXPECT_EQ(wrong_rows(e, narrow, r), 3);
  EXPECT_EQ(compare(r.out, e.reference(narrow), 4).first, 1);
}

TEST_P(Engine, TheLedgerNamesThePitchOfPackedRows) {
  engine e(*on, options(policy::packed_rows, blackwell, true));
  const step wide = make_step(2, 1, 100, 0, 150);
  EXPECT_EQ(wrong_rows(e, wide, e.run(wide)), 0);
  const step_result r = e.run(make_step(2, 1, 100, 1));
  EXPECT_EQ(r.what, outcome::refused_at_replay);
  EXPECT_EQ(headline(r.message),
            "replay: row pitch of 'indices' is 128, the graph reads with 256   [ledger/restrided]");
}

// ---- the width that a graph bakes in -------------------------------------------------------------------------------

TEST_P(Engine, AWiderStepLosesEntriesInANarrowGraph) {
  auto o = options(policy::pitch_cure, blackwell, false);
  o.width_in_key = false;
  engine e(*on, o);
  const step narrow = make_step(1, 1, 100, 0), wide = make_step(1, 1, 150, 1);
  EXPECT_EQ(wrong_rows(e, narrow, e.run(narrow)), 0);
  EXPECT_EQ(wrong_rows(e, wide, e.run(wide)), 1);  // the one row with more than 128 entries
}

TEST_P(Engine, TheLedgerRefusesAWiderStep) {
  auto o = options(policy::pitch_cure, blackwell, true);
  o.width_in_key = false;
  engine e(*on, o);
  const step narrow = make_step(1, 1, 100, 0);
  EXPECT_EQ(wrong_rows(e, narrow, e.run(narrow)), 0);
  const step_result r = e.run(make_step(1, 1, 150, 1));
  EXPECT_EQ(r.what, outcome::refused_at_replay);
  EXPECT_EQ(headline(r.message),
            "replay: shape[1] of 'indices' is 256, the graph was captured with 128   [ledger/resized]");
}

TEST_P(Engine, WithTheWidthInTheKeyEachBucketHasItsGraph) {
  engine e(*on, options(policy::pitch_cure, blackwell, true));
  for (const index_t longest : {100, 150, 300, 600, 100, 1000}) {
    const step s = make_step(1, 1, longest, static_cast<std::int32_t>(longest));
    EXPECT_EQ(wrong_rows(e, s, e.run(s)), 0);
  }
  EXPECT_EQ(e.graph_count(), 4);  // 128, 256, 512, 1024
}

// ---- the cures -----------------------------------------------------------------------------------------------------

TEST_P(Engine, BothCuresAreRightAndSilent) {
  for (const policy p : {policy::seed_cure, policy::pitch_cure}) {
    for (const capability c : {blackwell, others}) {
      for (const auto& [requests, draft] : {std::pair<index_t, index_t>{1, 1}, {11, 5}}) {
        engine e(*on, options(p, c, true));
        for (const index_t longest : {150, 100, 150}) {
          const step s = make_step(requests, draft, longest, static_cast<std::int32_t>(longest));
          const step_result r = e.run(s);
          EXPECT_EQ(wrong_rows(e, s, r), 0) << name(p) << " " << c.major << " " << s.rows();
          EXPECT_EQ(r.prefill_counts, (row{3, static_cast<std::int32_t>(longest)}));
        }
        EXPECT_EQ(e.graph_count(), p == policy::seed_cure && c == blackwell ? 1 : 2);
      }
    }
  }
}

TEST_P(Engine, TheGuardRefusesACopyInTheCapture) {
  engine unwatched(*on, options(policy::copy_in_capture, blackwell, false));
  const step s = make_step(11, 5, 150, 0);
  EXPECT_EQ(wrong_rows(unwatched, s, unwatched.run(s)), 0);  // right, at the price of a copy in every replay

  engine e(*on, options(policy::copy_in_capture, blackwell, true));
  const step_result r = e.run(s);
  EXPECT_EQ(r.what, outcome::refused_at_capture);
  EXPECT_EQ(headline(r.message),
            "sparse_mla: argument 'indices' cannot be captured: its memory is neither registered nor private "
            "to this graph");
}

// ---- stale columns -------------------------------------------------------------------------------------------------

TEST_P(Engine, AWholeRowReaderMustNotSeeStaleColumns) {
  registry in;
  metadata_builder builder(*on, in, 8, 512);
  builder.build(small_step(511, 300 * ratio), policy::seed_cure, blackwell);             // writes 512 columns
  const metadata m = builder.build(small_step(511, 639), policy::seed_cure, blackwell);  // and then 128
  const auto counts = make_buffer<std::int32_t>(*on, in, "counts", index_t{2});
  const auto counts_from = tensor_desc::dense("counts", types::int32, {2}, on->where(), counts.full().data);

  EXPECT_TRUE(check<kernels::prefill_row_count_contract>(m.prefill_from, counts_from).ok());
  const auto full = tensor_desc::dense("c128a_prefill", types::int32, {8, 512}, on->where(), m.prefill.data)
                        .rows(0, 2)
                        .activated_columns(512)
                        .activated_columns(m.width);
  const report r = check<kernels::prefill_row_count_contract>(full, counts_from);
  EXPECT_EQ(r.result(), verdict::refused);
  EXPECT_EQ(headline(text(r)),
            "prefill_row_count: argument 'indices' breaks its contract: the kernel reads 512 columns, 128 "
            "hold this step's data; the rest is an earlier step's");

  // What it would have counted: 172 entries of the step before, beyond the 128 columns of this one.
  kernels::prefill_row_count(on->queue(), {m.prefill, counts.full()});
  EXPECT_EQ(download(*on, counts.full().data, 2), (row{3, 5}));
  kernels::prefill_row_count(on->queue(), {index_rows{m.prefill.data, {{2, 512}, 512}}, counts.full()});
  EXPECT_EQ(download(*on, counts.full().data, 2), (row{3, 5 + 300 - 128}));
}

INSTANTIATE_TEST_SUITE_P(Host, Engine, ::testing::Values("host"));
INSTANTIATE_TEST_SUITE_P(Cuda, Engine, ::testing::Values("cuda"));

}  // namespace
}  // namespace sparse_mla_engine
