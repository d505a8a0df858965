// capture_guard.h: a stream capture that refuses what would not be there at replay, and is ended whatever happens.
//
// Promises:  every boundary inside it is judged by its contract, and each tensor argument must lie in a registered buffer or
//            in the graph's private pool; otherwise the failure hook is called, which by default throws. The capture that
//            the guard began is ended also when an exception passes, and also when it was invalidated: the graph is destroyed,
//            the last error cleared, the stream usable. finish() gives the graph and its ledger, or a fault that
//            names the first call that was refused. Nothing in a destructor throws.
//            The guard belongs to one capture by its id: a stream that was ended and begun again behind it is noticed.
// Does not:  see calls that it is not told of: report their codes with checked(), or get the boundary between which
//            the capture broke. Finish on another thread, unless the capture is relaxed (error 908); destroyed there it gives
//            the capture up and says so to on_failure. Not for several threads at once.
// Cost:      only at capture: two driver queries a boundary, and the exact evaluator.
//
//   const capture_backend& calls = cuda::capture_calls();         // cuda/capture_backend.h
//   capture_guard guard(calls, stream, "decode[bs=2]");            // thread-local mode unless said otherwise
//   guard.boundary<sparse_mla>(q, kv, indices).scalar("scale", scale).at(STRIDELOCK_HERE);
//   launch_sparse_mla<<<…>>>(…);
//   captured_graph captured = guard.finish();
//   if (!captured.ok()) return log(text(captured.fault()));
//   cudaGraphInstantiate(&exec, static_cast<cudaGraph_t>(captured.graph()), 0);
//   graphs[2] = {exec, captured.take_ledger()};                    // the ledger goes with the executable graph
//
// Inside code that does not know whether it is captured:
//
//   boundary<sparse_mla>(q, kv, indices);     // require<sparse_mla>, and this thread's innermost guard, if there is one
//
// A capture that PyTorch opened: the guard watches and records, and never ends it. What broke it after the last boundary
// is not seen unless the code of the framework's own end is reported: guard.checked("cudaStreamEndCapture", code).
//
//   capture_guard guard = capture_guard::attach(calls, stream, "decode[bs=2]");
//   guard.pool().note(address, bytes);        // what the framework's allocator gave to this capture
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "stridelock/capture_backend.h"
#include "stridelock/check.h"
#include "stridelock/ledger.h"
#include "stridelock/registry.h"

