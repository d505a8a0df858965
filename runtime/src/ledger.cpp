// Comparing: generations before every launch, arguments when a step remade them.
#include "stridelock/ledger.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

#include "contracts/src/text.h"
#include "ledger_data.h"
#include "ledger_text.h"
#include "nearest_name.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

ledger ledger_access::make(std::unique_ptr<ledger_data> data) {
  ledger book;
  book.data_ = std::move(data);
  book.state_ = book.data_.get();
  return book;
}

namespace {

// Looks at every owner. One load through a pointer and one compare each, no branch.
bool generations_stand(const ledger_data& data) noexcept {
  const std::atomic<std::uint64_t>* const* const words = data.words.data();
  const std::uint64_t* const values = data.values.data();
  const std::size_t count = data.words.size();
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < count; ++i) difference |= words[i]->load(std::memory_order_relaxed) ^ values[i];
  return difference == 0;
}

// No private pool, no buffer: what is looked up is nobody's.
recorded_memory memory_now(const registry_state& state, const address_range& range, placement& where) {
  recorded_memory memory;
  memory.address = range.begin;
  memory.has_bytes = !range.ok || range.bytes > 0;
  if (!memory.has_bytes) return memory;
  const std::lock_guard<std::mutex> held(state.lock);
  where = registry_access::find(state, range);
  memory.what = where.what();
  memory.offset = where.offset();
  return memory;
}

bool same_numbers(scalar_value a, scalar_value b) {
  if (a.what != b.what) return false;
  if (a.what == scalar_value::form::floating) {  // bits: NaN equals itself, 0 differs from -0
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, &a.floating, sizeof x);
    std::memcpy(&y, &b.floating, sizeof y);
    return x == y;
  }
  return a.integer == b.integer;
}

// Collects the drifts of one question.
class comparison {
 public:
  explicit comparison(const ledger_data& data) : data_(data), found_(std::make_unique<drift_data>()) {
    found_->graph = data.graph;
  }

  // ---- owners ----

  // Has the owner changed since? Adds a drift of the argument if so.
  bool owner_changed(const ledger_boundary& boundary, const ledger_entry& entry,
                     const recorded_memory& memory) {
    if (memory.owner < 0) return false;
    const ledger_owner& owner = data_.owners[static_cast<std::size_t>(memory.owner)];
    drift d;
    bool changed = false;
    std::string same_place_owner;
    {
      const std::lock_guard<std::mutex> held(data_.state->lock);
      const owner_record& record = *owner.record;
      const std::uint64_t now = record.generation.load(std::memory_order_relaxed);
      const bool alive = owner.alive == nullptr || owner.alive(owner.probe.get());
      changed = now != owner.generation || !alive;
      if (!changed) return false;
      d.current_place.what = record.live && alive ? record.what : memory_class::unregistered;
      d.current_place.generation = now;
      d.current_place.is_live = record.live && alive;
      d.current_place.owner = found_->keep(record.name);
      if (record.what == memory_class::graph_private) {
        d.kind = drift_kind::pool_reset;
      } else if (record.live && alive) {
        d.current = record.whole;
        if (record.range.begin != owner.range.begin)
          d.kind = drift_kind::owner_moved;
        else if (record.incarnation != owner.incarnation || record.range.bytes == owner.range.bytes)
          d.kind = drift_kind::owner_retaken;
        else
          d.kind = drift_kind::owner_resized;
      } else {
        const placement there = registry_access::find(*data_.state, {memory.address, 1, true});
        d.kind =
            there.what() == memory_class::unregistered ? drift_kind::owner_freed : drift_kind::owner_retaken;
        if (d.kind == drift_kind::owner_retaken) {
          d.current_place.what = there.what();
          d.current_place.owner = found_->keep(there.name());
          d.current_place.offset = there.offset();
          d.current_place.generation = there.owner().generation;
          d.current_place.is_live = true;
        }
      }
      if (d.current_place.owner == owner.record->name) d.current_place.offset = memory.offset;
      d.captured = data_.tensor_of(entry);
      name_graphs(d, record.id, now, alive);
    }
    d.captured_place = place(memory);
    d.captured_place.is_live = false;
    d.is_consequence = std::find(reported_.begin(), reported_.end(), memory.owner) != reported_.end();
    reported_.push_back(memory.owner);
    add(boundary, entry, std::move(d), tri::no);
    return true;
  }

