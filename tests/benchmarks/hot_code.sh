#!/usr/bin/env bash
# The hot code of a boundary (row M2 of the defect table): small, and free of string building. Prints the bytes of every form.
#
# usage: hot_code.sh COMPILER FOLDER SCRATCH INCLUDE...
set -euo pipefail
compiler=$1 folder=$2 scratch=$3
shift 3
mkdir -p "$scratch"
[ "$(uname -m)" = x86_64 ] || { echo "skipped: sizes are stated for x86_64"; exit 77; }
options=(-std=c++17 -O2 -ffunction-sections -fno-asynchronous-unwind-tables "${@/#/-I}")
for source in boundary_forms tvm_style_ladder torch_style_ladder; do
  "$compiler" "${options[@]}" -c "$folder/$source.cpp" -o "$scratch/$source.o"
done

bytes() { # OBJECT FUNCTION: its code, and apart from it the part that the compiler moved to .cold
  local size name hot=0 cold=0
  while read -r _ size _ name; do
    if [[ $name == "$2("*".cold]" ]]; then
      cold=$((cold + 16#$size))
    elif [[ $name == "$2("* ]]; then
      hot=$((hot + 16#$size))
    fi
  done < <(nm -SC "$scratch/$1.o" | grep -E '^[0-9a-f]+ [0-9a-f]+ [tT] ' | sed 's/stridelock::benchmarks:://')
  echo "$hot $cold"
}
failed=0
limit() { # OBJECT FUNCTION LIMIT
  local hot cold
  read -r hot cold < <(bytes "$1" "$2")
  printf '%-28s %5d bytes hot, %4d cold in place\n' "$2" "$hot" "$cold"
  if [ "$hot" -eq 0 ] || [ "$hot" -gt "$3" ]; then
    printf '%s: %d bytes, at most %d expected\n' "$2" "$hot" "$3"
    failed=1
  fi
}
limit boundary_forms holds_refs 448
limit boundary_forms require_refs 480
limit boundary_forms check_refs 512
limit boundary_forms require_dispatch 640
limit boundary_forms require_views 288
limit tvm_style_ladder tvm_style_ladder 100000
limit torch_style_ladder torch_style_ladder 100000

# The hot functions refer to nothing but the functions that ask the exact evaluator; holds() to nothing at all.
references() { # FUNCTION OBJECT
  objdump -dr "$scratch/$2.o" | awk -v f="$1" '
    /^[0-9a-f]+ <.*>:$/ { inside = index($0, f) && !index($0, ".cold") }
    inside && /R_X86_64/ { print $3 }' | sed -E 's/[-+]0x[0-9a-f]+$//' | sort -u
}
for function in holds_refs require_refs check_refs require_dispatch require_views; do
  while read -r name; do
    case $name in
      *ok_or_refuse* | *evaluate_call* | .text.unlikely.* | "") [ "$function" != holds_refs ] || [ -z "$name" ] || { printf 'holds_refs refers to %s\n' "$name"; failed=1; } ;;
      *) printf '%s refers to %s\n' "$function" "$name"; failed=1 ;;
    esac
  done < <(references "$function" boundary_forms)
done
# The test must be able to fail: a ladder builds its message in place.
references tvm_style_ladder tvm_style_ladder > "$scratch/ladder.txt"
grep -q 'ostream' "$scratch/ladder.txt" ||
  { echo 'the references of a function are not read: a ladder seems to build no string'; failed=1; }
exit $failed
