#!/usr/bin/env bash
# Checks those rules of the house (docs/architecture.md) that a command can check. One line per violation; exit 1 if any.
#
# usage: house_rules.sh ROOT
set -euo pipefail
shopt -s lastpipe  # `… | report` counts in this shell
cd "$1"

violations=0
# Reads `file:line:text` from standard input; each line breaks the rule named.
report() {
  local rule=$1 line
  while IFS= read -r line; do
    printf '%s   [%s]\n' "$line" "$rule"
    violations=$((violations + 1))
  done
}

sources() { # FOLDER...: C++ and CUDA files that exist below
  local folder
  for folder in "$@"; do
    [ ! -d "$folder" ] || find "$folder" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort
  done
}
search() { # PATTERN FILE...: file:line:text, without comment lines; no match is no error
  local pattern=$1
  shift
  [ $# -eq 0 ] || grep -HnE -- "$pattern" "$@" | grep -vE '^[^:]*:[0-9]+:[[:space:]]*//' || true
}
without_tests() { grep -vE '_(test|fuzz|probe)\.cpp$|/tests?/' || true; }
without_fixtures() { grep -vE '/(fixtures|compile_fail)/|/checks/.*/(bad|ok)[^/]*$|^analyzer/[^/]*/testdata/' || true; }

include() { printf '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"](%s)' "$1"; }

# What contracts may include is short, so this is a list of what may be: standard headers, its own files, GoogleTest.
mapfile -t contracts < <(sources contracts | grep -v '^contracts/yaml/')
search "$(include '')" "${contracts[@]}" | while IFS= read -r line; do
  name=$(sed -E 's/.*include[[:space:]]*[<"]([^>"]*).*/\1/' <<<"$line")
  folder=$(dirname "${line%%:*}")
  if [[ $line == *'<'* ]]; then
    [[ $name != */* || $name == gtest/* || $name == gmock/* ]] && continue
  else
    [[ -f contracts/include/$name || -f $folder/$name || ($name == contracts/* && -f $name) ]] && continue
  fi
  printf '%s\n' "$line"
done | report 'contracts includes the standard library and itself'

mapfile -t contracts_yaml < <(sources contracts/yaml)
search "$(include 'analyzer/|runtime/|kernels/|clang/')" "${contracts_yaml[@]}" |
  report 'contracts/yaml includes contracts and LLVM only'

mapfile -t runtime < <(sources runtime)
search "$(include 'analyzer/|kernels/|clang/|llvm/')" "${runtime[@]}" | report 'runtime includes contracts only'

mapfile -t kernels < <(sources kernels)
search "$(include 'analyzer/|clang/|llvm/')" "${kernels[@]}" | report 'kernels includes contracts and runtime only'

mapfile -t outside < <(sources analyzer contracts runtime kernels | grep -vE '^analyzer/(extract|tool)/' | without_fixtures)
search "$(include 'clang/|clang-c/')" "${outside[@]}" | report 'only analyzer/extract and analyzer/tool include Clang'

mapfile -t plain < <(sources analyzer/ir analyzer/solve analyzer/checks | without_fixtures)
search "$(include 'llvm/|llvm-c/')" "${plain[@]}" | report 'ir, solve and checks are plain C++'

mapfile -t public < <(sources contracts/include runtime/include)
search "$(include '(iostream|sstream|fstream|iomanip|ranges|regex|format)>')" "${public[@]}" |
  report 'public headers include no heavy standard headers'

mapfile -t libraries < <(sources contracts runtime analyzer | grep -v '^analyzer/tool/' | without_tests | without_fixtures)
search '(^|[^_.>[:alnum:]])((std::)?(abort|exit|_Exit|quick_exit)[[:space:]]*\(|std::terminate[[:space:]]*\(|std::cout|(std::)?(printf|puts|putchar)[[:space:]]*\()' \
  "${libraries[@]}" | report 'libraries neither print nor end the process'

for folder in contracts runtime analyzer kernels tests analyzer/*/; do
  folder=${folder%/}
  [ ! -d "$folder" ] || [ -f "$folder/README.md" ] ||
    printf '%s:1:no README.md\n' "$folder" | report 'the README of a folder says what lives there'
done

if [ "$violations" -gt 0 ]; then
  printf '%d violations of the rules of the house\n' "$violations"
  exit 1
fi
