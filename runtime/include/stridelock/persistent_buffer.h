// persistent_buffer.h: memory that a captured graph may read at every replay, because somebody answers for it.
//
// Promises:  while the object lives and was not told otherwise, its range is registered under its name, and views of it are
//            `stable`. moved() and the end of the object raise the generation, so that every graph captured with the old
//            place knows before it is launched. The generation rises before memory is let go.
// Does not:  copy, refresh or move anything. Register a range of which nobody knows whether it is alive: four ways,
//            each with somebody who answers, and no fifth.
//
//   own      it frees the memory itself, with the function given
//   adopt    it holds something that keeps the memory alive (an at::Tensor, a shared_ptr)
//   told     the caller promises to call moved() and gone(): a growable workspace that tells
//   probed   it asks a function whether the memory is alive (a weak reference); asked again before every replay
//
//   auto indices = persistent_buffer<int, 2>::adopt("c128a_decode", view<int, 2>{data, {{512, 1024}}}, tensor);
//   if (!indices.ok()) log(text(indices.fault()));
//   const auto step = indices.full().rows(0, 66);            // a view, stable while the buffer stays
//
//   indices.moved(view<int, 2>{larger, {{1024, 1024}}}, larger_tensor);     // graphs that read the old place must know
//
// Where registering failed the object is empty, and its views are unregistered memory: a capture guard refuses them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "stridelock/describe.h"
#include "stridelock/registry.h"
#include "stridelock/view.h"

