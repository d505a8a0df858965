#!/usr/bin/env bash
# What the public headers cost a compiler: seconds of user time, the best of several runs, and, independent of the machine,
# how many lines the preprocessor leaves.
#
# usage: header_cost.sh [COMPILER...]      default: g++ and, where it is found, clang++-19
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
compilers=("$@")
if [ ${#compilers[@]} -eq 0 ]; then
  compilers=(g++)
  ! command -v clang++-19 >/dev/null || compilers+=(clang++-19)
fi
runs=${RUNS:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

contracts() { # COUNT HEADER: so many contracts of six arguments, with a boundary each if the header is check.h
  echo "#include <stridelock/$2>"
  echo 'using namespace stridelock;'
  local i
  for ((i = 0; i < $1; ++i)); do
    cat <<CODE
inline constexpr auto contract$i = make_contract("contract$i",
    arg("a").type(types::bfloat16).shape(sym("M"), sym("K")).layout(notion::row_pitched).aligned(16),
    arg("b").type(types::bfloat16).shape(sym("N"), sym("K")).layout(notion::dense).aligned(16),
    arg("c").type(types::bfloat16).shape(sym("M"), sym("N")).layout(notion::dense).output().aligned(16),
    arg("d").type(types::float32).shape(sym("M"), $((i + 2))).layout(notion::dense),
    arg("e").type(types::int32).shape(sym("M")).layout(notion::dense),
    arg("f").type(types::int32).shape(sym("M"), sym("T")).layout(notion::inner_contiguous));
CODE
    [ "$2" != check.h ] || cat <<CODE
void boundary$i(const tensor_ref& a, const tensor_ref& b, const tensor_ref& c, const tensor_ref& d, const tensor_ref& e,
                const tensor_ref& f) {
  require<contract$i>(a, b, c, d, e, f);
}
CODE
  done
}

seconds() { # COMPILER SOURCE: the least of several runs
  local best='' run now
  for ((run = 0; run < runs; ++run)); do
    now=$({ TIMEFORMAT=%U; time "$1" -std=c++17 -O2 -Icontracts/include -Iruntime/include -c "$2" -o "$scratch/out.o"; } 2>&1)
    best=$(printf '%s\n' $best "$now" | sort -n | head -n 1)
  done
  echo "$best"
}

contracts 0 contract.h > "$scratch/contract.cpp"
contracts 0 check.h > "$scratch/check.cpp"
contracts 10 contract.h > "$scratch/ten_declared.cpp"
contracts 10 check.h > "$scratch/ten_checked.cpp"
: > "$scratch/empty.cpp"
printf '%-12s %-14s %9s %9s\n' compiler source seconds lines
for compiler in "${compilers[@]}"; do
  for source in empty contract check ten_declared ten_checked; do
    printf '%-12s %-14s %9s %9s\n' "$(basename "$compiler")" "$source" "$(seconds "$compiler" "$scratch/$source.cpp")" \
      "$("$compiler" -std=c++17 -Icontracts/include -Iruntime/include -E -P "$scratch/$source.cpp" | wc -l)"
  done
done