  void all_owners() {
    for (const ledger_boundary& boundary : data_.boundaries) {
      for (const ledger_entry& entry : boundary.entries) {
        owner_changed(boundary, entry, entry.where);
        for (const pointer_word& pointer : entry.pointers) owner_changed(boundary, entry, pointer.where);
        unregistered(boundary, entry);
      }
    }
    whole_graph();
    for (const ledger_boundary& boundary : data_.boundaries) updated(boundary);
  }

  void whole_graph() {
    if (!data_.whole_unknown.load(std::memory_order_relaxed)) return;
    drift d;
    d.kind = drift_kind::updated;
    add_bare(std::move(d), tri::unknown);
  }
  void updated(const ledger_boundary& boundary) {
    if (!boundary.unknown || data_.whole_unknown.load(std::memory_order_relaxed)) return;
    drift d;
    d.kind = drift_kind::updated;
    d.boundary = found_->keep(boundary.name);
    d.occurrence = boundary.occurrence;
    d.where = boundary.where;
    add_bare(std::move(d), tri::unknown);
  }

  // ---- arguments ----

  // The entries that a question is about; none: it is a drift itself.
  template <class Compare>
  void each(std::string_view boundary, std::string_view argument, int occurrence, const drift& if_none,
            Compare one) {
    bool found = false;
    int calls = 0;
    nearest_name like(argument);
    const auto known = data_.occurrences.find(boundary);
    if (known != data_.occurrences.end()) {
      calls = static_cast<int>(known->second.size());
      for (const std::size_t index : known->second) {
        const ledger_boundary& b = data_.boundaries[index];
        if (occurrence != every_occurrence && b.occurrence != occurrence) continue;
        bool here = false;
        for (const ledger_entry& entry : b.entries) {
          if (entry.name != argument) continue;
          here = true;
          one(b, entry);
        }
        if (here) updated(b);
        found = found || here;
        if (!here)
          for (const ledger_entry& entry : b.entries) like.consider(entry.name);
      }
    }
    if (!found) {
      drift d = if_none;
      d.kind = drift_kind::added;
      d.boundary = found_->keep(boundary);
      d.argument = found_->keep(argument);
      d.occurrence = occurrence == every_occurrence ? 0 : occurrence;
      d.call_count = calls;
      if (calls == 0) {
        nearest_name boundary_like(boundary);
        for (const auto& [name, indices] : data_.occurrences) boundary_like.consider(name);
        d.nearest = found_->keep(boundary_like.best());
      } else {
        d.nearest = found_->keep(like.best());
      }
      add_bare(std::move(d), tri::no);
    }
    whole_graph();
  }

