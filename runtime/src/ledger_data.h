// What a ledger and a drift report hold. Private to the library: the guard fills the ledger.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "registry_state.h"
#include "stridelock/drift.h"
#include "stridelock/ledger.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// Where something recorded lies. The address is compared and never printed.
struct recorded_memory {
  memory_class what = memory_class::unregistered;
  int owner = -1;  // index into the ledger's owners
  std::uint64_t offset = 0;
  std::uintptr_t address = 0;
  bool has_bytes = true;  // false: addresses nothing
};

using entry_form = argument_form;

struct pointer_word {
  std::uint64_t at = 0;  // byte offset into the value
  recorded_memory where{};
};

struct ledger_entry {
  std::string name;
  entry_form form = entry_form::no_tensor;
  recorded_memory where{};  // tensor, host
  std::uintptr_t data = 0;  // tensor: where index 0 lies; above the lowest byte if a stride is negative
  dtype type{};
  device on{};
  std::int32_t rank = 0;
  std::uint64_t bytes = 0;  // host, value
  std::size_t first = 0;    // tensor: extents, then strides, in `numbers`; value: in `words`
  scalar_value number{};
  std::vector<pointer_word> pointers;  // value
};

struct ledger_boundary {
  std::string name;
  int occurrence = 0;
  source_line where{};
  bool unknown = false;  // its nodes were updated and nobody said how
  std::vector<ledger_entry> entries;
};

// An owner as the capture found it.
struct ledger_owner {
  std::shared_ptr<owner_record> record;
  std::uint64_t generation = 0;
  std::uint64_t incarnation = 0;
  address_range range{};
  tensor_desc whole{};
  bool (*alive)(const void*) noexcept = nullptr;
  std::shared_ptr<const void> probe;
};

struct ledger_data : ledger_state {
  ledger_data(std::shared_ptr<registry_state> in, std::string_view graph_name);
  ~ledger_data();
  ledger_data(const ledger_data&) = delete;
  ledger_data& operator=(const ledger_data&) = delete;

  const std::shared_ptr<registry_state> state;
  const std::string graph;
  const std::uint64_t id;

  // What owners_current reads: the words, and what they were.
  std::vector<const std::atomic<std::uint64_t>*> words;
  std::vector<std::uint64_t> values;
  std::vector<std::size_t> probed;              // owners that must be asked
  mutable std::atomic<std::uint64_t> stood{0};  // changes of the registry up to which all generations stood
  std::atomic<bool> unknown{false};        // of all of it or of a boundary it is not known what was updated
  std::atomic<bool> whole_unknown{false};  // of all of it
  int unregistered = 0;

  std::vector<ledger_owner> owners;
  std::vector<ledger_boundary> boundaries;
  std::map<std::string, std::vector<std::size_t>, std::less<>> occurrences;
  std::vector<index_t> numbers;
  std::vector<std::uint8_t> words_of_values;
  std::vector<private_pool> pools;  // kept until the graph is gone

  // Memory looked up and, if it is somebody's, its owner added.
  recorded_memory record(const address_range& range);
  void tell_registry();  // the owners changed
  void drop_unused_owners();

  std::size_t add_boundary(std::string_view name);
  void add_tensor(std::size_t boundary, std::string_view name, const argument_value& value);
  void add_scalar(std::size_t boundary, std::string_view name, scalar_value value);
  void add_host(std::size_t boundary, std::string_view name, const void* data, std::uint64_t bytes);
  void add_value(std::size_t boundary, std::string_view name, const void* data, std::uint64_t bytes);
  void fill_tensor(ledger_entry& entry, const argument_value& value);
  void fill_host(ledger_entry& entry, const void* data, std::uint64_t bytes);
  void fill_value(ledger_entry& entry, const void* data, std::uint64_t bytes);

  tensor_desc tensor_of(const ledger_entry& entry) const;
  std::uint64_t geometry_digest_of(const ledger_entry& entry) const;  // pointer words count as zero
  recorded_place place_of(const recorded_memory& memory) const;
  tri current() const noexcept;  // as far as the owners go
  void becomes_unknown(bool whole) noexcept;
};

struct drift_data {
  std::string graph;
  std::vector<drift> drifts;
  std::deque<std::string> texts;  // what the drifts refer to
  std::deque<std::vector<std::string_view>> graph_lists;

  std::string_view keep(std::string_view text) { return texts.emplace_back(text); }

  static drift_report attach(drift_data* data, tri current) noexcept {
    drift_report r;
    r.data_ = data;
    r.current_ = current;
    return r;
  }
};

struct ledger_access {
  static ledger make(std::unique_ptr<ledger_data> data);
  static ledger_data* data(const ledger& book) { return book.data_.get(); }
};

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
