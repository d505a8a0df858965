#include "analyzer/extract/body_facts.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprConcepts.h>
#include <clang/AST/StmtOpenMP.h>
#include <llvm/ADT/SmallVector.h>

namespace stridelock::extract {
namespace {

using clang::Expr;
using clang::Stmt;
using llvm::cast;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

bool is_unevaluated(const Stmt& statement) {
  return isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::CXXTypeidExpr,
             clang::RequiresExpr>(statement);
}

// Pushes the evaluated children of `statement` through `push`, first child first.
template <class Push>
void for_each_child(const Stmt& statement, Push push) {
  if (is_unevaluated(statement)) return;
  if (const auto* lambda = dyn_cast<clang::LambdaExpr>(&statement)) {
    for (const Expr* init : lambda->capture_inits()) {
      if (init) push(init);
    }
    return;
  }
  if (const auto* declaration = dyn_cast<clang::DeclStmt>(&statement)) {
    for (const clang::Decl* one : declaration->decls()) {
      const auto* variable = dyn_cast<clang::VarDecl>(one);
      if (variable && variable->getInit()) push(variable->getInit());
    }
    return;
  }
  // A region of an OpenMP directive is walked as the graph has it: in place, run by this thread.
  if (const auto* directive = dyn_cast<clang::OMPExecutableDirective>(&statement)) {
    if (directive->hasAssociatedStmt() && !directive->isStandaloneDirective()) push(directive->getRawStmt());
    return;
  }
  if (const auto* region = dyn_cast<clang::CapturedStmt>(&statement)) {
    push(region->getCapturedStmt());
    return;
  }
  if (const auto* choice = dyn_cast<clang::GenericSelectionExpr>(&statement)) {
    if (!choice->isResultDependent()) push(choice->getResultExpr());
    return;
  }
  for (const Stmt* child : statement.children()) {
    if (child) push(child);
  }
}

void skip_all(const Stmt* root, llvm::DenseSet<const Stmt*>& skipped) {
  llvm::SmallVector<const Stmt*, 16> pending;
  if (root) pending.push_back(root);
  while (!pending.empty()) {
    const Stmt* one = pending.pop_back_val();
    skipped.insert(one);
    for_each_child(*one, [&](const Stmt* child) { pending.push_back(child); });
  }
}

class walker {
 public:
  explicit walker(body_facts& facts) : facts_(facts) {}

  void run(const Stmt* root) {
    if (!root) return;
    pending_.push_back({root, -1});
    while (!pending_.empty()) {
      const item one = pending_.pop_back_val();
      visit(*one.statement, one.condition);
    }
  }

  void initialises(const Expr* init, destination where) {
    const Expr* inner = plain(init);
    if (isa_and_nonnull<clang::CXXConstructExpr>(inner)) facts_.destinations[inner] = where;
  }

 private:
  struct item {
    const Stmt* statement;
    int condition;
  };