  void tensor(const ledger_boundary& boundary, const ledger_entry& entry, const argument_value& value) {
    const bool was_present = entry.form != entry_form::no_tensor;
    if (!was_present && !value.is_present) return;
    drift d;
    if (value.is_present) d.current = tensor_desc::copy_of(value.tensor);
    d.captured = data_.tensor_of(entry);
    d.captured_place = place(entry.where);
    d.captured_form = entry.form;
    d.current_form = value.is_present ? argument_form::tensor : argument_form::no_tensor;
    const bool was_tensor = entry.form == entry_form::tensor;
    if (was_present && !was_tensor && value.is_present) {
      of_another_form(boundary, entry, std::move(d));
      return;
    }
    if (was_present != value.is_present) {
      d.kind = value.is_present ? drift_kind::added : drift_kind::missing;
      add(boundary, entry, std::move(d), tri::no);
      return;
    }
    const std::size_t before = found_->drifts.size();
    const bool changed = owner_changed(boundary, entry, entry.where);
    placement where;
    const recorded_memory now = memory_now(*data_.state, range_of(value.tensor), where);
    d.current_place = current(now, where);
    const auto differs = [&](drift_kind kind) {
      drift one = d;
      one.kind = kind;
      one.is_consequence = found_->drifts.size() > before;
      add(boundary, entry, std::move(one), tri::no);
    };
    if (!changed && now.has_bytes && entry.where.has_bytes && elsewhere(entry.where, now, where))
      differs(drift_kind::place);
    if (!same_representation(entry.type, d.current.type())) differs(drift_kind::type);
    bool resized = !d.current.valid() || d.current.rank() != entry.rank;
    const index_t* const extents = data_.numbers.data() + entry.first;
    for (int i = 0; !resized && i < entry.rank; ++i) resized = extents[i] != d.current.extent(i);
    if (resized) differs(drift_kind::resized);
    bool restrided = false;
    for (int i = 0; d.current.valid() && d.current.rank() == entry.rank && i < entry.rank; ++i)
      restrided = restrided || (extents[i] > 1 && extents[entry.rank + i] != d.current.stride(i));
    if (restrided && !(resized && is_empty(d.current.layout()))) differs(drift_kind::restrided);
    if (found_->drifts.size() == before) unregistered(boundary, entry);
  }

  void scalar(const ledger_boundary& boundary, const ledger_entry& entry, scalar_value now) {
    drift d;
    d.current_scalar = now;
    d.current_form = argument_form::scalar;
    if (entry.form != entry_form::scalar) {
      of_another_form(boundary, entry, std::move(d));
      return;
    }
    d.captured_scalar = entry.number;
    if (same_numbers(entry.number, now)) return;
    d.captured_form = argument_form::scalar;
    d.kind = drift_kind::scalar;
    add(boundary, entry, std::move(d), tri::no);
  }

  void host(const ledger_boundary& boundary, const ledger_entry& entry, const void* data,
            std::uint64_t bytes) {
    const bool changed = owner_changed(boundary, entry, entry.where);
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    placement where;
    const recorded_memory now =
        memory_now(*data_.state, {begin, bytes, data != nullptr && begin + bytes >= begin}, where);
    drift d;
    d.current_place = current(now, where);
    d.current_scalar = scalar_value(bytes);
    d.current_form = argument_form::host;
    if (entry.form != entry_form::host) {
      of_another_form(boundary, entry, std::move(d));
      return;
    }
    d.captured_form = argument_form::host;
    d.captured_place = place(entry.where);
    d.captured_scalar = scalar_value(entry.bytes);
    if (!changed && elsewhere(entry.where, now, where))
      d.kind = drift_kind::place;
    else if (entry.bytes != bytes)
      d.kind = drift_kind::resized;
    else {
      if (!changed) unregistered(boundary, entry);
      return;
    }
    d.is_consequence = changed;
    add(boundary, entry, std::move(d), tri::no);
  }

  void value(const ledger_boundary& boundary, const ledger_entry& entry, const void* data,
             std::uint64_t bytes) {
    drift d;
    d.current_scalar = scalar_value(bytes);
    d.current_form = argument_form::value;
    if (entry.form != entry_form::value) {
      of_another_form(boundary, entry, std::move(d));
      return;
    }
    for (const pointer_word& pointer : entry.pointers) owner_changed(boundary, entry, pointer.where);
    const auto* const now = static_cast<const unsigned char*>(data);
    const unsigned char* const captured = data_.words_of_values.data() + entry.first;
    const std::uint64_t common = std::min(bytes, entry.bytes);
    const std::uint64_t at =
        static_cast<std::uint64_t>(std::mismatch(now, now + common, captured).first - now);
    if (at == common && bytes == entry.bytes) return;
    d.kind = drift_kind::value;
    d.captured_form = argument_form::value;
    d.at = at;
    d.captured_scalar = scalar_value(entry.bytes);
    for (const pointer_word& pointer : entry.pointers) {
      if (at < pointer.at || at >= pointer.at + 8 || pointer.at + 8 > bytes) continue;
      d.captured_place = place(pointer.where);
      std::uint64_t word = 0;
      std::memcpy(&word, now + pointer.at, sizeof word);
      placement where;
      const recorded_memory there =
          memory_now(*data_.state, {static_cast<std::uintptr_t>(word), 1, word != 0}, where);
      d.current_place = current(there, where);
      d.at = pointer.at;
    }
    add(boundary, entry, std::move(d), tri::no);
  }

