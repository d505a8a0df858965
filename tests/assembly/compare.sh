#!/usr/bin/env bash
# Compares the code of every pair NAME_raw and NAME_view in a source.
#
# host: instruction by instruction, registers by their kind, since a compiler may take the operands of an addition in
# either order. ptx: how often each instruction occurs, apart from the loads of parameters: neighbours in a view are loaded in
# pairs, so the view may have fewer of them, and their order is free.
#
# usage: compare.sh host|ptx same|different COMPILER SOURCE SCRATCH INCLUDE...
set -euo pipefail
kind=$1 expected=$2 compiler=$3 source=$4 scratch=$5
shift 5
mkdir -p "$scratch"
text=$scratch/code.s
if [ "$kind" = host ]; then
  case $("$compiler" -dumpmachine) in
    x86_64*) ;;
    *) echo "skipped: the comparison reads x86_64 assembly"; exit 77 ;;
  esac
  "$compiler" -std=c++17 -O2 -masm=intel -fcf-protection=none -fno-asynchronous-unwind-tables "${@/#/-I}" -S "$source" -o "$text"
else
  "$compiler" -std=c++17 -arch=sm_90 "${@/#/-I}" -ptx "$source" -o "$text"
fi

body() { # FUNCTION
  if [ "$kind" = host ]; then
    # From the label to .size; directives dropped, labels numbered in their order, registers by kind.
    awk -v f="$1" '
      $1 == f ":" { inside = 1; next }
      inside && $1 == ".size" { exit }
      !inside || /^[ \t]*\.(p2align|cfi|loc|type|globl)/ || /^[ \t]*#/ { next }
      {
        sub(/[ \t]*#.*/, "")
        while (match($0, /\.L[A-Za-z_]*[0-9_]+/)) {
          label = substr($0, RSTART, RLENGTH)
          if (!(label in number)) number[label] = ++labels
          $0 = substr($0, 1, RSTART - 1) "label" number[label] substr($0, RSTART + RLENGTH)
        }
        gsub(/[ \t]+/, " ")
        gsub(/\<|\>/, "")
        print
      }' "$text" |
      sed -E 's/\b(r[a-d]x|r[sd]i|r[sb]p|r8|r9|r1[0-5])\b/r64/g; s/\b(e[a-d]x|e[sd]i|e[sb]p|r[89]d|r1[0-5]d)\b/r32/g; s/\bxmm[0-9]+\b/xmm/g'
  else
    awk -v f="$1" '
      index($0, ".entry " f "(") { inside = 1 }
      inside && /^}/ { exit }
      inside && /^[ \t]+(@[!%a-z0-9]+ )?[a-z][a-z0-9_.]*[ \t;]/ {
        sub(/^[ \t]+(@[!%a-z0-9]+[ \t]+)?/, "")
        sub(/[ \t;].*/, "")
        if ($0 ~ /^ld\.param/) next
        print
      }' "$text" | sort
  fi
}

parameter_loads() { # FUNCTION
  awk -v f="$1" 'index($0, ".entry " f "(") { inside = 1 } inside && /^}/ { exit } inside && /ld\.param/ { n++ } END { print n + 0 }' "$text"
}

pairs=$(grep -oE '\b[a-z0-9_]+_raw\(' "$source" | sed 's/_raw($//' | sort -u)
[ -n "$pairs" ] || { echo "no pairs in $source"; exit 1; }
failed=0
for name in $pairs; do
  body "${name}_raw" > "$scratch/$name.raw"
  body "${name}_view" > "$scratch/$name.view"
  [ -s "$scratch/$name.raw" ] || { echo "$name: no code found"; exit 1; }
  if [ "$kind" = ptx ] && [ "$(parameter_loads "${name}_view")" -gt "$(parameter_loads "${name}_raw")" ]; then
    echo "$name: the view loads more parameters"
    failed=1
  fi
  if difference=$(diff "$scratch/$name.raw" "$scratch/$name.view"); then
    printf '%s: the same %d instructions\n' "$name" "$(grep -vc ':$' "$scratch/$name.raw")"
    [ "$expected" = same ] || { echo "$name: a difference was expected"; failed=1; }
  else
    printf '%s: different\n%s\n' "$name" "$difference"
    [ "$expected" = different ] || failed=1
  fi
done
exit $failed
