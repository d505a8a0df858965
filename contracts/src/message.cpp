// Reports as text: a block of five fields for each violation, and a table before several.
#include "stridelock/message.h"

#include <exception>

#include "message_writer.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

std::string message_writer::write() const {
  if (report_.size() == 0) return "ok";
  std::string out;
  if (report_.size() > 1) out += table();
  // The headline first; consequences of another violation are in the table only.
  out += block(data_.violations[static_cast<std::size_t>(data_.headline)]);
  for (int i = 0; i < report_.size(); ++i)
    if (i != data_.headline && !report_[i].is_consequence) out += block(report_[i]);
  return out;
}

std::string message_writer::block(const violation& v) const {
  return headline(v) + "\n  got   " + got(v) + "\n  from  " + from(v) + "\n  when  " + when(v) +
         "\n  fix   " + fix(v) + "\n";
}

std::string message_writer::table() const {
  std::string out = "contract " + std::string(data_.name) + ": " + number(report_.size()) + " violations\n";
  std::size_t name_width = 7, tensor_width = 0;  // "symbols"
  for (std::size_t i = 0; i < data_.arguments.size() && branch()->argument_count > 0; ++i) {
    name_width = std::max(name_width, argument_name(static_cast<int>(i)).size());
    tensor_width = std::max(tensor_width, shown(i).size());
  }
  const auto pad = [](std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
  };
  for (std::size_t i = 0; i < data_.arguments.size() && branch()->argument_count > 0; ++i) {
    out += "  " + pad(argument_name(static_cast<int>(i)), name_width) + "  " + pad(shown(i), tensor_width) +
           "  ";
    std::string facts;
    bool first = false;
    for (int k = 0; k < report_.size(); ++k) {
      if (report_[k].argument != static_cast<int>(i)) continue;
      if (!facts.empty()) facts += "; ";
      facts += fact(report_[k]);
      if (report_[k].is_consequence) facts += " (follows)";
      first = first || k == data_.headline;
    }
    if (first) facts += "   <- first";
    out += (facts.empty() ? "ok" : facts) + "\n";
  }
  for (int k = 0; k < report_.size(); ++k)
    if (report_[k].argument < 0) out += "  " + pad("call", name_width) + "  " + fact(report_[k]) + "\n";
  return out + "  " + pad("symbols", name_width) + "  " + symbols_text() + "\n";
}

std::string message_writer::shown(std::size_t i) const {
  return data_.arguments[i].is_present ? text_of(data_.arguments[i].tensor) : "absent";
}

std::size_t write_message(const report& r, char* to, std::size_t capacity) noexcept {
  try {
    return copy_out(message_writer(r).write(), to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
