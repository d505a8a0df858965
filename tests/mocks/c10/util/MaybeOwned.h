// Mock of c10/util/MaybeOwned.h: an owned value or a borrowed one behind one face.
#pragma once

namespace c10 {

template <typename T>
class MaybeOwned final {
 public:
  MaybeOwned();
  MaybeOwned(const MaybeOwned& other);
  MaybeOwned(MaybeOwned&& other) noexcept;
  MaybeOwned& operator=(const MaybeOwned& other);
  MaybeOwned& operator=(MaybeOwned&& other) noexcept;
  ~MaybeOwned() noexcept;

  static MaybeOwned borrowed(const T& t);
  static MaybeOwned owned(T&& t) noexcept;

  const T& operator*() const&;
  const T* operator->() const;
  T operator*() &&;
  bool unsafeIsBorrowed() const;
};

}  // namespace c10
