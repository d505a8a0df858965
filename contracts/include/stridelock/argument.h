// argument.h: what a contract asks of one tensor argument.
//
// Promises:  literal data; every fact has its own evidence; what is not said is not asked.
// Does not:  check anything. A requirement too many, or two shapes of one rank, is a compile error.
//
//   arg("extra_indices").type(types::int32, checked_at("mla.cu:210")).shape(sym("T"), sym("W")).or_shape(sym("T"), 1, sym("W"))
//       .layout(notion::dense, unchecked()).aligned(16).bounded("extra_topk_length").optional()
//   arg("out").shape(sym("T"), any).output().same_view_or_disjoint("q")        // in place, or apart; never half
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "stridelock/descriptor_rule.h"
#include "stridelock/device.h"
#include "stridelock/dtype.h"
#include "stridelock/evidence.h"
#include "stridelock/expression.h"
#include "stridelock/valid_extent.h"

namespace stridelock {
inline namespace v1 {

// Facts that can be asked of one argument. The layout notions are defined in docs/semantics.md.
enum class notion : std::uint8_t {
  dense,
  canonical,
  inner_contiguous,
  row_pitched,
  permutation_dense,
  suffix_dense,      // detail: how many dimensions
  collapsible,       // detail, second: first and last dimension
  non_overlapping,   // injectivity must be proved
  aligned,           // detail: bytes
  aligned_rows,      // detail: bytes
  index_bits,        // detail: bits
  stable,            // inside a registered persistent buffer
  writable,          // the kernel writes it
  descriptor_legal,  // may be encoded into a tiled tensor map; the argument has the rule
};

struct requirement {
  notion what = notion::dense;
  std::int32_t detail = 0;
  std::int32_t second = 0;
  basis why{};
};

// How the memory of one argument relates to that of another; judged on the bytes that indexing reaches (sharing.h).
enum class sharing : std::uint8_t {
  none,               // not a single byte in common
  same_view_or_none,  // in place: the very same view, or nothing in common
  same_memory,        // exactly the same bytes
};

struct sharing_rule {
  sharing what = sharing::none;
  std::string_view with{};  // argument
  std::int8_t index = -1;   // of that argument; set by the builder
  basis why{};
};

// Who vouches for one extent or stride, where that differs from the rest of the shape.
struct dimension_basis {
  std::int8_t rank = 0;  // of the shape
  std::int8_t dim = 0;
  bool of_stride = false;
  basis why{};
};

// One shape: extents, and optionally strides, of one rank.
struct shape_pattern {
  std::int8_t rank = 0;
  expression extents[max_rank]{};
  expression strides[max_rank]{};  // any unless said
  bool has_strides = false;
};

struct argument {
  static constexpr int most_requirements = 8;
  static constexpr int most_shapes = 2;
  static constexpr int most_types = 4;
  static constexpr int most_sharing_rules = 3;
  static constexpr int most_dimension_bases = 6;

  std::string_view name{};
  dtype types[most_types]{};
  std::uint8_t type_count = 0;  // 0: any
  basis type_why{};
  shape_pattern shapes[most_shapes]{};
  std::uint8_t shape_count = 0;
  std::uint16_t ranks = 0;  // bit r: rank r is accepted; 0: any
  basis shape_why{};        // ranks, extents and strides, unless a dimension has its own
  dimension_basis dimension_why[most_dimension_bases]{};
  std::uint8_t dimension_why_count = 0;
  requirement requirements[most_requirements]{};
  std::uint8_t requirement_count = 0;
  descriptor_rule descriptor{};  // of notion::descriptor_legal; element_bytes follows from the dtype
  sharing_rule sharing_rules[most_sharing_rules]{};
  std::uint8_t sharing_count = 0;
  bool is_optional = false;
  basis presence_why{};                       // of an argument that is not optional
  device_kind on_device = device_kind::none;  // none: the device of the other arguments
  basis device_why{};
  reads reader = reads::whole_row;
  stale_policy stale = stale_policy::refused;  // columns read beyond the active ones
  index_t tile = 1;                            // of up_to_tile
  basis reader_why{};
  std::string_view bounded_by{};  // argument that holds the lengths; if it is absent every column is read
  std::string_view cost{};        // what grows with the width if full rows are passed
  bool lengths_outside = false;   // bounded_by is no argument of the contract, and always there

  constexpr argument() = default;
  constexpr explicit argument(std::string_view n) : name(n) {}

  constexpr argument type(dtype t, basis why = {}) const {
    argument a = *this;
    a.type_count = 0;
    a.type_why = why;
    return a.or_type(t);
  }
  constexpr argument or_type(dtype t) const {
    argument a = *this;
    if (a.type_count == most_types)
      detail::error_too_many_requirements_on_one_argument();
    else
      a.types[a.type_count++] = t;
    return a;
  }

  // Extents, one expression for each dimension. A second shape must have another rank.
  template <class... E>
  constexpr argument shape(const E&... extents) const {
    static_assert(sizeof...(E) <= max_rank, "shape: a tensor has at most 8 dimensions");
    argument a = *this;
    shape_pattern pattern;
    pattern.rank = static_cast<std::int8_t>(sizeof...(E));
    int i = 0;
    (void)i;
    ((pattern.extents[i++] = expression(extents)), ...);
    const auto bit = static_cast<std::uint16_t>(1u << sizeof...(E));
    if (a.shape_count == most_shapes || (a.shape_count > 0 && (a.ranks & bit) != 0)) {
      detail::error_too_many_shapes_or_two_of_one_rank();
      return a;
    }
    a.ranks = static_cast<std::uint16_t>(a.shape_count == 0 ? bit : a.ranks | bit);
    a.shapes[a.shape_count++] = pattern;
    return a;
  }
  template <class... E>
  constexpr argument or_shape(const E&... extents) const {
    return shape(extents...);
  }
  // Strides in elements of the shape that was given last. Strides of extents of 1 and below are never looked at.
  template <class... E>
  constexpr argument strides(const E&... values) const {
    argument a = *this;
    if (a.shape_count == 0 || a.shapes[a.shape_count - 1].rank != static_cast<int>(sizeof...(E))) {
      detail::error_too_many_dimensions();
      return a;
    }
    shape_pattern& pattern = a.shapes[a.shape_count - 1];
    pattern.has_strides = true;
    int i = 0;
    (void)i;
    ((pattern.strides[i++] = expression(values)), ...);
    return a;
  }
  // Only the rank, one of several.
  constexpr argument rank_in(std::initializer_list<int> accepted) const {
    argument a = *this;
    for (int r : accepted) {
      if (r < 0 || r > max_rank)
        detail::error_too_many_dimensions();
      else
        a.ranks = static_cast<std::uint16_t>(a.ranks | (1u << r));
    }
    return a;
  }
  constexpr argument shape_by(basis why) const {
    argument a = *this;
    a.shape_why = why;
    return a;
  }

  // The same for one extent or stride of the shape that was given last.
  constexpr argument extent_by(int dim, basis why) const { return dimension_by(dim, false, why); }
  constexpr argument stride_by(int dim, basis why) const { return dimension_by(dim, true, why); }

  constexpr argument layout(notion what, basis why = {}) const { return require({what, 0, 0, why}); }
  constexpr argument suffix_dense(int dims, basis why = {}) const {
    return require({notion::suffix_dense, dims, 0, why});
  }
  constexpr argument collapsible(int first, int last, basis why = {}) const {
    return require({notion::collapsible, first, last, why});
  }
  constexpr argument aligned(int bytes, basis why = {}) const {
    return require({notion::aligned, bytes, 0, why});
  }
  constexpr argument aligned_rows(int bytes, basis why = {}) const {
    return require({notion::aligned_rows, bytes, 0, why});
  }
  constexpr argument index_bits(int bits, basis why = {}) const {
    return require({notion::index_bits, bits, 0, why});
  }
  constexpr argument stable(basis why = {}) const { return require({notion::stable, 0, 0, why}); }
  // Written by the kernel: must be writable, and no two of its elements may share an address.
  constexpr argument output(basis why = {}) const {
    return require({notion::writable, 0, 0, why}).require({notion::non_overlapping, 0, 0, why});
  }
  // A tiled tensor map is made from it (descriptor.h): the strides of extents of 1 count.
  constexpr argument descriptor_legal(const descriptor_rule& rule = {}, basis why = {}) const {
    argument a = require({notion::descriptor_legal, 0, 0, why});
    a.descriptor = rule;
    return a;
  }

  // Memory shared with another argument. What is not said is not asked.
  constexpr argument disjoint_from(std::string_view other, basis why = {}) const {
    return share({sharing::none, other, -1, why});
  }
  constexpr argument same_view_or_disjoint(std::string_view other, basis why = {}) const {
    return share({sharing::same_view_or_none, other, -1, why});
  }
  constexpr argument same_memory_as(std::string_view other, basis why = {}) const {
    return share({sharing::same_memory, other, -1, why});
  }

  constexpr argument optional() const {
    argument a = *this;
    a.is_optional = true;
    return a;
  }
  // Who refuses the call if it is absent.
  constexpr argument required_by(basis why) const {
    argument a = *this;
    a.is_optional = false;
    a.presence_why = why;
    return a;
  }
  constexpr argument on(device_kind kind, basis why = {}) const {
    argument a = *this;
    a.on_device = kind;
    a.device_why = why;
    return a;
  }

  // How far rows are read, for views of which only the first columns hold this step's data (valid_extent.h).
  // The reader stops at the lengths in argument `lengths` of the same contract, so stale or extra columns do no harm.
  // `grows`: what else grows with the width, for the price of passing full rows.
  constexpr argument bounded(std::string_view lengths, std::string_view grows = {}, basis why = {}) const {
    argument a = *this;
    a.reader = reads::bounded;
    a.bounded_by = lengths;
    a.lengths_outside = false;
    a.cost = grows;
    a.reader_why = why;
    return a;
  }
  // The same for lengths that the contract does not declare: the kernel has them in every call, and nothing checks that.
  constexpr argument bounded_outside(std::string_view lengths, std::string_view grows = {},
                                     basis why = {}) const {
    argument a = bounded(lengths, grows, why);
    a.lengths_outside = true;
    return a;
  }
  constexpr argument whole_row(stale_policy beyond = stale_policy::refused, basis why = {}) const {
    argument a = *this;
    a.reader = reads::whole_row;
    a.stale = beyond;
    a.reader_why = why;
    return a;
  }
  // Reads the active columns, rounded up to a multiple of `columns`.
  constexpr argument up_to_tile(index_t columns, stale_policy beyond = stale_policy::refused,
                                basis why = {}) const {
    argument a = *this;
    if (columns < 1) detail::error_a_tile_has_at_least_one_column();
    a.reader = reads::up_to_tile;
    a.tile = columns;
    a.stale = beyond;
    a.reader_why = why;
    return a;
  }

  // The numbers of the notion make sense. What does not is a compile error, and at run time it is left out.
  static constexpr bool is_well_formed(const requirement& r) {
    switch (r.what) {
      case notion::suffix_dense:
        return r.detail >= 0 && r.detail <= max_rank;
      case notion::collapsible:
        return r.detail >= 0 && r.detail <= r.second && r.second < max_rank;
      case notion::aligned:
      case notion::aligned_rows:
        return r.detail > 0 && (r.detail & (r.detail - 1)) == 0;
      case notion::index_bits:
        return r.detail > 0 && r.detail <= 64;
      default:
        return true;
    }
  }

  constexpr argument require(const requirement& r) const {
    argument a = *this;
    if (!is_well_formed(r))
      detail::error_numbers_of_a_requirement_are_out_of_range();
    else if (a.requirement_count == most_requirements)
      detail::error_too_many_requirements_on_one_argument();
    else
      a.requirements[a.requirement_count++] = r;
    return a;
  }
  constexpr argument share(const sharing_rule& r) const {
    argument a = *this;
    if (a.sharing_count == most_sharing_rules)
      detail::error_too_many_requirements_on_one_argument();
    else
      a.sharing_rules[a.sharing_count++] = r;
    return a;
  }
  constexpr argument dimension_by(int dim, bool of_stride, basis why) const {
    argument a = *this;
    const int rank = a.shape_count > 0 ? a.shapes[a.shape_count - 1].rank : 0;
    if (dim < 0 || dim >= rank) {
      detail::error_too_many_dimensions();
    } else if (a.dimension_why_count == most_dimension_bases) {
      detail::error_too_many_requirements_on_one_argument();
    } else {
      a.dimension_why[a.dimension_why_count++] = {static_cast<std::int8_t>(rank),
                                                  static_cast<std::int8_t>(dim), of_stride, why};
    }
    return a;
  }

  // Who vouches for that extent or stride.
  constexpr basis basis_of(int rank, int dim, bool of_stride) const {
    for (int i = 0; i < dimension_why_count; ++i) {
      const dimension_basis& d = dimension_why[i];
      if (d.rank == rank && d.dim == dim && d.of_stride == of_stride) return d.why;
    }
    return shape_why;
  }
};

constexpr argument arg(std::string_view name) {
  return argument(name);
}

}  // namespace v1
}  // namespace stridelock
