// tensor_desc.h: an owning description of a tensor of up to eight dimensions. The cold form: for messages, ledgers,
// preflight, and for code that wants to know where its views come from.
//
// Promises:  owns its numbers and its provenance; every narrowing applies the geometry and records the step; one that
//            is out of range, or whose offset does not fit into 64 bits, gives a description that is not valid() and
//            remembers the step, which messages name.
// Does not:  keep the memory alive. Not for the hot path: it is a kilobyte; pass a tensor_ref there.
// Cost:      cold.
//
//   const tensor_desc buffer = tensor_desc::dense("c128a_decode", types::int32, {512, 1024}, {device_kind::cuda, 0});
//   const tensor_desc view = buffer.rows(0, 66).columns(0, 256, STRIDELOCK_HERE);
//   check<sparse_mla>(view.ref(), …);
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "stridelock/layout.h"
#include "stridelock/provenance.h"
#include "stridelock/tensor_ref.h"

namespace stridelock {
inline namespace v1 {

// What keeps no record of its narrowings: a tenth of the size, for code that judges many views and explains few.
struct no_provenance {
  static constexpr bool known() { return false; }
  constexpr void add(const view_step&) {}
  constexpr void refuse(step_refusal, const view_step&, index_t) {}
};

// Use it as tensor_desc. Only preflight has another kind, without a record of the narrowings.
template <class Provenance>
class basic_tensor_desc {
  using tensor_desc = basic_tensor_desc;

 public:
  constexpr basic_tensor_desc() = default;

  // A whole row-major buffer.
  static constexpr tensor_desc dense(std::string_view name, dtype type,
                                     std::initializer_list<index_t> extents, device where,
                                     const void* data = nullptr) {
    tensor_desc d = geometry(type, extents, where, data);
    for (int i = 0; i < d.rank_; ++i) {
      const checked stride = canonical_stride(d.layout(), i);
      d.strides_[i] = stride.value;
      d.valid_ = d.valid_ && stride.ok;
    }
    d.start_provenance(name);
    return d;
  }

  // A whole buffer with strides of its own; as many strides as extents.
  static constexpr tensor_desc strided(std::string_view name, dtype type,
                                       std::initializer_list<index_t> extents,
                                       std::initializer_list<index_t> strides, device where,
                                       const void* data = nullptr) {
    tensor_desc d = geometry(type, extents, where, data);
    d.valid_ = d.valid_ && strides.size() == extents.size();
    if (d.valid_) {
      int i = 0;
      for (index_t stride : strides) d.strides_[i++] = stride;
    }
    d.start_provenance(name);
    return d;
  }

  // A copy of what a borrowed description says. Not valid if its rank is not 0 to 8, or if extents are missing.
  static constexpr tensor_desc copy_of(const tensor_ref& r) {
    tensor_desc d;
    d.type_ = r.type;
    d.where_ = r.where;
    d.data_ = r.data;
    d.byte_offset_ = r.byte_offset;
    d.read_only_ = r.read_only;
    if constexpr (keeps_steps)
      if (r.from != nullptr) d.from_ = *r.from;
    if (r.rank < 0 || r.rank > max_rank || (r.rank > 0 && r.extents == nullptr)) {
      d.valid_ = false;
      return d;
    }
    d.rank_ = r.rank;
    for (int i = 0; i < r.rank; ++i) d.extents_[i] = r.extents[i];
    if (r.active != nullptr && r.rank > 0) {
      d.is_partial_ = true;
      d.stale_ = r.stale;
      for (int i = 0; i < r.rank; ++i) d.active_[i] = r.active[i];
    }
    for (int i = 0; i < r.rank; ++i) {
      if (r.strides != nullptr) {
        d.strides_[i] = r.strides[i];
      } else {
        const checked stride = canonical_stride(d.layout(), i);
        d.strides_[i] = stride.value;
        d.valid_ = d.valid_ && stride.ok;
      }
    }
    return d;
  }

  constexpr bool valid() const { return valid_; }
  constexpr int rank() const { return rank_; }
  constexpr index_t extent(int dim) const { return extents_[dim]; }
  constexpr index_t stride(int dim) const { return strides_[dim]; }
  constexpr dtype type() const { return type_; }
  constexpr device where() const { return where_; }
  constexpr const void* data() const { return data_; }
  constexpr std::uint64_t byte_offset() const { return byte_offset_; }
  constexpr tri read_only() const { return read_only_; }
  constexpr const Provenance& from() const { return from_; }
  // Only a part of it holds this step's data (valid_extent.h).
  constexpr bool is_partial() const { return is_partial_; }
  constexpr index_t active(int dim) const { return is_partial_ ? active_[dim] : extents_[dim]; }
  constexpr stale_content stale() const { return is_partial_ ? stale_ : stale_content::unknown; }
  constexpr layout_ref layout() const { return {rank_, extents_, strides_}; }

  // Borrows from this object: keep it alive. A temporary cannot be borrowed from.
  // What is not valid() is borrowed with rank -1, which every evaluation refuses: never judged as if it were whole.
  constexpr tensor_ref ref() const& {
    tensor_ref r{data_,    type_,        valid_ ? rank_ : -1, where_,  extents_,
                 strides_, byte_offset_, read_only_,          nullptr, is_partial_ ? active_ : nullptr,
                 stale_};
    if constexpr (keeps_steps) r.from = &from_;
    return r;
  }
  tensor_ref ref() const&& = delete;

  // ---- valid extent ------------------------------------------------------------------------------------------

  // From now on the first `count` of dimension `dim` hold this step's data. Fewer than before: what is left over was
  // valid in an earlier step. More than the extent is kept as it is, for the evaluation to find.
  constexpr tensor_desc activated(int dim, index_t count) const {
    tensor_desc d = *this;
    const view_step step{operation::identity, static_cast<std::int8_t>(dim), 0, 0, count, 0, {}};
    if (!d.has_dimension(dim, step) || !d.in_range(count >= 0, dim, step)) return d;
    if (!d.is_partial_) {
      d.is_partial_ = true;
      for (int i = 0; i < rank_; ++i) d.active_[i] = extents_[i];
    } else if (count < d.active_[dim]) {
      d.stale_ = stale_content::earlier_step;
    }
    d.active_[dim] = count;
    return d;
  }
  constexpr tensor_desc activated_columns(index_t count) const { return activated(rank_ - 1, count); }
  // What lies beyond the active extents was filled with the sentinel, or is known otherwise.
  constexpr tensor_desc stale_holds(stale_content content) const {
    tensor_desc d = *this;
    d.stale_ = content;
    return d;
  }
  constexpr tensor_desc cleared() const { return stale_holds(stale_content::cleared); }

  // ---- narrowing ---------------------------------------------------------------------------------------------

  constexpr tensor_desc rows(index_t begin, index_t end, source_line where = {}) const {
    return slice(0, begin, end, 1, where);
  }
  constexpr tensor_desc columns(index_t begin, index_t end, source_line where = {}) const {
    return slice(rank_ - 1, begin, end, 1, where);
  }

  // [begin, end) of dimension dim, every step-th.
  constexpr tensor_desc slice(int dim, index_t begin, index_t end, index_t step = 1,
                              source_line where = {}) const {
    tensor_desc d = *this;
    const bool last = dim == rank_ - 1;
    const operation what = step == 1 ? (dim == 0 ? operation::rows
                                        : last   ? operation::columns
                                                 : operation::middle_slice)
                                     : (last ? operation::step_last : operation::step_first);
    const view_step taken{what, static_cast<std::int8_t>(dim), 0, begin, end, step, where};
    if (!d.has_dimension(dim, taken) ||
        !d.in_range(begin >= 0 && begin <= end && end <= extents_[dim] && step >= 1, dim, taken))
      return d;
    d.move_by(dim, begin);
    d.extents_[dim] = end == begin ? 0 : (end - begin - 1) / step + 1;
    const checked stride = step == 1 ? checked(strides_[dim]) : checked(strides_[dim]) * checked(step);
    d.strides_[dim] = stride.value;
    d.valid_ = d.valid_ && stride.ok;
    const index_t active = active_[dim] <= begin ? 0 : (active_[dim] - begin - 1) / step + 1;
    d.active_[dim] = active < d.extents_[dim] ? active : d.extents_[dim];
    d.record(taken, dim);
    return d;
  }

  constexpr tensor_desc select(int dim, index_t index, source_line where = {}) const {
    tensor_desc d = *this;
    const operation what = dim == 0           ? operation::select_first
                           : dim == rank_ - 1 ? operation::select_last
                           : dim == rank_ - 2 ? operation::select_next_to_last
                                              : operation::select_middle;
    const view_step taken{what, static_cast<std::int8_t>(dim), 0, index, index + 1, 1, where};
    if (!d.has_dimension(dim, taken) || !d.in_range(index >= 0 && index < extents_[dim], dim, taken))
      return d;
    d.move_by(dim, index);
    for (int i = dim; i + 1 < rank_; ++i) {
      d.extents_[i] = extents_[i + 1];
      d.strides_[i] = strides_[i + 1];
      d.active_[i] = active_[i + 1];
    }
    --d.rank_;
    if (index >= active_[dim])  // all of it is stale
      for (int i = 0; i < d.rank_; ++i) d.active_[i] = 0;
    d.record(taken, dim);
    return d;
  }

  constexpr tensor_desc transpose(int a, int b, source_line where = {}) const {
    tensor_desc d = *this;
    const operation what = a == b                             ? operation::identity
                           : a == rank_ - 1 || b == rank_ - 1 ? operation::transpose
                                                              : operation::transpose_outer;
    const view_step taken{what, static_cast<std::int8_t>(a), static_cast<std::int8_t>(b), 0, 0, 1, where};
    if (!d.has_dimension(a, taken) || !d.has_dimension(b, taken)) return d;
    d.extents_[a] = extents_[b];
    d.extents_[b] = extents_[a];
    d.strides_[a] = strides_[b];
    d.strides_[b] = strides_[a];
    d.active_[a] = active_[b];
    d.active_[b] = active_[a];
    d.record(taken, a);
    return d;
  }

 private:
  static constexpr bool keeps_steps = std::is_same_v<Provenance, provenance>;

  static constexpr tensor_desc geometry(dtype type, std::initializer_list<index_t> extents, device where,
                                        const void* data) {
    tensor_desc d;
    d.type_ = type;
    d.where_ = where;
    d.data_ = data;
    if (extents.size() > static_cast<std::size_t>(max_rank)) {
      d.valid_ = false;
      return d;
    }
    for (index_t extent : extents) d.extents_[d.rank_++] = extent;
    return d;
  }

  constexpr void start_provenance(std::string_view name) {
    if constexpr (keeps_steps) start_record(name);
    if (!valid_) from_.refuse(step_refusal::no_buffer, {}, 0);
  }
  constexpr void start_record(std::string_view name) {
    from_.root = name;
    from_.root_rank = rank_;
    for (int i = 0; i < rank_; ++i) {
      from_.root_extents[i] = extents_[i];
      from_.root_strides[i] = strides_[i];
    }
  }

  // Moves the base; the offset is kept apart from the pointer, which stays the buffer's.
  constexpr void move_by(int dim, index_t count) {
    const checked bits = checked(strides_[dim]) * checked(count) * checked(type_.element_bits());
    const std::uint64_t bytes = static_cast<std::uint64_t>(bits.value / 8);
    valid_ = valid_ && bits.ok && bits.value % 8 == 0;  // a sub-byte value has no address
    byte_offset_ += bytes;                              // modulo 2^64, like the address
  }

  // False: it is not valid, or there is no such dimension, which makes it so.
  constexpr bool has_dimension(int dim, const view_step& step) {
    if (valid_ && (dim < 0 || dim >= rank_)) refuse(step_refusal::no_such_dimension, step, rank_);
    return valid_;
  }
  constexpr bool in_range(bool yes, int dim, const view_step& step) {
    if (!yes) refuse(step_refusal::out_of_range, step, extents_[dim]);
    return valid_;
  }
  constexpr void refuse(step_refusal why, const view_step& step, index_t extent) {
    valid_ = false;
    from_.refuse(why, step, extent);
  }

  // A step whose numbers were applied already: its offset or stride may not have fit.
  constexpr void record(const view_step& step, int dim) {
    if (!valid_) from_.refuse(step_refusal::does_not_fit, step, extents_[dim]);
    if (from_.known() && valid_) from_.add(step);
  }

  const void* data_ = nullptr;
  dtype type_{};
  std::int32_t rank_ = 0;
  device where_{};
  index_t extents_[max_rank]{};
  index_t strides_[max_rank]{};
  std::uint64_t byte_offset_ = 0;
  tri read_only_ = tri::unknown;
  bool valid_ = true;
  bool is_partial_ = false;
  stale_content stale_ = stale_content::unknown;
  index_t active_[max_rank]{};  // only if partial
  Provenance from_{};
};

using tensor_desc = basic_tensor_desc<provenance>;

}  // namespace v1
}  // namespace stridelock
