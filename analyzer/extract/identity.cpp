#include "analyzer/extract/identity.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/GlobalDecl.h>
#include <llvm/Support/raw_ostream.h>

#include "analyzer/extract/types.h"

namespace stridelock::extract {
namespace {

// Visible to other translation units under its mangled name.
bool is_shared(const clang::NamedDecl& declaration) {
  switch (declaration.getLinkageInternal()) {
    case clang::Linkage::External:
    case clang::Linkage::Module:
    case clang::Linkage::VisibleNone:  // a local class of an inline function
      return true;
    case clang::Linkage::Invalid:
    case clang::Linkage::None:
    case clang::Linkage::Internal:
    case clang::Linkage::UniqueExternal:
      return false;
  }
  return false;
}

std::string conversion_name(const clang::CXXConversionDecl& conversion) {
  clang::PrintingPolicy policy(conversion.getASTContext().getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.SuppressInlineNamespace = true;
  policy.SuppressUnwrittenScope = true;
  policy.AnonymousTagLocations = false;
  policy.FullyQualifiedName = true;
  policy.PrintCanonicalTypes = true;
  policy.Bool = true;
  return "operator " + conversion.getConversionType().getCanonicalType().getAsString(policy);
}

const clang::CXXRecordDecl* closure_of(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method && method->getParent()->isLambda() ? method->getParent() : nullptr;
}

}  // namespace

std::string unqualified_name(const clang::NamedDecl& declaration) {
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&declaration)) {
    return unqualified_name(*constructor->getParent());
  }
  if (const auto* destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(&declaration)) {
    return "~" + unqualified_name(*destructor->getParent());
  }
  if (const auto* conversion = llvm::dyn_cast<clang::CXXConversionDecl>(&declaration)) {
    return conversion_name(*conversion);
  }
  if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(&declaration); record && record->isLambda()) {
    return "(lambda)";
  }
  if (const auto* tag = llvm::dyn_cast<clang::TagDecl>(&declaration); tag && !tag->getIdentifier()) {
    if (const clang::TypedefNameDecl* alias = tag->getTypedefNameForAnonDecl())
      return alias->getNameAsString();
    return "(unnamed)";
  }
  return declaration.getDeclName().getAsString();
}

identity::identity(clang::ASTContext& ast, const project_files& files)
    : ast_(ast), files_(files), mangler_(ast.createMangleContext()) {}

identity::~identity() = default;

std::string identity::mangled(clang::GlobalDecl declaration) {
  const auto& named = *llvm::cast<clang::NamedDecl>(declaration.getDecl());
  // Asking the mangler about broken or dependent declarations is an assertion or a diagnostic; neither helps.
  if (named.isInvalidDecl() || named.getDeclContext()->isDependentContext() ||
      !mangler_->shouldMangleDeclName(&named)) {
    return qualified(named).str();
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  mangler_->mangleName(declaration, out);
  return out.str();
}

std::string identity::with_file(std::string symbol, const clang::NamedDecl& declaration) const {
  return std::move(symbol) + "@" + files_.file(declaration.getLocation()).str();
}

ir::name identity::symbol(const clang::FunctionDecl& given) {
  const clang::FunctionDecl& function = *given.getCanonicalDecl();
  auto [at, is_new] = symbols_.try_emplace(&function);
  if (!is_new) return at->second;
  clang::GlobalDecl global;
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function)) {
    global = clang::GlobalDecl(constructor, clang::Ctor_Complete);
  } else if (const auto* destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(&function)) {
    global = clang::GlobalDecl(destructor, clang::Dtor_Complete);
  } else if (function.hasAttr<clang::CUDAGlobalAttr>()) {
    global = clang::GlobalDecl(&function, clang::KernelReferenceKind::Kernel);
  } else {
    global = clang::GlobalDecl(&function);
  }
  std::string text = mangled(global);
  if (!is_shared(function)) {
    const clang::FunctionDecl* definition = function.getDefinition();
    text = with_file(std::move(text), definition ? *definition : function);
  }
  // `mangled` may have filled the table: look the slot up again.
  return symbols_[&function] = text;
}

