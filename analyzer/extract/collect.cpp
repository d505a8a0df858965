#include "analyzer/extract/collect.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/DenseSet.h>

#include <string>

#include "analyzer/extract/body_facts.h"
#include "analyzer/extract/declared_contract.h"

namespace stridelock::extract {
namespace {

using llvm::dyn_cast;
using llvm::isa;

class collector {
 public:
  collector(clang::ASTContext& ast, const project_files& files, identity& names)
      : ast_(ast), files_(files), names_(names) {}

  collected run() {
    context(*ast_.getTranslationUnitDecl());
    // A class template's members may be instantiated long after the class was visited, so bodies come last.
    for (std::size_t i = 0; i < candidates_.size(); ++i) candidate(*candidates_[i]);
    return std::move(out_);
  }

 private:
  void context(const clang::DeclContext& scope) {
    for (const clang::Decl* one : scope.decls()) declaration(*one);
  }

  void declaration(const clang::Decl& one) {
    if (const auto* function = dyn_cast<clang::FunctionDecl>(&one)) {
      add(*function);
    } else if (const auto* pattern = dyn_cast<clang::FunctionTemplateDecl>(&one)) {
      function_template(*pattern);
    } else if (const auto* pattern = dyn_cast<clang::ClassTemplateDecl>(&one)) {
      class_template(*pattern);
    } else if (const auto* record = dyn_cast<clang::CXXRecordDecl>(&one)) {
      this->record(*record);
    } else if (const auto* record = dyn_cast<clang::RecordDecl>(&one)) {
      if (record->isCompleteDefinition() && files_.in_roots(record->getLocation()))
        out_.c_records.push_back(record);
    } else if (const auto* variable = dyn_cast<clang::VarDecl>(&one)) {
      global(*variable);
    } else if (const auto* befriended = dyn_cast<clang::FriendDecl>(&one)) {
      if (const clang::NamedDecl* inner = befriended->getFriendDecl()) {
        if (isa<clang::FunctionDecl, clang::FunctionTemplateDecl>(inner)) declaration(*inner);
      }
    } else if (isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::ExportDecl>(one)) {
      context(*llvm::cast<clang::DeclContext>(&one));
    }
  }

  void add(const clang::FunctionDecl& function) {
    if (isa<clang::CXXDeductionGuideDecl>(function)) return;  // declares no function
    if (seen_.insert(function.getCanonicalDecl()).second) candidates_.push_back(&function);
  }

  void function_template(const clang::FunctionTemplateDecl& pattern) {
    if (isa<clang::CXXDeductionGuideDecl>(pattern.getTemplatedDecl())) return;
    if (!seen_.insert(pattern.getCanonicalDecl()).second) return;
    bool has_instance = false;
    for (const clang::FunctionDecl* instance : pattern.specializations()) {
      add(*instance);
      has_instance = true;
    }
    const clang::FunctionDecl* body = nullptr;
    if (!has_instance && pattern.getTemplatedDecl()->hasBody(body) && files_.in_roots(body->getLocation())) {
      ++out_.templates_without_instance;
    }
  }

  void class_template(const clang::ClassTemplateDecl& pattern) {
    if (!seen_.insert(pattern.getCanonicalDecl()).second) return;
    bool has_instance = false;
    for (const clang::ClassTemplateSpecializationDecl* instance : pattern.specializations()) {
      record(*instance);
      has_instance = true;
    }
    const clang::CXXRecordDecl* definition = pattern.getTemplatedDecl()->getDefinition();
    if (!has_instance && definition && files_.in_roots(definition->getLocation()))
      ++out_.templates_without_instance;
  }

  void record(const clang::CXXRecordDecl& given) {
    if (given.isDependentContext() || isa<clang::ClassTemplatePartialSpecializationDecl>(given)) return;
    const clang::CXXRecordDecl* record = given.getDefinition();
    if (!record || record->isLambda() || record->isInjectedClassName()) return;
    if (!seen_.insert(record).second) return;
    if (files_.in_roots(record->getLocation()) && !record->isInvalidDecl()) out_.records.push_back(record);
    context(*record);
  }

  void global(const clang::VarDecl& variable) {
    if (!variable.getInit() || variable.getDeclContext()->isDependentContext()) return;
    if (!files_.in_roots(variable.getLocation()) || variable.getType()->isDependentType()) return;
    nested(nested_code_of(*variable.getInit()), [&] { return names_.symbol(variable); });
  }

  void candidate(const clang::FunctionDecl& function) {
    if (function.isDependentContext() || function.isDeleted()) return;
    const clang::FunctionDecl* definition = nullptr;
    if (function.hasBody(definition)) {
      if (!files_.in_roots(definition->getLocation())) return declared(function);
      if (definition->isDependentContext() || !is_wanted(*definition)) return;
      out_.definitions.push_back(definition);
      nested(nested_code_of(*definition), [&] { return names_.symbol(*definition); });
      return;
    }
    declared(function);
  }

  // Copies are loads and stores; other generated members count only if they do something.
  static bool is_wanted(const clang::FunctionDecl& function) {
    if (function.isTrivial() && function.isDefaulted()) return false;
    if (const auto* constructor = dyn_cast<clang::CXXConstructorDecl>(&function)) {
      if (constructor->isDefaulted() && constructor->isCopyOrMoveConstructor()) return false;
    } else if (const auto* method = dyn_cast<clang::CXXMethodDecl>(&function)) {
      if (method->isDefaulted() &&
          (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())) {
        return false;
      }
    }
    return true;
  }

  void declared(const clang::FunctionDecl& function) {
    if (function.isImplicit() || function.getBuiltinID() != 0) return;
    const bool is_template = function.getTemplateInstantiationPattern() != nullptr;
    if ((!is_template && files_.in_roots(function.getLocation())) || has_declared_contract(function)) {
      out_.declarations.push_back(&function);
    }
  }

  template <class Symbol>
  void nested(const nested_code& code, Symbol enclosing) {
    for (std::size_t i = 0; i < code.lambdas.size(); ++i) {
      const clang::CXXRecordDecl& closure = *code.lambdas[i]->getLambdaClass();
      const ir::name symbol = identity::lambda_symbol(enclosing(), i);
      names_.announce_lambda(closure, symbol);
      const clang::FunctionTemplateDecl* generic = closure.getDependentLambdaCallOperator();
      if (!generic) {
        if (const clang::CXXMethodDecl* body = closure.getLambdaCallOperator()) lambda_body(*body, symbol);
        continue;
      }
      std::size_t number = 0;
      for (const clang::FunctionDecl* instance : generic->specializations()) {
        lambda_body(*instance, number == 0 ? symbol : ir::name(symbol.str() + "~" + std::to_string(number)));
        ++number;
      }
      if (number == 0) ++out_.templates_without_instance;
    }
    for (const clang::CXXRecordDecl* local : code.classes) record(*local);
  }

  void lambda_body(const clang::FunctionDecl& body, ir::name symbol) {
    names_.announce_body(body, symbol);
    add(body);
  }

  clang::ASTContext& ast_;
  const project_files& files_;
  identity& names_;
  collected out_;
  std::vector<const clang::FunctionDecl*> candidates_;
  llvm::DenseSet<const clang::Decl*> seen_;
};

}  // namespace

collected collect(clang::ASTContext& ast, const project_files& files, identity& names) {
  return collector(ast, files, names).run();
}

}  // namespace stridelock::extract
