// Drifts as text: what, captured and now, which graphs, the cheapest fix, and the tempting one that is none.
#include "stridelock/drift.h"

#include <exception>

#include "contracts/src/text.h"
#include "graph_words.h"
#include "ledger_data.h"
#include "ledger_text.h"

namespace stridelock {
inline namespace v1 {

drift_report::drift_report(drift_report&& other) noexcept : data_(other.data_), current_(other.current_) {
  other.data_ = nullptr;
  other.current_ = tri::yes;
}
drift_report& drift_report::operator=(drift_report&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(current_, other.current_);
  return *this;
}
drift_report::~drift_report() {
  delete data_;
}

int drift_report::size() const noexcept {
  return data_ == nullptr ? 0 : static_cast<int>(data_->drifts.size());
}
const drift& drift_report::operator[](int i) const noexcept {
  return data_->drifts[static_cast<std::size_t>(i)];
}
const drift* drift_report::begin() const noexcept {
  return data_ == nullptr ? nullptr : data_->drifts.data();
}
const drift* drift_report::end() const noexcept {
  return begin() + size();
}
std::string_view drift_report::graph() const noexcept {
  return data_ == nullptr ? std::string_view() : std::string_view(data_->graph);
}

namespace detail {
namespace {

bool is_tensor(const tensor_desc& t) {
  return t.type().bits != 0;
}

// (66,256):(1024,1)
std::string shape_of(const tensor_desc& t) {
  return tuple(t.rank(), [&](int i) { return t.extent(i); }) + ":" +
         tuple(t.rank(), [&](int i) { return t.stride(i); });
}

std::string stride_fact(const drift& d) {
  const pitch_result was = row_pitch(d.captured.layout()), now = row_pitch(d.current.layout());
  if (was.has_pitch && now.has_pitch && was.dim == now.dim && was.pitch != now.pitch) {
    return "row pitch of " + quoted_name(d.argument) + " is " + number(now.pitch) +
           ", the graph reads with " + number(was.pitch);
  }
  for (int i = 0; i < d.captured.rank() && i < d.current.rank(); ++i) {
    if (d.captured.extent(i) <= 1 || d.captured.stride(i) == d.current.stride(i)) continue;
    return "stride[" + number(i) + "] of " + quoted_name(d.argument) + " is " + number(d.current.stride(i)) +
           ", the graph reads with " + number(d.captured.stride(i));
  }
  return "strides of " + quoted_name(d.argument) + " are others than the graph reads with";
}

std::string extent_fact(const drift& d) {
  if (!is_tensor(d.captured) && !is_tensor(d.current)) {  // host memory
    return quoted_name(d.argument) + " has " + text_of(d.current_scalar) + " bytes, the graph copies " +
           text_of(d.captured_scalar);
  }
  if (d.captured.rank() == d.current.rank()) {
    for (int i = 0; i < d.captured.rank(); ++i) {
      if (d.captured.extent(i) == d.current.extent(i)) continue;
      return "shape[" + number(i) + "] of " + quoted_name(d.argument) + " is " + number(d.current.extent(i)) +
             ", the graph was captured with " + number(d.captured.extent(i));
    }
  }
  return "rank of " + quoted_name(d.argument) + " is " + number(d.current.rank()) +
         ", the graph was captured with " + number(d.captured.rank());
}

std::string what(const drift& d) {
  switch (d.kind) {
    case drift_kind::owner_moved:
      return "the buffer of " + quoted_name(d.argument) + " moved, the graph still reads the old place";
    case drift_kind::owner_resized:
      return "the buffer of " + quoted_name(d.argument) + " has another size, the graph knows the old one";
    case drift_kind::owner_freed:
      return "the memory of " + quoted_name(d.argument) + " was freed, the graph still reads it";
    case drift_kind::owner_retaken:
      return "the graph still reads the old block of " + quoted_name(d.argument);
    case drift_kind::pool_reset:
      return "the private pool that " + quoted_name(d.argument) + " lies in handed its memory back";
    case drift_kind::place:
      return quoted_name(d.argument) + " is in another place, the graph reads the captured one";
    case drift_kind::resized:
      return extent_fact(d);
    case drift_kind::restrided:
      return stride_fact(d);
    case drift_kind::type:
      return quoted_name(d.argument) + " is " + text_of(d.current.type()) + ", the graph reads " +
             text_of(d.captured.type());
    case drift_kind::scalar:
      return quoted_name(d.argument) + " is " + text_of(d.current_scalar) + ", the graph has " +
             text_of(d.captured_scalar) + " baked in";
    case drift_kind::value:
      if (d.captured_scalar.integer != d.current_scalar.integer) {
        return quoted_name(d.argument) + " has " + text_of(d.current_scalar) +
               " bytes, the graph was captured with " + text_of(d.captured_scalar);
      }
      return quoted_name(d.argument) + " differs from the captured value at byte " + grouped(d.at);
    case drift_kind::form:
      return quoted_name(d.argument) + " is a " + std::string(to_string(d.current_form)) +
             ", the graph was captured with a " + std::string(to_string(d.captured_form));
    case drift_kind::missing:
      return quoted_name(d.argument) + " is absent, the graph was captured with it";
    case drift_kind::added:
      if (d.captured_form == argument_form::no_tensor)
        return quoted_name(d.argument) + " is there, the graph was captured without it";
      if (d.call_count == 0) return "the graph has no boundary " + quoted_name(d.boundary);
      if (d.occurrence >= d.call_count) {
        return "the graph has no call " + number(d.occurrence) + " of boundary " + quoted_name(d.boundary);
      }
      return quoted_name(d.argument) + " is not in the graph: it was not captured with it";
    case drift_kind::unregistered:
      return quoted_name(d.argument) + " was captured in memory that nobody answers for";
    case drift_kind::updated:
      if (!d.boundary.empty())
        return "nodes of " + quoted_name(d.boundary) + " were changed and nobody said how";
      return "the executable graph was changed and nobody said how";
    case drift_kind::no_graph:
      return "the ledger belongs to no graph";
  }
  return {};
}

// int32 (2,256):(1024,1) (tensor), 0.5 (scalar), 24 bytes (by-value struct)
std::string of_form(argument_form form, const tensor_desc& tensor, scalar_value number) {
  std::string out;
  if (is_tensor(tensor)) out = text_of(tensor) + " ";
  if (number.what != scalar_value::form::none)
    out = text_of(number) + (form == argument_form::scalar ? " " : " bytes ");
  return out + "(" + std::string(to_string(form)) + ")";
}

std::string captured(const drift& d) {
  switch (d.kind) {
    case drift_kind::added:
      if (d.captured_form == argument_form::no_tensor) return "absent";
      if (d.call_count > 0 && d.occurrence >= d.call_count)
        return counted(static_cast<std::size_t>(d.call_count), "call") + ", numbered from 0";
      return "nothing of that name" +
             (d.nearest.empty() ? std::string() : "; did you mean " + quoted_name(d.nearest) + "?");
    case drift_kind::scalar:
      return text_of(d.captured_scalar);
    case drift_kind::form:
      return of_form(d.captured_form, d.captured, d.captured_scalar);
    default:
      break;
  }
  std::string out = text_of(d.captured_place);
  if (d.kind == drift_kind::value && d.captured_place.owner.empty())
    out = text_of(d.captured_scalar) + " bytes by value";
  if (is_tensor(d.captured)) out += "   " + text_of(d.captured);
  return out;
}

std::string current(const drift& d) {
  switch (d.kind) {
    case drift_kind::owner_moved:
      return text_of(d.current_place) + "   another address, " + shape_of(d.current);
    case drift_kind::owner_resized:
      return text_of(d.current_place) + "   same address, " + shape_of(d.current);
    case drift_kind::owner_freed:
      return text_of(d.current_place) + "   nothing is registered there";
    case drift_kind::owner_retaken:
      return text_of(d.current_place) + "   same address, freed and taken again in between";
    case drift_kind::pool_reset:
      return text_of(d.current_place);
    case drift_kind::scalar:
      return text_of(d.current_scalar);
    case drift_kind::missing:
      return "absent";
    case drift_kind::form:
    case drift_kind::added:
      return of_form(d.current_form, d.current, d.current_scalar);
    case drift_kind::value:
      if (d.captured_place.owner.empty()) return text_of(d.current_scalar) + " bytes by value";
      return text_of(d.current_place);
    case drift_kind::unregistered:
      return "not known";
    default: {
      std::string out = text_of(d.current_place);
      if (is_tensor(d.current)) out += "   " + text_of(d.current);
      return out;
    }
  }
}

std::string_view fix(const drift& d) {
  // What the graph does not know at all is asked wrongly more often than it changed.
  if (d.kind == drift_kind::added && d.captured_form != argument_form::no_tensor && !d.nearest.empty())
    return "ask by the names that the boundary was captured with: text(ledger) lists them";
  switch (d.kind) {
    case drift_kind::owner_moved:
    case drift_kind::owner_resized:
      return "reserve the largest planned size before capture, or capture the graph again";
    case drift_kind::owner_freed:
    case drift_kind::owner_retaken:
      return "keep one persistent buffer and copy_ into it before replay, or capture the graph again";
    case drift_kind::pool_reset:
      return "keep the pool as long as the graph, or capture the graph again";
    case drift_kind::place:
      return "refill the captured buffer in place, or tell the ledger what the node was updated to";
    case drift_kind::resized:
    case drift_kind::missing:
    case drift_kind::added:
      return "make it part of the graph's key, or pad to the captured shape and bound the reads by lengths";
    case drift_kind::form:
      return "ask with the function of that form: expect() for tensors, expect_scalar(), expect_host(), "
             "expect_value()";
    case drift_kind::restrided:
      return "build the view with the captured pitch: rows of the same persistent buffer, refilled in place";
    case drift_kind::type:
      return "convert into the captured buffer before replay";
    case drift_kind::scalar:
      return "keep it in device memory that the kernel reads, make it part of the graph's key, or update the "
             "node";
    case drift_kind::value:
      return "encode it before capture over a persistent buffer, make it part of the graph's key, or update "
             "the node";
    case drift_kind::unregistered:
      return "register the buffer, then capture the graph again";
    case drift_kind::updated:
      return "tell the ledger what was updated (node_updated), or capture the graph again";
    case drift_kind::no_graph:
      return "keep the ledger that finish() gave together with the executable graph";
  }
  return {};
}

std::string_view no_fix(drift_kind kind) {
  switch (kind) {
    case drift_kind::owner_freed:
    case drift_kind::owner_retaken:
    case drift_kind::place:
      return ".contiguous(): it makes a new block that the graph does not read";
    case drift_kind::restrided:
      return ".contiguous(): the graph keeps the captured pitch and never reads the copy";
    case drift_kind::owner_moved:
      return "copying into the new place: the graph reads the old one";
    default:
      return {};
  }
}

std::string affects(const drift& d, std::string_view first_seen) {
  constexpr int shown = 8;
  std::string out = number(d.graph_count) + (d.graph_count == 1 ? " graph: " : " graphs: ");
  for (int i = 0; i < d.graph_count && i < shown; ++i) out += (i > 0 ? ", " : "") + printable(d.graphs[i]);
  if (d.graph_count > shown) out += ", and " + number(d.graph_count - shown) + " more";
  if (!first_seen.empty()) out += "   first seen: " + printable(first_seen);
  return out;
}

std::string block(const drift& d, std::string_view first_seen) {
  std::string out = "replay: " + what(d) + "   [ledger/" + std::string(to_string(d.kind)) + "]\n";
  if (d.kind != drift_kind::updated && d.kind != drift_kind::no_graph)
    out += "  captured   " + captured(d) + "\n  at replay  " + current(d) + "\n";
  const bool is_asked_wrongly =
      d.kind == drift_kind::added && d.call_count == 0 && d.captured_form != argument_form::no_tensor;
  if (!d.boundary.empty() && !is_asked_wrongly) {
    out += "  consumed   " + printable(d.boundary) + " #" + number(d.occurrence);
    if (d.where.line != 0) out += " (" + text_of(d.where) + ")";
    out += "\n";
  }
  if (d.graph_count > 0) out += "  affects    " + affects(d, first_seen) + "\n";
  out += "  fix        " + std::string(fix(d)) + "\n";
  if (!no_fix(d.kind).empty()) out += "  not a fix  " + std::string(no_fix(d.kind)) + "\n";
  return out;
}

std::string message_of(const drift_report& r, std::string_view first_seen) {
  if (r.ok()) return "current";
  std::string out;
  int consequences = 0;
  std::string also;
  for (const drift& d : r) {
    if (!d.is_consequence) {
      out += block(d, first_seen);
      continue;
    }
    constexpr int shown = 4;
    if (consequences++ < shown)
      also += (consequences > 1 ? ", " : "") + quoted_name(d.argument) + " of " + printable(d.boundary) +
              " #" + number(d.occurrence) + " (" + std::string(to_string(d.kind)) + ")";
  }
  if (consequences > 4) also += ", and " + number(consequences - 4) + " more";
  if (consequences > 0) out += "  follows    " + also + "\n";
  return out.empty() ? std::string("not known: memory ran out") : out;
}

std::string json_message_of(const drift_report& r, std::string_view first_seen) {
  const std::string_view current = r.current() == tri::yes  ? "current"
                                   : r.current() == tri::no ? "drifted"
                                                            : "unknown";
  std::string out =
      "{\"version\":1,\"graph\":" + json_string(r.graph()) + ",\"state\":" + json_string(current);
  if (!first_seen.empty()) out += ",\"first_seen\":" + json_string(first_seen);
  out += ",\"drifts\":[";
  bool first = true;
  for (const drift& d : r) {
    out += std::string(first ? "" : ",") + "{\"kind\":" + json_string(to_string(d.kind)) +
           ",\"boundary\":" + json_string(d.boundary) + ",\"occurrence\":" + number(d.occurrence) +
           ",\"argument\":" + json_string(d.argument) +
           ",\"consequence\":" + (d.is_consequence ? "true" : "false");
    if (d.kind == drift_kind::form) {
      out += ",\"captured_form\":" + json_string(to_string(d.captured_form)) +
             ",\"current_form\":" + json_string(to_string(d.current_form));
    }
    if (!d.nearest.empty()) out += ",\"nearest\":" + json_string(d.nearest);
    if (d.where.line != 0) out += ",\"where\":" + json_string(text_of(d.where));
    out += ",\"captured\":{" + json_place(d.captured_place);
    if (is_tensor(d.captured)) out += "," + json_tensor(d.captured);
    if (d.captured_scalar.what != scalar_value::form::none)
      out += ",\"value\":" + json_scalar(d.captured_scalar);
    out += "},\"current\":{" + json_place(d.current_place);
    if (is_tensor(d.current)) out += "," + json_tensor(d.current);
    if (d.current_scalar.what != scalar_value::form::none)
      out += ",\"value\":" + json_scalar(d.current_scalar);
    out += "}";
    if (d.kind == drift_kind::value) out += ",\"at\":" + std::to_string(d.at);
    out += ",\"graphs\":[";
    for (int i = 0; i < d.graph_count; ++i) out += (i > 0 ? "," : "") + json_string(d.graphs[i]);
    out += "]}";
    first = false;
  }
  return out + "]}\n";
}

}  // namespace
}  // namespace detail

std::size_t write_text(const drift_report& r, std::string_view first_seen, char* to,
                       std::size_t capacity) noexcept {
  try {
    return detail::copy_out(detail::message_of(r, first_seen), to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}
std::size_t write_json(const drift_report& r, std::string_view first_seen, char* to,
                       std::size_t capacity) noexcept {
  try {
    return detail::copy_out(detail::json_message_of(r, first_seen), to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}

}  // namespace v1
}  // namespace stridelock
