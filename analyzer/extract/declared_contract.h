// Contracts that the source declares on a parameter: STRIDELOCK_REQUIRES("…") and what typed views promise.
#pragma once

#include <clang/AST/Decl.h>

#include "analyzer/extract/identity.h"
#include "analyzer/ir/ir.h"

namespace stridelock::extract {

// The text behind [[clang::annotate("stridelock:requires:…")]] on the `index`-th parameter of any declaration of
// `function`, or the layout of a parameter of type stridelock::view<T, Rank, Layout>; empty if there is none.
ir::name declared_contract(const clang::FunctionDecl& function, unsigned index, identity& names);

// Some parameter carries an annotation. Cheap: asked of every declaration of a unit.
bool has_declared_contract(const clang::FunctionDecl& function);

}  // namespace stridelock::extract
