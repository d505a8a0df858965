// holds.h: the hot test of a boundary: does this call satisfy the contract, yes or "ask"?
//
// Promises:  true means that the exact evaluator finds nothing. One test of the ranks, then a fold over the contract without a
//            branch, a loop or a call; no name and no text is referred to. noexcept, reads borrowed descriptions in place.
//            What the type of a view proves is not tested again.
// Does not:  mean a violation when it is false. It asks, among others, where an argument is empty, the last extent is 1, an
//            optional argument may be absent, strides are null or negative, a rank is not the first that the contract
//            names, stability has to be looked up or a capability is not known; check.h then runs the exact evaluator.
//            What a type has no room to contradict, and alignment, is believed of a typed view; the pitch is a number and tested.
// Cost:      hot: three tensors and about 20 facts take some nanoseconds and 400 bytes (docs/benchmarks.md).
//
//   if (!holds<sparse_mla>(q, indices)) return explain(check<sparse_mla>(q, indices));
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "stridelock/describe.h"
#include "stridelock/evaluate.h"
#include "stridelock/hot_table.h"

#if defined(__GNUC__) || defined(__clang__)
#define STRIDELOCK_ALWAYS_INLINE inline __attribute__((always_inline))
#define STRIDELOCK_NOINLINE __attribute__((noinline))
#define STRIDELOCK_COLD __attribute__((noinline, cold))
#define STRIDELOCK_LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define STRIDELOCK_ALWAYS_INLINE inline
#define STRIDELOCK_NOINLINE
#define STRIDELOCK_COLD
#define STRIDELOCK_LIKELY(condition) (condition)
#endif

namespace stridelock {
inline namespace v1 {
namespace detail {

// ---- words -----------------------------------------------------------------------------------------------------------

STRIDELOCK_ALWAYS_INLINE std::uint64_t bits_of(index_t n) {
  return static_cast<std::uint64_t>(n);
}
STRIDELOCK_ALWAYS_INLINE std::uint32_t word_of(dtype type) {
  std::uint32_t word = 0;
  std::memcpy(&word, &type, sizeof word);
  return word;
}
STRIDELOCK_ALWAYS_INLINE std::uint64_t word_of(device where) {
  std::uint64_t word = 0;
  std::memcpy(&word, &where, sizeof word);
  return word;
}
// Neighbours in memory, read as one word.
STRIDELOCK_ALWAYS_INLINE std::uint64_t word_of_type_and_rank(const tensor_ref& r) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  static_assert(
      std::is_standard_layout_v<tensor_ref> && offsetof(tensor_ref, rank) == offsetof(tensor_ref, type) + 4,
      "tensor_ref: the rank stands right behind the type");
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const char*>(&r) + offsetof(tensor_ref, type), sizeof word);
  return word;
#else
  return word_of(r.type) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(r.rank)) << 32;
#endif
}

// ---- arguments, read in place ------------------------------------------------------------------------------------------

// Nothing, where an optional argument is absent: its null address is a reason to ask.
template <class D>
STRIDELOCK_ALWAYS_INLINE tensor_ref ref_or_nothing(const D& described) {
  return described.ref();
}
template <class D>
STRIDELOCK_ALWAYS_INLINE tensor_ref ref_or_nothing(const described_optional<D>& described) {
  return described.is_present ? described.value.ref() : tensor_ref();
}

// Anything that describe() knows. Borrowed descriptions and typed views have forms of their own below.
template <class A>
struct hot_reader {
  static constexpr argument_kind kind{};
  std::decay_t<decltype(describe(std::declval<const A&>()))> described;
  tensor_ref r;

  STRIDELOCK_ALWAYS_INLINE explicit hot_reader(const A& a)
      : described(describe(a)), r(ref_or_nothing(described)) {}
  STRIDELOCK_ALWAYS_INLINE const tensor_ref& ref() const { return r; }
  STRIDELOCK_ALWAYS_INLINE std::uint64_t type_and_rank() const {
    return word_of(r.type) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(r.rank)) << 32;
  }
  STRIDELOCK_ALWAYS_INLINE std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(r.data); }
  STRIDELOCK_ALWAYS_INLINE index_t extent(int dim) const { return r.extents[dim]; }
  STRIDELOCK_ALWAYS_INLINE index_t stride(int dim) const { return r.strides[dim]; }
};

