// Operators, names, members and subscripts; the caching of results.
#include <clang/AST/Attr.h>

#include "analyzer/extract/function_lowering.h"

namespace stridelock::extract {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

// Deeper than any expression the graph does not already take apart.
constexpr unsigned deepest_expression = 4000;

bool is_foldable(clang::QualType type) {
  return !type.isNull() && !type->isDependentType() && type->isIntegralOrEnumerationType();
}

}  // namespace

// ---- results -----------------------------------------------------------------------------------------------------

lowered function_lowering::eval(const clang::Expr* e) {
  e = e->IgnoreParens();
  if (auto known = done_.find(e); known != done_.end()) return known->second;
  if (instructions_ > unit_.max_instructions) return lowered::of(ir::integer{});
  if (depth_ >= deepest_expression) return lowered::of(emit_unknown("limit: depth of an expression", e));
  ++depth_;
  lowered result = Visit(e);
  --depth_;
  // The arms of ?: belong to their own blocks, so an object made there is read there.
  if (facts_.arms.contains(e)) result = lowered::of(value_of(result, e));
  done_[e] = result;
  if (shared_) shared_->push_back(e);
  return result;
}

lowered function_lowering::eval_shared(const clang::Expr* e, const clang::Expr* use) {
  std::vector<const clang::Expr*> mine;
  std::vector<const clang::Expr*>* const outer = shared_;
  const clang::Expr* const outer_use = use_of_shared_;
  shared_ = &mine;
  if (!use_of_shared_) use_of_shared_ = use;
  lowered result = eval(e);
  shared_ = outer;
  use_of_shared_ = outer_use;
  for (const clang::Expr* one : mine) done_.erase(one);
  return result;
}

ir::operand function_lowering::value_of(const lowered& result, const clang::Expr* e) {
  switch (result.what) {
    case lowered::kind::nothing:
      return {};
    case lowered::kind::value:
      return result.value;
    case lowered::kind::place:
      return emit_load(result.where, e->getType(), e);
  }
  return {};
}

ir::operand function_lowering::address_of(const lowered& result, const clang::Expr* e) {
  switch (result.what) {
    case lowered::kind::nothing:
      return emit_unknown("no object", e);
    case lowered::kind::value:
      return result.value;
    case lowered::kind::place:
      return ir::address_of{result.where};
  }
  return {};
}

ir::place function_lowering::place_of(const lowered& result, const clang::Expr* e) {
  if (result.what == lowered::kind::place) return result.where;
  if (result.what == lowered::kind::value && e->isPRValue()) {
    // A prvalue used as an object (C, or a member of a call's result): it needs a place to live.
    const ir::place where = make_temporary(e->getType(), e);
    emit_store(where, result.value, ir::store_kind::initialise, e);
    return where;
  }
  return pointee(result.value, e);
}

ir::operand function_lowering::value(const clang::Expr* e) {
  return value_of(eval(e), e);
}
ir::operand function_lowering::address(const clang::Expr* e) {
  const lowered result = eval(e);
  if (e->isPRValue()) return ir::address_of{place_of(result, e)};
  return address_of(result, e);
}
ir::place function_lowering::place(const clang::Expr* e) {
  return place_of(eval(e), e);
}

ir::place function_lowering::pointee(const ir::operand& pointer, const clang::Expr* e) {
  if (const auto* address = std::get_if<ir::address_of>(&pointer)) return address->where;
  if (e && std::holds_alternative<ir::text>(pointer)) {
    const ir::place where = make_temporary(e->getType(), e);
    emit_store(where, pointer, ir::store_kind::initialise, e);
    return where;
  }
  ir::place where;
  where.root = ir::root_kind::value;
  const auto* value = std::get_if<ir::value_ref>(&pointer);
  const ir::operand unknown = value ? ir::operand{} : emit_unknown("address", e);
  where.number = value ? value->id : std::get<ir::value_ref>(unknown).id;
  return where;
}

lowered function_lowering::result_of(const clang::Expr* e, ir::value_id id) {
  if (id == ir::no_value) return {};
  if (e->isGLValue()) return lowered::at(pointee(ir::value_ref{id}, e));
  return lowered::of(ir::value_ref{id});
}

