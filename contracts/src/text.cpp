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