template <>
struct hot_reader<tensor_ref> {
  static constexpr argument_kind kind{};
  const tensor_ref& r;

  STRIDELOCK_ALWAYS_INLINE explicit hot_reader(const tensor_ref& a) : r(a) {}
  STRIDELOCK_ALWAYS_INLINE const tensor_ref& ref() const { return r; }
  STRIDELOCK_ALWAYS_INLINE std::uint64_t type_and_rank() const { return word_of_type_and_rank(r); }
  STRIDELOCK_ALWAYS_INLINE std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(r.data); }
  STRIDELOCK_ALWAYS_INLINE index_t extent(int dim) const { return r.extents[dim]; }
  STRIDELOCK_ALWAYS_INLINE index_t stride(int dim) const { return r.strides[dim]; }
};

template <>
struct hot_reader<absent_t> {
  static constexpr argument_kind kind{true, false, 0, {}, false, 1, false, false, false};
  STRIDELOCK_ALWAYS_INLINE explicit hot_reader(absent_t) {}
};

template <class T, int Rank, class L, class I, class Align>
struct hot_reader<view<T, Rank, L, I, Align>> {
  static constexpr argument_kind kind{false,
                                      true,
                                      static_cast<std::int8_t>(Rank),
                                      dtype_of<T>,
                                      std::is_const_v<T>,
                                      static_cast<std::uint32_t>(Align::value),
                                      implies_v<L, inner_contiguous>,
                                      implies_v<L, row_pitched>,
                                      implies_v<L, contiguous>};
  const view<T, Rank, L, I, Align>& v;

  STRIDELOCK_ALWAYS_INLINE explicit hot_reader(const view<T, Rank, L, I, Align>& a) : v(a) {}
  STRIDELOCK_ALWAYS_INLINE std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(v.data); }
  STRIDELOCK_ALWAYS_INLINE index_t extent(int dim) const { return v.extent(dim); }
  STRIDELOCK_ALWAYS_INLINE index_t stride(int dim) const { return v.stride(dim); }
};

template <std::size_t I, class A>
struct hot_leaf : hot_reader<A> {
  using hot_reader<A>::hot_reader;
};
template <class Indices, class... A>
struct hot_pack;
template <std::size_t... I, class... A>
struct hot_pack<std::index_sequence<I...>, A...> : hot_leaf<I, A>... {
  STRIDELOCK_ALWAYS_INLINE explicit hot_pack(const A&... arguments) : hot_leaf<I, A>(arguments)... {}
};
template <class... A>
using hot_arguments = hot_pack<std::index_sequence_for<A...>, A...>;

template <std::size_t I, class A>
STRIDELOCK_ALWAYS_INLINE const hot_reader<A>& argument_at(const hot_leaf<I, A>& leaf) {
  return leaf;
}

// ---- the fold --------------------------------------------------------------------------------------------------------------

// What is collected. A call holds if all of it is zero in the bits that count.
// Equal masks are applied once, at the end.
struct hot_faults {
  std::uint64_t different = 0;  // any bit
  std::uint64_t large = 0;      // bits from 31 on: not in [0, 2^31)
  std::uint64_t negative = 0;   // the sign
  std::uint64_t address = 0;    // bits below the alignment

  STRIDELOCK_ALWAYS_INLINE bool none(std::uint64_t alignment_mask) const;
};

// Runs through the dimensions of one argument, from the last to the first.
struct hot_run {
  std::uint64_t count = 1;
  index_t reach = 0;
};

inline constexpr dtype all_of_representation{static_cast<type_code>(0xff), 0xff, 0xff, tag::none};

STRIDELOCK_ALWAYS_INLINE bool hot_faults::none(std::uint64_t alignment_mask) const {
  return (different | (large >> hot_bits) | (negative >> 63) | (address & alignment_mask)) == 0;
}

// All ones if n > 1, for n in [1, 2^31].
STRIDELOCK_ALWAYS_INLINE std::uint64_t mask_if_many(index_t n) {
  return bits_of(static_cast<index_t>(std::uint64_t{1} - bits_of(n)) >> 63);
}

