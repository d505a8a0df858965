// Pairs NAME_raw and NAME_view: the same work on a raw pointer with its sizes, and on a typed view.
#include <cstdint>

#include "stridelock/view.h"

using namespace stridelock;

namespace {

template <class Rows>
inline void sum_rows(view<float, 1> out, Rows rows) {
  for (index_t i = 0; i < rows.extent(0); ++i) {
    float sum = 0;
    for (index_t j = 0; j < rows.extent(1); ++j) sum += rows(i, j);
    out(i) = sum;
  }
}
inline void takes_any(view<float, 1> out, view<const float, 2, inner_contiguous> rows) {
  sum_rows(out, rows);
}

}  // namespace

extern "C" {

float element_raw(const float* p, index_t pitch, index_t i, index_t j) {
  return p[i * pitch + j];
}
float element_view(const float* p, index_t pitch, index_t i, index_t j) {
  return view<const float, 2, row_pitched>{p, {{0, 0}, pitch}}(i, j);
}

float narrow_index_raw(const float* p, std::int32_t pitch, std::int32_t i, std::int32_t j) {
  return p[i * pitch + j];
}
float narrow_index_view(const float* p, std::int32_t pitch, std::int32_t i, std::int32_t j) {
  return view<const float, 2, row_pitched, std::int32_t>{p, {{0, 0}, pitch}}(i, j);
}

void pitched_raw(float* out, const float* p, index_t rows, index_t columns, index_t pitch) {
  for (index_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (index_t j = 0; j < columns; ++j) sum += p[i * pitch + j];
    out[i] = sum;
  }
}
void pitched_view(float* out, const float* p, index_t rows, index_t columns, index_t pitch) {
  sum_rows({out, {{rows}}}, view<const float, 2, row_pitched>{p, {{rows, columns}, pitch}});
}

void dense_raw(float* out, const float* p, index_t rows, index_t columns) {
  for (index_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (index_t j = 0; j < columns; ++j) sum += p[i * columns + j];
    out[i] = sum;
  }
}
void dense_view(float* out, const float* p, index_t rows, index_t columns) {
  sum_rows({out, {{rows}}}, view<const float, 2>{p, {{rows, columns}}});
}

// A stronger view where a weaker one is asked: the conversion costs nothing.
void weakened_raw(float* out, const float* p, index_t rows, index_t columns) {
  for (index_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (index_t j = 0; j < columns; ++j) sum += p[i * columns + j];
    out[i] = sum;
  }
}
void weakened_view(float* out, const float* p, index_t rows, index_t columns) {
  takes_any({out, {{rows}}}, view<const float, 2>{p, {{rows, columns}}});
}

// Rows, then columns, of a dense buffer.
const float* narrowed_raw(const float* p, index_t columns, index_t row, index_t column) {
  return p + row * columns + column;
}
const float* narrowed_view(const float* p, index_t columns, index_t row, index_t column) {
  return view<const float, 2>{p, {{row, columns}}}.rows(row, row).columns(column, columns).data;
}

float rank4_raw(const float* p, index_t h, index_t s, index_t d, index_t i, index_t j, index_t k, index_t l) {
  return p[((i * h + j) * s + k) * d + l];
}
float rank4_view(const float* p, index_t h, index_t s, index_t d, index_t i, index_t j, index_t k,
                 index_t l) {
  return view<const float, 4>{p, {{0, h, s, d}}}(i, j, k, l);
}

}  // extern "C"
