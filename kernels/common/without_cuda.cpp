// In a build without CUDA every launch on a stream says so.
#include <string>

#include "kernels/common/launch_error.h"
#include "kernels/pack_rows/pack_rows.h"
#include "kernels/prefill_row_count/prefill_row_count.h"
#include "kernels/sparse_mla/sparse_mla.h"
#include "kernels/topk_metadata/topk_metadata.h"

namespace stridelock::kernels {
namespace {

[[noreturn]] void refuse(const char* kernel) {
  throw launch_error(std::string(kernel) + ": this build has no CUDA; use a host queue");
}

}  // namespace

namespace device {

void pack_rows(void*, const pack_rows_arguments&) {
  refuse("pack_rows");
}
void prefill_row_count(void*, const prefill_row_count_arguments&) {
  refuse("prefill_row_count");
}
void topk_metadata(void*, const topk_metadata_arguments&) {
  refuse("topk_metadata");
}
template <class IndexLayout>
void sparse_mla_paged(void*, const sparse_mla_arguments<IndexLayout>&) {
  refuse("sparse_mla_paged");
}
template <class IndexLayout>
void sparse_mla_decode(void*, const sparse_mla_arguments<IndexLayout>&) {
  refuse("sparse_mla_decode");
}

template void sparse_mla_paged(void*, const sparse_mla_arguments<contiguous>&);
template void sparse_mla_paged(void*, const sparse_mla_arguments<row_pitched>&);
template void sparse_mla_decode(void*, const sparse_mla_arguments<contiguous>&);
template void sparse_mla_decode(void*, const sparse_mla_arguments<row_pitched>&);

}  // namespace device
}  // namespace stridelock::kernels