STRIDELOCK_ALWAYS_INLINE std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t& overflow) {
#if defined(__GNUC__) || defined(__clang__)
  index_t product = 0;
  overflow |= static_cast<std::uint64_t>(
      __builtin_mul_overflow(static_cast<index_t>(a), static_cast<index_t>(b), &product));
  return bits_of(product);
#else
  const checked product = checked(static_cast<index_t>(a)) * checked(static_cast<index_t>(b));
  overflow |= static_cast<std::uint64_t>(!product.ok);
  return bits_of(product.value);
#endif
}

// The value of an expression of the contract; its numbers are constants of the caller.
template <hot_value::source From, std::size_t A, class P>
STRIDELOCK_ALWAYS_INLINE std::uint64_t value_from(const P& p, hot_value v) {
  if constexpr (From == hot_value::source::constant) {
    return bits_of(v.added);
  } else {
    const std::uint64_t n = bits_of(argument_at<A>(p).extent(v.dim));
    const std::uint64_t linear = n * bits_of(v.multiple) + bits_of(v.added);
    const auto unit = static_cast<std::uint64_t>(v.rounded_to);
    return unit == 1 ? linear : (linear + (unit - 1)) / unit * unit;
  }
}

STRIDELOCK_ALWAYS_INLINE bool accepts_here(dtype wanted, dtype given) {
  const std::uint32_t other = (word_of(wanted) ^ word_of(given)) & word_of(all_of_representation);
  return (other == 0) &
         ((wanted.means == tag::none) | (given.means == tag::none) | (given.means == wanted.means));
}

// Nothing, where n is 1.
template <bool NeverOne>
STRIDELOCK_ALWAYS_INLINE std::uint64_t where_many(index_t n, std::uint64_t difference) {
  return NeverOne ? difference : difference & mask_if_many(n);
}

template <const auto& Table, int B, int A, int D, class P>
STRIDELOCK_ALWAYS_INLINE void hot_dimension(const P& p, hot_faults& faults, hot_run& run) {
  constexpr const auto& argument = Table.branches[B].arguments[A];
  constexpr const auto& dim = argument.dims[D];
  const auto& given = argument_at<A>(p);
  const index_t n = given.extent(D);

  if constexpr (dim.test_range) faults.large |= bits_of(n) - 1;
  if constexpr (dim.extent.from != hot_value::source::nothing) {
    constexpr hot_value wanted = dim.extent;
    faults.different |= bits_of(n) ^ value_from<wanted.from, wanted.argument>(p, wanted);
  }

  constexpr bool skip = dim.always_one;  // its stride is never used
  if constexpr (!skip || dim.even_if_one) {
    const std::uint64_t stride = bits_of(given.stride(D));
    std::uint64_t difference = 0;
    if constexpr (dim.test_product) difference |= stride ^ run.count;
    if constexpr (dim.test_chain) {
      const std::uint64_t merged =
          times(bits_of(given.stride(D + 1)), bits_of(given.extent(D + 1)), faults.different);
      difference |= stride ^ merged;
    }
    if constexpr (dim.even_if_one) {
      faults.different |= difference;
    } else if constexpr (dim.test_product && !dim.test_chain && !dim.never_one && D + 2 == argument.rank) {
      // The product is one extent, at most 2^31; below that the stride, so this cannot wrap to zero. Shorter than a mask.
      faults.large |= stride;
      faults.different |= difference * (bits_of(n) - 1);
    } else if constexpr (dim.test_product || dim.test_chain) {
      faults.different |= where_many<dim.never_one>(n, difference);
    }
  }
  if constexpr (!skip) {
    const std::uint64_t stride = bits_of(given.stride(D));
    if constexpr (!dim.is_product) {
      if constexpr (argument.rank <= 2)
        faults.large |= stride;
      else
        faults.negative |= stride;
    }
    if constexpr (dim.stride.from != hot_value::source::nothing) {
      constexpr hot_value wanted = dim.stride;
      faults.different |=
          where_many<dim.never_one>(n, stride ^ value_from<wanted.from, wanted.argument>(p, wanted));
    }
    if constexpr (dim.pair_count > 0)
      faults.different |= where_many<dim.never_one>(
          n, (stride ^ bits_of(argument_at<dim.pair_argument[0]>(p).stride(dim.pair_dim[0]))) &
                 mask_if_many(argument_at<dim.pair_argument[0]>(p).extent(dim.pair_dim[0])));
    if constexpr (dim.pair_count > 1)
      faults.different |= where_many<dim.never_one>(
          n, (stride ^ bits_of(argument_at<dim.pair_argument[1]>(p).stride(dim.pair_dim[1]))) &
                 mask_if_many(argument_at<dim.pair_argument[1]>(p).extent(dim.pair_dim[1])));
    if constexpr (dim.test_covers) {
      const std::uint64_t rest = stride - bits_of(given.extent(argument.rank - 1));
      if constexpr (argument.rank == 2 && !dim.never_one)
        faults.different |= bits_of(static_cast<index_t>(rest) >> 63) & (bits_of(n) - 1);
      else
        faults.negative |= rest;
    }
    if constexpr (dim.test_nested)
      faults.negative |= where_many<dim.never_one>(n, stride - bits_of(run.reach) - 1);
    if constexpr (argument.pitch_mask != 0 && !argument.rows_are_dense && D + 1 < argument.rank) {
      faults.different |= where_many<dim.never_one>(n, stride & argument.pitch_mask);
      faults.large |= stride >> 16;  // the pitch in bits must fit as well
    }
    if constexpr (argument.checked_reach) {
      const index_t last = static_cast<index_t>(times(bits_of(n) - 1, stride, faults.different));
      const std::uint64_t sum = bits_of(run.reach) + bits_of(last);  // both are positive
      faults.negative |= sum;
      run.reach = static_cast<index_t>(sum);
    } else if constexpr (argument.sum_reach) {
      run.reach = static_cast<index_t>(bits_of(run.reach) + (bits_of(n) - 1) * stride);
    }
  }
  if constexpr (argument.checked_count)
    run.count = times(run.count, bits_of(n), faults.different);
  else
    run.count *= bits_of(n);
}

