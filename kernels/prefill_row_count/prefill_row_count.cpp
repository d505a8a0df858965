#include "kernels/prefill_row_count/prefill_row_count.h"

#include "kernels/common/admit.h"
#include "stridelock/check.h"

namespace stridelock::kernels {

void prefill_row_count(const queue& to, const prefill_row_count_arguments& a) {
  if (!admit(check<prefill_row_count_contract>(a.indices, a.counts)) || a.counts.size() == 0) return;
  if (to.is_host()) {
    to.run_on_host([a] { host::prefill_row_count(a); });
  } else {
    device::prefill_row_count(to.stream(), a);
  }
}

void host::prefill_row_count(const prefill_row_count_arguments& a) {
  for (index_t row = 0; row < a.indices.extent(0); ++row) {
    std::int32_t count = 0;
    for (index_t column = 0; column < a.indices.extent(1); ++column) count += a.indices(row, column) >= 0;
    a.counts(row) = count;
  }
}

}  // namespace stridelock::kernels
