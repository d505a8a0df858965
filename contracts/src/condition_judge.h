// Whether a condition holds, under values that the caller knows. Private to the library; the one rule for everything that judges.
#pragma once

#include <algorithm>

#include "report_data.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

// `value(expression)` gives an expression_value, `is_present(index)` says whether that argument was passed.
template <class Value, class IsPresent>
tri condition_holds(const condition& c, capability device_capability, Value value, IsPresent is_present) {
  switch (c.kind) {
    case condition_kind::compare: {
      const expression_value a = value(c.left), b = value(c.right);
      if (!a.known || !b.known) return tri::unknown;
      if (!a.fits || !b.fits) return tri::no;
      switch (c.how) {
        case comparison::lt:
          return to_tri(a.value < b.value);
        case comparison::le:
          return to_tri(a.value <= b.value);
        case comparison::gt:
          return to_tri(a.value > b.value);
        case comparison::ge:
          return to_tri(a.value >= b.value);
        case comparison::eq:
          return to_tri(a.value == b.value);
        case comparison::ne:
          return to_tri(a.value != b.value);
      }
      return tri::unknown;
    }
    case condition_kind::divisible: {
      const expression_value a = value(c.left);
      if (!a.known) return tri::unknown;
      return to_tri(a.fits && c.right.added > 0 && a.value % c.right.added == 0);
    }
    case condition_kind::present:
    case condition_kind::absent:
      return to_tri(is_present(c.argument_index) == (c.kind == condition_kind::present));
    case condition_kind::one_of:
    case condition_kind::none_of: {
      index_t wanted[3] = {};
      for (int i = 0; i < c.tuple_width; ++i) {
        const expression_value v = value(c.tuple[i]);
        if (!v.known) return tri::unknown;
        if (!v.fits) return tri::no;
        wanted[i] = v.value;
      }
      bool found = false;
      for (int row = 0; row < c.tuple_count && !found; ++row)
        found = std::equal(wanted, wanted + c.tuple_width, c.tuples + row * c.tuple_width);
      return to_tri(found == (c.kind == condition_kind::one_of));
    }
    case condition_kind::capability_between:
      if (!device_capability.known()) return tri::unknown;
      return to_tri(!(device_capability < c.lowest) && !(c.highest < device_capability));
  }
  return tri::unknown;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
