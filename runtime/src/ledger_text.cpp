#include "ledger_text.h"

#include <charconv>
#include <cmath>

#include "contracts/src/text.h"
#include "graph_words.h"
#include "ledger_data.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

std::string hexadecimal(std::uint64_t value) {
  char digits[17];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value, 16);
  return std::string(digits, end.ptr);
}

std::string text_of(const recorded_place& place) {
  if (place.what == memory_class::unregistered && place.owner.empty()) return "unregistered memory";
  std::string out = printable(place.owner);
  if (place.what != memory_class::unregistered || place.offset != 0) out += "+0x" + hexadecimal(place.offset);
  out += " gen " + std::to_string(place.generation);
  if (place.what == memory_class::graph_private) out += " (graph-private)";
  return out;
}

std::string text_of(scalar_value value) {
  switch (value.what) {
    case scalar_value::form::none:
      return "none";
    case scalar_value::form::integer:
      return std::to_string(value.integer);
    case scalar_value::form::unsigned_integer:
      return std::to_string(static_cast<std::uint64_t>(value.integer));
    case scalar_value::form::boolean:
      return value.integer != 0 ? "true" : "false";
    case scalar_value::form::floating: {
      char digits[40];  // the shortest form that reads back as the same number
      const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value.floating);
      return std::string(digits, end.ptr);
    }
  }
  return {};
}

std::string text_of(const source_line& where) {
  return where.line == 0 ? std::string() : printable(where.file.view()) + ":" + std::to_string(where.line);
}