namespace stridelock {
inline namespace v1 {

enum class capture_stage : std::uint8_t { none, begin, body, end };

// Why there is no graph.
struct capture_fault {
  capture_stage stage = capture_stage::none;
  int code = 0;           // of the first call that was refused; not 901 if anything better is known
  short_text<48> call{};  // that call, if it was reported
  source_line where{};
  short_text<48> graph{};
  capture_mode mode = capture_mode::thread_local_;
  capture_status status = capture_status::none;  // when it was noticed
  short_text<48>
      after{};  // boundaries between which the capture broke; empty: before the first, after the last
  short_text<48> before{};
  bool other_capture = false;  // the stream captures, but not for this guard

  constexpr bool ok() const { return stage == capture_stage::none; }
};

// Writes at most `capacity` bytes including the final 0; returns the length of the whole text without it.
std::size_t write_text(const capture_fault& fault, char* to, std::size_t capacity) noexcept;
inline std::string text(const capture_fault& fault) {
  std::string out(write_text(fault, nullptr, 0), '\0');
  if (!out.empty()) write_text(fault, &out[0], out.size() + 1);
  return out;
}

// A graph and what it has baked in. Destroys the graph unless it is released. The graph of an attached capture stays with
// its framework: graph() is null.
class captured_graph {
 public:
  captured_graph() noexcept = default;
  captured_graph(captured_graph&& other) noexcept;
  captured_graph& operator=(captured_graph&& other) noexcept;
  ~captured_graph();

  bool ok() const noexcept { return fault_.ok(); }
  explicit operator bool() const noexcept { return ok(); }
  const capture_fault& fault() const noexcept { return fault_; }

  void* graph() const noexcept { return graph_; }
  void* release() noexcept;
  ledger& book() noexcept { return book_; }
  const ledger& book() const noexcept { return book_; }
  ledger take_ledger() noexcept { return std::move(book_); }

 private:
  friend class capture_guard;
  const capture_backend* backend_ = nullptr;
  void* graph_ = nullptr;
  ledger book_;
  capture_fault fault_{capture_stage::end, 0, {}, {}, {}, {}, {}, {}, {}, false};
};

class capture_guard;

// What else a boundary bakes in. Without a guard every function does nothing, so the same line serves eager execution.
class captured_boundary {
 public:
  // A host-computed number, a grid size. A name that the boundary has already is numbered: scale, scale#1, scale#2.
  captured_boundary& scalar(std::string_view name, scalar_value value);
  // Host memory that a recorded copy reads again at every replay: refused unless it is registered.
  captured_boundary& host(std::string_view name, const void* data, std::size_t bytes);
  // A struct passed by value, a tensor map. Words that point into registered memory are kept as owner and offset.
  // Padding counts: zero it, or replays that change nothing will differ.
  template <class Struct>
  captured_boundary& value(std::string_view name, const Struct& now) {
    static_assert(std::is_trivially_copyable_v<Struct>, "value: by-value arguments are trivially copyable");
    return bytes(name, &now, sizeof now);
  }
  captured_boundary& bytes(std::string_view name, const void* data, std::size_t count);
  // The line that messages name.
  captured_boundary& at(const source_line& where);

  int occurrence() const noexcept { return occurrence_; }
  bool recorded() const noexcept { return guard_ != nullptr; }

 private:
  friend class capture_guard;
  detail::ledger_data* book_now() const noexcept;
  capture_guard* guard_ = nullptr;  // must still be there: use the boundary at once
  std::size_t index_ = 0;
  int occurrence_ = 0;
};

// Called at each boundary of a guard, before what it launches: for attributing the nodes of a graph to boundaries.
// At the end of the capture once more, with an empty boundary.
struct boundary_observer {
  void (*entered)(void* state, const capture_info& capture, std::string_view boundary,
                  int occurrence) noexcept = nullptr;
  void* state = nullptr;
};

class capture_guard {
 public:
  // Begins a capture. Where that is refused the guard is not active(), boundaries are plain require(), and finish() says why.
  // stream: a cudaStream_t. The legacy stream (null) cannot capture.
  capture_guard(const capture_backend& backend, void* stream, std::string_view graph_name,
                capture_mode mode = capture_mode::thread_local_, registry& in = registry::process());
  // Watches the capture that is open on the stream. Never ends it.
  static capture_guard attach(const capture_backend& backend, void* stream, std::string_view graph_name,
                              registry& in = registry::process());
  ~capture_guard();
  capture_guard(const capture_guard&) = delete;
  capture_guard& operator=(const capture_guard&) = delete;

  // This thread's innermost guard, or null.
  static capture_guard* current() noexcept;
  // This thread's guard of the capture that `stream` takes part in, forks included, or null.
  static capture_guard* of(const capture_backend& backend, void* stream) noexcept;

  bool active() const noexcept;
  const capture_fault& fault() const noexcept;
  std::uint64_t capture_id() const noexcept;
  std::string_view graph_name() const noexcept;

  // Judges one call and writes it down: the contract, and the memory of every tensor. What breaks goes to the failure
  // hook, which by default throws; if the hook returns, the call is recorded as it is. Once the capture is over, whoever
  // ended it, a boundary is plain require() and not recorded.
  template <const auto& C, class... A>
  captured_boundary boundary(const A&... arguments) {
    return enter<C>(describe(arguments)...);
  }
  // Contracts that are known at run time only. Names in it must outlive every report, as those of all contracts.
  captured_boundary boundary(const dispatch_view& what, const argument_value* arguments, int count);
  captured_boundary boundary(const contract_view& what, const argument_value* arguments, int count);

  // Takes note of the code of a call inside the capture, and returns it: guard.checked("cudaMemcpyAsync", code).
  int checked(std::string_view call, int code, const source_line& where = {}) noexcept;

  // Memory that captures of this pool allocated. Its own, unless another graph's is shared; share before the first boundary.
  private_pool& pool() noexcept;
  void share(const private_pool& pool);
  void observe(const boundary_observer& observer) noexcept;
  // Told what the destructor could not return.
  void on_failure(void (*tell)(const capture_fault& fault, void* state) noexcept, void* state) noexcept;

  // Ends the capture, unless it was attached to, and gives what came of it. Once; later calls give a fault.
  captured_graph finish() noexcept;

 private:
  struct attached {};
  capture_guard(attached, const capture_backend& backend, void* stream, std::string_view graph_name,
                registry& in);
  template <const auto& C, class... Described>
  captured_boundary enter(const Described&... described) {
    static_assert(detail::arguments_of(C) == static_cast<int>(sizeof...(Described)),
                  "boundary: as many arguments as the contract has; pass `absent` for an optional one");
    const argument_value values[sizeof...(Described) + 1] = {detail::argument_of(described)...,
                                                             argument_value()};
    return boundary(C.view(), values, static_cast<int>(sizeof...(Described)));
  }

  friend class captured_boundary;
  struct content;
  std::unique_ptr<content> content_;
};

template <const auto& C, class... A>
captured_boundary boundary(const A&... arguments) {
  if (capture_guard* const guard = capture_guard::current()) return guard->template boundary<C>(arguments...);
  require<C>(arguments...);
  return {};
}

}  // namespace v1
}  // namespace stridelock
