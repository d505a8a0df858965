// requirement_text.h: the text of STRIDELOCK_REQUIRES, read into facts.
//
//   text         = [ requirement { ";" requirement } [ ";" ] ]
//   requirement  = layout | dtype { "|" dtype } | "rank" number { "|" number } | "aligned" bytes | "aligned_rows" bytes
//                | "suffix_dense" dims | "index_bits" bits | "optional" | "stable" | "output" | "unchecked"
//   layout       = "contiguous" | "dense" | "canonical" | "row_pitched" | "inner_contiguous" | "permutation_dense"
//                | "non_overlapping" | "strided"
//
// Promises:  a value or an error with the position; nothing is ignored, nothing said twice with different meanings.
//            "contiguous" and "dense" are the same. "unchecked" turns all facts of this text into unchecked ones.
// Does not:  allocate or throw.
//
//   const requirement_text_result r = parse_requirement_text("contiguous; int32; rank 2|3; aligned 16");
//   if (!r.ok) report(r.error, r.position);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stridelock/argument.h"

namespace stridelock {
inline namespace v1 {

struct requirement_text_result {
  bool ok = false;
  argument value{};          // without a name; its texts are literals
  std::string_view error{};  // a sentence, if not ok
  std::string_view at{};     // the word it is about, part of the text given
  std::size_t position = 0;  // of that word
};

requirement_text_result parse_requirement_text(std::string_view text) noexcept;

}  // namespace v1
}  // namespace stridelock