  drift_report finish() {
    if (found_->drifts.empty()) return {};
    return drift_data::attach(found_.release(), result_);
  }

 private:
  // A scalar where a tensor was captured, and the like.
  void of_another_form(const ledger_boundary& boundary, const ledger_entry& entry, drift d) {
    d.kind = drift_kind::form;
    d.captured_form = entry.form;
    d.captured = data_.tensor_of(entry);
    d.captured_place = place(entry.where);
    if (entry.form == entry_form::scalar) d.captured_scalar = entry.number;
    if (entry.form == entry_form::host || entry.form == entry_form::value)
      d.captured_scalar = scalar_value(entry.bytes);
    add(boundary, entry, std::move(d), tri::no);
  }

  static bool nobody(const recorded_memory& memory) {
    return memory.has_bytes && memory.what == memory_class::unregistered;
  }

  void unregistered(const ledger_boundary& boundary, const ledger_entry& entry) {
    if ((entry.form != entry_form::tensor && entry.form != entry_form::host) || !nobody(entry.where)) return;
    drift d;
    d.kind = drift_kind::unregistered;
    d.captured = data_.tensor_of(entry);
    d.captured_scalar = scalar_value(entry.bytes);
    add(boundary, entry, std::move(d), tri::unknown);
  }

  // Another buffer, another offset; in memory that is nobody's, another address.
  bool elsewhere(const recorded_memory& was, const recorded_memory& now, const placement& where) const {
    if (was.owner < 0) return was.address != now.address;
    const ledger_owner& owner = data_.owners[static_cast<std::size_t>(was.owner)];
    return was.what != now.what || where.owner().id != owner.record->id || was.offset != now.offset;
  }

  recorded_place place(const recorded_memory& memory) {
    recorded_place p = data_.place_of(memory);
    p.owner = found_->keep(p.owner);
    return p;
  }
  recorded_place current(const recorded_memory& memory, const placement& where) {
    recorded_place p;
    p.what = memory.what;
    p.owner = found_->keep(where.name());
    p.offset = where.offset();
    p.generation = where.owner().generation;
    return p;
  }

  // All graphs that captured the owner as it no longer is. The registry's lock is held.
  void name_graphs(drift& d, std::uint64_t owner, std::uint64_t generation, bool alive) {
    std::vector<std::string_view>& names = found_->graph_lists.emplace_back();
    for (const auto& [id, graph] : data_.state->graphs) {
      for (const auto& [dependency, captured] : graph.owners) {
        if (dependency != owner || (captured == generation && alive)) continue;
        names.push_back(found_->keep(graph.name));
        break;
      }
    }
    d.graphs = names.data();
    d.graph_count = static_cast<int>(names.size());
  }

  void add(const ledger_boundary& boundary, const ledger_entry& entry, drift d, tri result) {
    d.boundary = found_->keep(boundary.name);
    d.occurrence = boundary.occurrence;
    d.argument = found_->keep(entry.name);
    d.where = boundary.where;
    add_bare(std::move(d), result);
  }
  void add_bare(drift d, tri result) {
    if (d.graph_count == 0) {
      std::vector<std::string_view>& names = found_->graph_lists.emplace_back();
      names.push_back(found_->keep(data_.graph));
      d.graphs = names.data();
      d.graph_count = 1;
    }
    found_->drifts.push_back(std::move(d));
    if (result == tri::no || result_ == tri::yes) result_ = result;
  }

  const ledger_data& data_;
  std::unique_ptr<drift_data> found_;
  std::vector<int> reported_;
  tri result_ = tri::yes;
};

