// dlpack.h: DLPack tensors, of every version of the standard, as arguments of a boundary, as typed views, and back.
//
// Promises:  works with whichever dlpack.h the program uses, and includes none: what looks like a DLTensor is one, and so are the
//            legacy and the versioned managed tensor. What the standard lets a producer leave out is never read: strides
//            may be null, shape may be null for rank 0, and nothing but the deleter is touched after a foreign major version.
//            Read-only is yes, no or unknown: only a versioned tensor says. Errors are values.
// Does not:  synchronise streams or keep a borrowed tensor alive (`taken` owns a managed one). What a DLTensor from the
//            exchange functions without synchronisation points to dies when control returns to the producer.
// Cost:      hot; lending allocates one block.
//
//   check<scale>(*dl);                                              // DLTensor, DLManagedTensor, DLManagedTensorVersioned
//   auto rows = try_view<view<const float, 2, row_pitched>>(*dl);   // to_view.h
//
//   dlpack::taken<DLManagedTensorVersioned> input(capsule_pointer); // calls the deleter when it goes
//   if (!input.ok()) return fail(to_string(input.error()));
//   check<scale>(input);
//
//   dlpack::numbers shape;                                          // and back, borrowed
//   DLTensor t = dlpack::lend<DLTensor>(v, {device_kind::cuda, 0}, shape).tensor;
//   auto owned = dlpack::lend_managed<DLManagedTensorVersioned>(v, {device_kind::cuda, 0}, std::move(buffer));
//   return make_capsule(owned.release());
#pragma once

#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "stridelock/describe.h"
#include "stridelock/layout.h"

