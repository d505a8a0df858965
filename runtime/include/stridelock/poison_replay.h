// poison_replay.h: does a captured step read rows or columns that hold no data of this step? Fill them, replay, compare.
//
// Promises:  for tests. Replays three times: twice with one sentinel, once with another. Rows that differ between equal
//            replays are called unsteady and left out; live rows that differ between the sentinels read what they must
//            not; rows outside the live ones that a replay rewrote are counted apart. Knows no device: the caller gives
//            three functions (stridelock/cuda/poison.h has those for CUDA).
// Does not:  find a read whose value does not reach an output, nor one that both sentinels hide (a comparison, a NaN that
//            is dropped): choose sentinels that matter for the element type.
// Cost:      cold.
//
//   poison_plan plan;
//   plan.poison = {{"padding rows of q", q_address + live * pitch, pitch, row_bytes, padded - live}};
//   plan.outputs = {{"out", out_address, out_pitch, out_row_bytes, padded, live}};
//   const poison_report report = poison_replay(plan, cuda::poison_device(exec, stream));
//   if (!report.clean()) log(report.text());
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stridelock {
inline namespace v1 {

// Bytes that hold nothing the step may read: padding rows, columns beyond the valid extent.
struct poison_region {
  std::string name{};
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 0;
};

struct watched_output {
  std::string name{};
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 0;
  std::uint64_t live_rows = 0;  // the first ones
};

struct poison_plan {
  std::vector<poison_region> poison{};
  std::vector<watched_output> outputs{};
  std::vector<std::uint8_t> first_sentinel{0x7f};   // repeated over a row; 0x7f7f7f7f: a large float
  std::vector<std::uint8_t> second_sentinel{0x3c};  // a small one
};

// Each returns false if it failed; the report then says which.
struct poison_device {
  std::function<bool(const poison_region&, const std::vector<std::uint8_t>& sentinel)> fill{};
  std::function<bool()>
      replay{};  // returns when the replay has ended; restores the step's inputs first, if it changes them
  std::function<bool(const watched_output&, std::vector<std::uint8_t>& rows)>
      read{};  // dense: rows * row_bytes
};

struct poisoned_row {
  std::string output{};
  std::uint64_t row = 0;
  std::uint64_t first_byte = 0;  // where it differs first
};

struct poison_report {
  std::vector<poisoned_row> read_poison{};  // live rows that depend on the sentinel
  std::vector<poisoned_row> unsteady{};     // differ between equal replays: nothing can be said
  std::uint64_t live_rows = 0;
  std::uint64_t dead_rows_changed =
      0;                  // rows beyond the live ones that depend on the sentinel: wasted work, no fault
  std::string failure{};  // "replay failed": nothing was judged

  bool clean() const noexcept {
    return failure.empty() && read_poison.empty() && live_rows > unsteady.size();
  }
  std::string text() const;
};

poison_report poison_replay(const poison_plan& plan, const poison_device& device);

}  // namespace v1
}  // namespace stridelock
