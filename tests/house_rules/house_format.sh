#!/usr/bin/env bash
# Every C++ and CUDA file but fixtures, whose expectations stand on the line, is formatted as .clang-format says.
#
# usage: house_format.sh ROOT      exit 77: skipped
set -euo pipefail
cd "$1"

if ! command -v clang-format-19 >/dev/null 2>&1; then
  echo 'skipped: clang-format-19 is not installed'
  exit 77
fi
find analyzer contracts runtime kernels tests examples -type f -not -path '*/fixtures/*' \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 -r clang-format-19 --dry-run --Werror
