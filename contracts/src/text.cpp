#include "text.h"

#include <exception>

#include "stridelock/message.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

std::string text_of(dtype type) {
  if (type.bits == 0) return "no type";
  std::string out(name_of(type));
  if (out.empty()) {
    out = "type(code " + number(static_cast<index_t>(type.code)) + ", " + number(type.bits) + " bits)";
  }
  if (type.lanes != 1) out += "x" + number(type.lanes);
  if (type.means != tag::none) out += " as " + std::string(to_string(type.means));
  return out;
}

std::string text_of(device where) {
  return std::string(to_string(where.kind)) + ":" + number(where.ordinal);
}

std::string text_of(const tensor_desc& t) {
  std::string out = text_of(t.type()) + " " + tuple(t.rank(), [&](int i) { return t.extent(i); }) + ":" +
                    tuple(t.rank(), [&](int i) { return t.stride(i); });
  if (t.where().kind != device_kind::none) out += ", " + text_of(t.where());
  if (t.is_partial()) out += ", active " + tuple(t.rank(), [&](int i) { return t.active(i); });
  return out;
}

std::string text_of(const view_step& s) {
  const std::string range = "[" + number(s.begin) + ", " + number(s.end) + ")";
  const std::string every = s.step == 1 ? "" : " by " + number(s.step);
  switch (s.what) {
    case operation::identity:
      if (s.step != 0) return std::string(to_string(s.what));
      return "active extent " + number(s.end) + " of dimension " + number(s.dim);
    case operation::rows:
    case operation::step_first:
      return (s.dim == 0 ? "rows " + range : range + " of dimension " + number(s.dim)) + every;
    case operation::columns:
    case operation::step_last:
      return "columns " + range + every;
    case operation::middle_slice:
      return range + " of dimension " + number(s.dim) + every;
    case operation::select_first:
    case operation::select_middle:
    case operation::select_next_to_last:
    case operation::select_last:
      return "index " + number(s.begin) + " of dimension " + number(s.dim);
    case operation::transpose:
    case operation::transpose_outer:
      return "dimensions " + number(s.dim) + " and " + number(s.other_dim) + " swapped";
    default:
      return std::string(to_string(s.what));
  }
}

std::string refusal_text(const provenance& from) {
  switch (from.refusal) {
    case step_refusal::none:
      return {};
    case step_refusal::no_buffer:
      return "its sizes are beyond 64 bits, or not one stride for each of at most 8 dimensions";
    case step_refusal::no_such_dimension:
      return text_of(from.refused) + " of rank " + number(from.refused_extent);
    case step_refusal::out_of_range:
      return text_of(from.refused) + " of " + number(from.refused_extent);
    case step_refusal::does_not_fit:
      return text_of(from.refused) + ", whose offset or stride is beyond 64 bits or between two bytes";
  }
  return {};
}

}  // namespace detail

std::size_t write_text(const tensor_desc& tensor, char* to, std::size_t capacity) noexcept {
  try {
    return detail::copy_out(detail::text_of(tensor), to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}

}  // namespace v1
}  // namespace stridelock
