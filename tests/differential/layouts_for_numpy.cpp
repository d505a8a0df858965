// Writes random layouts with our verdicts, one line of 64-bit integers each, for numpy_test.py to compare:
// rank, 4 extents, 4 strides, lowest offset, dense, dense when its dimensions are turned round.
//   layouts_for_numpy COUNT FILE
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "random_layouts.h"

int main(int argc, char** argv) {
  using namespace stridelock;
  if (argc != 3) return 2;
  testing::random_layouts random(8);
  std::vector<index_t> rows;
  for (long i = std::atol(argv[1]); i > 0; --i) {
    const testing::small_layout l = random.next(4);
    testing::small_layout turned;
    turned.rank = l.rank;
    for (int d = 0; d < l.rank; ++d) {
      turned.extents[d] = l.extents[l.rank - 1 - d];
      turned.strides[d] = l.strides[l.rank - 1 - d];
    }
    rows.push_back(l.rank);
    for (int d = 0; d < 4; ++d) rows.push_back(l.extents[d]);
    for (int d = 0; d < 4; ++d) rows.push_back(l.strides[d]);
    rows.push_back(offsets_of(l).low);
    rows.push_back(is_dense(l));
    rows.push_back(is_dense(turned));
  }
  std::FILE* file = std::fopen(argv[2], "wb");
  if (file == nullptr) return 1;
  const bool written = std::fwrite(rows.data(), sizeof(index_t), rows.size(), file) == rows.size();
  return std::fclose(file) == 0 && written ? 0 : 1;
}