// Nothing is known: of no graph, or memory ran out while it was being found out.
drift_report not_known(const ledger_data* data) noexcept {
  try {
    auto found = std::make_unique<drift_data>();
    drift d;
    d.kind = data == nullptr ? drift_kind::no_graph : drift_kind::updated;
    found->drifts.push_back(d);
    return drift_data::attach(found.release(), tri::unknown);
  } catch (const std::exception&) {
    return drift_data::attach(nullptr, tri::unknown);
  }
}

template <class Ask>
drift_report ask(const ledger_data* data, Ask question) noexcept {
  if (data == nullptr) return not_known(data);
  try {
    comparison c(*data);
    question(c);
    return c.finish();
  } catch (const std::exception&) {
    return not_known(data);
  }
}

}  // namespace

tri ledger_data::current() const noexcept {
  const std::uint64_t now = state->changes.load(std::memory_order_acquire);
  if (now != stood.load(std::memory_order_relaxed)) {
    if (!generations_stand(*this)) return tri::no;
    stood.store(now, std::memory_order_relaxed);
  }
  for (const std::size_t i : probed)
    if (!owners[i].alive(owners[i].probe.get())) return tri::no;
  if (unregistered > 0 || unknown.load(std::memory_order_relaxed)) return tri::unknown;
  if (probed.empty()) {  // a probe must be asked every time
    verified.store(now, std::memory_order_seq_cst);
    // becomes_unknown() may have come in between: one of the two stores is seen.
    if (unknown.load(std::memory_order_seq_cst)) verified.store(never_verified, std::memory_order_seq_cst);
  }
  return tri::yes;
}

void ledger_data::becomes_unknown(bool whole) noexcept {
  if (whole) whole_unknown.store(true, std::memory_order_relaxed);
  unknown.store(true, std::memory_order_seq_cst);
  verified.store(never_verified, std::memory_order_seq_cst);
}

}  // namespace detail

ledger::ledger() noexcept = default;
ledger::ledger(ledger&& other) noexcept
    : data_(std::move(other.data_)), state_(std::exchange(other.state_, nullptr)) {}
ledger& ledger::operator=(ledger&& other) noexcept {
  if (this == &other) return *this;
  data_ = std::move(other.data_);
  state_ = std::exchange(other.state_, nullptr);
  return *this;
}
ledger::~ledger() = default;

bool ledger::look_at_owners() const noexcept {
  return data_->current() == tri::yes;
}

drift_report ledger::verify_owners() const noexcept {
  if (owners_current()) return {};
  return detail::ask(data_.get(), [](detail::comparison& c) { c.all_owners(); });
}

drift_report ledger::compare(std::string_view boundary, std::string_view argument, const argument_value& now,
                             int occurrence) const noexcept {
  return detail::ask(data_.get(), [&](detail::comparison& c) {
    drift none;
    if (now.is_present) none.current = tensor_desc::copy_of(now.tensor);
    none.current_form = now.is_present ? argument_form::tensor : argument_form::no_tensor;
    c.each(boundary, argument, occurrence, none,
           [&](const auto& b, const auto& entry) { c.tensor(b, entry, now); });
  });
}
drift_report ledger::expect_scalar(std::string_view boundary, std::string_view name, scalar_value now,
                                   int occurrence) const noexcept {
  return detail::ask(data_.get(), [&](detail::comparison& c) {
    drift none;
    none.current_scalar = now;
    none.current_form = argument_form::scalar;
    c.each(boundary, name, occurrence, none,
           [&](const auto& b, const auto& entry) { c.scalar(b, entry, now); });
  });
}
drift_report ledger::expect_host(std::string_view boundary, std::string_view name, const void* now,
                                 std::size_t bytes, int occurrence) const noexcept {
  return detail::ask(data_.get(), [&](detail::comparison& c) {
    drift none;
    none.current_form = argument_form::host;
    c.each(boundary, name, occurrence, none,
           [&](const auto& b, const auto& entry) { c.host(b, entry, now, bytes); });
  });
}
drift_report ledger::expect_bytes(std::string_view boundary, std::string_view name, const void* now,
                                  std::size_t bytes, int occurrence) const noexcept {
  return detail::ask(data_.get(), [&](detail::comparison& c) {
    drift none;
    none.current_form = argument_form::value;
    c.each(boundary, name, occurrence, none,
           [&](const auto& b, const auto& entry) { c.value(b, entry, now, bytes); });
  });
}

