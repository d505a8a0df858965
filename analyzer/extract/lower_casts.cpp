// Conversions: what is a load, an integer cast, a truth value or a pointer cast, and what is nothing at all.
#include "analyzer/extract/function_lowering.h"

namespace stridelock::extract {

using llvm::dyn_cast;

namespace {

// A variable whose value every reader knows at compile time.
bool names_constant(const clang::Expr* e, const clang::ASTContext& ast) {
  e = e->IgnoreParens();
  if (const auto* element = dyn_cast<clang::ArraySubscriptExpr>(e)) {
    return llvm::isa<clang::StringLiteral>(element->getBase()->IgnoreParenImpCasts());
  }
  const clang::ValueDecl* declaration = nullptr;
  if (const auto* reference = dyn_cast<clang::DeclRefExpr>(e)) declaration = reference->getDecl();
  if (const auto* member = dyn_cast<clang::MemberExpr>(e)) declaration = member->getMemberDecl();
  if (!declaration) return false;
  if (llvm::isa<clang::EnumConstantDecl>(declaration)) return true;
  const auto* variable = dyn_cast<clang::VarDecl>(declaration);
  return variable && !variable->isInvalidDecl() && variable->isUsableInConstantExpressions(ast);
}

}  // namespace

lowered function_lowering::VisitCastExpr(const clang::CastExpr* e) {
  const clang::Expr* inner = e->getSubExpr();
  switch (e->getCastKind()) {
    case clang::CK_LValueToRValue: {
      if (names_constant(inner, ast_)) {
        if (auto number = folded(e)) return lowered::of(*number);
      }
      const lowered result = eval(inner);
      if (result.what == lowered::kind::place)
        return lowered::of(emit_load(result.where, inner->getType(), e));
      if (result.what == lowered::kind::value && std::holds_alternative<ir::value_ref>(result.value)) {
        return lowered::of(emit_load(pointee(result.value, inner), inner->getType(), e));
      }
      return lowered::of(emit_unknown("load", e));
    }

    case clang::CK_NoOp:
    case clang::CK_UserDefinedConversion:
    case clang::CK_ConstructorConversion:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_BaseToDerived:
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_BuiltinFnToFnPtr:
    case clang::CK_AtomicToNonAtomic:
    case clang::CK_NonAtomicToAtomic:
    case clang::CK_Dependent:
    case clang::CK_MatrixCast:
    case clang::CK_VectorSplat:
    case clang::CK_ReinterpretMemberPointer:
    case clang::CK_BaseToDerivedMemberPointer:
    case clang::CK_DerivedToBaseMemberPointer:
      return eval(inner);

    case clang::CK_AddressSpaceConversion:
      return eval(inner);

    case clang::CK_ArrayToPointerDecay: {
      const lowered result = eval(inner);
      if (inner->isPRValue()) return lowered::of(ir::address_of{place_of(result, inner)});
      return lowered::of(address_of(result, inner));
    }

    case clang::CK_ToVoid:
      eval(inner);
      return {};

    case clang::CK_NullToPointer:
    case clang::CK_NullToMemberPointer:
      return lowered::of(ir::integer{});

    case clang::CK_IntegralCast: {
      const ir::operand what = value(inner);
      if (std::holds_alternative<ir::integer>(what)) {
        if (std::optional<ir::integer> number = fold(e)) {
          if (number->enumerator.empty()) number->enumerator = std::get<ir::integer>(what).enumerator;
          return lowered::of(*number);
        }
      }
      const clang::QualType from = inner->getType();
      const clang::QualType to = e->getType();
      if (ast_.getIntWidth(from) == ast_.getIntWidth(to) &&
          from->isSignedIntegerOrEnumerationType() == to->isSignedIntegerOrEnumerationType()) {
        return lowered::of(what);
      }
      const ir::operand wide = emit_expr(ir::expr_op::cast, {what}, to, e);
      if (std::optional<ir::operand> truth = as_truth(what))
        widened_[std::get<ir::value_ref>(wide).id] = *truth;
      return lowered::of(wide);
    }
    case clang::CK_BooleanToSignedIntegral:
      return lowered::of(emit_expr(ir::expr_op::cast, {value(inner)}, e->getType(), e));

    case clang::CK_IntegralToBoolean:
    case clang::CK_PointerToBoolean:
    case clang::CK_MemberPointerToBoolean:
    case clang::CK_FloatingToBoolean: {
      const ir::operand what = value(inner);
      if (std::holds_alternative<ir::integer>(what)) {
        if (auto number = folded(e)) return lowered::of(*number);
      }
      return lowered::of(truth_of(what, inner));
    }

    case clang::CK_PointerToIntegral:
      return lowered::of(emit_expr(ir::expr_op::cast, {value(inner)}, e->getType(), e));
    case clang::CK_BitCast:
    case clang::CK_IntegralToPointer:
    case clang::CK_CPointerToObjCPointerCast:
      if (!e->getType()->isPointerType()) return eval(inner);
      return pointer_conversion(e, value(inner));
    case clang::CK_Dynamic: {
      const lowered result = eval(inner);
      if (e->getType()->isPointerType()) return pointer_conversion(e, value_of(result, inner));
      return result;
    }
    case clang::CK_LValueBitCast:
    case clang::CK_LValueToRValueBitCast: {
      const lowered seen = pointer_conversion(e, address(inner));
      const ir::place where = pointee(seen.value, e);
      if (e->isGLValue()) return lowered::at(where);
      return lowered::of(emit_load(where, e->getType(), e));
    }

    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingCast:
    case clang::CK_FixedPointCast:
      return lowered::of(emit_expr(ir::expr_op::floating, {value(inner)}, e->getType(), e));

    default:
      eval(inner);
      return VisitStmt(e);
  }
}

lowered function_lowering::pointer_conversion(const clang::CastExpr* e, const ir::operand& what) {
  // A null pointer of another type is still null.
  if (std::holds_alternative<ir::integer>(what) && e->getCastKind() == clang::CK_BitCast)
    return lowered::of(what);
  clang::QualType type = e->getType();
  if (!type->isPointerType()) type = ast_.getPointerType(type.getNonReferenceType());
  ir::pointer_cast made;
  made.result = fresh();
  made.what = what;
  made.pointee = unit_.types.pointee_bytes(type);
  made.lanes = unit_.types.pointee_lanes(type);
  made.to_const = type_names::to_const(type);
  made.type = unit_.types.spelled(type);
  const ir::value_id id = made.result;
  emit(std::move(made), e);
  return lowered::of(ir::value_ref{id});
}

}  // namespace stridelock::extract
