#include "stridelock/look_plan.h"

#include <cstring>

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

constexpr std::uint32_t inner_contiguous_bit = bit_of(notion::inner_contiguous);
constexpr std::uint32_t pitched_bits =
    inner_contiguous_bit | bit_of(notion::row_pitched) | bit_of(notion::non_overlapping);
constexpr std::uint32_t dense_bits = pitched_bits | bit_of(notion::dense) | bit_of(notion::permutation_dense);

// Below these limits neither the number of elements nor the reach of a tensor of that rank can overflow.
constexpr int extent_bits[max_rank + 1] = {31, 31, 31, 20, 15, 12, 10, 8, 7};
constexpr int stride_bits[max_rank + 1] = {31, 31, 31, 41, 46, 48, 50, 52, 52};

bool accepts_type(const planned_argument& wanted, dtype given) {
  for (int k = 0; k < wanted.type_count; ++k)
    if (accepts(wanted.types[k], given)) return true;
  return wanted.type_count == 0;
}

std::uint64_t word_of(device where) {
  std::uint64_t word = 0;
  static_assert(sizeof where == sizeof word, "a device is one word");
  std::memcpy(&word, &where, sizeof word);
  return word;
}

}  // namespace

bool is_fine_by_plan(const look_plan_view& plan, const tensor_ref* const* arguments) noexcept {
  if (!plan.is_usable) return false;
  index_t slots[most_look_slots];
  std::memcpy(slots, plan.slots, sizeof slots);
  std::uint64_t first_device = 0;
  const planned_argument* wanted = plan.arguments;
  for (int i = 0; i < plan.argument_count; ++i, ++wanted) {
    const tensor_ref* const r = arguments[i];
    if (r == nullptr) {
      if (!wanted->is_optional) return false;
      continue;
    }
    const int rank = r->rank;
    const planned_shape* shape = &wanted->shapes[0];
    if (rank != shape->rank && rank != (++shape)->rank) return false;
    if (rank < 0 || r->active != nullptr) return false;
    if (rank > 0 && (r->extents == nullptr || r->strides == nullptr)) return false;

    const index_t* const extents = r->extents;
    const index_t* const strides = r->strides;
    index_t every_extent = 0, every_stride = 0;
    std::uint64_t packed = 1;  // wraps only where a limit below is exceeded
    bool is_empty = false;
    int dense_from = 0;
    for (int d = rank - 1; d >= 0; --d) {
      const index_t n = extents[d];
      const std::uint8_t slot = shape->slots[d];
      if (slots[slot] != n) {
        if (slots[slot] != unbound_slot) return false;
        if (slot != free_slot) slots[slot] = n;
      }
      if (n == 1) continue;
      const index_t stride = strides[d];
      if (static_cast<std::uint64_t>(stride) != packed && dense_from == 0) dense_from = d + 1;
      packed *= static_cast<std::uint64_t>(n);
      is_empty |= n == 0;
      every_extent |= n;
      every_stride |= stride;
    }
    if (((static_cast<std::uint64_t>(every_extent) >> extent_bits[rank]) |
         (static_cast<std::uint64_t>(every_stride) >> stride_bits[rank])) != 0)
      return false;

    std::uint32_t missing = wanted->notions;
    if (r->read_only != tri::yes) missing &= ~bit_of(notion::writable);
    if (dense_from == 0 || is_empty)
      missing &= ~dense_bits;
    else if (rank == 2 && dense_from == 1 && strides[0] >= extents[1])
      missing &= ~pitched_bits;
    else if (dense_from < rank)
      missing &= ~inner_contiguous_bit;
    if (missing != 0) return false;

    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(r->data));
    if (!is_empty && (address == 0 || ((address | r->byte_offset) & wanted->alignment_mask) != 0 ||
                      (dense_from == rank && r->type.is_sub_byte())))
      return false;

    if (std::memcmp(&wanted->types[0], &r->type, sizeof(dtype)) != 0 && !accepts_type(*wanted, r->type))
      return false;
    if (wanted->on_device != device_kind::none) {
      if (r->where.kind != wanted->on_device) return false;
    } else if (r->where.kind != device_kind::none) {  // a typed view does not say where it lives
      const std::uint64_t where = word_of(r->where);
      if (first_device == 0) first_device = where;
      if (where != first_device) return false;
    }
  }
  return true;
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
