// describe.h: what a boundary knows about an argument: typed views, borrowed and owning descriptions, and "absent".
//
// Promises:  describe(x) gives an object whose ref() is the borrowed description of x; nothing is allocated.
// Does not:  keep the tensor alive. Tensors of libraries are described by the headers under stridelock/adapters/, and your
//            own class by specialising `adapter` below; a pointer or an optional of either is an argument that may be absent.
//
//   const auto d = describe(view, {device_kind::cuda, 0});
//   const argument_value values[] = {argument_value(d.ref())};
#pragma once

#include <type_traits>
#include <utility>

#include "stridelock/element_type.h"
#include "stridelock/evaluate.h"
#include "stridelock/view.h"

namespace stridelock {
inline namespace v1 {

// Stands for an optional argument that is not passed.
struct absent_t {};
inline constexpr absent_t absent{};

// Numbers of a typed view in the form that descriptions use. Borrowed by ref(): keep it alive.
template <int Rank>
struct described_view {
  const void* data = nullptr;
  dtype type{};
  device where{};
  index_t extents[detail::at_least_one<Rank>]{};
  index_t strides[detail::at_least_one<Rank>]{};
  tri read_only = tri::unknown;

  constexpr tensor_ref ref() const& {
    return {data, type, Rank, where, extents, strides, 0, read_only, nullptr};
  }
  tensor_ref ref() const&& = delete;
};

template <class T, int Rank, class L, class I, class A>
constexpr described_view<Rank> describe(const view<T, Rank, L, I, A>& v, device where = {}) noexcept {
  described_view<Rank> d;
  d.data = v.data;
  d.type = dtype_of<T>;
  d.where = where;
  d.read_only = std::is_const_v<T> ? tri::yes : tri::no;
  for (int i = 0; i < Rank; ++i) {
    d.extents[i] = v.extent(i);
    d.strides[i] = v.stride(i);
  }
  return d;
}

struct described_ref {
  tensor_ref value{};
  constexpr const tensor_ref& ref() const& { return value; }
};
constexpr described_ref describe(const tensor_ref& r) noexcept {
  return {r};
}
constexpr described_ref describe(const tensor_desc& d) noexcept {
  return {d.ref()};
}

constexpr absent_t describe(absent_t) noexcept {
  return {};
}

// A description that may be missing.
template <class Described>
struct described_optional {
  bool is_present = false;
  Described value{};
};

// How a tensor class is described. It must be complete where the boundary is compiled; order of includes is free.
//
//   template <> struct stridelock::adapter<my_tensor> {
//     static stridelock::described_ref describe(const my_tensor& t) noexcept { return {{t.data, stridelock::types::float32, …}}; }
//   };
template <class Tensor, class = void>
struct adapter {};

template <class Tensor>
constexpr auto describe(const Tensor& t) noexcept -> decltype(adapter<Tensor>::describe(t)) {
  return adapter<Tensor>::describe(t);
}

// Asked where the boundary is compiled: the adapter must be known by then.
template <class A, class = void>
struct is_describable : std::false_type {};
template <class A>
struct is_describable<A, std::void_t<decltype(describe(std::declval<const A&>()))>> : std::true_type {};

namespace detail {

// A static_assert of its own, so that its text comes before what follows from it.
template <class... A>
constexpr bool have_adapters() {
  static_assert(
      (is_describable<A>::value && ...),
      "an argument of this type is not known: include its header under stridelock/adapters/ before, or "
      "specialise stridelock::adapter for it (describe.h)");
  return true;
}

template <class D>
constexpr argument_value argument_of(const D& described) {
  return argument_value(described.ref());
}
constexpr argument_value argument_of(absent_t) {
  return argument_value();
}
template <class D>
constexpr argument_value argument_of(const described_optional<D>& described) {
  return described.is_present ? argument_value(described.value.ref()) : argument_value();
}

template <class D>
constexpr described_optional<D> present(D described) {
  return {true, described};
}
template <class D>
constexpr described_optional<D> present(described_optional<D> described) {
  return described;
}

}  // namespace detail

// A null pointer is an absent argument.
template <class Tensor>
struct adapter<Tensor*, std::void_t<decltype(adapter<std::remove_cv_t<Tensor>>::describe(
                            std::declval<const Tensor&>()))>> {
  static constexpr auto describe(const Tensor* t) noexcept {
    using result = decltype(detail::present(adapter<std::remove_cv_t<Tensor>>::describe(*t)));
    return t != nullptr ? detail::present(adapter<std::remove_cv_t<Tensor>>::describe(*t)) : result{};
  }
};

// So is an empty optional, of whatever library.
template <class Optional>
struct adapter<
    Optional,
    std::void_t<decltype(std::declval<const Optional&>().has_value()),
                decltype(adapter<std::decay_t<decltype(*std::declval<const Optional&>())>>::describe(
                    *std::declval<const Optional&>()))>> {
  static constexpr auto describe(const Optional& o) noexcept {
    using tensor = std::decay_t<decltype(*o)>;
    using result = decltype(detail::present(adapter<tensor>::describe(*o)));
    return o.has_value() ? detail::present(adapter<tensor>::describe(*o)) : result{};
  }
};

}  // namespace v1
}  // namespace stridelock
