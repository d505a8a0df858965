// What lowering must know about a body before it walks the control-flow graph, because it depends on the syntax
// around an expression: where an object under construction ends up, whether a result is thrown away, whether a
// place is written, under which conditions a temporary exists.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <vector>

namespace stridelock::extract {

// Where the object of an initialiser ends up.
struct destination {
  const clang::VarDecl* variable = nullptr;
  const clang::CXXCtorInitializer* member = nullptr;
  const clang::CXXNewExpr* allocation = nullptr;
};

// An expression is evaluated only if `test` is `expected` (and `outer`, an index into conditions, holds).
struct condition {
  const clang::Expr* test = nullptr;
  bool expected = true;
  int outer = -1;
};

struct body_facts {
  bool has_errors = false;
  std::vector<condition> conditions;
  llvm::DenseMap<const clang::Expr*, destination> destinations;
  llvm::DenseMap<const clang::CXXBindTemporaryExpr*, int> exists_if;  // index into conditions
  llvm::DenseMap<const clang::VarDecl*, const clang::CXXForRangeStmt*> loop_variables;
  llvm::DenseSet<const clang::Expr*> discarded;  // calls whose result is thrown away, not cast to void
  llvm::DenseSet<const clang::Expr*> written;    // subscripts and places on the left of an assignment
  llvm::DenseSet<const clang::Expr*> arms;       // operands of ?: that are class values
  llvm::DenseSet<const clang::Stmt*> skipped;    // machinery of range-for and structured bindings
};

body_facts gather_body_facts(const clang::FunctionDecl& function);

// The lambdas and local classes written directly in `root` (not those inside other lambdas), in source order.
struct nested_code {
  std::vector<const clang::LambdaExpr*> lambdas;
  std::vector<const clang::CXXRecordDecl*> classes;
};
nested_code nested_code_of(const clang::FunctionDecl& function);
nested_code nested_code_of(const clang::Stmt& root);

// `expression` without parentheses, cleanups, temporary bindings and casts that change nothing.
const clang::Expr* plain(const clang::Expr* expression);

}  // namespace stridelock::extract