template <const auto& Table, int B, int A, class P, int... D>
STRIDELOCK_ALWAYS_INLINE void hot_dimensions(const P& p, hot_faults& faults, hot_run& run,
                                             std::integer_sequence<int, D...>) {
  constexpr int rank = Table.branches[B].arguments[A].rank;
  (hot_dimension<Table, B, A, rank - 1 - D>(p, faults, run), ...);
}

// What the description itself says, without its extents and strides.
template <const auto& Table, int B, int A, class P>
STRIDELOCK_ALWAYS_INLINE void hot_flat_facts(const P& p, hot_faults& faults) {
  constexpr const auto& argument = Table.branches[B].arguments[A];
  if constexpr (!argument.is_absent) {
    const auto& given = argument_at<A>(p);
    if constexpr (argument.type_count > 0 && !argument.one_type) {
      const dtype type = given.ref().type;
      bool accepted = accepts_here(argument.types[0], type);
      if constexpr (argument.type_count > 1) accepted |= accepts_here(argument.types[1], type);
      if constexpr (argument.type_count > 2) accepted |= accepts_here(argument.types[2], type);
      if constexpr (argument.type_count > 3) accepted |= accepts_here(argument.types[3], type);
      faults.different |= static_cast<std::uint64_t>(!accepted);
    }
    if constexpr (argument.ask_if_sub_byte)
      faults.different |= static_cast<std::uint64_t>(given.ref().type.bits * given.ref().type.lanes) & 7;
    if constexpr (argument.test_device) {
      if constexpr (argument.on_device != device_kind::none)
        faults.different |= static_cast<std::uint32_t>(given.ref().where.kind) ^
                            static_cast<std::uint32_t>(argument.on_device);
      else
        faults.different |=
            word_of(given.ref().where) ^ word_of(argument_at<argument.same_device_as>(p).ref().where);
    }
    if constexpr (argument.test_writable)
      faults.different |= static_cast<std::uint64_t>(given.ref().read_only) & 1;  // tri::yes
    if constexpr (argument.alignment_mask != 0) {
      // Both words aligned: enough also where the address is a handle and only the offset counts.
      std::uint64_t address = given.address();
      if constexpr (!std::decay_t<decltype(given)>::kind.is_typed) address |= given.ref().byte_offset;
      if constexpr (argument.alignment_mask == Table.branches[B].alignment_mask)
        faults.address |= address;
      else
        faults.different |= address & argument.alignment_mask;
    }
  }
}

