#include "kernels/sparse_mla/sparse_mla.h"

#include "kernels/common/admit.h"
#include "stridelock/check.h"

namespace stridelock::kernels {
namespace {

template <const auto& Contract, class L>
report judge(const sparse_mla_arguments<L>& a) {
  const auto judge_with_extra = [&](const auto&... extra) {
    if (!a.scratch)
      return check<Contract>(a.q, a.cache, a.indices, a.lengths, extra..., a.out, absent, absent);
    return check<Contract>(a.q, a.cache, a.indices, a.lengths, extra..., a.out, a.scratch->partial,
                           a.scratch->partial_sums);
  };
  return a.extra ? judge_with_extra(a.extra->cache, a.extra->indices, a.extra->lengths)
                 : judge_with_extra(absent, absent, absent);
}

template <class M, class L>
sparse_mla_arguments<M> with_indices(const sparse_mla_arguments<L>& a,
                                     const view<const std::int32_t, 2, M>& indices) {
  return {a.q, a.cache, indices, a.lengths, a.extra, a.out, a.scale, a.scratch};
}

// What a kernel that was handed a pointer and a width makes of rows.
view<const std::int32_t, 2> stepped_by_width(const view<const std::int32_t, 2, row_pitched>& rows) {
  return {rows.data, {{rows.extent(0), rows.extent(1)}}};
}

}  // namespace

void sparse_mla_paged(const queue& to, const sparse_mla_arguments<row_pitched>& a) {
  if (!admit(judge<sparse_mla_paged_contract>(a)) || a.q.size() == 0) return;
  if (to.is_host()) {
    to.run_on_host([a] { host::sparse_mla(a); });
  } else {
    device::sparse_mla_paged(to.stream(), a);
  }
}

void sparse_mla_paged_dense(const queue& to, const sparse_mla_arguments<contiguous>& a) {
  if (!admit(judge<sparse_mla_paged_dense_contract>(a)) || a.q.size() == 0) return;
  if (to.is_host()) {
    to.run_on_host([a] { host::sparse_mla(with_indices<row_pitched>(a, a.indices)); });
  } else {
    device::sparse_mla_paged(to.stream(), a);
  }
}

void sparse_mla_decode(const queue& to, const sparse_mla_arguments<row_pitched>& a) {
  if (!admit(judge<sparse_mla_decode_contract>(a)) || a.q.size() == 0) return;
  if (to.is_host()) {
    to.run_on_host([a] { host::sparse_mla(a); });
  } else {
    device::sparse_mla_decode(to.stream(), a);
  }
}

void sparse_mla_decode_dense(const queue& to, const sparse_mla_arguments<row_pitched>& a) {
  if (!admit_checked(judge<sparse_mla_decode_dense_contract>(a)) || a.q.size() == 0) return;
  auto assumed = with_indices<contiguous>(a, stepped_by_width(a.indices));
  if (assumed.extra) assumed.extra->indices = stepped_by_width(assumed.extra->indices);
  if (to.is_host()) {
    to.run_on_host([assumed] { host::sparse_mla(with_indices<row_pitched>(assumed, assumed.indices)); });
  } else {
    device::sparse_mla_decode(to.stream(), assumed);
  }
}

}  // namespace stridelock::kernels