lowered function_lowering::VisitStmt(const clang::Stmt* statement) {
  const auto* e = dyn_cast<clang::Expr>(statement);
  if (!e) return {};
  if (e->getType()->isVoidType()) {
    emit(ir::unknown{ir::no_value, statement->getStmtClassName()}, statement);
    return {};
  }
  return result_of(e, std::get<ir::value_ref>(emit_unknown(statement->getStmtClassName(), statement)).id);
}

// ---- constants ---------------------------------------------------------------------------------------------------

std::optional<ir::integer> function_lowering::fold(const clang::Expr* e) {
  if (!e || e->isValueDependent() || e->isTypeDependent() || e->containsErrors()) return std::nullopt;
  if (!is_foldable(e->getType()) || e->isGLValue()) return std::nullopt;
  clang::Expr::EvalResult result;
  if (!e->EvaluateAsInt(result, ast_, clang::Expr::SE_NoSideEffects)) return std::nullopt;
  const llvm::APSInt& number = result.Val.getInt();
  if (number.getBitWidth() > 64 && number.getSignificantBits() > 64) return std::nullopt;
  ir::integer out;
  out.number = number.isSigned() ? number.getSExtValue()
                                 : static_cast<std::int64_t>(number.extOrTrunc(64).getZExtValue());
  if (const auto* reference = dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts())) {
    if (const auto* enumerator = dyn_cast<clang::EnumConstantDecl>(reference->getDecl())) {
      out.enumerator = unit_.names.qualified(*enumerator);
    }
  } else if (const auto* constant = dyn_cast<clang::ConstantExpr>(e->IgnoreParenImpCasts())) {
    if (std::optional<ir::integer> inner = fold(constant->getSubExpr())) out.enumerator = inner->enumerator;
  }
  return out;
}

std::optional<ir::operand> function_lowering::folded(const clang::Expr* e) {
  if (std::optional<ir::integer> number = fold(e)) return ir::operand{*number};
  return std::nullopt;
}

lowered function_lowering::VisitIntegerLiteral(const clang::IntegerLiteral* e) {
  if (auto number = folded(e)) return lowered::of(*number);
  return lowered::of(emit_unknown("wide integer", e));
}
lowered function_lowering::VisitCharacterLiteral(const clang::CharacterLiteral* e) {
  return lowered::of(ir::integer{static_cast<std::int64_t>(e->getValue()), {}});
}
lowered function_lowering::VisitCXXBoolLiteralExpr(const clang::CXXBoolLiteralExpr* e) {
  return lowered::of(ir::integer{e->getValue() ? 1 : 0, {}});
}
lowered function_lowering::VisitCXXNullPtrLiteralExpr(const clang::CXXNullPtrLiteralExpr*) {
  return lowered::of(ir::integer{});
}
lowered function_lowering::VisitGNUNullExpr(const clang::GNUNullExpr*) {
  return lowered::of(ir::integer{});
}
lowered function_lowering::VisitFloatingLiteral(const clang::FloatingLiteral* e) {
  return lowered::of(emit_expr(ir::expr_op::floating, {}, e->getType(), e));
}
lowered function_lowering::VisitStringLiteral(const clang::StringLiteral* e) {
  constexpr std::size_t longest = 256;  // some programs embed whole files
  return lowered::of(ir::text{std::string_view(e->getBytes().take_front(longest))});
}
lowered function_lowering::VisitPredefinedExpr(const clang::PredefinedExpr* e) {
  return e->getFunctionName() ? VisitStringLiteral(e->getFunctionName()) : lowered::of(ir::text{});
}

#define STRIDELOCK_CONSTANT(Node)                                \
  lowered function_lowering::Visit##Node(const clang::Node* e) { \
    if (auto number = folded(e)) return lowered::of(*number);    \
    return VisitStmt(e);                                         \
  }
