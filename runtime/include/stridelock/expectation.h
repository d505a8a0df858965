// expectation.h: what one captured argument must still look like, in a form that is compared in a few nanoseconds.
//
// Promises:  holds(now) is true only if address, type, rank, extents and every stride that is used are those of the
//            capture. Together with ledger::owners_current(), which says that the address still means the same memory,
//            that is all that expect() compares.
// Does not:  say what drifted: on false ask ledger::expect(). Follow node_updated(): take a new one after that.
// Cost:      hot: no lock, no allocation, no call.
//
//   const expectation indices = book.expectation_of("sparse_mla", "extra_indices");      // once, after capture
//   …
//   if (!book.owners_current() || !indices.holds(now)) explain();                        // every replay
#pragma once

#include <cstdint>

#include "stridelock/describe.h"
#include "stridelock/tensor_desc.h"

namespace stridelock {
inline namespace v1 {

class expectation {
 public:
  constexpr expectation() = default;  // never holds
  // Never holds either where the description is none: a rank out of range, no extents, a negative extent.
  explicit expectation(const tensor_ref& captured) noexcept {
    const tensor_desc whole = tensor_desc::copy_of(captured);  // strides that are not given are compact
    if (!whole.valid()) return;
    address_ = address_of(captured);
    type_ = captured.type;
    rank_ = whole.rank();
    for (int i = 0; i < rank_; ++i) {
      extents_[i] = whole.extent(i);
      strides_[i] = whole.stride(i);
      used_[i] = extents_[i] > 1 ? ~index_t{0} : 0;
    }
  }

  template <class V>
  bool holds(const V& now) const noexcept {
    const auto described = describe(now);
    const argument_value value = detail::argument_of(described);
    return value.is_present && same(value.tensor);
  }

 private:
  static std::uintptr_t address_of(const tensor_ref& t) noexcept {
    return reinterpret_cast<std::uintptr_t>(t.data) + static_cast<std::uintptr_t>(t.byte_offset);
  }
  bool same(const tensor_ref& now) const noexcept {
    // Without strides it is compact: rare where views come from persistent buffers, so the exact comparison decides.
    if (now.rank < 0 || now.rank != rank_) return false;
    if (now.rank > 0 && (now.extents == nullptr || now.strides == nullptr)) return false;
    index_t difference = static_cast<index_t>(address_of(now) ^ address_);
    for (int i = 0; i < now.rank; ++i)  // known to the compiler where `now` is a typed view
      difference |= (now.extents[i] ^ extents_[i]) | ((now.strides[i] ^ strides_[i]) & used_[i]);
    return difference == 0 && same_representation(now.type, type_);
  }

  std::uintptr_t address_ = 0;
  dtype type_{};
  std::int32_t rank_ = -1;  // never holds
  index_t extents_[max_rank]{};
  index_t strides_[max_rank]{};
  index_t used_[max_rank]{};  // all bits where the stride is looked at
};

}  // namespace v1
}  // namespace stridelock