template <const auto& Table, int B, int A, class P>
STRIDELOCK_ALWAYS_INLINE void hot_shape_facts(const P& p, hot_faults& faults) {
  constexpr const auto& argument = Table.branches[B].arguments[A];
  if constexpr (!argument.is_absent) {
    const auto& given = argument_at<A>(p);
    hot_run run;
    hot_dimensions<Table, B, A>(p, faults, run, std::make_integer_sequence<int, argument.rank>());
    if constexpr (argument.pitch_mask != 0 && argument.rows_are_dense)
      faults.different |= bits_of(given.extent(argument.rank - 1)) & argument.pitch_mask;
    if constexpr (argument.tile_mask != 0)
      faults.different |= bits_of(given.extent(argument.rank - 1)) & argument.tile_mask;
    if constexpr (argument.index_bits < 64) {
      const std::uint64_t reach = argument.sum_reach ? bits_of(run.reach) : run.count - 1;
      faults.different |= reach >> (argument.index_bits - 1);
    }
  }
}

// ---- conditions ------------------------------------------------------------------------------------------------------------

template <const auto& Table, int B, int I, bool IsGuard>
inline constexpr hot_condition hot_condition_at =
    IsGuard ? Table.branches[B].guards[I] : Table.branches[B].conditions[I];

STRIDELOCK_ALWAYS_INLINE bool compares(comparison how, index_t left, index_t right) {
  switch (how) {
    case comparison::lt:
      return left < right;
    case comparison::le:
      return left <= right;
    case comparison::gt:
      return left > right;
    case comparison::ge:
      return left >= right;
    case comparison::eq:
      return left == right;
    case comparison::ne:
      return left != right;
  }
  return false;
}

template <const auto& Condition, int Row, class P, int... Column>
STRIDELOCK_ALWAYS_INLINE bool is_row(const P& p, std::integer_sequence<int, Column...>) {
  return ((value_from<Condition.tuple[Column].from, Condition.tuple[Column].argument>(
               p, Condition.tuple[Column]) == bits_of(Condition.rows[Row * Condition.tuple_width + Column])) &
          ...);
}
template <const auto& Condition, class P, int... Row>
STRIDELOCK_ALWAYS_INLINE bool is_one_of(const P& p, std::integer_sequence<int, Row...>) {
  return (is_row<Condition, Row>(p, std::make_integer_sequence<int, Condition.tuple_width>()) | ...);
}

template <const auto& Condition, class P>
STRIDELOCK_ALWAYS_INLINE bool hot_condition_holds(const P& p, [[maybe_unused]] capability device_capability) {
  using test = hot_condition::test;
  if constexpr (Condition.what == test::always || Condition.what == test::never) {
    return Condition.what == test::always;
  } else if constexpr (Condition.what == test::compare || Condition.what == test::divisible) {
    const auto left =
        static_cast<index_t>(value_from<Condition.left.from, Condition.left.argument>(p, Condition.left));
    const auto right =
        static_cast<index_t>(value_from<Condition.right.from, Condition.right.argument>(p, Condition.right));
    if constexpr (Condition.what == test::divisible)
      return left % right == 0;
    else
      return compares(Condition.how, left, right);
  } else if constexpr (Condition.what == test::one_of || Condition.what == test::none_of) {
    return is_one_of<Condition>(p, std::make_integer_sequence<int, Condition.tuple_count>()) ==
           (Condition.what == test::one_of);
  } else {
    return !(device_capability < Condition.lowest) & !(Condition.highest < device_capability);
  }
}

// ---- branches --------------------------------------------------------------------------------------------------------------

template <const auto& Table, int B, class P, int... I>
STRIDELOCK_ALWAYS_INLINE bool hot_branch_applies(const P& p, [[maybe_unused]] capability device_capability,
                                                 std::integer_sequence<int, I...>) {
  return (hot_condition_holds<hot_condition_at<Table, B, I, false>>(p, device_capability) & ... & true);
}

template <const auto& Table, int B, class P, int... A, int... G>
STRIDELOCK_ALWAYS_INLINE bool hot_branch_holds(const P& p, [[maybe_unused]] capability device_capability,
                                               std::integer_sequence<int, A...>,
                                               std::integer_sequence<int, G...>) {
  hot_faults faults;
  if constexpr (Table.branch_count > 1) (hot_flat_facts<Table, B, A>(p, faults), ...);
  (hot_shape_facts<Table, B, A>(p, faults), ...);
  faults.different |= static_cast<std::uint64_t>(
      !(hot_condition_holds<hot_condition_at<Table, B, G, true>>(p, device_capability) & ... & true));
  return faults.none(Table.branches[B].alignment_mask);
}