  void visit(const Stmt& statement, int condition) {
    if (const auto* expression = dyn_cast<Expr>(&statement)) {
      if (expression->containsErrors()) facts_.has_errors = true;
    }
    if (const auto* declaration = dyn_cast<clang::DeclStmt>(&statement)) {
      for (const clang::Decl* one : declaration->decls()) variable(one);
    } else if (const auto* range = dyn_cast<clang::CXXForRangeStmt>(&statement)) {
      range_for(*range);
    } else if (const auto* binary = dyn_cast<clang::BinaryOperator>(&statement)) {
      if (binary->isAssignmentOp()) facts_.written.insert(binary->getLHS()->IgnoreParens());
      if (binary->getOpcode() == clang::BO_Comma) discards(binary->getLHS());
      if (binary->isLogicalOp()) {
        push(binary->getRHS(), under(binary->getLHS(), binary->getOpcode() == clang::BO_LAnd, condition));
        push(binary->getLHS(), condition);
        return;
      }
    } else if (const auto* unary = dyn_cast<clang::UnaryOperator>(&statement)) {
      if (unary->isIncrementDecrementOp()) facts_.written.insert(unary->getSubExpr()->IgnoreParens());
    } else if (const auto* choice = dyn_cast<clang::ConditionalOperator>(&statement)) {
      if (choice->isPRValue() && choice->getType()->isRecordType()) {
        facts_.arms.insert(choice->getTrueExpr()->IgnoreParens());
        facts_.arms.insert(choice->getFalseExpr()->IgnoreParens());
      }
      push(choice->getFalseExpr(), under(choice->getCond(), false, condition));
      push(choice->getTrueExpr(), under(choice->getCond(), true, condition));
      push(choice->getCond(), condition);
      return;
    } else if (const auto* temporary = dyn_cast<clang::CXXBindTemporaryExpr>(&statement)) {
      if (condition >= 0) facts_.exists_if[temporary] = condition;
    } else if (const auto* allocation = dyn_cast<clang::CXXNewExpr>(&statement)) {
      if (allocation->getInitializer()) {
        destination where;
        where.allocation = allocation;
        initialises(allocation->getInitializer(), where);
      }
    } else if (const auto* directive = dyn_cast<clang::OMPExecutableDirective>(&statement)) {
      if (directive->hasAssociatedStmt() && !directive->isStandaloneDirective())
        discards(directive->getRawStmt());
    } else {
      statement_context(statement);
    }
    push_children(statement, condition);
  }

  void statement_context(const Stmt& statement) {
    if (const auto* block = dyn_cast<clang::CompoundStmt>(&statement)) {
      for (const Stmt* one : block->body()) discards(one);
    } else if (const auto* choice = dyn_cast<clang::IfStmt>(&statement)) {
      discards(choice->getThen());
      discards(choice->getElse());
    } else if (const auto* loop = dyn_cast<clang::ForStmt>(&statement)) {
      discards(loop->getInit());
      discards(loop->getInc());
      discards(loop->getBody());
    } else if (const auto* loop = dyn_cast<clang::WhileStmt>(&statement)) {
      discards(loop->getBody());
    } else if (const auto* loop = dyn_cast<clang::DoStmt>(&statement)) {
      discards(loop->getBody());
    } else if (const auto* label = dyn_cast<clang::SwitchCase>(&statement)) {
      discards(label->getSubStmt());
    } else if (const auto* label = dyn_cast<clang::LabelStmt>(&statement)) {
      discards(label->getSubStmt());
    } else if (const auto* value = dyn_cast<clang::StmtExpr>(&statement)) {
      // The last statement is the value of the whole, but its compound statement comes later in this walk.
      if (const Stmt* last = value->getSubStmt()->getStmtExprResult()) kept_.insert(last);
    }
  }

  void variable(const clang::Decl* declaration) {
    const auto* variable = dyn_cast<clang::VarDecl>(declaration);
    if (!variable) return;
    if (variable->isInvalidDecl()) facts_.has_errors = true;
    if (const Expr* init = variable->getInit(); init && !variable->getType()->isReferenceType()) {
      destination where;
      where.variable = variable;
      initialises(init, where);
    }
    if (const auto* bundle = dyn_cast<clang::DecompositionDecl>(variable)) {
      for (const clang::BindingDecl* binding : bundle->bindings()) {
        if (const clang::VarDecl* holder = binding->getHoldingVar())
          skip_all(holder->getInit(), facts_.skipped);
      }
    }
  }

  void range_for(const clang::CXXForRangeStmt& range) {
    discards(range.getBody());
    for (const Stmt* machinery :
         {static_cast<const Stmt*>(range.getBeginStmt()), static_cast<const Stmt*>(range.getEndStmt()),
          static_cast<const Stmt*>(range.getCond()), static_cast<const Stmt*>(range.getInc())}) {
      skip_all(machinery, facts_.skipped);
    }
    if (const clang::VarDecl* variable = range.getLoopVariable()) {
      facts_.loop_variables[variable] = &range;
      skip_all(variable->getInit(), facts_.skipped);
    }
  }