ir::name identity::symbol(const clang::VarDecl& given) {
  const clang::VarDecl& variable = *given.getCanonicalDecl();
  auto [at, is_new] = symbols_.try_emplace(&variable);
  if (!is_new) return at->second;
  std::string text = mangled(clang::GlobalDecl(&variable));
  if (!is_shared(variable)) text = with_file(std::move(text), variable);
  return symbols_[&variable] = text;
}

const clang::NamedDecl* identity::enclosing(const clang::Decl& declaration) const {
  const clang::DeclContext* context = declaration.getDeclContext();
  for (; context && !context->isTranslationUnit(); context = context->getParent()) {
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(context)) {
      if (space->isInline() || space->isAnonymousNamespace()) continue;
      return space;
    }
    if (const auto* named = llvm::dyn_cast<clang::NamedDecl>(context)) {
      // Enumerators of unscoped enumerations are members of the enclosing scope.
      if (const auto* list = llvm::dyn_cast<clang::EnumDecl>(named); list && !list->isScoped()) continue;
      // Fields of unnamed structs and unions belong to what encloses them.
      if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(named);
          record && record->isAnonymousStructOrUnion()) {
        continue;
      }
      return named;
    }
  }
  return nullptr;
}

ir::name identity::qualified(const clang::NamedDecl& given) {
  const clang::Decl* key = given.getCanonicalDecl();
  if (auto known = qualified_.find(key); known != qualified_.end()) return known->second;
  const clang::NamedDecl* outer = enclosing(given);
  std::string text = outer ? qualified(*outer).str() + "::" : std::string();
  text += unqualified_name(given);
  return qualified_[key] = text;
}

ir::name identity::record(const clang::RecordDecl& given) {
  const clang::RecordDecl* record = &given;
  if (const auto* closure = llvm::dyn_cast<clang::CXXRecordDecl>(record); closure && closure->isLambda()) {
    if (auto known = lambdas_.find(closure->getCanonicalDecl()); known != lambdas_.end())
      return known->second;
  }
  while (record->isAnonymousStructOrUnion()) {
    const auto* outer = llvm::dyn_cast<clang::RecordDecl>(record->getDeclContext());
    if (!outer) break;
    record = outer;
  }
  return qualified(*record);
}

ir::name identity::signature(const clang::FunctionDecl& given, const type_names& types) {
  const clang::FunctionDecl* function = &given;
  bool is_lambda = false;
  while (const clang::CXXRecordDecl* closure = closure_of(*function)) {
    is_lambda = true;
    const clang::DeclContext* context = closure->getDeclContext();
    while (context && !context->isFunctionOrMethod() && !context->isTranslationUnit())
      context = context->getParent();
    const auto* outer = llvm::dyn_cast_or_null<clang::FunctionDecl>(context);
    if (!outer) return "(lambda)";
    function = outer;
  }
  std::string text = qualified(*function).str() + "(";
  bool first = true;
  for (const clang::ParmVarDecl* parameter : function->parameters()) {
    if (!first) text += ", ";
    first = false;
    text += types.spelled(parameter->getType()).view();
  }
  if (function->isVariadic()) text += first ? "..." : ", ...";
  text += ")";
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function); method && method->isConst()) {
    text += " const";
  }
  if (is_lambda) text += " (lambda)";
  return text;
}

ir::name identity::lambda_symbol(ir::name function, std::size_t ordinal) {
  return function.str() + "#" + std::to_string(ordinal);
}

void identity::announce_lambda(const clang::CXXRecordDecl& closure, ir::name symbol) {
  lambdas_[closure.getCanonicalDecl()] = symbol;
}

void identity::announce_body(const clang::FunctionDecl& call_operator, ir::name symbol) {
  symbols_[call_operator.getCanonicalDecl()] = symbol;
}

}  // namespace stridelock::extract