// One branch: adds 2 if it applies, and 1 more if its facts hold. The sum is 3 if exactly one applies, and holds.
template <const auto& Table, int B, class P>
STRIDELOCK_ALWAYS_INLINE unsigned hot_branch_verdict(const P& p, capability device_capability) {
  constexpr const auto& branch = Table.branches[B];
  const bool applies = hot_branch_applies<Table, B>(
      p, device_capability, std::make_integer_sequence<int, branch.condition_count>());
  bool holds = false;
  if constexpr (branch.is_kernel)
    holds = hot_branch_holds<Table, B>(p, device_capability,
                                       std::make_integer_sequence<int, Table.argument_count>(),
                                       std::make_integer_sequence<int, branch.guard_count>());
  return (2u + static_cast<unsigned>(holds)) * static_cast<unsigned>(applies);
}

// Are type and rank as the table has them, and is nothing null? Minus one, a null pointer is negative; no address is.
// A view with active extents of its own is asked, and so is a type with a tag that the contract does not name.
template <const auto& Table, int A, class P>
STRIDELOCK_ALWAYS_INLINE void hot_head_facts(const P& p, hot_faults& faults) {
  constexpr const auto& argument = Table.branches[Table.first_kernel].arguments[A];
  if constexpr (!argument.is_absent) {
    const auto& given = argument_at<A>(p);
    faults.negative |= given.address() - 1;
    if constexpr (!std::decay_t<decltype(given)>::kind.is_typed) {
      const std::uint64_t difference =
          given.type_and_rank() ^
          (word_of(argument.types[0]) | static_cast<std::uint64_t>(argument.rank) << 32);
      faults.different |= argument.one_type ? difference : difference >> 32;
      faults.different |= reinterpret_cast<std::uintptr_t>(given.ref().active);
      if constexpr (argument.rank > 0)
        faults.negative |=
            (static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(given.ref().extents)) - 1) |
            (static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(given.ref().strides)) - 1);
    }
  }
}

// First everything that stands in the descriptions, then their extents and strides: few values live across the branch.
template <const auto& Table, class P, int... A, int... B>
STRIDELOCK_ALWAYS_INLINE bool hot_holds(const P& p, capability device_capability,
                                        std::integer_sequence<int, A...>, std::integer_sequence<int, B...>) {
  hot_faults heads;
  (hot_head_facts<Table, A>(p, heads), ...);
  if constexpr (Table.branch_count == 1) (hot_flat_facts<Table, 0, A>(p, heads), ...);
  if (!STRIDELOCK_LIKELY(heads.none(Table.branches[0].alignment_mask))) return false;
  return (hot_branch_verdict<Table, B>(p, device_capability) + ... + 0u) == 3u;
}

// ---- tables ----------------------------------------------------------------------------------------------------------------

template <std::size_t N>
constexpr int branches_of(const contract<N>&) {
  return 1;
}
template <std::size_t N>
constexpr int branches_of(const dispatch<N>&) {
  return static_cast<int>(N);
}
template <std::size_t N>
constexpr int arguments_of(const contract<N>&) {
  return static_cast<int>(N);
}
template <std::size_t N>
constexpr int arguments_of(const dispatch<N>& d) {
  return d.branches[0].argument_count;
}

template <int Arguments, std::size_t N>
constexpr hot_table<Arguments, 1> make_hot_table(const contract<N>& c, const argument_kind* kinds) {
  const contract_view branch = c.view();
  dispatch_view one;
  one.branches = &branch;
  one.branch_count = 1;
  return hot_table_builder<Arguments, 1>::make(one, kinds);
}
template <int Arguments, std::size_t N>
constexpr hot_table<Arguments, static_cast<int>(N)> make_hot_table(const dispatch<N>& d,
                                                                   const argument_kind* kinds) {
  return hot_table_builder<Arguments, static_cast<int>(N)>::make(d.view(), kinds);
}

template <class... A>
inline constexpr argument_kind hot_kinds[sizeof...(A) + 1] = {hot_reader<A>::kind..., argument_kind{}};
template <const auto& C, class... A>
inline constexpr auto hot_table_of = make_hot_table<arguments_of(C)>(C, hot_kinds<A...>);

