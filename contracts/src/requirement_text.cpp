#include "stridelock/requirement_text.h"

namespace stridelock {
inline namespace v1 {
namespace {

constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

// Takes the part before the next separator off `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

// A positive decimal number of at most six digits; 0 if it is none.
int positive_number(std::string_view s) {
  if (s.empty() || s.size() > 6) return 0;
  int value = 0;
  for (char c : s) {
    if (c < '0' || c > '9') return 0;
    value = value * 10 + (c - '0');
  }
  return value;
}

struct layout_word {
  std::string_view word;
  notion what;
};
constexpr layout_word layout_words[] = {
    {"contiguous", notion::dense},
    {"dense", notion::dense},
    {"canonical", notion::canonical},
    {"row_pitched", notion::row_pitched},
    {"inner_contiguous", notion::inner_contiguous},
    {"permutation_dense", notion::permutation_dense},
    {"non_overlapping", notion::non_overlapping},
};

class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  requirement_text_result read() {
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::string_view part = trimmed(take(rest, ';'));
      if (part.empty()) {
        if (trimmed(rest).empty()) break;  // a final separator
        return fail(part, "a requirement is empty");
      }
      if (!read_one(part)) return result_;
    }
    if (unchecked_) {
      result_.value.type_why.how = result_.value.shape_why.how = evidence::unchecked;
      for (int i = 0; i < result_.value.requirement_count; ++i)
        result_.value.requirements[i].why.how = evidence::unchecked;
    }
    result_.ok = true;
    return result_;
  }

 private:
  requirement_text_result fail(std::string_view at, std::string_view error) {
    result_.error = error;
    result_.at = at;
    result_.position = at.data() == nullptr ? 0 : static_cast<std::size_t>(at.data() - text_.data());
    return result_;
  }
  bool failed(std::string_view at, std::string_view error) {
    fail(at, error);
    return false;
  }

  bool require(std::string_view at, notion what, int detail = 0) {
    argument& a = result_.value;
    for (int i = 0; i < a.requirement_count; ++i)
      if (a.requirements[i].what == what) return failed(at, "said twice");
    if (a.requirement_count == argument::most_requirements) return failed(at, "too many requirements");
    a.requirements[a.requirement_count++] = {what, detail, 0, {}};
    return true;
  }

  bool flag(std::string_view at, bool& value) {
    if (value) return failed(at, "said twice");
    value = true;
    return true;
  }

  bool read_one(std::string_view part) {
    for (const layout_word& known : layout_words)
      if (part == known.word) return require(part, known.what);
    if (part == "strided") return true;
    if (part == "optional") return flag(part, result_.value.is_optional);
    if (part == "unchecked") return flag(part, unchecked_);
    if (part == "stable") return require(part, notion::stable);
    if (part == "output") return require(part, notion::writable) && require(part, notion::non_overlapping);

    std::string_view rest = part;
    std::size_t word_end = 0;
    while (word_end < part.size() && !is_space(part[word_end])) ++word_end;
    const std::string_view word = part.substr(0, word_end);
    rest = trimmed(part.substr(word_end));
    if (word == "rank") return read_ranks(rest.empty() ? word : rest);
    if (word == "aligned") return read_number(notion::aligned, word, rest, true);
    if (word == "aligned_rows") return read_number(notion::aligned_rows, word, rest, true);
    if (word == "suffix_dense") return read_number(notion::suffix_dense, word, rest, false);
    if (word == "index_bits") return read_number(notion::index_bits, word, rest, false);
    return read_types(part);
  }

  bool read_ranks(std::string_view list) {
    if (result_.value.ranks != 0) return failed(list, "said twice");
    std::string_view rest = list;
    do {
      const std::string_view item = trimmed(take(rest, '|'));
      const int rank = item == "0" ? 0 : positive_number(item);
      if (item != "0" && (rank < 1 || rank > max_rank)) return failed(item, "a rank is a number from 0 to 8");
      result_.value.ranks = static_cast<std::uint16_t>(result_.value.ranks | (1u << rank));
    } while (!rest.empty());
    if (list.back() == '|') return failed(list, "a rank is missing after '|'");
    return true;
  }

  bool read_number(notion what, std::string_view word, std::string_view digits, bool power_of_two) {
    const int value = positive_number(digits);
    if (value == 0) return failed(digits.empty() ? word : digits, "needs a positive number");
    if (power_of_two && (value & (value - 1)) != 0) return failed(digits, "an alignment is a power of two");
    if (what == notion::suffix_dense && value > max_rank) return failed(digits, "at most 8 dimensions");
    if (what == notion::index_bits && value > 64) return failed(digits, "at most 64 bits");
    return require(word, what, value);
  }

  bool read_types(std::string_view list) {
    if (result_.value.type_count != 0) return failed(list, "said twice");
    std::string_view rest = list;
    do {
      const std::string_view item = trimmed(take(rest, '|'));
      const dtype type = type_named(item);
      if (type.bits == 0)
        return failed(item.empty() ? list : item, "is neither a layout, a dtype nor a keyword");
      if (result_.value.type_count == argument::most_types) return failed(item, "too many types");
      result_.value.types[result_.value.type_count++] = type;
    } while (!rest.empty());
    if (list.back() == '|') return failed(list, "a dtype is missing after '|'");
    return true;
  }

  std::string_view text_;
  requirement_text_result result_{};
  bool unchecked_ = false;
};

}  // namespace

requirement_text_result parse_requirement_text(std::string_view text) noexcept {
  return reader(text).read();
}

}  // namespace v1
}  // namespace stridelock
