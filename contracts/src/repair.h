// What would cure a violation: other arguments, or another kernel. Private to the library.
//
// Promises:  nothing is offered untried. Every repair is evaluated in place of the argument, under the same parameters and
//            capability: the violation must be gone and nothing else broken that was not broken before.
// Does not:  know what the values mean: whether stale columns can be cleared or a copy made in time is the reader's to say.
#pragma once

#include <optional>
#include <vector>

#include "report_data.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

class repairs {
 public:
  repairs(const report_data& data, const violation& v) : data_(data), fault_(v) {}

  // Strides of extents of 1, and of empty tensors, as a fresh tensor has them. Free: nothing is addressed by them.
  std::optional<tensor_desc> rewritten_strides() const;
  // The rows of the buffer that the argument was cut from, in full, for a reader that stops at per-row lengths.
  std::optional<tensor_desc> full_rows() const;
  // The same elements in memory of their own: dense, aligned, shared with nobody.
  std::optional<tensor_desc> dense_copy() const;
  // Likewise, with rows that start at multiples of `bytes`.
  std::optional<tensor_desc> padded_copy(index_t bytes) const;
  // One dimension of extent 1 more or less.
  std::optional<tensor_desc> reshaped(bool& added, int& dim) const;
  // The columns that hold this step's data, and no others.
  std::optional<tensor_desc> active_part() const;
  // The same view, with the stale part filled with the sentinel.
  std::optional<tensor_desc> cleared() const;
  // The tensor of the argument that memory is, or must be, shared with.
  std::optional<tensor_desc> other_tensor() const;

  // A kernel with the same contract that takes the row pitch, or any strides, or stops at per-row lengths.
  bool kernel_that_takes_the_pitch() const;
  bool kernel_that_takes_the_strides() const;
  bool kernel_that_is_bounded() const;

  // The kernel branch that would accept the call as it is, with the fewest conditions in the way. Null: there is none.
  const other_branch* nearest_branch() const;

 private:
  const tensor_desc& given() const {
    return data_.arguments[static_cast<std::size_t>(fault_.argument)].tensor;
  }
  bool can_be_replaced() const;
  const argument& declaration() const;
  // The views in turn, from the whole buffer; empty if the record does not lead to the argument.
  std::optional<tensor_desc> replayed(bool keep_columns) const;
  std::optional<tensor_desc> copy_with_strides(const index_t* strides) const;
  std::optional<tensor_desc> if_it_cures(const tensor_desc& replacement) const;
  bool cures(const std::vector<contract_view>& branches, const tensor_desc* replacement) const;
  template <class Change>
  bool cures_with(Change change) const;

  const report_data& data_;
  const violation& fault_;
};

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
