#include "analyzer/extract/types.h"

#include <clang/AST/DeclCXX.h>
#include <llvm/Support/raw_ostream.h>

namespace stridelock::extract {
namespace {

clang::PrintingPolicy policy_of(const clang::ASTContext& ast) {
  clang::PrintingPolicy policy(ast.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.SuppressInlineNamespace = true;
  policy.SuppressUnwrittenScope = true;
  policy.AnonymousTagLocations = false;  // would print absolute paths
  policy.FullyQualifiedName = true;
  policy.PrintCanonicalTypes = true;
  policy.UsePreferredNames = false;
  policy.Bool = true;
  return policy;
}

// float4, uchar2, … as CUDA's headers declare them: plain structs at global scope.
std::uint8_t cuda_vector_lanes(const clang::RecordDecl& record) {
  if (!record.getDeclContext()->getRedeclContext()->isTranslationUnit()) return 1;
  llvm::StringRef name = record.getName();
  if (name.size() < 2 || name.back() < '2' || name.back() > '4') return 1;
  const char lanes = name.back();
  name = name.drop_back();
  static constexpr const char* elements[] = {"char", "uchar", "short",    "ushort",    "int",   "uint",
                                             "long", "ulong", "longlong", "ulonglong", "float", "double"};
  for (const char* element : elements) {
    if (name == element) return static_cast<std::uint8_t>(lanes - '0');
  }
  return 1;
}

}  // namespace

const clang::RecordDecl* record_behind(clang::QualType type) {
  if (type.isNull()) return nullptr;
  type = type.getCanonicalType();
  for (;;) {
    if (const auto* reference = llvm::dyn_cast<clang::ReferenceType>(type)) {
      type = reference->getPointeeType();
    } else if (const auto* pointer = llvm::dyn_cast<clang::PointerType>(type)) {
      type = pointer->getPointeeType();
    } else if (const auto* array = llvm::dyn_cast<clang::ArrayType>(type)) {
      type = array->getElementType();
    } else {
      break;
    }
  }
  if (const auto* record = llvm::dyn_cast<clang::RecordType>(type)) return record->getDecl();
  return nullptr;
}

type_names::type_names(const clang::ASTContext& ast, identity& names)
    : ast_(ast), names_(names), policy_(policy_of(ast)) {}

ir::name type_names::spelled(clang::QualType type) const {
  if (type.isNull()) return {};
  clang::QualType canonical = type.getCanonicalType();
  auto [at, is_new] = spelled_.try_emplace(canonical.getAsOpaquePtr());
  if (is_new) {
    std::string text;
    llvm::raw_string_ostream out(text);
    canonical.print(out, policy_);
    at->second = out.str();
  }
  return at->second;
}

ir::name type_names::record(clang::QualType type) const {
  const clang::RecordDecl* record = record_behind(type);
  return record ? names_.record(*record) : ir::name{};
}

std::uint32_t type_names::pointee_bytes(clang::QualType pointer) const {
  if (pointer.isNull() || !pointer->isPointerType()) return 0;
  clang::QualType to = pointer->getPointeeType();
  if (to->isIncompleteType() || to->isDependentType() || to->isFunctionType()) return 0;
  if (!to->isConstantSizeType()) return 0;
  const clang::RecordDecl* record = record_behind(to);
  if (record && record->isInvalidDecl()) return 0;  // has no layout
  const std::int64_t bytes = ast_.getTypeSizeInChars(to).getQuantity();
  return bytes > 0 && bytes <= 0xFFFF'FFFFLL ? static_cast<std::uint32_t>(bytes) : 0;
}

std::uint8_t type_names::pointee_lanes(clang::QualType pointer) const {
  if (pointer.isNull() || !pointer->isPointerType()) return 1;
  clang::QualType to = pointer->getPointeeType().getCanonicalType();
  if (const auto* vector = llvm::dyn_cast<clang::VectorType>(to)) {
    return static_cast<std::uint8_t>(std::min(vector->getNumElements(), 255U));
  }
  if (const auto* record = llvm::dyn_cast<clang::RecordType>(to))
    return cuda_vector_lanes(*record->getDecl());
  return 1;
}

bool type_names::to_const(clang::QualType type) {
  if (type.isNull()) return false;
  if (type->isReferenceType() || type->isPointerType()) return type->getPointeeType().isConstQualified();
  return false;
}

}  // namespace stridelock::extract
