// Types as the IR spells them: canonical, without class/struct, without inline namespaces and without source paths.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/PrettyPrinter.h>
#include <llvm/ADT/DenseMap.h>

#include <cstdint>

#include "analyzer/extract/identity.h"
#include "analyzer/ir/ir.h"

namespace stridelock::extract {

class type_names {
 public:
  type_names(const clang::ASTContext& ast, identity& names);

  ir::name spelled(clang::QualType type) const;
  // Qualified name of the class behind references, pointers, arrays and cv; empty if there is none.
  ir::name record(clang::QualType type) const;
  // Bytes of what a pointer points to, 0 if unknown or no pointer.
  std::uint32_t pointee_bytes(clang::QualType pointer) const;
  // Lanes of what a pointer points to: vector types and CUDA's float4 and cousins; 1 otherwise.
  std::uint8_t pointee_lanes(clang::QualType pointer) const;
  // What a reference or pointer refers to is const.
  static bool to_const(clang::QualType type);

 private:
  const clang::ASTContext& ast_;
  identity& names_;
  clang::PrintingPolicy policy_;
  mutable llvm::DenseMap<const void*, ir::name> spelled_;
};

// The class behind references, pointers, arrays and cv, or null.
const clang::RecordDecl* record_behind(clang::QualType type);

}  // namespace stridelock::extract
