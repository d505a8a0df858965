#!/usr/bin/env bash
# Every C++ and CUDA file is formatted as .clang-format says. A folder of fixtures opts out with a .clang-format of its
# own (DisableFormat: true).
#
# usage: house_format.sh ROOT      exit 77: skipped
set -euo pipefail
cd "$1"

if ! command -v clang-format-19 >/dev/null 2>&1; then
  echo 'skipped: clang-format-19 is not installed'
  exit 77
fi
find analyzer contracts runtime kernels tests examples -type f \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 -r clang-format-19 --dry-run --Werror
