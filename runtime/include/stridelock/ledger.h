// ledger.h: what a captured graph has baked in: every boundary's arguments, by name, and the generations of the buffers
// they lie in. Belongs to the executable graph that was made from the capture: keep the two together.
//
// Promises:  owners_current() looks at generations only, takes no lock and no argument: call it before every launch.
//            expect() compares what the step made now with what was captured. Both may be called from several threads
//            while others register, move and free buffers. What cannot be known is never "current".
// Does not:  see device memory, exec updates nobody reported, library workspaces, or a buffer freed between the check and
//            the launch: docs/limits.md. Strides of extents of 1 and below are not compared.
// Cost:      owners_current: two loads and a compare while no registered buffer moved or died since the last call, whatever
//            the number of owners; a load and a compare each otherwise; one call each for probed buffers. expect: cold, below a microsecond.
//
//   captured_graph captured = guard.finish();
//   ledger& book = captured.book();
//   …
//   if (!book.owners_current()) recapture(text(book.verify_owners()));           // every replay
//   const drift_report r = book.expect("sparse_mla", "extra_indices", now);      // what the builder remade; or, hot:
//   if (!indices_expectation.holds(now)) …                                       // expectation.h
//   book.node_updated("sparse_mla", "extra_indices", now);                       // after cudaGraphExecKernelNodeSetParams
//   book.exec_updated(code, other.take_ledger());                                // after cudaGraphExecUpdate
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "stridelock/describe.h"
#include "stridelock/drift.h"
#include "stridelock/expectation.h"

namespace stridelock {
inline namespace v1 {

namespace detail {
struct ledger_data;
struct ledger_access;

// What owners_current() looks at while nothing moved.
inline constexpr std::uint64_t never_verified = ~std::uint64_t{0};
struct ledger_state {
  const std::atomic<std::uint64_t>* changes = nullptr;          // of the registry
  mutable std::atomic<std::uint64_t> verified{never_verified};  // up to which everything was current
};
}  // namespace detail

// Occurrences of a boundary in one capture are counted from 0; each layer of a model is one.
inline constexpr int every_occurrence = -1;

class ledger {
 public:
  ledger() noexcept;  // of no graph: knows nothing, so nothing is current
  ledger(ledger&&) noexcept;
  ledger& operator=(ledger&&) noexcept;
  ~ledger();

  // May the graph be launched, as far as the owners of its arguments go? False also where it cannot be told.
  bool owners_current() const noexcept {
    return state_ != nullptr && (state_->changes->load(std::memory_order_acquire) ==
                                     state_->verified.load(std::memory_order_relaxed) ||
                                 look_at_owners());
  }
  // The same as yes, no, unknown; with names and values; cold.
  drift_report verify_owners() const noexcept;

  // Is `now` what the boundary was given at capture? Typed views, tensor_ref, tensor_desc, what adapters describe, and
  // `absent`. For every occurrence of the boundary that was captured with this argument, or for one.
  template <class V>
  drift_report expect(std::string_view boundary, std::string_view argument, const V& now,
                      int occurrence = every_occurrence) const noexcept {
    const auto described = describe(now);
    return compare(boundary, argument, detail::argument_of(described), occurrence);
  }
  drift_report expect_scalar(std::string_view boundary, std::string_view name, scalar_value now,
                             int occurrence = every_occurrence) const noexcept;
  drift_report expect_host(std::string_view boundary, std::string_view name, const void* now,
                           std::size_t bytes, int occurrence = every_occurrence) const noexcept;
  template <class Struct>
  drift_report expect_value(std::string_view boundary, std::string_view name, const Struct& now,
                            int occurrence = every_occurrence) const noexcept {
    static_assert(std::is_trivially_copyable_v<Struct>,
                  "expect_value: by-value arguments are trivially copyable");
    return expect_bytes(boundary, name, &now, sizeof now, occurrence);
  }
  drift_report expect_bytes(std::string_view boundary, std::string_view name, const void* now,
                            std::size_t bytes, int occurrence = every_occurrence) const noexcept;

  // The same for every replay, without the names: see expectation.h. Never holds where the boundary was captured
  // without this argument, or where its occurrences differ and none is named.
  expectation expectation_of(std::string_view boundary, std::string_view argument,
                             int occurrence = every_occurrence) const noexcept;

  // ---- the executable graph was changed ------------------------------------------------------------------------

  // The node's argument is `now` from here on. False: no such argument, and the ledger is unknown from here on.
  template <class V>
  bool node_updated(std::string_view boundary, std::string_view argument, const V& now,
                    int occurrence = every_occurrence) noexcept {
    const auto described = describe(now);
    return replace(boundary, argument, detail::argument_of(described), occurrence);
  }
  bool scalar_updated(std::string_view boundary, std::string_view name, scalar_value now,
                      int occurrence = every_occurrence) noexcept;
  // Host memory of a copy or of a host node (its user data); a by-value struct.
  bool host_updated(std::string_view boundary, std::string_view name, const void* now, std::size_t bytes,
                    int occurrence = every_occurrence) noexcept;
  template <class Struct>
  bool value_updated(std::string_view boundary, std::string_view name, const Struct& now,
                     int occurrence = every_occurrence) noexcept {
    static_assert(std::is_trivially_copyable_v<Struct>,
                  "value_updated: by-value arguments are trivially copyable");
    return bytes_updated(boundary, name, &now, sizeof now, occurrence);
  }
  bool bytes_updated(std::string_view boundary, std::string_view name, const void* now, std::size_t bytes,
                     int occurrence = every_occurrence) noexcept;
  // cudaGraphExecUpdate gave `code` for the graph that `now` is the ledger of. 0: it is this one's from here on. Else
  // this ledger is unknown: CUDA does not say how much of a failed update was done. Returns whether it was taken over.
  bool exec_updated(int code, ledger now) noexcept;
  // Nodes of this boundary were changed, and it is not said how: what is asked about others is answered as before, but
  // the graph as a whole is not current. False: no such boundary, and all of the ledger is unknown.
  bool boundary_updated_unknown(std::string_view boundary, int occurrence = every_occurrence) noexcept;
  // Something was changed, and it is not said what: nothing is current any more.
  void exec_updated_unknown() noexcept;

  // ---- what was captured ---------------------------------------------------------------------------------------

  std::string_view graph() const noexcept;
  bool known() const noexcept;  // false after an update that was not explained
  int boundary_count() const noexcept;
  int argument_count() const noexcept;  // tensors, scalars, host buffers and values together
  int owner_count() const noexcept;
  int unregistered_count() const noexcept;  // arguments that no owner answers for

  std::size_t write_text(char* to, std::size_t capacity) const noexcept;
  std::size_t write_json(char* to, std::size_t capacity) const noexcept;

 private:
  friend struct detail::ledger_access;
  drift_report compare(std::string_view boundary, std::string_view argument, const argument_value& now,
                       int occurrence) const noexcept;
  bool replace(std::string_view boundary, std::string_view argument, const argument_value& now,
               int occurrence) noexcept;

  bool look_at_owners() const noexcept;

  std::unique_ptr<detail::ledger_data> data_;
  const detail::ledger_state* state_ = nullptr;  // of data_
};

inline std::string text(const ledger& book) {
  std::string out(book.write_text(nullptr, 0), '\0');
  if (!out.empty()) book.write_text(&out[0], out.size() + 1);
  return out;
}
inline std::string json(const ledger& book) {
  std::string out(book.write_json(nullptr, 0), '\0');
  if (!out.empty()) book.write_json(&out[0], out.size() + 1);
  return out;
}

}  // namespace v1
}  // namespace stridelock
