#include "metadata.h"

namespace engine {

attention_metadata metadata_builder::build(const step_input& step) {
  const std::int64_t width = adaptive_width(step, c128a_decode_.size(1));
  const tensor rows = c128a_decode_.rows(0, step.rows());
  const tensor columns = rows.narrow(1, 0, width);  // less to scan; keeps the buffer's row pitch of 1024

  attention_metadata metadata;
  metadata.indices = rows;  // dense: these kernels step by the width, and stop at the lengths
  metadata.pitched_indices = columns;
  metadata.lengths = lengths_.rows(0, step.rows());
  metadata.draft_tokens = draft_tokens_.rows(0, step.requests).narrow(1, 0, step.tokens_per_request());

  write_index_rows(step, columns, metadata.lengths);
  write_tokens(step, metadata.draft_tokens);
  return metadata;
}

}  // namespace engine