namespace {

template <class Value>
std::string json_list(int count, Value value) {
  std::string out = "[";
  for (int i = 0; i < count; ++i) out += (i > 0 ? "," : "") + std::to_string(value(i));
  return out + "]";
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string count_of(std::size_t count, std::string_view singular, std::string_view plural) {
  return std::to_string(count) + " " + std::string(count == 1 ? singular : plural);
}

std::string entry_text(const ledger_data& book, const ledger_entry& entry) {
  switch (entry.form) {
    case entry_form::tensor:
      return padded(entry.where.has_bytes ? text_of(book.place_of(entry.where)) : std::string("no bytes"),
                    30) +
             "  " + text_of(book.tensor_of(entry));
    case entry_form::no_tensor:
      return "absent";
    case entry_form::scalar:
      return text_of(entry.number) + " (scalar)";
    case entry_form::host:
      return padded(text_of(book.place_of(entry.where)), 30) + "  " + std::to_string(entry.bytes) +
             " bytes of host memory";
    case entry_form::value: {
      const std::string digits = hexadecimal(book.geometry_digest_of(entry));
      std::string out = std::to_string(entry.bytes) + " bytes by value, digest " +
                        std::string(16 - digits.size(), '0') + digits;
      for (const pointer_word& p : entry.pointers)
        out += ", at " + std::to_string(p.at) + " a pointer into " + text_of(book.place_of(p.where));
      return out;
    }
  }
  return {};
}

std::string entry_json(const ledger_data& book, const ledger_entry& entry) {
  std::string out = "{\"name\":" + json_string(entry.name) + ",\"form\":";
  switch (entry.form) {
    case entry_form::tensor:
      return out + "\"tensor\"," + json_place(book.place_of(entry.where)) + "," +
             json_tensor(book.tensor_of(entry)) + "}";
    case entry_form::no_tensor:
      return out + "\"absent\"}";
    case entry_form::scalar:
      return out + "\"scalar\",\"value\":" + json_scalar(entry.number) + "}";
    case entry_form::host:
      return out + "\"host\"," + json_place(book.place_of(entry.where)) +
             ",\"bytes\":" + std::to_string(entry.bytes) + "}";
    case entry_form::value: {
      const std::string digits = hexadecimal(book.geometry_digest_of(entry));
      out += "\"value\",\"bytes\":" + std::to_string(entry.bytes) + ",\"digest\":\"" +
             std::string(16 - digits.size(), '0') + digits + "\",\"pointers\":[";
      for (std::size_t i = 0; i < entry.pointers.size(); ++i) {
        out += std::string(i > 0 ? "," : "") + "{\"at\":" + std::to_string(entry.pointers[i].at) + "," +
               json_place(book.place_of(entry.pointers[i].where)) + "}";
      }
      return out + "]}";
    }
  }
  return out + "null}";
}

std::string_view state_of(const ledger_data& book) {
  switch (book.current()) {
    case tri::yes:
      return "current";
    case tri::no:
      return "drifted";
    case tri::unknown:
      return "unknown";
  }
  return {};
}

}  // namespace

std::string json_tensor(const tensor_desc& tensor) {
  std::string out = "\"type\":" + json_string(text_of(tensor.type()));
  if (tensor.where().kind != device_kind::none) out += ",\"device\":" + json_string(text_of(tensor.where()));
  out += ",\"extents\":" + json_list(tensor.rank(), [&](int i) { return tensor.extent(i); });
  return out + ",\"strides\":" + json_list(tensor.rank(), [&](int i) { return tensor.stride(i); });
}

std::string json_place(const recorded_place& place) {
  std::string out = "\"memory\":" + json_string(to_string(place.what));
  if (place.owner.empty()) return out;
  return out + ",\"owner\":" + json_string(place.owner) + ",\"offset\":" + std::to_string(place.offset) +
         ",\"generation\":" + std::to_string(place.generation);
}

std::string json_scalar(scalar_value value) {
  if (value.what == scalar_value::form::none) return "null";
  if (value.what == scalar_value::form::floating && !std::isfinite(value.floating))
    return json_string(text_of(value));
  return text_of(value);
}

std::string text_of(const ledger_data* book) {
  if (book == nullptr) return "ledger of no graph\n";
  std::size_t arguments = 0, width = 0;
  for (const ledger_boundary& b : book->boundaries) {
    arguments += b.entries.size();
    for (const ledger_entry& e : b.entries) width = e.name.size() > width ? e.name.size() : width;
  }
  std::string out = "ledger of " + quoted_name(book->graph) + ": " +
                    count_of(book->boundaries.size(), "boundary", "boundaries") + ", " +
                    count_of(arguments, "argument", "arguments") + ", " +
                    count_of(book->owners.size(), "owner", "owners");
  if (book->unregistered > 0) out += ", " + std::to_string(book->unregistered) + " in unregistered memory";
  out += ", " + std::string(state_of(*book)) + "\n";
  for (const ledger_boundary& b : book->boundaries) {
    out += "  " + printable(b.name) + " #" + std::to_string(b.occurrence);
    if (b.where.line != 0) out += "  (" + text_of(b.where) + ")";
    out += "\n";
    for (const ledger_entry& e : b.entries)
      out += "    " + padded(printable(e.name), width) + "  " + entry_text(*book, e) + "\n";
  }
  return out;
}

std::string json_of(const ledger_data* book) {
  if (book == nullptr) return "{\"version\":1,\"graph\":null}\n";
  std::string out = "{\"version\":1,\"graph\":" + json_string(book->graph) +
                    ",\"state\":" + json_string(state_of(*book)) + ",\"boundaries\":[";
  bool first = true;
  for (const ledger_boundary& b : book->boundaries) {
    out += std::string(first ? "" : ",") + "{\"name\":" + json_string(b.name) +
           ",\"occurrence\":" + std::to_string(b.occurrence);
    if (b.where.line != 0) out += ",\"where\":" + json_string(text_of(b.where));
    out += ",\"arguments\":[";
    for (std::size_t i = 0; i < b.entries.size(); ++i)
      out += (i > 0 ? "," : "") + entry_json(*book, b.entries[i]);
    out += "]}";
    first = false;
  }
  return out + "]}\n";
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