expectation ledger::expectation_of(std::string_view boundary, std::string_view argument,
                                   int occurrence) const noexcept {
  if (data_ == nullptr) return {};
  const auto known = data_->occurrences.find(boundary);
  if (known == data_->occurrences.end()) return {};
  const detail::ledger_entry* found = nullptr;
  const auto geometry = [&](const detail::ledger_entry& e) { return data_->numbers.data() + e.first; };
  for (const std::size_t index : known->second) {
    const detail::ledger_boundary& b = data_->boundaries[index];
    if (occurrence != every_occurrence && b.occurrence != occurrence) continue;
    for (const detail::ledger_entry& entry : b.entries) {
      if (entry.name != argument) continue;
      if (entry.form != detail::entry_form::tensor) return {};
      if (found != nullptr &&
          (found->data != entry.data || found->rank != entry.rank ||
           !same_representation(found->type, entry.type) ||
           !std::equal(geometry(entry), geometry(entry) + 2 * entry.rank, geometry(*found))))
        return {};
      found = &entry;
    }
  }
  if (found == nullptr) return {};
  tensor_ref r;
  r.data = reinterpret_cast<const void*>(found->data);
  r.type = found->type;
  r.rank = found->rank;
  r.extents = geometry(*found);
  r.strides = r.extents + found->rank;
  return expectation(r);
}

// ---- updates ---------------------------------------------------------------------------------------------------------

namespace detail {
namespace {

template <class Change>
bool change(ledger_data* data, std::string_view boundary, std::string_view argument, int occurrence,
            Change one) noexcept {
  if (data == nullptr) return false;
  bool found = false, failed = false;
  try {
    const auto known = data->occurrences.find(boundary);
    if (known != data->occurrences.end()) {
      for (const std::size_t index : known->second) {
        ledger_boundary& b = data->boundaries[index];
        if (occurrence != every_occurrence && b.occurrence != occurrence) continue;
        for (ledger_entry& entry : b.entries)
          if (entry.name == argument) (one(entry) ? found : failed) = true;
      }
    }
    if (found) {
      data->drop_unused_owners();
      data->tell_registry();
    }
  } catch (const std::exception&) {
    failed = true;
  }
  if (!found || failed) data->becomes_unknown(true);
  return found && !failed;
}

}  // namespace

// After an update: owners that no argument lies in any more must not hold the graph up.
void ledger_data::drop_unused_owners() {
  std::vector<int> next(owners.size(), -1);
  const auto mark = [&](const recorded_memory& memory) {
    if (memory.owner >= 0) next[static_cast<std::size_t>(memory.owner)] = 0;
  };
  for (const ledger_boundary& b : boundaries) {
    for (const ledger_entry& e : b.entries) {
      mark(e.where);
      for (const pointer_word& p : e.pointers) mark(p.where);
    }
  }
  std::vector<ledger_owner> kept;
  words.clear();
  values.clear();
  probed.clear();
  unregistered = 0;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (next[i] < 0) continue;
    next[i] = static_cast<int>(kept.size());
    if (owners[i].alive != nullptr) probed.push_back(kept.size());
    words.push_back(&owners[i].record->generation);
    values.push_back(owners[i].generation);
    kept.push_back(std::move(owners[i]));
  }
  owners = std::move(kept);
  const auto renumber = [&](recorded_memory& memory) {
    if (memory.owner >= 0) memory.owner = next[static_cast<std::size_t>(memory.owner)];
  };
  for (ledger_boundary& b : boundaries) {
    for (ledger_entry& e : b.entries) {
      renumber(e.where);
      for (pointer_word& p : e.pointers) renumber(p.where);
      const bool has_memory = e.form == entry_form::tensor || e.form == entry_form::host;
      if (has_memory && e.where.has_bytes && e.where.what == memory_class::unregistered) ++unregistered;
    }
  }
  stood.store(0, std::memory_order_relaxed);
  verified.store(never_verified, std::memory_order_relaxed);
}

}  // namespace detail