// What is wrong with a call whatever its arguments are, said before anything is made of them.
template <const auto& C, class... A>
constexpr bool can_be_called() {
  static_assert(arguments_of(C) == static_cast<int>(sizeof...(A)),
                "as many arguments as the contract has; pass `absent` for an optional one");
  static_assert(declares_every_parameter(C),
                "a condition or shape names a parameter that the dispatch does not declare: "
                "make_dispatch(…).with(library_parameter(\"name\", {values}))");
  return have_adapters<A...>();
}

// How the fold treats what it cannot judge alone.
enum class unjudged : std::uint8_t {
  asks,    // a fact that only a callback can judge is a reason to ask
  passes,  // it is no violation: nobody can judge it here
};

template <const auto& C, unjudged Stability, class... A>
STRIDELOCK_ALWAYS_INLINE bool holds_without_context(const A&... arguments) noexcept {
  static_assert(can_be_called<C, A...>());
  constexpr const auto& table = hot_table_of<C, A...>;
  if constexpr (!table.understood || table.needs_capability ||
                (table.needs_stability && Stability == unjudged::asks)) {
    return false;
  } else {
    return hot_holds<hot_table_of<C, A...>>(hot_arguments<A...>(arguments...), capability{},
                                            std::make_integer_sequence<int, table.argument_count>(),
                                            std::make_integer_sequence<int, table.branch_count>());
  }
}

// Where one branch asks for stability and another does not, all of them are taken to ask.
template <const auto& Table, int A>
constexpr bool is_stable_somewhere() {
  for (int b = 0; b < Table.branch_count; ++b)
    if (Table.branches[b].arguments[A].is_stable) return true;
  return false;
}
template <const auto& Table, int A, class D>
STRIDELOCK_ALWAYS_INLINE bool is_stable_now([[maybe_unused]] const D& described,
                                            [[maybe_unused]] const evaluation_context& context) {
  if constexpr (is_stable_somewhere<Table, A>())
    return context.is_stable(ref_or_nothing(described), context.stable_state) == tri::yes;
  else
    return true;
}

template <const auto& C, class... A, int... I>
STRIDELOCK_ALWAYS_INLINE bool all_stable(const evaluation_context& context, std::integer_sequence<int, I...>,
                                         const A&... arguments) noexcept {
  return (is_stable_now<hot_table_of<C, A...>, I>(describe(arguments), context) && ...);
}

template <const auto& C, unjudged Stability, class... A>
STRIDELOCK_ALWAYS_INLINE bool holds_with_context(const evaluation_context& context,
                                                 const A&... arguments) noexcept {
  static_assert(can_be_called<C, A...>());
  constexpr const auto& table = hot_table_of<C, A...>;
  if constexpr (!table.understood) {
    return false;
  } else {
    if (table.needs_parameters && context.parameter_count != 0) return false;
    if (table.needs_capability && !context.device_capability.known()) return false;
    if (table.needs_stability && Stability == unjudged::asks && context.is_stable == nullptr) return false;
    if (!hot_holds<hot_table_of<C, A...>>(hot_arguments<A...>(arguments...), context.device_capability,
                                          std::make_integer_sequence<int, table.argument_count>(),
                                          std::make_integer_sequence<int, table.branch_count>()))
      return false;
    if constexpr (table.needs_stability) {
      if (context.is_stable == nullptr) return true;
      return all_stable<C>(context, std::make_integer_sequence<int, table.argument_count>(), arguments...);
    } else {
      return true;
    }
  }
}

}  // namespace detail

template <const auto& C, class... A>
[[nodiscard]] STRIDELOCK_ALWAYS_INLINE bool holds(const A&... arguments) noexcept {
  return detail::holds_without_context<C, detail::unjudged::asks>(arguments...);
}

// The same with a context: its capability decides conditions, its callback decides stability.
template <const auto& C, class... A>
[[nodiscard]] STRIDELOCK_ALWAYS_INLINE bool holds_in(const evaluation_context& context,
                                                     const A&... arguments) noexcept {
  return detail::holds_with_context<C, detail::unjudged::asks>(context, arguments...);
}

}  // namespace v1
}  // namespace stridelock
