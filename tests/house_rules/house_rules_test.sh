#!/usr/bin/env bash
# Plants one violation of each rule into an empty tree and expects house_rules.sh to name each of them, and no other.
#
# usage: house_rules_test.sh SCRATCH_FOLDER
set -euo pipefail
rules=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/house_rules.sh
scratch=$1
rm -rf "$scratch"
mkdir -p "$scratch"/{contracts/include/stridelock,runtime,kernels,analyzer/{solve,extract,tool},tests}
cd "$scratch"
for folder in contracts runtime kernels analyzer analyzer/extract analyzer/tool tests; do : >"$folder/README.md"; done

printf '#include <vector>\n#include "stridelock/heavy.h"\n#include "runtime/owner.h"\n#include <cuda/std/span>\n' >contracts/reaches_up.h
echo '#include "analyzer/ir/ir.h"' >runtime/reaches_up.cpp
echo '#include "analyzer/ir/ir.h"' >kernels/reaches_up.cu
printf '// a comment may say #include <clang/AST/Decl.h>\n#include <clang/AST/Decl.h>\n#include <llvm/ADT/StringRef.h>\n' \
  >analyzer/solve/sees_clang.cpp
echo '#include <sstream>' >contracts/include/stridelock/heavy.h
echo 'void f() { std::printf("x"); }' >analyzer/extract/prints.cpp
echo '#include <clang/AST/Decl.h>' >analyzer/extract/may_see_clang.cpp
echo 'int main() { std::puts("x"); }' >analyzer/tool/may_print.cpp

expected='analyzer/extract/prints.cpp:1:
analyzer/solve/sees_clang.cpp:2:
analyzer/solve/sees_clang.cpp:3:
analyzer/solve:1:
contracts/include/stridelock/heavy.h:1:
contracts/reaches_up.h:3:
contracts/reaches_up.h:4:
kernels/reaches_up.cu:1:
runtime/reaches_up.cpp:1:'

code=0
output=$("$rules" .) || code=$?
found=$(grep -oE '^[^:]+:[0-9]+:' <<<"$output" | sort)
if [ "$code" -ne 1 ] || [ "$found" != "$(sort <<<"$expected")" ]; then
  printf 'exit code %d, output:\n%s\nexpected exit code 1 and violations at:\n%s\n' "$code" "$output" "$expected"
  exit 1
fi