STRIDELOCK_CONSTANT(UnaryExprOrTypeTraitExpr)
STRIDELOCK_CONSTANT(TypeTraitExpr)
STRIDELOCK_CONSTANT(CXXNoexceptExpr)
STRIDELOCK_CONSTANT(SizeOfPackExpr)
STRIDELOCK_CONSTANT(OffsetOfExpr)
STRIDELOCK_CONSTANT(ConceptSpecializationExpr)
STRIDELOCK_CONSTANT(RequiresExpr)
#undef STRIDELOCK_CONSTANT

lowered function_lowering::VisitConstantExpr(const clang::ConstantExpr* e) {
  if (auto number = folded(e)) return lowered::of(*number);
  return eval(e->getSubExpr());
}

// ---- wrappers ----------------------------------------------------------------------------------------------------

lowered function_lowering::VisitParenExpr(const clang::ParenExpr* e) {
  return eval(e->getSubExpr());
}
lowered function_lowering::VisitExprWithCleanups(const clang::ExprWithCleanups* e) {
  return eval(e->getSubExpr());
}
lowered function_lowering::VisitSubstNonTypeTemplateParmExpr(const clang::SubstNonTypeTemplateParmExpr* e) {
  return eval(e->getReplacement());
}
lowered function_lowering::VisitOpaqueValueExpr(const clang::OpaqueValueExpr* e) {
  return e->getSourceExpr() ? eval(e->getSourceExpr()) : VisitStmt(e);
}
lowered function_lowering::VisitGenericSelectionExpr(const clang::GenericSelectionExpr* e) {
  return eval(e->getResultExpr());
}
lowered function_lowering::VisitChooseExpr(const clang::ChooseExpr* e) {
  return eval(e->getChosenSubExpr());
}
lowered function_lowering::VisitCXXRewrittenBinaryOperator(const clang::CXXRewrittenBinaryOperator* e) {
  return eval(e->getSemanticForm());
}
lowered function_lowering::VisitStmtExpr(const clang::StmtExpr* e) {
  const auto* last = dyn_cast_or_null<clang::Expr>(e->getSubStmt()->getStmtExprResult());
  if (!last || e->getType()->isVoidType()) return {};
  const lowered result = eval(last);
  // The value outlives the variables of the braces.
  return lowered::of(value_of(result, last));
}
// A property: what Clang's CUDA headers make of threadIdx.x is a call of its getter.
lowered function_lowering::VisitPseudoObjectExpr(const clang::PseudoObjectExpr* e) {
  lowered result;
  for (const clang::Expr* one : e->semantics()) {
    const lowered step = eval(one);
    if (one == e->getResultExpr()) result = step;
  }
  return result;
}
lowered function_lowering::VisitAtomicExpr(const clang::AtomicExpr* e) {
  const ir::place where = pointee(value(e->getPtr()), e);
  const clang::QualType type = e->getValueType();
  const bool has_result = !e->getType()->isVoidType();
  llvm::StringRef name = e->getOpAsString();
  if (name.contains("load") && has_result) return lowered::of(emit_load(where, type, e));
  if (name.contains("store") && !has_result && e->getNumSubExprs() > 2) {
    emit_store(where, value(e->getVal1()), ir::store_kind::assign, e);
    return {};
  }
  // Everything else reads, changes and writes.
  const ir::operand before = has_result ? emit_unknown("atomic", e) : ir::operand{};
  emit_store(where, emit_unknown("atomic", e), ir::store_kind::assign, e);
  return has_result ? lowered::of(before) : lowered{};
}
lowered function_lowering::VisitCXXThrowExpr(const clang::CXXThrowExpr* e) {
  if (e->getSubExpr()) eval(e->getSubExpr());
  return {};
}

// ---- names -------------------------------------------------------------------------------------------------------

lowered function_lowering::VisitDeclRefExpr(const clang::DeclRefExpr* e) {
  const clang::ValueDecl* declaration = e->getDecl();
  if (isa<clang::EnumConstantDecl>(declaration)) {
    if (auto number = folded(e)) return lowered::of(*number);
  }
  if (const auto* function = dyn_cast<clang::FunctionDecl>(declaration)) {
    return lowered::of(ir::function_ref{unit_.names.symbol(*function)});
  }
  if (const auto* variable = dyn_cast<clang::VarDecl>(declaration)) {
    return lowered::at(place_of_variable(*variable, e));
  }
  if (const auto* binding = dyn_cast<clang::BindingDecl>(declaration)) {
    return lowered::at(place_of_binding(*binding, e));
  }
  return VisitStmt(e);
}