bool ledger::replace(std::string_view boundary, std::string_view argument, const argument_value& now,
                     int occurrence) noexcept {
  return detail::change(data_.get(), boundary, argument, occurrence, [&](detail::ledger_entry& entry) {
    if (entry.form != detail::entry_form::tensor && entry.form != detail::entry_form::no_tensor) return false;
    data_->fill_tensor(entry, now);
    return true;
  });
}
bool ledger::scalar_updated(std::string_view boundary, std::string_view name, scalar_value now,
                            int occurrence) noexcept {
  return detail::change(data_.get(), boundary, name, occurrence, [&](detail::ledger_entry& entry) {
    if (entry.form != detail::entry_form::scalar) return false;
    entry.number = now;
    return true;
  });
}
bool ledger::host_updated(std::string_view boundary, std::string_view name, const void* now,
                          std::size_t bytes, int occurrence) noexcept {
  return detail::change(data_.get(), boundary, name, occurrence, [&](detail::ledger_entry& entry) {
    if (entry.form != detail::entry_form::host) return false;
    data_->fill_host(entry, now, bytes);
    return true;
  });
}
bool ledger::bytes_updated(std::string_view boundary, std::string_view name, const void* now,
                           std::size_t bytes, int occurrence) noexcept {
  return detail::change(data_.get(), boundary, name, occurrence, [&](detail::ledger_entry& entry) {
    if (entry.form != detail::entry_form::value) return false;
    data_->fill_value(entry, now, bytes);
    return true;
  });
}

bool ledger::exec_updated(int code, ledger now) noexcept {
  if (code != 0) {
    exec_updated_unknown();
    return false;
  }
  *this = std::move(now);
  return data_ != nullptr;
}

bool ledger::boundary_updated_unknown(std::string_view boundary, int occurrence) noexcept {
  if (data_ == nullptr) return false;
  bool found = false;
  const auto known = data_->occurrences.find(boundary);
  if (known != data_->occurrences.end()) {
    for (const std::size_t index : known->second) {
      detail::ledger_boundary& b = data_->boundaries[index];
      if (occurrence != every_occurrence && b.occurrence != occurrence) continue;
      b.unknown = found = true;
    }
  }
  data_->becomes_unknown(!found);
  return found;
}

void ledger::exec_updated_unknown() noexcept {
  if (data_ != nullptr) data_->becomes_unknown(true);
}

// ---- what was captured -----------------------------------------------------------------------------------------------

std::string_view ledger::graph() const noexcept {
  return data_ == nullptr ? std::string_view() : std::string_view(data_->graph);
}
bool ledger::known() const noexcept {
  return data_ != nullptr && !data_->unknown.load(std::memory_order_relaxed);
}
int ledger::boundary_count() const noexcept {
  return data_ == nullptr ? 0 : static_cast<int>(data_->boundaries.size());
}
int ledger::argument_count() const noexcept {
  int count = 0;
  if (data_ != nullptr)
    for (const detail::ledger_boundary& b : data_->boundaries) count += static_cast<int>(b.entries.size());
  return count;
}
int ledger::owner_count() const noexcept {
  return data_ == nullptr ? 0 : static_cast<int>(data_->owners.size());
}
int ledger::unregistered_count() const noexcept {
  return data_ == nullptr ? 0 : data_->unregistered;
}

std::size_t ledger::write_text(char* to, std::size_t capacity) const noexcept {
  try {
    return detail::copy_out(detail::text_of(data_.get()), to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}
std::size_t ledger::write_json(char* to, std::size_t capacity) const noexcept {
  try {
    return detail::copy_out(detail::json_of(data_.get()), to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}

}  // namespace v1
}  // namespace stridelock
