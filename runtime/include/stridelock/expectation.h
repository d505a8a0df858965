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
#include <type_traits>

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
    const int rank = whole.rank();
    signature_ = signature_of(captured.type, rank);
    std::uint64_t compact = 1;  // unsigned: extents of any size may meet here
    for (int i = rank - 1; i >= 0; --i) {
      extents_[i] = whole.extent(i);
      strides_[i] = whole.stride(i);
      used_[i] = extents_[i] > 1 ? ~index_t{0} : 0;
      if (i == rank - 1) not_inner_ = (strides_[i] ^ 1) & used_[i];
      not_compact_ |= (strides_[i] ^ static_cast<index_t>(compact)) & used_[i];
      compact *= static_cast<std::uint64_t>(extents_[i]);
    }
  }

  template <class V>
  bool holds(const V& now) const noexcept {
    const auto described = describe(now);
    const argument_value value = detail::argument_of(described);
    return value.is_present && same(value.tensor);
  }
  // What the type of a view says is not looked at again: no strides of contiguous ones, one pitch of row-pitched matrices.
  template <class T, int Rank, class Layout, class Index, class Align>
  bool holds(const view<T, Rank, Layout, Index, Align>& now) const noexcept {
    if (signature_ != signature_of(dtype_of<T>, Rank)) return false;
    index_t difference = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(now.data) ^ address_);
    for (int i = 0; i < Rank; ++i) difference |= index_t{now.extent(i)} ^ extents_[i];
    if constexpr (std::is_same_v<Layout, contiguous>) {
      difference |= not_compact_;
    } else if constexpr (std::is_same_v<Layout, row_pitched> && Rank == 2) {
      difference |= not_inner_ | ((index_t{now.numbers.pitch} ^ strides_[0]) & used_[0]);
    } else {
      for (int i = 0; i < Rank; ++i) difference |= (index_t{now.stride(i)} ^ strides_[i]) & used_[i];
    }
    return difference == 0;
  }

 private:
  static constexpr std::uint32_t never = ~std::uint32_t{0};
  // Representation and rank in one word: the meaning of a type is not compared.
  static constexpr std::uint32_t signature_of(dtype type, int rank) noexcept {
    return static_cast<std::uint32_t>(type.code) | std::uint32_t{type.bits} << 8U |
           std::uint32_t{type.lanes} << 16U | static_cast<std::uint32_t>(rank) << 24U;
  }
  static std::uintptr_t address_of(const tensor_ref& t) noexcept {
    return reinterpret_cast<std::uintptr_t>(t.data) + static_cast<std::uintptr_t>(t.byte_offset);
  }
  bool same(const tensor_ref& now) const noexcept {
    // Without strides it is compact: rare where views come from persistent buffers, so the exact comparison decides.
    if (now.rank < 0 || now.rank > max_rank || signature_ != signature_of(now.type, now.rank)) return false;
    if (now.rank > 0 && (now.extents == nullptr || now.strides == nullptr)) return false;
    index_t difference = static_cast<index_t>(address_of(now) ^ address_);
    for (int i = 0; i < now.rank; ++i)
      difference |= (now.extents[i] ^ extents_[i]) | ((now.strides[i] ^ strides_[i]) & used_[i]);
    return difference == 0;
  }

  std::uintptr_t address_ = 0;
  std::uint32_t signature_ = never;
  index_t not_compact_ = 0;  // 0: strides that are used are those of a dense tensor
  index_t not_inner_ = 0;    // 0: the last stride is 1, or not used
  index_t extents_[max_rank]{};
  index_t strides_[max_rank]{};
  index_t used_[max_rank]{};  // all bits where the stride is looked at
};

static_assert(sizeof(type_code) == 1, "expectation: a type code is one byte of the signature");

}  // namespace v1
}  // namespace stridelock