  void discards(const Stmt* statement) {
    const auto* expression = dyn_cast_or_null<Expr>(statement);
    if (!expression || kept_.contains(statement)) return;
    const Expr* inner = plain(expression);
    // `x, y` and `c ? f() : g()` throw away the results of their parts.
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(inner);
        binary && binary->getOpcode() == clang::BO_Comma) {
      discards(binary->getRHS());
    } else if (const auto* choice = dyn_cast<clang::ConditionalOperator>(inner)) {
      discards(choice->getTrueExpr());
      discards(choice->getFalseExpr());
    } else {
      facts_.discarded.insert(inner);
    }
  }

  int under(const Expr* test, bool expected, int outer) {
    facts_.conditions.push_back({test, expected, outer});
    return static_cast<int>(facts_.conditions.size()) - 1;
  }

  void push(const Stmt* statement, int condition) {
    if (statement) pending_.push_back({statement, condition});
  }

  void push_children(const Stmt& statement, int condition) {
    const std::size_t first = pending_.size();
    for_each_child(statement, [&](const Stmt* child) { push(child, condition); });
    std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end());
  }

  body_facts& facts_;
  llvm::SmallVector<item, 64> pending_;
  llvm::DenseSet<const Stmt*> kept_;
};

void gather_nested(const Stmt* root, nested_code& out) {
  llvm::SmallVector<const Stmt*, 64> pending;
  if (root) pending.push_back(root);
  while (!pending.empty()) {
    const Stmt* one = pending.pop_back_val();
    if (const auto* lambda = dyn_cast<clang::LambdaExpr>(one)) out.lambdas.push_back(lambda);
    if (const auto* declaration = dyn_cast<clang::DeclStmt>(one)) {
      for (const clang::Decl* inner : declaration->decls()) {
        if (const auto* record = dyn_cast<clang::CXXRecordDecl>(inner)) out.classes.push_back(record);
      }
    }
    const std::size_t first = pending.size();
    for_each_child(*one, [&](const Stmt* child) { pending.push_back(child); });
    std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
  }
}

}  // namespace

const Expr* plain(const Expr* expression) {
  while (expression) {
    const Expr* inner = expression->IgnoreParens();
    if (const auto* cleanups = dyn_cast<clang::FullExpr>(inner)) {
      inner = cleanups->getSubExpr();
    } else if (const auto* temporary = dyn_cast<clang::CXXBindTemporaryExpr>(inner)) {
      inner = temporary->getSubExpr();
    } else if (const auto* substituted = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner)) {
      inner = substituted->getReplacement();
    } else if (const auto* conversion = dyn_cast<clang::CastExpr>(inner)) {
      switch (conversion->getCastKind()) {
        case clang::CK_NoOp:
        case clang::CK_ConstructorConversion:
        case clang::CK_UserDefinedConversion:
          inner = conversion->getSubExpr();
          break;
        default:
          break;
      }
    }
    if (inner == expression) break;
    expression = inner;
  }
  return expression;
}

body_facts gather_body_facts(const clang::FunctionDecl& function) {
  body_facts facts;
  walker walk(facts);
  if (const auto* constructor = dyn_cast<clang::CXXConstructorDecl>(&function)) {
    for (const clang::CXXCtorInitializer* init : constructor->inits()) {
      destination where;
      where.member = init;
      const Expr* value = init->getInit();
      if (const auto* by_default = dyn_cast_or_null<clang::CXXDefaultInitExpr>(value))
        value = by_default->getExpr();
      walk.initialises(value, where);
      walk.run(init->getInit());
    }
  }
  walk.run(function.getBody());
  if (function.isInvalidDecl()) facts.has_errors = true;
  return facts;
}

nested_code nested_code_of(const Stmt& root) {
  nested_code out;
  gather_nested(&root, out);
  return out;
}

nested_code nested_code_of(const clang::FunctionDecl& function) {
  nested_code out;
  if (const auto* constructor = dyn_cast<clang::CXXConstructorDecl>(&function)) {
    for (const clang::CXXCtorInitializer* init : constructor->inits()) {
      const Expr* value = init->getInit();
      if (const auto* by_default = dyn_cast_or_null<clang::CXXDefaultInitExpr>(value))
        value = by_default->getExpr();
      gather_nested(value, out);
    }
  }
  gather_nested(function.getBody(), out);
  return out;
}

}  // namespace stridelock::extract