namespace stridelock {
inline namespace v1 {

inline std::string text(const registration_fault& fault) {
  std::string out(write_text(fault, nullptr, 0), '\0');
  if (!out.empty()) write_text(fault, &out[0], out.size() + 1);
  return out;
}

namespace detail {

// Who answers for the memory, with its type forgotten.
struct liveness {
  std::shared_ptr<void> keep;                     // adopt, own
  bool (*alive)(const void*) noexcept = nullptr;  // probed; asks `probe`
  std::shared_ptr<const void> probe;
};

template <class Free>
struct freed_at_end {
  void* data;
  Free free;
  freed_at_end(void* d, Free f) : data(d), free(std::move(f)) {}
  freed_at_end(const freed_at_end&) = delete;
  freed_at_end& operator=(const freed_at_end&) = delete;
  ~freed_at_end() { free(data); }
};

template <class Keep>
liveness kept_by(Keep keep) {
  return {std::make_shared<Keep>(std::move(keep)), nullptr, nullptr};
}
template <class Free>
liveness freed_by(const void* data, Free free) {
  return {std::make_shared<freed_at_end<Free>>(const_cast<void*>(data), std::move(free)), nullptr, nullptr};
}
template <class Alive>
liveness asked_of(Alive alive) {
  static_assert(std::is_nothrow_invocable_r_v<bool, const Alive&>,
                "probed: the probe must be callable as `bool() const noexcept`");
  return {nullptr, [](const void* probe) noexcept -> bool { return (*static_cast<const Alive*>(probe))(); },
          std::make_shared<const Alive>(std::move(alive))};
}

}  // namespace detail

// Any rank and type, described by a tensor_ref: for adapters, and for memory that is no matrix.
class registered_buffer {
 public:
  registered_buffer() noexcept = default;
  registered_buffer(registered_buffer&&) noexcept;
  registered_buffer& operator=(registered_buffer&&) noexcept;
  ~registered_buffer();

  // `free` is called with the data pointer when the object ends, also if registering failed.
  template <class Free>
  static registered_buffer own(std::string_view name, const tensor_ref& whole, Free free,
                               registry& in = registry::process()) {
    return make(name, whole, detail::freed_by(whole.data, std::move(free)), in);
  }
  template <class Keep>
  static registered_buffer adopt(std::string_view name, const tensor_ref& whole, Keep keeps_it_alive,
                                 registry& in = registry::process()) {
    return make(name, whole, detail::kept_by(std::move(keeps_it_alive)), in);
  }
  static registered_buffer told(std::string_view name, const tensor_ref& whole,
                                registry& in = registry::process()) {
    return make(name, whole, {}, in);
  }
  template <class Alive>
  static registered_buffer probed(std::string_view name, const tensor_ref& whole, Alive is_alive,
                                  registry& in = registry::process()) {
    return make(name, whole, detail::asked_of(std::move(is_alive)), in);
  }
  // A named part, for storage that holds several tensors. It moves and dies with its parent.
  static registered_buffer part_of(const registered_buffer& parent, std::string_view name,
                                   const tensor_ref& part);

  bool ok() const noexcept;
  explicit operator bool() const noexcept { return ok(); }
  const registration_fault& fault() const noexcept { return fault_; }
  owner_token owner() const noexcept;
  std::string_view name() const noexcept;

  // The buffer is elsewhere now, or has another size. What kept it alive before is let go where a new keep is given.
  // If the new range cannot be registered, the buffer is gone.
  registration_fault moved(const tensor_ref& now) { return move_to(now, nullptr); }
  template <class Keep>
  registration_fault moved(const tensor_ref& now, Keep keeps_it_alive) {
    const detail::liveness next = detail::kept_by(std::move(keeps_it_alive));
    return move_to(now, &next);
  }
  // The memory is about to be freed, or is no longer the buffer's.
  void gone() noexcept;

 private:
  friend struct detail::registry_access;
  static registered_buffer make(std::string_view name, const tensor_ref& whole, detail::liveness by,
                                registry& in);
  registration_fault move_to(const tensor_ref& now, const detail::liveness* by);

  std::shared_ptr<detail::registry_state> state_;
  std::shared_ptr<detail::owner_record> record_;
  std::uint64_t incarnation_ = 0;  // of the record: another buffer may have taken the name since
  detail::liveness unregistered_;  // of a failed registration: ends with this object
  registration_fault fault_{registration_error::not_registered, {}, {}};
};

// The same with the view's type kept.
template <class T, int Rank, class Layout = contiguous, class Index = index_t,
          class Align = aligned<alignof(T)>>
class persistent_buffer {
 public:
  using view_type = view<T, Rank, Layout, Index, Align>;

  persistent_buffer() noexcept = default;

  template <class Free>
  static persistent_buffer own(std::string_view name, const view_type& whole, Free free, device where = {},
                               registry& in = registry::process()) {
    const auto d = describe(whole, where);
    return {whole, where, registered_buffer::own(name, d.ref(), std::move(free), in)};
  }
  template <class Keep>
  static persistent_buffer adopt(std::string_view name, const view_type& whole, Keep keeps_it_alive,
                                 device where = {}, registry& in = registry::process()) {
    const auto d = describe(whole, where);
    return {whole, where, registered_buffer::adopt(name, d.ref(), std::move(keeps_it_alive), in)};
  }
  static persistent_buffer told(std::string_view name, const view_type& whole, device where = {},
                                registry& in = registry::process()) {
    const auto d = describe(whole, where);
    return {whole, where, registered_buffer::told(name, d.ref(), in)};
  }
  template <class Alive>
  static persistent_buffer probed(std::string_view name, const view_type& whole, Alive is_alive,
                                  device where = {}, registry& in = registry::process()) {
    const auto d = describe(whole, where);
    return {whole, where, registered_buffer::probed(name, d.ref(), std::move(is_alive), in)};
  }

  bool ok() const noexcept { return registration_.ok(); }
  explicit operator bool() const noexcept { return ok(); }
  const registration_fault& fault() const noexcept { return registration_.fault(); }
  owner_token owner() const noexcept { return registration_.owner(); }
  std::string_view name() const noexcept { return registration_.name(); }
  const registered_buffer& registration() const noexcept { return registration_; }

  const view_type& full() const noexcept { return whole_; }

  registration_fault moved(const view_type& now) {
    const auto d = describe(now, where_);
    return took(now, registration_.moved(d.ref()));
  }
  template <class Keep>
  registration_fault moved(const view_type& now, Keep keeps_it_alive) {
    const auto d = describe(now, where_);
    return took(now, registration_.moved(d.ref(), std::move(keeps_it_alive)));
  }
  void gone() noexcept {
    registration_.gone();
    whole_ = {};
  }

 private:
  persistent_buffer(const view_type& whole, device where, registered_buffer registration)
      : whole_(whole), where_(where), registration_(std::move(registration)) {}
  registration_fault took(const view_type& now, registration_fault fault) {
    whole_ = fault.ok() ? now : view_type{};
    return fault;
  }

  view_type whole_{};
  device where_{};
  registered_buffer registration_;
};

}  // namespace v1
}  // namespace stridelock
