#include "kernels/pack_rows/pack_rows.h"

#include "kernels/common/admit.h"
#include "stridelock/check.h"

namespace stridelock::kernels {

void pack_rows(const queue& to, const pack_rows_arguments& a) {
  if (!admit(check<pack_rows_contract>(a.rows, a.packed)) || a.packed.size() == 0) return;
  if (to.is_host()) {
    to.run_on_host([a] { host::pack_rows(a); });
  } else {
    device::pack_rows(to.stream(), a);
  }
}

void host::pack_rows(const pack_rows_arguments& a) {
  for (index_t row = 0; row < a.rows.extent(0); ++row)
    for (index_t column = 0; column < a.rows.extent(1); ++column) a.packed(row, column) = a.rows(row, column);
}

}  // namespace stridelock::kernels