lowered function_lowering::VisitCXXThisExpr(const clang::CXXThisExpr* e) {
  if (!out_.is_lambda) return lowered::of(ir::address_of{object()});
  ir::place where = object();
  ir::step step;
  step.kind = ir::step_kind::field;
  step.record = out_.record;
  step.field = "this";
  where.path.push_back(step);
  if (captured_this_ && !captured_this_->getType()->isPointerType()) {
    return lowered::of(ir::address_of{where});  // [*this]
  }
  return lowered::of(emit_load(where, e->getType(), e));
}

lowered function_lowering::VisitMemberExpr(const clang::MemberExpr* e) {
  const clang::ValueDecl* member = e->getMemberDecl();
  if (const auto* variable = dyn_cast<clang::VarDecl>(member))
    return lowered::at(place_of_variable(*variable, e));
  if (const auto* method = dyn_cast<clang::CXXMethodDecl>(member)) {
    eval(e->getBase());
    return lowered::of(ir::function_ref{unit_.names.symbol(*method)});
  }
  if (isa<clang::EnumConstantDecl>(member)) {
    if (auto number = folded(e)) return lowered::of(*number);
  }
  const auto* field = dyn_cast<clang::FieldDecl>(member);
  if (!field) return VisitStmt(e);
  ir::place where = e->isArrow() ? pointee(value(e->getBase()), e) : place(e->getBase());
  if (field->isAnonymousStructOrUnion()) return lowered::at(std::move(where));
  where.path.push_back(field_step(*field));
  if (!field->getType()->isReferenceType()) return lowered::at(std::move(where));
  return lowered::at(pointee(emit_load(where, field->getType(), e), e));
}

lowered function_lowering::VisitArraySubscriptExpr(const clang::ArraySubscriptExpr* e) {
  if (e->getBase()->getType()->isVectorType()) {
    ir::place where = place(e->getBase());
    where.path.push_back(element_step(value(e->getIdx())));
    return lowered::at(std::move(where));
  }
  const ir::operand pointer = value(e->getBase());
  const ir::operand index = value(e->getIdx());
  // A declared array decays to the address of its place; anything else is pointer arithmetic.
  if (!std::holds_alternative<ir::address_of>(pointer)) {
    emit(ir::index_use{pointer, index, facts_.written.contains(e)}, e);
  }
  ir::place where = pointee(pointer, e);
  where.path.push_back(element_step(index));
  return lowered::at(std::move(where));
}

// ---- operators ---------------------------------------------------------------------------------------------------

