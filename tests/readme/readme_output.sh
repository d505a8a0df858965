#!/usr/bin/env bash
# The finding that README.md shows is what the command prints today.
#
# usage: readme_output.sh TOOL BUILD [--update]      --update writes the present output into README.md
set -euo pipefail
tool=$(realpath "$1")
build=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

begin='<!-- output: begin -->'
end='<!-- output: end -->'

code=0
output=$(cd examples/sparse_mla_engine && "$tool" check -p "$build" --project-root=../.. --checks=narrowed-view \
  bug/*.cpp common/*.cpp 2>&1) || code=$?
block=$(printf '```\n%s\n%s\n```' '$ stridelock check -p ../../build --checks=narrowed-view bug/*.cpp common/*.cpp' "$output")

if [ "${3:-}" = --update ]; then
  text=$(awk -v begin="$begin" -v end="$end" '
    $0 == end { inside = 0; print "@" }
    !inside { print }
    $0 == begin { inside = 1 }' README.md)
  printf '%s\n' "${text/@/"$block"}" >README.md
  exit 0
fi
shown=$(awk -v begin="$begin" -v end="$end" '$0 == end { inside = 0 } inside { print } $0 == begin { inside = 1 }' README.md)
if [ "$code" -ne 1 ] || [ "$shown" != "$block" ]; then
  printf 'exit code %d, expected 1. README.md (<) against the command (>):\n' "$code"
  diff <(printf '%s\n' "$shown") <(printf '%s\n' "$block") || true
  printf 'If the new output is right: %s %s %s --update\n' "$0" "$tool" "$build"
  exit 1
fi
