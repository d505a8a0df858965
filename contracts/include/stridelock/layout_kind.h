// layout_kind.h: the layouts that a view's type can promise, as tags whose base classes are what they imply.
//
// Promises:  implies_v<From, To> is true exactly if every layout of kind From is one of kind To.
// Does not:  look at any size or stride; the functions that do are in layout.h.
//
//   static_assert(implies_v<contiguous, row_pitched>);      // passing a stronger view is implicit
//   static_assert(!implies_v<row_pitched, contiguous>);     // the other way is an explicit, checked call
#pragma once

#include <cstdint>
#include <type_traits>

namespace stridelock {
inline namespace v1 {

struct strided {};                     // any strides
struct inner_contiguous : strided {};  // last stride 1, the rest free
struct row_pitched : inner_contiguous {
};  // dense rows, outer dimensions merge into one row count with one pitch
struct contiguous : row_pitched {};  // dense row-major

template <class From, class To>
inline constexpr bool implies_v = std::is_base_of_v<To, From>;

template <class L>
inline constexpr bool is_layout_kind_v = std::is_same_v<L, strided> || std::is_same_v<L, inner_contiguous> ||
                                         std::is_same_v<L, row_pitched> || std::is_same_v<L, contiguous>;

}  // namespace v1
}  // namespace stridelock