lowered function_lowering::VisitUnaryOperator(const clang::UnaryOperator* e) {
  const clang::Expr* inner = e->getSubExpr();
  switch (e->getOpcode()) {
    case clang::UO_AddrOf: {
      if (e->getType()->isMemberPointerType()) {
        const auto* reference = dyn_cast<clang::DeclRefExpr>(inner->IgnoreParens());
        const auto* method = reference ? dyn_cast<clang::CXXMethodDecl>(reference->getDecl()) : nullptr;
        if (method) return lowered::of(ir::function_ref{unit_.names.symbol(*method)});
        return lowered::of(emit_unknown("pointer to member", e));
      }
      const lowered result = eval(inner);
      // &*p is p.
      if (result.what == lowered::kind::place && result.where.root == ir::root_kind::value &&
          result.where.path.empty()) {
        return lowered::of(ir::value_ref{result.where.number});
      }
      return lowered::of(address_of(result, inner));
    }
    case clang::UO_Deref: {
      const ir::operand pointer = value(inner);
      if (std::holds_alternative<ir::function_ref>(pointer)) return lowered::of(pointer);
      const auto* sum = dyn_cast<clang::BinaryOperator>(inner->IgnoreParenImpCasts());
      if (sum && sum->isAdditiveOp() && sum->getLHS()->getType()->isPointerType()) {
        emit(ir::index_use{value(sum->getLHS()), value(sum->getRHS()), facts_.written.contains(e)}, e);
      }
      return lowered::at(pointee(pointer, e));
    }
    case clang::UO_Plus:
    case clang::UO_Extension:
      return eval(inner);
    case clang::UO_Minus:
    case clang::UO_Not:
    case clang::UO_LNot: {
      const ir::operand operand = value(inner);
      if (std::holds_alternative<ir::integer>(operand)) {
        if (auto number = folded(e)) return lowered::of(*number);
      }
      if (e->getType()->isRealFloatingType()) {
        return lowered::of(emit_expr(ir::expr_op::floating, {operand}, e->getType(), e));
      }
      // `!x` is a truth value also in C, where its type is int.
      if (e->getOpcode() == clang::UO_LNot) {
        return lowered::of(emit_expr(ir::expr_op::logical_not, {truth_of(operand, inner)}, ast_.BoolTy, e));
      }
      return lowered::of(
          emit_expr(e->getOpcode() == clang::UO_Minus ? ir::expr_op::neg : ir::expr_op::bit_not, {operand},
                    e->getType(), e));
    }
    case clang::UO_PostInc:
    case clang::UO_PostDec:
    case clang::UO_PreInc:
    case clang::UO_PreDec:
      return increment(e);
    case clang::UO_Real:
    case clang::UO_Imag:
    case clang::UO_Coawait:
      return VisitStmt(e);
  }
  return VisitStmt(e);
}

lowered function_lowering::increment(const clang::UnaryOperator* e) {
  const ir::place where = place(e->getSubExpr());
  const ir::operand before = emit_load(where, e->getSubExpr()->getType(), e);
  ir::expr_op op = e->isIncrementOp() ? ir::expr_op::add : ir::expr_op::sub;
  if (e->getType()->isRealFloatingType()) op = ir::expr_op::floating;
  const ir::operand after = emit_expr(op, {before, ir::integer{1, {}}}, e->getType(), e);
  emit_store(where, after, ir::store_kind::assign, e);
  if (e->isGLValue()) return lowered::at(where);
  return lowered::of(e->isPrefix() ? after : before);
}

lowered function_lowering::arithmetic(const clang::BinaryOperator* e, clang::BinaryOperatorKind opcode,
                                      const ir::operand& left, const ir::operand& right,
                                      clang::QualType type) {
  ir::expr_op op = ir::expr_op::add;
  switch (opcode) {
    case clang::BO_Mul:
      op = ir::expr_op::mul;
      break;
    case clang::BO_Div:
      op = ir::expr_op::div;
      break;
    case clang::BO_Rem:
      op = ir::expr_op::rem;
      break;
    case clang::BO_Add:
      op = ir::expr_op::add;
      break;
    case clang::BO_Sub:
      op = ir::expr_op::sub;
      break;
    case clang::BO_Shl:
      op = ir::expr_op::shl;
      break;
    case clang::BO_Shr:
      op = ir::expr_op::shr;
      break;
    case clang::BO_And:
      op = ir::expr_op::bit_and;
      break;
    case clang::BO_Or:
      op = ir::expr_op::bit_or;
      break;
    case clang::BO_Xor:
      op = ir::expr_op::bit_xor;
      break;
    case clang::BO_LT:
      op = ir::expr_op::lt;
      break;
    case clang::BO_LE:
      op = ir::expr_op::le;
      break;
    case clang::BO_GT:
      op = ir::expr_op::gt;
      break;
    case clang::BO_GE:
      op = ir::expr_op::ge;
      break;
    case clang::BO_EQ:
      op = ir::expr_op::eq;
      break;
    case clang::BO_NE:
      op = ir::expr_op::ne;
      break;
    case clang::BO_LAnd:
      op = ir::expr_op::logical_and;
      break;
    case clang::BO_LOr:
      op = ir::expr_op::logical_or;
      break;
    default:
      return VisitStmt(e);
  }
  if (clang::BinaryOperator::isComparisonOp(opcode) || clang::BinaryOperator::isLogicalOp(opcode)) {
    type = ast_.BoolTy;
  } else if (type->isRealFloatingType() || type->isAnyComplexType() || type->isVectorType()) {
    op = ir::expr_op::floating;
  }
  return lowered::of(emit_expr(op, {left, right}, type, e));
}

