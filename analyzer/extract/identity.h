// Who a function, variable or record is, across translation units (docs/layout-ir.md, "Identity").
//
// A symbol is the mangled name if the linkage is external, else the mangled name `@` project-relative defining file;
// a lambda's body is the symbol of the enclosing function `#` ordinal. Clang's USRs are no identity: they collide for
// statics of same-named files and for the copies of a lambda that one macro expands to.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Mangle.h>
#include <llvm/ADT/DenseMap.h>

#include <memory>
#include <string>

#include "analyzer/extract/project_files.h"
#include "analyzer/ir/ir.h"

namespace stridelock::extract {

class type_names;

class identity {
 public:
  identity(clang::ASTContext& ast, const project_files& files);
  ~identity();

  ir::name symbol(const clang::FunctionDecl& function);
  ir::name symbol(const clang::VarDecl& variable);

  // at::Tensor::narrow: no template arguments, inline or unnamed namespaces, or parameters.
  ir::name qualified(const clang::NamedDecl& declaration);
  ir::name record(const clang::RecordDecl& record);
  // Qualified name with parameter types; a lambda's is its enclosing named function's with " (lambda)".
  ir::name signature(const clang::FunctionDecl& function, const type_names& types);

  // The body of the `ordinal`-th lambda of `function`, which may itself be a lambda's body.
  static ir::name lambda_symbol(ir::name function, std::size_t ordinal);
  // Called for every lambda of every body before any body is lowered: the closure type, and each body of its call
  // operator (a generic lambda has one per instantiation). Lambdas not announced (default arguments) are named by
  // their mangled name and file.
  void announce_lambda(const clang::CXXRecordDecl& closure, ir::name symbol);
  void announce_body(const clang::FunctionDecl& call_operator, ir::name symbol);

 private:
  std::string mangled(clang::GlobalDecl declaration);
  std::string with_file(std::string symbol, const clang::NamedDecl& declaration) const;
  const clang::NamedDecl* enclosing(const clang::Decl& declaration) const;

  clang::ASTContext& ast_;
  const project_files& files_;
  std::unique_ptr<clang::MangleContext> mangler_;
  llvm::DenseMap<const clang::Decl*, ir::name> symbols_;
  llvm::DenseMap<const clang::Decl*, ir::name> qualified_;
  llvm::DenseMap<const clang::CXXRecordDecl*, ir::name> lambdas_;
};

// Operators as C++ spells them, constructors as the class, without template arguments.
std::string unqualified_name(const clang::NamedDecl& declaration);

}  // namespace stridelock::extract
