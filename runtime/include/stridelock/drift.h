// drift.h: what is no longer as a graph captured it, as data.
//
// Promises:  complete: one entry for each argument that drifted, with captured and current values and the graphs that are
//            affected; the first one is the one to read. Moving and destroying never throw. The report of a
//            graph that is current holds nothing.
// Does not:  contain text: text() writes it, without raw addresses.
//
//   const drift_report r = ledger.expect("sparse_mla", "extra_indices", metadata.indices);
//   if (!r.ok()) log(text(r, "replay 118, bs=2"));
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "stridelock/registry.h"
#include "stridelock/tensor_desc.h"

namespace stridelock {
inline namespace v1 {

enum class drift_kind : std::uint8_t {
  // of an owner: found by looking at generations only
  owner_moved,    // the buffer is elsewhere
  owner_resized,  // same start, another size
  owner_freed,
  owner_retaken,  // freed, and its place taken again
  pool_reset,     // the private pool of the graph handed its memory back
  // of an argument, against what the step made now
  place,    // in another buffer, or at another offset
  resized,  // extents
  restrided,
  type,
  scalar,
  value,    // by-value struct: the first byte that differs is in `at`
  form,     // captured as something else: a scalar where a tensor was, …
  missing,  // captured, not there now
  added,    // there now, not captured: the graph knows no argument, boundary or call of that name
  // not known
  unregistered,  // captured from memory nobody registered
  updated,       // the executable graph was changed and nobody said how
  no_graph,      // the ledger belongs to no graph
};

constexpr std::string_view to_string(drift_kind kind) {
  switch (kind) {
    case drift_kind::owner_moved:
      return "moved";
    case drift_kind::owner_resized:
      return "owner-resized";
    case drift_kind::owner_freed:
      return "freed";
    case drift_kind::owner_retaken:
      return "stale-owner";
    case drift_kind::pool_reset:
      return "pool-reset";
    case drift_kind::place:
      return "other-place";
    case drift_kind::resized:
      return "resized";
    case drift_kind::restrided:
      return "restrided";
    case drift_kind::type:
      return "type";
    case drift_kind::scalar:
      return "scalar";
    case drift_kind::value:
      return "value";
    case drift_kind::form:
      return "form";
    case drift_kind::missing:
      return "missing";
    case drift_kind::added:
      return "added";
    case drift_kind::unregistered:
      return "unregistered";
    case drift_kind::updated:
      return "updated";
    case drift_kind::no_graph:
      return "no-graph";
  }
  return {};
}

// How an argument was handed over.
enum class argument_form : std::uint8_t { tensor, no_tensor, scalar, host, value };

constexpr std::string_view to_string(argument_form form) {
  switch (form) {
    case argument_form::tensor:
      return "tensor";
    case argument_form::no_tensor:
      return "absent tensor";
    case argument_form::scalar:
      return "scalar";
    case argument_form::host:
      return "host buffer";
    case argument_form::value:
      return "by-value struct";
  }
  return {};
}

// A scalar as a launch or a host computation bakes it in.
struct scalar_value {
  enum class form : std::uint8_t { none, integer, floating, boolean, unsigned_integer };
  form what = form::none;
  std::int64_t integer = 0;
  double floating = 0;

  constexpr scalar_value() = default;
  constexpr scalar_value(bool v) : what(form::boolean), integer(v) {}  // NOLINT(google-explicit-constructor)
  constexpr scalar_value(float v)
      : what(form::floating), floating(v) {}  // NOLINT(google-explicit-constructor)
  constexpr scalar_value(double v)
      : what(form::floating), floating(v) {}  // NOLINT(google-explicit-constructor)
  // Unsigned values above the largest signed one keep their bits and are unsigned_integer.
  template <class Integer,
            class = std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>>>
  constexpr scalar_value(Integer v)  // NOLINT(google-explicit-constructor)
      : what(std::is_unsigned_v<Integer> && static_cast<std::int64_t>(v) < 0 ? form::unsigned_integer
                                                                             : form::integer),
        integer(static_cast<std::int64_t>(v)) {}
};

// Where an argument lies, in words that may be printed.
struct recorded_place {
  memory_class what = memory_class::unregistered;
  std::string_view owner{};
  std::uint64_t offset = 0;
  std::uint64_t generation = 0;
  bool is_live = true;  // the owner is registered under this generation
};

struct drift {
  drift_kind kind = drift_kind::updated;
  std::string_view boundary{};  // empty: the graph as a whole
  int occurrence = 0;           // of the boundary in the capture, from 0
  std::string_view argument{};
  bool is_consequence = false;  // another drift of the same owner was reported before
  recorded_place captured_place{};
  recorded_place current_place{};
  tensor_desc captured{};  // not for scalars and values
  tensor_desc current{};
  scalar_value captured_scalar{};
  scalar_value current_scalar{};
  argument_form captured_form = argument_form::tensor;  // not for `added`
  argument_form current_form = argument_form::tensor;
  std::uint64_t at = 0;  // value: first byte that differs
  // added: how often the boundary was captured, and the name that was captured and is most alike; empty: none is.
  // Of an argument, or of a boundary where call_count is 0.
  int call_count = 0;
  std::string_view nearest{};
  source_line where{};  // of the boundary, if it said so
  int graph_count = 0;  // graphs that captured the same owner as it no longer is
  const std::string_view* graphs = nullptr;
};

namespace detail {
struct drift_data;
}

class drift_report {
 public:
  drift_report() noexcept = default;
  drift_report(drift_report&& other) noexcept;
  drift_report& operator=(drift_report&& other) noexcept;
  drift_report(const drift_report&) = delete;
  drift_report& operator=(const drift_report&) = delete;
  ~drift_report();

  // yes: as captured; no: drifted; unknown: cannot be told.
  tri current() const noexcept { return current_; }
  bool ok() const noexcept { return current_ == tri::yes; }
  explicit operator bool() const noexcept { return ok(); }

  int size() const noexcept;
  const drift& operator[](int i) const noexcept;
  const drift* begin() const noexcept;
  const drift* end() const noexcept;
  std::string_view graph() const noexcept;  // whose ledger was asked

 private:
  friend struct detail::drift_data;
  detail::drift_data* data_ = nullptr;
  tri current_ = tri::yes;
};

// Each writes at most `capacity` bytes including the final 0 and returns the length of the whole text without it.
// first_seen: which replay or planned size, in the caller's words; may be empty.
std::size_t write_text(const drift_report& r, std::string_view first_seen, char* to,
                       std::size_t capacity) noexcept;
std::size_t write_json(const drift_report& r, std::string_view first_seen, char* to,
                       std::size_t capacity) noexcept;

inline std::string text(const drift_report& r, std::string_view first_seen = {}) {
  std::string out(write_text(r, first_seen, nullptr, 0), '\0');
  if (!out.empty()) write_text(r, first_seen, &out[0], out.size() + 1);
  return out;
}
inline std::string json(const drift_report& r, std::string_view first_seen = {}) {
  std::string out(write_json(r, first_seen, nullptr, 0), '\0');
  if (!out.empty()) write_json(r, first_seen, &out[0], out.size() + 1);
  return out;
}

}  // namespace v1
}  // namespace stridelock