lowered function_lowering::VisitBinaryOperator(const clang::BinaryOperator* e) {
  const clang::BinaryOperatorKind opcode = e->getOpcode();
  if (opcode == clang::BO_Comma) {
    eval(e->getLHS());
    return eval(e->getRHS());
  }
  if (opcode == clang::BO_Assign) return assign(e->getLHS(), e->getRHS(), e);
  if (e->isCompoundAssignmentOp()) {
    const auto* compound = cast<clang::CompoundAssignOperator>(e);
    const ir::operand right = value(e->getRHS());
    const ir::place where = place(e->getLHS());
    const ir::operand left = emit_load(where, e->getLHS()->getType(), e);
    const lowered result = arithmetic(e, clang::BinaryOperator::getOpForCompoundAssignment(opcode), left,
                                      right, compound->getComputationResultType());
    ir::operand what = value_of(result, e);
    const clang::QualType type = e->getType();
    if (type->isIntegralOrEnumerationType() &&
        compound->getComputationResultType()->isIntegralOrEnumerationType() &&
        ast_.getIntWidth(type) != ast_.getIntWidth(compound->getComputationResultType())) {
      what = emit_expr(ir::expr_op::cast, {what}, type, e);
    }
    emit_store(where, what, ir::store_kind::assign, e);
    return e->isGLValue() ? lowered::at(where) : lowered::of(what);
  }
  if (e->isPtrMemOp()) return result_of(e, std::get<ir::value_ref>(emit_unknown("pointer to member", e)).id);
  ir::operand left = value(e->getLHS());
  ir::operand right = value(e->getRHS());
  if (std::holds_alternative<ir::integer>(left) && std::holds_alternative<ir::integer>(right)) {
    if (auto number = folded(e)) return lowered::of(*number);
  }
  if (e->isLogicalOp() && e->getLHS()->getType()->isScalarType()) {  // in C they may be numbers and pointers
    left = truth_of(left, e->getLHS());
    right = truth_of(right, e->getRHS());
  }
  return arithmetic(e, opcode, left, right, e->getType());
}

lowered function_lowering::assign(const clang::Expr* to, const clang::Expr* from, const clang::Expr* whole) {
  const lowered source = eval(from);
  const ir::place where = place(to);
  const ir::operand what = value_of(source, from);
  emit_store(where, what, ir::store_kind::assign, whole);
  return whole->isGLValue() ? lowered::at(where) : lowered::of(what);
}

lowered function_lowering::VisitConditionalOperator(const clang::ConditionalOperator* e) {
  const ir::operand test = value(e->getCond());
  const auto* constant = std::get_if<ir::integer>(&test);
  if (constant) return eval(constant->number != 0 ? e->getTrueExpr() : e->getFalseExpr());
  if (e->getType()->isVoidType()) return {};
  const auto arm = [&](const clang::Expr* one) -> ir::operand {
    if (isa<clang::CXXThrowExpr>(one->IgnoreParens())) return {};
    return e->isGLValue() ? address(one) : value(one);
  };
  const ir::operand yes = arm(e->getTrueExpr());
  const ir::operand no = arm(e->getFalseExpr());
  const ir::operand chosen = emit_expr(ir::expr_op::select, {test, yes, no}, e->getType(), e);
  return result_of(e, std::get<ir::value_ref>(chosen).id);
}

lowered function_lowering::VisitBinaryConditionalOperator(const clang::BinaryConditionalOperator* e) {
  const ir::operand test = value(e->getCond());
  const ir::operand common = e->isGLValue() ? address(e->getTrueExpr()) : value(e->getTrueExpr());
  const ir::operand other = e->isGLValue() ? address(e->getFalseExpr()) : value(e->getFalseExpr());
  const ir::operand chosen = emit_expr(ir::expr_op::select, {test, common, other}, e->getType(), e);
  return result_of(e, std::get<ir::value_ref>(chosen).id);
}

}  // namespace stridelock::extract