namespace stridelock {
inline namespace v1 {
namespace dlpack {

enum class error : std::uint8_t {
  none,
  null_tensor,
  foreign_major_version,
  rank,
  null_shape,
  lanes,
  padded_vector,
  no_device,  // lending only, like all that follow
  read_only_unsaid,
  malformed,
  out_of_memory,
};

constexpr std::string_view to_string(error e) {
  switch (e) {
    case error::none:
      return "none";
    case error::null_tensor:
      return "the DLPack tensor is a null pointer";
    case error::foreign_major_version:
      return "the DLPack major version is not 1: only the deleter may be used; ask the producer for version "
             "1";
    case error::rank:
      return "the DLPack rank is outside 0 to 8";
    case error::null_shape:
      return "the DLPack shape is null although the rank is not 0";
    case error::lanes:
      return "the DLPack lanes are outside 1 to 255";
    case error::padded_vector:
      return "a DLPack vector of padded sub-byte values has no defined size; ask the producer for packed "
             "values";
    case error::no_device:
      return "DLPack needs a device, and this tensor does not say where it lives; pass one";
    case error::read_only_unsaid:
      return "a legacy DLManagedTensor cannot say that it is read-only; lend a versioned one, or a copy";
    case error::malformed:
      return "the tensor to lend is malformed: its rank is outside 0 to 8 or its strides do not fit into 64 "
             "bits";
    case error::out_of_memory:
      return "out of memory";
  }
  return {};
}

inline constexpr std::uint64_t read_only_flag = 1;
inline constexpr std::uint64_t is_copied_flag = 2;
inline constexpr std::uint64_t sub_byte_padded_flag = 4;

struct version {
  std::uint32_t major = 0;  // 0: the producer does not say
  std::uint32_t minor = 0;
};

// What a DLPack tensor says. Borrows its shape and strides.
struct description {
  tensor_ref value{};
  dlpack::error error = dlpack::error::none;
  version producer{};
  bool is_copied = false;  // the consumer alone owns the memory
  bool is_padded = false;  // sub-byte values, one to a byte: described as uint8 that means raw_bytes
  // Strides are null although the producer's version, 1.2 or later, forbids it. They are taken as compact all the same.
  bool null_strides_forbidden = false;

  constexpr bool ok() const { return error == dlpack::error::none; }
  constexpr const tensor_ref& ref() const { return value; }

  // In elements, also where the producer sent none. Only of a description that is ok(), and 0 <= dim < rank.
  constexpr index_t stride(int dim) const {
    return value.strides != nullptr ? value.strides[dim]
                                    : canonical_stride({value.rank, value.extents, nullptr}, dim).value;
  }
};

namespace detail {

template <class T, class = void>
inline constexpr bool is_tensor = false;
template <class T>
inline constexpr bool is_tensor<
    T, std::void_t<decltype(std::declval<T&>().data), decltype(std::declval<T&>().ndim),
                   decltype(std::declval<T&>().dtype.code), decltype(std::declval<T&>().dtype.bits),
                   decltype(std::declval<T&>().dtype.lanes), decltype(*std::declval<T&>().shape),
                   decltype(*std::declval<T&>().strides), decltype(std::declval<T&>().byte_offset)>> = true;

template <class T, class = void>
inline constexpr bool is_managed = false;
template <class T>
inline constexpr bool is_managed<
    T, std::void_t<decltype(std::declval<T&>().dl_tensor), decltype(std::declval<T&>().manager_ctx),
                   decltype(std::declval<T&>().deleter)>> = true;

template <class T, class = void>
inline constexpr bool is_versioned = false;
template <class T>
inline constexpr bool is_versioned<
    T, std::void_t<decltype(std::declval<T&>().version.major), decltype(std::declval<T&>().flags)>> =
    is_managed<T>;

// Headers before 0.6 call the device `ctx`.
template <class T, class = void>
struct device_member {
  static auto& of(T& t) { return t.ctx; }
};
template <class T>
struct device_member<T, std::void_t<decltype(std::declval<T&>().device)>> {
  static auto& of(T& t) { return t.device; }
};

constexpr error judge(int rank, bool has_shape, int lanes) {
  if (rank < 0 || rank > max_rank) return error::rank;
  if (rank > 0 && !has_shape) return error::null_shape;
  if (lanes < 1 || lanes > 255) return error::lanes;
  return error::none;
}

template <class Tensor>
description describe(const Tensor& t, version producer, tri read_only, std::uint64_t flags) noexcept {
  static_assert(std::is_same_v<std::remove_cv_t<std::remove_reference_t<decltype(*t.shape)>>, index_t>,
                "dlpack: shape and strides must be std::int64_t");
  description d;
  d.producer = producer;
  d.is_copied = (flags & is_copied_flag) != 0;
  d.value.rank = -1;
  d.error = judge(t.ndim, t.shape != nullptr, t.dtype.lanes);
  const auto lanes = static_cast<std::uint8_t>(t.dtype.lanes);
  if (d.ok() && (flags & sub_byte_padded_flag) != 0 && t.dtype.bits < 8) {
    d.is_padded = true;
    if (lanes != 1) d.error = error::padded_vector;
  }
  if (!d.ok()) return d;

  d.value.data = t.data;
  d.value.type = d.is_padded ? types::uint8.meaning(tag::raw_bytes)
                             : dtype{static_cast<type_code>(t.dtype.code), t.dtype.bits, lanes, tag::none};
  d.value.rank = t.ndim;
  const auto& where = device_member<const Tensor>::of(t);
  d.value.where = {static_cast<device_kind>(where.device_type), where.device_id};
  d.value.extents = t.shape;
  d.value.strides = t.strides;
  d.value.byte_offset = t.byte_offset;
  d.value.read_only = read_only;
  d.null_strides_forbidden = t.ndim > 0 && t.strides == nullptr && producer.major == 1 && producer.minor >= 2;
  return d;
}

}  // namespace detail

// A bare DLTensor carries no version and no flags.
template <class Tensor, std::enable_if_t<detail::is_tensor<Tensor>, int> = 0>
description read(const Tensor& t) noexcept {
  return detail::describe(t, {}, tri::unknown, 0);
}

// One whose version and flags the caller knows, from the capsule it came out of.
template <class Tensor, std::enable_if_t<detail::is_tensor<Tensor>, int> = 0>
description read(const Tensor& t, version producer, std::uint64_t flags) noexcept {
  if (producer.major != 1) {
    description d;
    d.producer = producer;
    d.error = error::foreign_major_version;
    d.value.rank = -1;
    return d;
  }
  return detail::describe(t, producer, to_tri((flags & read_only_flag) != 0), flags);
}

// Managed tensors. Of one with a foreign major version only the version is read.
template <class Managed, std::enable_if_t<detail::is_managed<Managed>, int> = 0>
description read(const Managed& m) noexcept {
  if constexpr (detail::is_versioned<Managed>) {
    const version producer{m.version.major, m.version.minor};
    if (producer.major == 1) return read(m.dl_tensor, producer, m.flags);
    description d;
    d.producer = producer;
    d.error = error::foreign_major_version;
    d.value.rank = -1;
    return d;
  } else {
    return read(m.dl_tensor);
  }
}

// ---- ownership -------------------------------------------------------------------------------------------------------

// Owns a managed tensor, which may come from anywhere, and calls its deleter once.
template <class Managed>
class taken {
 public:
  static_assert(detail::is_managed<Managed>, "taken: DLManagedTensor or DLManagedTensorVersioned");

  taken() noexcept = default;
  // If the tensor cannot be used, its deleter has been called when this returns and error() says why.
  explicit taken(Managed* m) noexcept : managed_(m) {
    if (m == nullptr) {
      error_ = dlpack::error::null_tensor;
      return;
    }
    error_ = read(*m).error;
    if (error_ != dlpack::error::none) destroy();
  }
  static taken failed(dlpack::error why) noexcept {
    taken t;
    t.error_ = why;
    return t;
  }
  taken(taken&& other) noexcept : managed_(other.release()), error_(other.error_) {}
  taken& operator=(taken&& other) noexcept {
    if (this != &other) {
      destroy();
      error_ = other.error_;
      managed_ = other.release();
    }
    return *this;
  }
  taken(const taken&) = delete;
  taken& operator=(const taken&) = delete;
  ~taken() { destroy(); }

  bool ok() const noexcept { return managed_ != nullptr; }
  dlpack::error error() const noexcept { return error_; }
  Managed* get() const noexcept { return managed_; }

  // The caller owns it now, and must call the deleter.
  Managed* release() noexcept {
    Managed* m = managed_;
    managed_ = nullptr;
    return m;
  }

 private:
  void destroy() noexcept {
    Managed* m = release();
    if (m != nullptr && m->deleter != nullptr) m->deleter(m);
  }

  Managed* managed_ = nullptr;
  dlpack::error error_ = dlpack::error::none;
};

// ---- back to DLPack --------------------------------------------------------------------------------------------------

// The arrays that a lent DLTensor points to.
struct numbers {
  index_t shape[max_rank]{};
  index_t strides[max_rank]{};
};

template <class Tensor>
struct lent {
  Tensor tensor{};
  dlpack::error error = dlpack::error::none;
  bool ok() const noexcept { return error == dlpack::error::none; }
};

// A DLTensor over the same memory, whose shape and strides are in `store`: keep it, and the memory, alive. Strides are always
// sent. The tag of the type and whether it may be written are lost: a DLTensor cannot say them.
template <class Tensor>
lent<Tensor> lend(const tensor_ref& r, numbers& store) noexcept {
  static_assert(detail::is_tensor<Tensor>, "lend: DLTensor");
  lent<Tensor> result;
  if (r.rank < 0 || r.rank > max_rank || (r.rank > 0 && r.extents == nullptr)) {
    result.error = error::malformed;
    return result;
  }
  if (r.where.kind == device_kind::none) {
    result.error = error::no_device;
    return result;
  }
  for (int i = 0; i < r.rank; ++i) {
    store.shape[i] = r.extents[i];
    const checked stride =
        r.strides != nullptr ? checked(r.strides[i]) : canonical_stride({r.rank, r.extents, nullptr}, i);
    if (!stride.ok) {
      result.error = error::malformed;
      return result;
    }
    store.strides[i] = stride.value;
  }
  Tensor& t = result.tensor;
  t.data = const_cast<void*>(r.data);
  t.ndim = r.rank;
  t.dtype.code = static_cast<std::remove_reference_t<decltype(t.dtype.code)>>(r.type.code);
  t.dtype.bits = r.type.bits;
  t.dtype.lanes = r.type.lanes;
  auto& where = detail::device_member<Tensor>::of(t);
  where.device_type = static_cast<std::remove_reference_t<decltype(where.device_type)>>(r.where.kind);
  where.device_id = r.where.ordinal;
  t.shape = store.shape;
  t.strides = store.strides;
  t.byte_offset = r.byte_offset;
  return result;
}

// A typed view does not know its device.
template <class Tensor, class T, int R, class L, class I, class A>
lent<Tensor> lend(const view<T, R, L, I, A>& v, device where, numbers& store) noexcept {
  const auto described = stridelock::describe(v, where);
  return lend<Tensor>(described.ref(), store);
}

// A managed tensor that owns `keep` (a shared_ptr, a library's tensor, …) until its consumer calls the deleter.
// A versioned one claims the lowest version that defines its type: 1.0, or 1.1 for the narrow floating-point types.
template <class Managed, class Keep>
taken<Managed> lend_managed(const tensor_ref& r, Keep keep) {
  static_assert(detail::is_managed<Managed>, "lend_managed: DLManagedTensor or DLManagedTensorVersioned");
  struct block {
    Managed managed{};
    numbers store{};
    Keep keep;
    explicit block(Keep&& k) : keep(std::move(k)) {}
  };
  if constexpr (!detail::is_versioned<Managed>)
    if (r.read_only == tri::yes) return taken<Managed>::failed(error::read_only_unsaid);

  block* b = new (std::nothrow) block(std::move(keep));
  if (b == nullptr) return taken<Managed>::failed(error::out_of_memory);
  using tensor = std::remove_reference_t<decltype(b->managed.dl_tensor)>;
  const lent<tensor> described = lend<tensor>(r, b->store);
  if (!described.ok()) {
    delete b;
    return taken<Managed>::failed(described.error);
  }
  b->managed.dl_tensor = described.tensor;
  b->managed.manager_ctx = b;
  b->managed.deleter = [](Managed* m) { delete static_cast<block*>(m->manager_ctx); };
  if constexpr (detail::is_versioned<Managed>) {
    b->managed.version.major = 1;
    b->managed.version.minor = r.type.code >= type_code::float8_e3m4 ? 1 : 0;
    b->managed.flags = r.read_only == tri::yes ? read_only_flag : 0;
  }
  return taken<Managed>(&b->managed);
}

template <class Managed, class T, int R, class L, class I, class A, class Keep>
taken<Managed> lend_managed(const view<T, R, L, I, A>& v, device where, Keep keep) {
  const auto described = stridelock::describe(v, where);
  return lend_managed<Managed>(described.ref(), std::move(keep));
}

}  // namespace dlpack

template <class Tensor>
struct adapter<Tensor,
               std::enable_if_t<dlpack::detail::is_tensor<Tensor> || dlpack::detail::is_managed<Tensor>>> {
  static dlpack::description describe(const Tensor& t) noexcept { return dlpack::read(t); }
};

template <class Managed>
struct adapter<dlpack::taken<Managed>> {
  static dlpack::description describe(const dlpack::taken<Managed>& t) noexcept {
    if (t.ok()) return dlpack::read(*t.get());
    dlpack::description d;
    d.error = t.error() == dlpack::error::none ? dlpack::error::null_tensor : t.error();
    d.value.rank = -1;
    return d;
  }
};

}  // namespace v1
}  // namespace stridelock
