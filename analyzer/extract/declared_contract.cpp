#include "analyzer/extract/declared_contract.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>

#include "analyzer/extract/types.h"

namespace stridelock::extract {
namespace {

constexpr llvm::StringRef marker = "stridelock:requires:";

llvm::StringRef annotation(const clang::ParmVarDecl& parameter) {
  for (const auto* one : parameter.specific_attrs<clang::AnnotateAttr>()) {
    llvm::StringRef text = one->getAnnotation();
    if (text.consume_front(marker)) return text.trim();
  }
  return {};
}

ir::name typed_view_contract(clang::QualType type, identity& names) {
  const auto* record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record_behind(type));
  if (!record || names.qualified(*record).view() != "stridelock::view") return {};
  const clang::TemplateArgumentList& arguments = record->getTemplateArgs();
  if (arguments.size() < 3 || arguments[2].getKind() != clang::TemplateArgument::Type) return {};
  const clang::RecordDecl* layout = record_behind(arguments[2].getAsType());
  if (!layout) return {};
  llvm::StringRef name = layout->getName();
  if (name == "contiguous" || name == "row_pitched" || name == "inner_contiguous")
    return std::string_view(name);
  return {};
}

}  // namespace

ir::name declared_contract(const clang::FunctionDecl& function, unsigned index, identity& names) {
  const clang::FunctionDecl* pattern = function.getTemplateInstantiationPattern();
  for (const clang::FunctionDecl* family : {&function, pattern}) {
    if (!family) continue;
    for (const clang::FunctionDecl* one : family->redecls()) {
      if (index >= one->getNumParams()) continue;
      llvm::StringRef text = annotation(*one->getParamDecl(index));
      if (!text.empty()) return std::string_view(text);
    }
  }
  if (index >= function.getNumParams()) return {};
  return typed_view_contract(function.getParamDecl(index)->getType(), names);
}

bool has_declared_contract(const clang::FunctionDecl& function) {
  for (const clang::ParmVarDecl* parameter : function.parameters()) {
    if (parameter->hasAttrs() && !annotation(*parameter).empty()) return true;
  }
  return false;
}

}  // namespace stridelock::extract
