// graph_difference.h: capture one region twice, with other inputs and with its temporaries allocated anew. What differs
// was baked in.
//
// Promises:  pure; nodes are matched by structure (type and kernel), bodies recursively; every parameter word, launch
//            size, copy and fill that differs is reported unless both values belong to the same owner at the same offset
//            or are recorded for both captures: addresses with one owner, scalars of this boundary (and parameter, where
//            the record has it). Scalars recorded without a boundary stay, as *possible*. Nodes that only one capture has
//            are reported as missing.
// Does not:  prove that equal words are right: capture with inputs that differ, or a frozen input stays unseen.
// Cost:      cold. Matching is exact up to 4 million pairs per body, beyond that greedy, and says so.
//
//   const graph_difference found = compare_graphs(first, second, known_of_first, known_of_second);
//   if (!found.differences.empty()) log(found.text());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stridelock/graph_audit.h"
#include "stridelock/graph_snapshot.h"

namespace stridelock {
inline namespace v1 {

enum class difference_kind : std::uint8_t {
  baked_scalar,       // a value that the host computed
  temporary_address,  // memory that each capture got anew and nobody registered
  other_place,        // a registered owner, at another offset or another owner
  launch_size,        // grid, block or shared memory
  attribute,     // the device, the declared memory of a copy, an operation, an element's size, semaphores
  frozen_input,  // should differ and does not: its owner moved, or its parameter was recorded with two values
  only_in_first,
  only_in_second,
  edges,
  not_comparable,  // layouts differ or are unknown
};
std::string_view name_of(difference_kind kind) noexcept;

struct node_difference {
  difference_kind kind = difference_kind::baked_scalar;
  std::string first_node{};  // path; empty if missing there
  std::string second_node{};
  std::string what{};  // kernel name, or the type of the node
  std::optional<std::uint32_t> parameter{};
  std::uint64_t offset = 0;  // inside the parameter
  std::string field{};       // "parameter 3", "source", "grid"
  std::string first{};       // the value, as owner and offset if it is an address
  std::string second{};
  std::string boundary{};
  bool possible = false;  // both values were recorded, but not for which launch: perhaps expected
};

struct graph_difference {
  std::vector<node_difference> differences{};
  std::size_t matched_nodes = 0;
  std::size_t compared_words = 0;
  std::size_t known_words = 0;   // differ, and were recorded as such
  std::size_t uncomparable = 0;  // without a layout, details or bodies on one side
  bool greedy = false;           // a body was too large to match exactly

  std::string summary() const;
  std::string text() const;
};

graph_difference compare_graphs(const graph_snapshot& first, const graph_snapshot& second,
                                const known_memory& known_first = {}, const known_memory& known_second = {});

}  // namespace v1
}  // namespace stridelock
