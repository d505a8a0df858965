// Objects coming into being: constructors, aggregates, temporaries, default arguments, new.
#include "analyzer/extract/function_lowering.h"

namespace stridelock::extract {

using llvm::dyn_cast;
using llvm::isa;

namespace {

llvm::ArrayRef<clang::Expr*> elements_of(const clang::InitListExpr& list) {
  return {const_cast<clang::InitListExpr&>(list).getInits(), list.getNumInits()};
}

}  // namespace

ir::place function_lowering::destination_of(const clang::Expr* construction, clang::QualType type) {
  auto known = facts_.destinations.find(construction);
  if (known == facts_.destinations.end()) return make_temporary(type, construction);
  const destination& to = known->second;
  if (to.variable) return place_of_variable(*to.variable, nullptr);
  if (to.allocation) return pointee(ir::value_ref{allocation(to.allocation)}, construction);
  ir::place where = object();
  if (to.member->isAnyMemberInitializer()) where.path.push_back(field_step(*to.member->getAnyMember()));
  return where;
}

lowered function_lowering::VisitCXXConstructExpr(const clang::CXXConstructExpr* e) {
  const clang::CXXConstructorDecl& constructor = *e->getConstructor();
  const clang::CXXRecordDecl& record = *constructor.getParent();
  unit_.constructed.insert(unit_.names.record(record));
  // A copy reads its source; whoever initialises something with it writes.
  if (constructor.isCopyOrMoveConstructor() && e->getNumArgs() > 0) {
    return lowered::of(value_of(lowered::at(place(e->getArg(0))), e->getArg(0)));
  }
  if (constructor.isTrivial() && constructor.isDefaultConstructor()) {
    if (e->requiresZeroInitialization()) return aggregate(e, {}, nullptr);
    return lowered::at(destination_of(e, e->getType()));
  }
  ir::place where = destination_of(e, e->getType());
  const lowered result = lowered::at(where);
  if (e->getType()->isArrayType()) where.path.push_back(element_step(ir::none{}));
  ir::call call;
  call.kind = ir::call_kind::construct;
  name_callee(call, constructor);
  call.record = unit_.names.record(record);
  call.is_method = true;
  call.type = "void";
  call.args.push_back(object_argument(where, ast_.getRecordType(&record), false, nullptr));
  call.args.back().where = unit_.files.where(e->getBeginLoc());
  for (unsigned i = 0; i < e->getNumArgs(); ++i) {
    clang::QualType parameter;
    if (i < constructor.getNumParams()) parameter = constructor.getParamDecl(i)->getType();
    call.args.push_back(argument_of(e->getArg(i), parameter));
  }
  emit(std::move(call), e);
  return result;
}

lowered function_lowering::VisitCXXInheritedCtorInitExpr(const clang::CXXInheritedCtorInitExpr* e) {
  ir::call call;
  call.kind = ir::call_kind::construct;
  name_callee(call, *e->getConstructor());
  call.record = unit_.names.record(*e->getConstructor()->getParent());
  call.is_method = true;
  call.type = "void";
  call.args.push_back(
      object_argument(object(), ast_.getRecordType(e->getConstructor()->getParent()), false, nullptr));
  emit(std::move(call), e);
  return lowered::at(object());
}

lowered function_lowering::aggregate(const clang::Expr* e, llvm::ArrayRef<clang::Expr*> inits,
                                     const clang::FieldDecl* of_union) {
  ir::expr made;
  made.op = ir::expr_op::aggregate;
  const clang::RecordDecl* record = record_behind(e->getType());
  if (record) {
    made.record = unit_.names.record(*record);
    unit_.constructed.insert(made.record);
    aggregate_fields(made, *record, inits, of_union);
  }
  made.result = fresh();
  const ir::value_id id = made.result;
  emit(std::move(made), e);
  return lowered::of(ir::value_ref{id});
}

void function_lowering::aggregate_fields(ir::expr& made, const clang::RecordDecl& record,
                                         llvm::ArrayRef<clang::Expr*> inits,
                                         const clang::FieldDecl* of_union) {
  std::size_t next = 0;
  const auto add = [&](const clang::FieldDecl& field) {
    const clang::Expr* init = inits[next++];
    const auto* inner = dyn_cast<clang::InitListExpr>(init->IgnoreParens());
    if (field.isAnonymousStructOrUnion() && inner) {
      // Its fields are named like the outer record's own.
      const clang::RecordDecl* unnamed = record_behind(field.getType());
      if (unnamed) aggregate_fields(made, *unnamed, elements_of(*inner), inner->getInitializedFieldInUnion());
      return;
    }
    made.operands.push_back(field.getType()->isReferenceType() ? address(init) : value(init));
    made.fields.push_back(std::string_view(field.getName()));
  };
  if (const auto* with_bases = dyn_cast<clang::CXXRecordDecl>(&record)) {
    for (const clang::CXXBaseSpecifier& base : with_bases->bases()) {
      if (next >= inits.size()) break;
      made.operands.push_back(value(inits[next++]));
      made.fields.push_back(unit_.types.record(base.getType()));
    }
  }
  if (record.isUnion()) {
    if (of_union && next < inits.size()) add(*of_union);
    return;
  }
  for (const clang::FieldDecl* field : record.fields()) {
    if (next >= inits.size()) break;
    if (!field->isUnnamedBitField()) add(*field);
  }
}

lowered function_lowering::VisitInitListExpr(const clang::InitListExpr* e) {
  if (const clang::InitListExpr* semantic = e->isSemanticForm() ? nullptr : e->getSemanticForm()) {
    return eval(semantic);
  }
  if (e->isTransparent()) return eval(e->getInit(0));
  if (e->getType()->isRecordType()) {
    return aggregate(e, elements_of(*e), e->getInitializedFieldInUnion());
  }
  if (e->getType()->isArrayType() || e->getType()->isVectorType() || e->getType()->isAnyComplexType()) {
    ir::expr made;
    made.op = ir::expr_op::list;
    for (const clang::Expr* one : e->inits()) {
      if (one) made.operands.push_back(value(one));
    }
    made.result = fresh();
    const ir::value_id id = made.result;
    emit(std::move(made), e);
    return lowered::of(ir::value_ref{id});
  }
  if (e->getNumInits() == 0) return lowered::of(ir::integer{});
  return eval(e->getInit(0));
}

lowered function_lowering::VisitCXXParenListInitExpr(const clang::CXXParenListInitExpr* e) {
  if (e->getType()->isRecordType()) {
    return aggregate(e, const_cast<clang::CXXParenListInitExpr*>(e)->getInitExprs(),
                     e->getInitializedFieldInUnion());
  }
  ir::expr made;
  made.op = ir::expr_op::list;
  for (const clang::Expr* one : const_cast<clang::CXXParenListInitExpr*>(e)->getInitExprs()) {
    made.operands.push_back(value(one));
  }
  made.result = fresh();
  const ir::value_id id = made.result;
  emit(std::move(made), e);
  return lowered::of(ir::value_ref{id});
}

lowered function_lowering::VisitCXXStdInitializerListExpr(const clang::CXXStdInitializerListExpr* e) {
  // The list itself, not the array of temporaries behind it.
  const clang::Expr* inner = e->getSubExpr()->IgnoreParenImpCasts();
  if (const auto* temporary = dyn_cast<clang::MaterializeTemporaryExpr>(inner))
    inner = temporary->getSubExpr();
  return lowered::of(value(inner));
}

lowered function_lowering::VisitImplicitValueInitExpr(const clang::ImplicitValueInitExpr* e) {
  if (e->getType()->isRecordType()) return aggregate(e, {}, nullptr);
  if (e->getType()->isScalarType() && !e->getType()->isRealFloatingType()) return lowered::of(ir::integer{});
  if (e->getType()->isRealFloatingType())
    return lowered::of(emit_expr(ir::expr_op::floating, {}, e->getType(), e));
  return lowered::of(emit_expr(ir::expr_op::list, {}, e->getType(), e));
}

lowered function_lowering::VisitCXXScalarValueInitExpr(const clang::CXXScalarValueInitExpr* e) {
  if (e->getType()->isVoidType()) return {};
  if (e->getType()->isRealFloatingType())
    return lowered::of(emit_expr(ir::expr_op::floating, {}, e->getType(), e));
  return lowered::of(ir::integer{});
}

lowered function_lowering::VisitCompoundLiteralExpr(const clang::CompoundLiteralExpr* e) {
  const ir::operand what = value(e->getInitializer());
  if (e->isPRValue()) return lowered::of(what);
  const ir::place where = make_temporary(e->getType(), e);
  emit_store(where, what, ir::store_kind::initialise, e);
  return lowered::at(where);
}

lowered function_lowering::VisitMaterializeTemporaryExpr(const clang::MaterializeTemporaryExpr* e) {
  const clang::Expr* inner = e->getSubExpr();
  const lowered result = eval(inner);
  if (result.what == lowered::kind::place) return result;
  const ir::place where = make_temporary(e->getType(), e);
  emit_store(where, value_of(result, inner), ir::store_kind::initialise, e);
  // The destructor is that of the bound temporary, which now lives here.
  const clang::Expr* bound = inner;
  for (;;) {
    bound = bound->IgnoreParens();
    if (const auto* temporary = dyn_cast<clang::CXXBindTemporaryExpr>(bound)) {
      temporaries_[temporary] = lowered::at(where);
      break;
    }
    const auto* wrapper = dyn_cast<clang::FullExpr>(bound);
    const auto* conversion = dyn_cast<clang::CastExpr>(bound);
    if (wrapper) {
      bound = wrapper->getSubExpr();
    } else if (conversion && (conversion->getCastKind() == clang::CK_NoOp ||
                              conversion->getCastKind() == clang::CK_ConstructorConversion ||
                              conversion->getCastKind() == clang::CK_UserDefinedConversion)) {
      bound = conversion->getSubExpr();
    } else {
      break;
    }
  }
  return lowered::at(where);
}

lowered function_lowering::VisitCXXBindTemporaryExpr(const clang::CXXBindTemporaryExpr* e) {
  const lowered result = eval(e->getSubExpr());
  temporaries_[e] = result;
  return result;
}

lowered function_lowering::VisitCXXDefaultArgExpr(const clang::CXXDefaultArgExpr* e) {
  return eval_shared(e->getExpr(), e);
}
lowered function_lowering::VisitCXXDefaultInitExpr(const clang::CXXDefaultInitExpr* e) {
  return eval_shared(e->getExpr(), e);
}

// Copies of array members: the source as a whole is read.
lowered function_lowering::VisitArrayInitLoopExpr(const clang::ArrayInitLoopExpr* e) {
  return lowered::of(value_of(lowered::at(place(e->getCommonExpr()->getSourceExpr())), e->getCommonExpr()));
}
lowered function_lowering::VisitArrayInitIndexExpr(const clang::ArrayInitIndexExpr* e) {
  return lowered::of(emit_unknown("element number", e));
}

ir::value_id function_lowering::allocation(const clang::CXXNewExpr* e) {
  auto [at, is_new] = allocations_.try_emplace(e, ir::no_value);
  if (!is_new) return at->second;
  const ir::value_id id = fresh();
  at->second = id;
  emit(ir::unknown{id, "new"}, e);
  return id;
}

lowered function_lowering::VisitCXXNewExpr(const clang::CXXNewExpr* e) {
  for (unsigned i = 0; i < e->getNumPlacementArgs(); ++i) eval(e->getPlacementArg(i));
  const ir::value_id id = allocation(e);
  if (const clang::Expr* init = e->getInitializer()) {
    ir::place where;
    where.root = ir::root_kind::value;
    where.number = id;
    if (e->isArray()) where.path.push_back(element_step(ir::none{}));
    const lowered result = eval(init);
    const bool is_in_place = result.what == lowered::kind::place &&
                             result.where.root == ir::root_kind::value && result.where.number == id;
    if (!is_in_place && result.what != lowered::kind::nothing) {
      emit_store(where, value_of(result, init), ir::store_kind::initialise, e);
    }
  }
  return lowered::of(ir::value_ref{id});
}

}  // namespace stridelock::extract
