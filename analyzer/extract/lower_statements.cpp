// Declarations, returns, and the places that names stand for.
#include "analyzer/extract/function_lowering.h"

namespace stridelock::extract {

using llvm::dyn_cast;
using llvm::isa;

void function_lowering::lower_statement(const clang::Stmt& statement) {
  if (const auto* expression = dyn_cast<clang::Expr>(&statement)) {
    eval(expression);
  } else if (const auto* declaration = dyn_cast<clang::DeclStmt>(&statement)) {
    for (const clang::Decl* one : declaration->decls()) {
      if (const auto* variable = dyn_cast<clang::VarDecl>(one)) lower_declaration(*variable, *declaration);
    }
  } else if (const auto* leave = dyn_cast<clang::ReturnStmt>(&statement)) {
    lower_return(*leave);
  } else if (isa<clang::AsmStmt>(statement)) {
    emit_unknown("assembly", &statement);
  } else if (isa<clang::CoreturnStmt, clang::CoroutineBodyStmt>(statement)) {
    emit_unknown("coroutine", &statement);
  }
  // Everything else (labels, null statements, catch clauses) is structure that the blocks already show.
}

void function_lowering::lower_declaration(const clang::VarDecl& variable, const clang::DeclStmt& statement) {
  if (variable.hasExternalStorage()) return;
  if (auto loop = facts_.loop_variables.find(&variable); loop != facts_.loop_variables.end()) {
    lower_loop_variable(variable, *loop->second, statement);
    return;
  }
  const clang::Expr* init = variable.getInit();
  if (init && facts_.skipped.contains(init)) return;
  if (variable.isImplicit() && !variable.getType()->isReferenceType()) return;  // iterators of a range-for
  if (variable.getType()->isReferenceType()) {
    if (!init) return;
    // Another name of what it is bound to. Only a static may be seen by the next call, so it is a real variable.
    if (!variable.isStaticLocal()) {
      names_[&variable] = place(init);
      return;
    }
  }
  const ir::place where = place_of_variable(variable, &statement);
  if (init) initialise(where, init, variable.getType()->isReferenceType());
}

void function_lowering::lower_loop_variable(const clang::VarDecl& variable,
                                            const clang::CXXForRangeStmt& range,
                                            const clang::DeclStmt& statement) {
  ir::place element;
  if (const auto* whole = dyn_cast_or_null<clang::VarDecl>(range.getRangeStmt()->getSingleDecl())) {
    element = place_of_variable(*whole, &statement);
  }
  ir::step any;
  any.kind = ir::step_kind::any_element;
  element.path.push_back(any);
  if (variable.getType()->isReferenceType()) {
    names_[&variable] = element;
    return;
  }
  const ir::place where = place_of_variable(variable, &statement);
  emit_store(where, emit_load(element, variable.getType(), &statement), ir::store_kind::initialise,
             &statement);
}

void function_lowering::initialise(const ir::place& where, const clang::Expr* init, bool is_reference) {
  if (is_reference) {
    emit_store(where, address(init), ir::store_kind::initialise, init);
    return;
  }
  const lowered result = eval(init);
  if (result.what == lowered::kind::nothing) return;
  // Constructed where it is, or an array whose elements are.
  if (result.what == lowered::kind::place && result.where.root == where.root &&
      result.where.number == where.number && result.where.path.size() >= where.path.size() &&
      std::equal(where.path.begin(), where.path.end(), result.where.path.begin())) {
    return;
  }
  emit_store(where, value_of(result, init), ir::store_kind::initialise, init);
}

void function_lowering::lower_initialiser(const clang::CXXCtorInitializer& initialiser) {
  const clang::Expr* init = initialiser.getInit();
  if (!init) return;
  if (!initialiser.isAnyMemberInitializer()) {
    initialise(object(), init, false);
    return;
  }
  ir::place where = object();
  where.path.push_back(field_step(*initialiser.getAnyMember()));
  initialise(where, init, initialiser.getAnyMember()->getType()->isReferenceType());
}

void function_lowering::lower_return(const clang::ReturnStmt& statement) {
  ir::operand what;
  if (const clang::Expr* result = statement.getRetValue()) {
    if (result->getType()->isVoidType()) {
      eval(result);
    } else if (function_.getReturnType()->isReferenceType()) {
      what = address(result);
    } else {
      what = value(result);
    }
  }
  returning_[current_] = std::move(what);
}

// ---- names -------------------------------------------------------------------------------------------------------

std::uint32_t function_lowering::make_local(ir::name variable, clang::QualType type, clang::SourceLocation at,
                                            bool is_static) {
  ir::local made;
  made.variable = variable;
  made.type = unit_.types.spelled(type);
  made.record = unit_.types.record(type);
  made.where = unit_.files.where(at);
  made.is_static = is_static;
  out_.locals.push_back(std::move(made));
  return static_cast<std::uint32_t>(out_.locals.size() - 1);
}

ir::place function_lowering::make_temporary(clang::QualType type, const clang::Expr* at) {
  ir::place made;
  made.root = ir::root_kind::local;
  made.number = make_local({}, type, (use_of_shared_ ? use_of_shared_ : at)->getExprLoc(), false);
  return made;
}

ir::place function_lowering::object() const {
  ir::place self;
  self.root = ir::root_kind::param;
  self.number = 0;
  return self;
}

ir::step function_lowering::field_step(const clang::FieldDecl& field) {
  ir::step made;
  made.kind = ir::step_kind::field;
  made.record = unit_.names.record(*field.getParent());
  made.field = std::string_view(field.getName());
  return made;
}

ir::step function_lowering::element_step(const ir::operand& index) {
  constexpr std::int64_t last_own_element = 7;
  ir::step made;
  made.kind = ir::step_kind::any_element;
  const auto* constant = std::get_if<ir::integer>(&index);
  if (constant && constant->number >= 0 && constant->number <= last_own_element) {
    made.kind = ir::step_kind::element;
    made.index = static_cast<std::uint32_t>(constant->number);
  }
  return made;
}

// Inside a lambda: what `variable` of the enclosing function is there.
std::optional<ir::place> function_lowering::captured(const clang::ValueDecl& variable,
                                                     const clang::Stmt* at) {
  auto known = captures_.find(llvm::cast<clang::ValueDecl>(variable.getCanonicalDecl()));
  if (known == captures_.end()) return std::nullopt;
  const clang::FieldDecl& field = *known->second;
  ir::place where = object();
  ir::step step;
  step.kind = ir::step_kind::field;
  step.record = out_.record;
  step.field = std::string_view(variable.getName());
  where.path.push_back(step);
  if (!field.getType()->isReferenceType()) return where;
  return pointee(emit_load(where, field.getType(), at), nullptr);
}

ir::place function_lowering::place_of_variable(const clang::VarDecl& variable, const clang::Stmt* at) {
  if (std::optional<ir::place> inside = captured(variable, at)) return *inside;
  if (auto known = names_.find(&variable); known != names_.end()) return known->second;
  ir::place where;
  if (const auto* parameter = dyn_cast<clang::ParmVarDecl>(&variable)) {
    if (auto known = parameters_.find(parameter); known != parameters_.end()) {
      where.root = ir::root_kind::param;
      where.number = known->second;
      return where;
    }
  }
  const bool is_own = variable.getParentFunctionOrMethod() == &function_;
  if (variable.hasGlobalStorage() && !(is_own && variable.isStaticLocal())) {
    where.root = ir::root_kind::global;
    where.symbol = unit_.names.symbol(variable);
  } else {
    where.root = ir::root_kind::local;
    ir::name name = std::string_view(variable.getName());
    if (name.empty() && isa<clang::DecompositionDecl>(variable)) name = "[]";
    where.number = make_local(name, variable.getType(), variable.getLocation(), variable.isStaticLocal());
    names_[&variable] = where;
  }
  // The place of a reference is what it refers to. References without a binding here are caught exceptions, globals
  // and statics.
  if (variable.getType()->isReferenceType() &&
      (where.root == ir::root_kind::global || variable.isStaticLocal())) {
    if (at && !isa<clang::DeclStmt>(at)) return pointee(emit_load(where, variable.getType(), at), nullptr);
  }
  return where;
}

ir::place function_lowering::place_of_binding(const clang::BindingDecl& binding, const clang::Stmt* at) {
  if (std::optional<ir::place> inside = captured(binding, at)) return *inside;
  const auto* bundle = dyn_cast_or_null<clang::DecompositionDecl>(binding.getDecomposedDecl());
  if (!bundle) return pointee(emit_unknown("structured binding", at), nullptr);
  ir::place where = place_of_variable(*bundle, at);
  const clang::Expr* inner = binding.getBinding();
  const auto* member = inner ? dyn_cast<clang::MemberExpr>(inner->IgnoreParenImpCasts()) : nullptr;
  if (!binding.getHoldingVar() && member) {
    const auto* field = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    if (field) {
      where.path.push_back(field_step(*field));
      if (field->getType()->isReferenceType())
        return pointee(emit_load(where, field->getType(), at), nullptr);
      return where;
    }
  }
  std::int64_t number = 0;
  for (const clang::BindingDecl* one : bundle->bindings()) {
    if (one == &binding) break;
    ++number;
  }
  where.path.push_back(element_step(ir::integer{number, {}}));
  return where;
}

}  // namespace stridelock::extract
