#!/usr/bin/env bash
# What libstridelock exports must be linkable by code built with either standard string: no standard container or string
# in a signature (string_view is the same in both). Names in `detail` are not callable from outside.
# The graph audit and preflight are interfaces of tools and hold strings: who uses them builds this library with their own
# standard string.
#
# usage: exported_names.sh LIBRARY
set -euo pipefail
tools='graph_snapshot|graph_difference|audit_result|known_memory|poison_report|boundary_span|stridelock::v1::words_of|preflight_report'
names=$(nm -DC --defined-only "$1" | cut -d' ' -f3-)
for needed in stridelock_v1_check 'stridelock::v1::evaluate(' 'stridelock::v1::fail(' 'stridelock::v1::write_text('; do
  grep -qF "$needed" <<<"$names" || { echo "$1 does not export $needed"; exit 1; }
done
# A weak name that is tagged is a copy of an inline function, and another name for the other string.
judged=$(nm -DC --defined-only "$1" | grep -vE '^[0-9a-f]+ [Wu] .*\[abi:cxx11\]' | cut -d' ' -f3-)
bad=$(grep -vE "stridelock::v1::detail::|$tools" <<<"$judged" |
  grep -E 'std::(__cxx11|basic_string<|vector|map|set|unordered|function|optional|unique_ptr|shared_ptr)|\[abi:cxx11\]' || true)
foreign=$(grep -vE '^(stridelock_v1_|(typeinfo|typeinfo name|vtable) for stridelock::v1::|stridelock::v1::|STRIDELOCK_1)' <<<"$names" || true)
[ -z "$bad" ] || { printf 'exported with a type that has two layouts:\n%s\n' "$bad"; exit 1; }
[ -z "$foreign" ] || { printf 'exported and not ours:\n%s\n' "$foreign"; exit 1; }
