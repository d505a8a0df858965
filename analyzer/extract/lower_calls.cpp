// Calls of every kind, kernel launches and lambdas.
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/Builtins.h>

#include "analyzer/extract/function_lowering.h"

namespace stridelock::extract {

using llvm::dyn_cast;
using llvm::isa;

namespace {

const clang::Expr* without_base_casts(const clang::Expr* e) {
  for (;;) {
    e = e->IgnoreParens();
    const auto* conversion = dyn_cast<clang::ImplicitCastExpr>(e);
    if (!conversion) return e;
    switch (conversion->getCastKind()) {
      case clang::CK_NoOp:
      case clang::CK_DerivedToBase:
      case clang::CK_UncheckedDerivedToBase:
        e = conversion->getSubExpr();
        break;
      default:
        return e;
    }
  }
}

const clang::FunctionProtoType* prototype_of(const clang::CallExpr& e) {
  clang::QualType type = e.getCallee()->getType();
  if (type->isSpecificPlaceholderType(clang::BuiltinType::BoundMember)) {
    const auto* method = dyn_cast_or_null<clang::CXXMethodDecl>(e.getCalleeDecl());
    return method ? method->getType()->getAs<clang::FunctionProtoType>() : nullptr;
  }
  if (const auto* pointer = type->getAs<clang::PointerType>()) type = pointer->getPointeeType();
  if (const auto* reference = type->getAs<clang::ReferenceType>()) type = reference->getPointeeType();
  return type->getAs<clang::FunctionProtoType>();
}

bool is_stored_function(std::string_view callee) {
  return callee == "std::function::operator()" || callee == "std::move_only_function::operator()" ||
         callee == "std::copyable_function::operator()";
}

}  // namespace

void function_lowering::name_callee(ir::call& call, const clang::FunctionDecl& callee) {
  call.symbol = unit_.names.symbol(callee);
  call.callee = unit_.names.qualified(callee);
}

ir::argument function_lowering::argument_of(const clang::Expr* e, clang::QualType parameter) {
  ir::argument made;
  const bool is_default = isa<clang::CXXDefaultArgExpr>(e);
  if (e->isGLValue()) {
    made.what = address(e);
  } else if (!parameter.isNull() && parameter->isReferenceType()) {
    made.what = ir::address_of{place(e)};
  } else {
    made.what = value(e);
  }
  clang::QualType type = parameter.isNull() ? e->getType() : parameter;
  made.type = unit_.types.spelled(type);
  made.to_const = type_names::to_const(type);
  made.pointee = unit_.types.pointee_bytes(type);
  if (!is_default) made.spelling = unit_.files.spelling(e->getSourceRange());
  made.where = unit_.files.where(is_default ? clang::SourceLocation() : e->getBeginLoc());
  return made;
}

ir::argument function_lowering::object_argument(const ir::place& where, clang::QualType type, bool to_const,
                                                const clang::Expr* e) {
  ir::argument made;
  made.what = ir::address_of{where};
  made.type = unit_.types.spelled(type.getUnqualifiedType());
  made.to_const = to_const;
  if (e) {
    made.spelling = unit_.files.spelling(e->getSourceRange());
    made.where = unit_.files.where(e->getBeginLoc());
  }
  return made;
}

// Calls that are no call in the IR.
std::optional<lowered> function_lowering::transparent_call(const clang::CallExpr* e,
                                                           const clang::FunctionDecl& callee) {
  switch (callee.getBuiltinID()) {
    case clang::Builtin::BI__builtin_expect:
    case clang::Builtin::BI__builtin_expect_with_probability:
    case clang::Builtin::BI__builtin_assume_aligned:
      return eval(e->getArg(0));
    case clang::Builtin::BI__builtin_addressof:
      return lowered::of(address(e->getArg(0)));
    default:
      break;
  }
  if (const auto* method = dyn_cast<clang::CXXMethodDecl>(&callee)) {
    if (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) {
      if (const auto* op = dyn_cast<clang::CXXOperatorCallExpr>(e))
        return assign(op->getArg(0), op->getArg(1), e);
      if (const auto* named = dyn_cast<clang::CXXMemberCallExpr>(e)) {
        const clang::Expr* object = named->getImplicitObjectArgument();
        const ir::place where =
            object->getType()->isPointerType() ? pointee(value(object), object) : place(object);
        emit_store(where, value(e->getArg(0)), ir::store_kind::assign, e);
        return lowered::at(where);
      }
    }
  }
  // std::get<0>(x) is x[0].
  if (e->getNumArgs() == 1 && unit_.names.qualified(callee).view() == "std::get") {
    const clang::TemplateArgumentList* arguments = callee.getTemplateSpecializationArgs();
    if (arguments && arguments->size() > 0 &&
        arguments->get(0).getKind() == clang::TemplateArgument::Integral) {
      ir::place where = place(e->getArg(0));
      where.path.push_back(element_step(ir::integer{arguments->get(0).getAsIntegral().getExtValue(), {}}));
      return lowered::at(std::move(where));
    }
  }
  // A constant, computed by a function.
  if (callee.isConstexpr() && e->getType()->isIntegralOrEnumerationType()) {
    const bool has_constant_arguments =
        std::all_of(e->arg_begin(), e->arg_end(), [&](const clang::Expr* one) {
          if (!one->isPRValue()) return false;
          auto known = done_.find(one->IgnoreParens());
          return known != done_.end() && std::holds_alternative<ir::integer>(known->second.value);
        });
    if (has_constant_arguments) {
      if (auto number = folded(e)) return lowered::of(*number);
    }
  }
  return std::nullopt;
}

lowered function_lowering::VisitCallExpr(const clang::CallExpr* e) {
  const clang::FunctionDecl* callee = e->getDirectCallee();
  if (callee) {
    if (std::optional<lowered> result = transparent_call(e, *callee)) return *result;
    // The configuration of a launch is part of the launch.
    llvm::StringRef name = callee->getIdentifier() ? callee->getName() : llvm::StringRef();
    if (name == "__cudaPushCallConfiguration" || name == "cudaConfigureCall")
      return lowered::of(ir::integer{});
  }

  ir::call call;
  unsigned first = 0;
  if (callee) name_callee(call, *callee);

  const auto* method = dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  if (const auto* member_call = dyn_cast<clang::CXXMemberCallExpr>(e)) {
    const clang::Expr* object = member_call->getImplicitObjectArgument();
    if (isa<clang::CXXPseudoDestructorExpr>(e->getCallee()->IgnoreParens())) return {};
    if (!object) return VisitStmt(e);
    const bool is_pointer = object->getType()->isPointerType();
    const ir::place where = is_pointer ? pointee(value(object), object) : place(object);
    clang::QualType type = without_base_casts(object)->getType();
    if (type->isPointerType()) type = type->getPointeeType();
    if (!method) {  // (x.*f)(…)
      call.kind = ir::call_kind::indirect;
      if (const auto* op = dyn_cast<clang::BinaryOperator>(e->getCallee()->IgnoreParens())) {
        call.target = value(op->getRHS());
      }
    } else if (method->isVirtual()) {
      const auto* named = dyn_cast<clang::MemberExpr>(e->getCallee()->IgnoreParens());
      const bool is_qualified = named && named->hasQualifier();
      const clang::CXXMethodDecl* only =
          is_qualified ? method : method->getDevirtualizedMethod(object, /*IsAppleKext=*/false);
      if (only) {
        name_callee(call, *only);
      } else {
        call.kind = ir::call_kind::virtual_;
      }
    }
    if (!method || method->isInstance()) {
      call.is_method = true;
      call.record = unit_.types.record(type);
      call.args.push_back(object_argument(where, type, method && method->isConst(), object));
    }
  } else if (isa<clang::CXXOperatorCallExpr>(e) && method && e->getNumArgs() > 0) {
    const clang::Expr* object = e->getArg(0);
    first = 1;
    const ir::place where = place(object);
    if (method->isInstance()) {
      const clang::QualType type = without_base_casts(object)->getType();
      call.is_method = true;
      call.record = unit_.types.record(type);
      call.args.push_back(object_argument(where, type, method->isConst(), object));
      if (method->isVirtual()) call.kind = ir::call_kind::virtual_;
      if (is_stored_function(call.callee.view())) {
        call.kind = ir::call_kind::indirect;
        call.target = ir::address_of{where};
      }
    }
  } else if (!callee) {
    call.kind = ir::call_kind::indirect;
    call.target = value(e->getCallee());
    // A pointer that can only be one function.
    if (const auto* known = std::get_if<ir::function_ref>(&call.target)) call.symbol = known->symbol;
  }

  const clang::FunctionProtoType* prototype = prototype_of(*e);
  for (unsigned i = first; i < e->getNumArgs(); ++i) {
    clang::QualType parameter;
    if (prototype && i - first < prototype->getNumParams()) parameter = prototype->getParamType(i - first);
    call.args.push_back(argument_of(e->getArg(i), parameter));
  }
  if (const auto* launch = dyn_cast<clang::CUDAKernelCallExpr>(e)) lower_launch(call, launch->getConfig());
  return finish_call(std::move(call), e);
}

lowered function_lowering::finish_call(ir::call call, const clang::CallExpr* e) {
  const clang::QualType type = e->getCallReturnType(ast_);
  call.type = unit_.types.spelled(type);
  const bool has_result = !type->isVoidType();
  if (has_result) call.result = fresh();
  call.is_discarded = has_result && facts_.discarded.contains(e);
  const ir::value_id id = call.result;
  if (type->isBooleanType()) truths_.insert(id);
  const bool is_discarded = call.is_discarded;
  emit(std::move(call), e);
  if (is_discarded) emit(ir::unused{id}, e);
  return result_of(e, id);
}

void function_lowering::lower_launch(ir::call& call, const clang::CallExpr* launch) {
  call.kind = ir::call_kind::launch;
  constexpr unsigned parts = 4;  // grid, block, shared memory, stream
  call.config.assign(parts, ir::none{});
  for (unsigned i = 0; launch && i < parts && i < launch->getNumArgs(); ++i) {
    const clang::Expr* part = launch->getArg(i);
    if (!isa<clang::CXXDefaultArgExpr>(part)) call.config[i] = value(part);
  }
}

lowered function_lowering::VisitCXXPseudoDestructorExpr(const clang::CXXPseudoDestructorExpr*) {
  return {};
}

lowered function_lowering::VisitCXXDeleteExpr(const clang::CXXDeleteExpr* e) {
  ir::call call;
  call.callee = e->isArrayForm() ? "operator delete[]" : "operator delete";
  call.symbol = e->getOperatorDelete() ? unit_.names.symbol(*e->getOperatorDelete()) : call.callee;
  call.type = "void";
  call.args.push_back(argument_of(e->getArgument(), {}));
  emit(std::move(call), e);
  return {};
}

lowered function_lowering::VisitLambdaExpr(const clang::LambdaExpr* e) {
  ir::closure made;
  made.symbol = unit_.names.record(*e->getLambdaClass());  // its announced symbol
  const clang::LambdaExpr::const_capture_init_iterator inits = e->capture_init_begin();
  std::size_t number = 0;
  for (const clang::LambdaCapture& one : e->captures()) {
    const clang::Expr* init = inits[number++];
    if (one.capturesVLAType() || !init) continue;
    ir::capture capture;
    if (one.capturesThis()) {
      capture.variable = "this";
      capture.by_reference = one.getCaptureKind() == clang::LCK_This;
      capture.what = value(init);
    } else {
      capture.variable = std::string_view(one.getCapturedVar()->getName());
      capture.by_reference = one.getCaptureKind() == clang::LCK_ByRef;
      capture.what = capture.by_reference ? address(init) : value(init);
    }
    made.captures.push_back(std::move(capture));
  }
  made.result = fresh();
  const ir::value_id id = made.result;
  emit(std::move(made), e);
  return lowered::of(ir::value_ref{id});
}

}  // namespace stridelock::extract
