#include "engine/metadata.h"

#include "kernels/topk_metadata/topk_metadata.h"

namespace sparse_mla_engine {

using namespace stridelock;

namespace {

// A line of this file, however the compiler was called.
constexpr source_line here(int line) {
  return {"engine/metadata.cpp", line};
}

template <class T, int Rank>
tensor_desc whole(const char* name, const buffer<T, Rank>& b, device where) {
  const auto& v = b.full();
  if constexpr (Rank == 1)
    return tensor_desc::dense(name, dtype_of<T>, {v.extent(0)}, where, v.data);
  else
    return tensor_desc::dense(name, dtype_of<T>, {v.extent(0), v.extent(1)}, where, v.data);
}

}  // namespace

metadata_builder::metadata_builder(machine& on, registry& in, index_t max_rows, index_t capacity)
    : machine_(on),
      decode_(make_buffer<std::int32_t>(on, in, "c128a_decode", max_rows, capacity)),
      prefill_(make_buffer<std::int32_t>(on, in, "c128a_prefill", max_rows, capacity)),
      lengths_(make_buffer<std::int32_t>(on, in, "topk_lengths", max_rows)),
      requests_(make_buffer<std::int32_t>(on, in, "requests", max_rows)),
      block_table_(make_buffer<std::int32_t>(on, in, "block_table", max_rows * capacity)),
      positions_(make_buffer<std::int64_t>(on, in, "positions", max_rows)),
      slots_(make_buffer<std::int64_t>(on, in, "slot_mapping", max_rows)),
      prefill_positions_(make_buffer<std::int64_t>(on, in, "prefill_positions", max_rows)) {
  poison();
}

void metadata_builder::poison() {
  const std::vector<std::int32_t> filling(static_cast<std::size_t>(decode_.full().size()), stale);
  upload(machine_, decode_.full().data, filling);
  upload(machine_, prefill_.full().data, filling);
}

metadata metadata_builder::build(const step& s, policy p, capability on) {
  const index_t rows = s.rows();
  const auto prefill_rows = static_cast<index_t>(s.prefill_positions.size());
  metadata m;
  m.width = adaptive_width(s.entries(s.max_position()), capacity());

  std::vector<std::int32_t> requests;
  for (index_t row = 0; row < rows; ++row) requests.push_back(static_cast<std::int32_t>(s.request_of(row)));
  upload(machine_, positions_.full().data, s.positions);
  upload(machine_, requests_.full().data, requests);
  upload(machine_, slots_.full().data, std::vector<std::int64_t>(static_cast<std::size_t>(rows), 0));
  upload(machine_, prefill_positions_.full().data, s.prefill_positions);
  upload(machine_, block_table_.full().data, s.block_table);

  const auto full = decode_.full().first_rows(rows);
  const auto columns = full.first_columns(m.width);
  view<std::int32_t, 2, row_pitched> written = columns;
  if (p == policy::packed_rows) written = {columns.data, {{rows, m.width}, m.width}};
  const auto prefill = prefill_.full().first_rows(prefill_rows).first_columns(m.width);

  kernels::topk_metadata_arguments a;
  a.decode_positions = positions_.full().first_rows(rows);
  a.decode_requests = requests_.full().first_rows(rows);
  a.decode_slots = slots_.full().first_rows(rows);
  a.prefill_positions = prefill_positions_.full().first_rows(prefill_rows);
  a.block_table = {block_table_.full().data, {{s.requests, s.blocks}, s.blocks}};
  a.decode_indices = written;
  a.decode_lengths = lengths_.full().first_rows(rows);
  a.prefill_indices = prefill;
  a.max_position = s.max_position();
  a.block_size = s.block_size;
  a.ratio = ratio;
  kernels::topk_metadata(machine_.queue(), a);

  const auto decode_whole = whole("c128a_decode", decode_, machine_.where()).rows(0, rows, here(__LINE__));
  m.decode = written;
  m.decode_from = decode_whole.columns(0, m.width, here(__LINE__));
  if (p == policy::packed_rows) {
    // The reader's width follows its own rows, the pitch follows the batch.
    const index_t columns_read = adaptive_width(s.entries(s.max_decode_position()), m.width);
    m.decode = written.first_columns(columns_read);
    m.decode_from =
        tensor_desc::dense("c128a_decode", types::int32, {rows, m.width}, machine_.where(), written.data)
            .columns(0, columns_read, here(__LINE__));
  } else if (p == policy::seed_cure && on.major == 12) {
    m.decode = full;  // dense: those kernels step by the width, and stop at the lengths
    m.decode_from = decode_whole.activated_columns(m.width);
  }
  m.lengths = lengths_.full().first_rows(rows);
  m.lengths_from = whole("topk_lengths", lengths_, machine_.where()).rows(0, rows, here(__LINE__));
  m.prefill = prefill;  // always columns: its reader reads whole rows
  m.prefill_from = whole("c128a_prefill", prefill_, machine_.where())
                       .rows(0, prefill_rows, here(__LINE__))
                       .columns(0, m.width, here(__LINE__));
  return m;
}

}  // namespace sparse_mla_engine
