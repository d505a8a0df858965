#include "analyzer/extract/function_lowering.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>

#include "analyzer/extract/declared_contract.h"

namespace stridelock::extract {
namespace {

using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

clang::CFG::BuildOptions graph_options() {
  clang::CFG::BuildOptions options;
  // Edges that constants rule out (do { … } while (0), a sizeof in a template) would only make joins.
  options.PruneTriviallyFalseEdges = true;
  options.AddImplicitDtors = true;
  options.AddTemporaryDtors = true;  // without it a check macro whose temporary never returns is invisible
  options.AddLifetime = true;
  options.AddInitializers = true;
  options.setAllAlwaysAdd();
  return options;
}

ir::passing passing_of(clang::QualType type) {
  if (type->isRValueReferenceType()) return ir::passing::rvalue_reference;
  if (!type->isReferenceType()) return ir::passing::value;
  return type->getPointeeType().isConstQualified() ? ir::passing::const_reference : ir::passing::reference;
}

// Reverse post-order: a block comes after all its predecessors but for the back edges of loops. What the entry does
// not reach (handlers, dead code) follows.
std::vector<const clang::CFGBlock*> evaluation_order(const clang::CFG& graph) {
  std::vector<const clang::CFGBlock*> out;
  llvm::DenseSet<const clang::CFGBlock*> seen;
  struct visit {
    const clang::CFGBlock* block;
    clang::CFGBlock::const_succ_reverse_iterator next;
  };
  std::vector<visit> pending;
  const auto from = [&](const clang::CFGBlock* root) {
    const std::size_t first = out.size();
    if (!seen.insert(root).second) return;
    pending.push_back({root, root->succ_rbegin()});
    while (!pending.empty()) {
      visit& top = pending.back();
      if (top.next == top.block->succ_rend()) {
        out.push_back(top.block);
        pending.pop_back();
        continue;
      }
      const clang::CFGBlock::AdjacentBlock& edge = *top.next++;
      const clang::CFGBlock* to = edge.getReachableBlock();
      if (!to) to = edge.getPossiblyUnreachableBlock();
      if (to && seen.insert(to).second) pending.push_back({to, to->succ_rbegin()});
    }
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
  };
  from(&graph.getEntry());
  std::vector<const clang::CFGBlock*> rest(graph.begin(), graph.end());
  std::sort(rest.begin(), rest.end(), [](const clang::CFGBlock* a, const clang::CFGBlock* b) {
    return a->getBlockID() > b->getBlockID();
  });
  // A try statement comes before its handlers.
  for (const clang::CFGBlock* one : rest) {
    if (one->pred_empty()) from(one);
  }
  for (const clang::CFGBlock* one : rest) from(one);
  return out;
}

}  // namespace

function_lowering::function_lowering(unit_context& unit, const clang::FunctionDecl& function)
    : unit_(unit), ast_(unit.ast), function_(function) {}

void function_lowering::describe() {
  const clang::FunctionDecl& f = function_;
  out_.symbol = unit_.names.symbol(f);
  out_.qualified = unit_.names.qualified(f);
  out_.signature = unit_.names.signature(f, unit_.types);
  out_.where = unit_.files.where(f.getLocation());
  out_.return_type = unit_.types.spelled(f.getReturnType());
  out_.is_constructor = isa<clang::CXXConstructorDecl>(f);
  out_.is_destructor = isa<clang::CXXDestructorDecl>(f);
  out_.is_kernel = f.hasAttr<clang::CUDAGlobalAttr>();
  out_.is_device = f.hasAttr<clang::CUDADeviceAttr>() && !f.hasAttr<clang::CUDAHostAttr>();
  out_.is_instantiation = f.isTemplateInstantiation();
  out_.is_noreturn = f.isNoReturn();
  out_.is_exported = f.getFormalLinkage() == clang::Linkage::External;

  const auto* method = dyn_cast<clang::CXXMethodDecl>(&f);
  if (method && method->isInstance()) {
    const clang::CXXRecordDecl& record = *method->getParent();
    out_.is_method = true;
    out_.is_lambda = record.isLambda();
    out_.is_virtual = method->isVirtual();
    out_.record = unit_.names.record(record);
    for (const clang::CXXMethodDecl* base : method->overridden_methods()) {
      out_.overrides.push_back(unit_.names.symbol(*base));
    }
    std::sort(out_.overrides.begin(), out_.overrides.end());
    ir::parameter self;
    self.variable = "this";
    self.type = unit_.types.spelled(ast_.getRecordType(&record));
    self.record = out_.record;
    self.to_const = method->isConst();
    self.how = method->isConst() ? ir::passing::const_reference : ir::passing::reference;
    self.where = out_.where;
    out_.params.push_back(std::move(self));
    if (record.isLambda()) {
      clang::FieldDecl* self_field = nullptr;
      llvm::DenseMap<const clang::ValueDecl*, clang::FieldDecl*> fields;
      record.getCaptureFields(fields, self_field);
      captured_this_ = self_field;
      for (const auto& [variable, field] : fields)
        captures_[variable->getCanonicalDecl() ? llvm::cast<clang::ValueDecl>(variable->getCanonicalDecl())
                                               : variable] = field;
    }
  }
  for (unsigned i = 0; i < f.getNumParams(); ++i) {
    const clang::ParmVarDecl& given = *f.getParamDecl(i);
    const clang::QualType type = given.getType();
    parameters_[&given] = static_cast<std::uint32_t>(out_.params.size());
    ir::parameter made;
    made.variable = std::string_view(given.getName());
    made.type = unit_.types.spelled(type);
    made.record = unit_.types.record(type);
    made.how = passing_of(type);
    made.is_pointer = type->isPointerType();
    made.to_const = type_names::to_const(type);
    made.contract = declared_contract(f, i, unit_.names);
    made.where = unit_.files.where(given.getLocation());
    out_.params.push_back(std::move(made));
  }
}

void function_lowering::fail(ir::name reason) {
  out_.locals.clear();
  out_.value_count = 0;
  out_.blocks.assign(1, {});
  ir::block& only = out_.blocks.front();
  only.body.push_back({ir::unknown{out_.value_count++, reason}, out_.where, {}});
  only.end = ir::ret{};
  only.where = out_.where;
}

ir::function function_lowering::run() {
  describe();
  if (!function_.doesThisDeclarationHaveABody()) return std::move(out_);
  facts_ = gather_body_facts(function_);
  if (facts_.has_errors) {
    fail("the function contains errors");
    return std::move(out_);
  }
  std::unique_ptr<clang::CFG> graph =
      clang::CFG::buildCFG(&function_, function_.getBody(), &ast_, graph_options());
  if (!graph) {
    fail("no control-flow graph");
    return std::move(out_);
  }
  lower_blocks(*graph);
  if (instructions_ > unit_.max_instructions) fail("limit: instructions of a function");
  return std::move(out_);
}

// Every value and every name bound to a place is lowered before it is used.
void function_lowering::lower_blocks(const clang::CFG& graph) {
  const std::vector<const clang::CFGBlock*> order = evaluation_order(graph);
  for (std::size_t i = 0; i < order.size(); ++i) numbers_[order[i]] = static_cast<ir::block_id>(i);
  exit_ = &graph.getExit();
  std::vector<ir::block> blocks(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (instructions_ > unit_.max_instructions) return;
    current_ = order[i];
    block_ = &blocks[i];
    block_->is_handler = isa_and_nonnull<clang::CXXCatchStmt>(current_->getLabel());
    for (const clang::CFGElement& element : *current_) lower_element(element);
    block_->end = terminate(*current_);
    if (const clang::Stmt* terminator = current_->getTerminatorStmt()) {
      block_->where = unit_.files.where(terminator->getBeginLoc());
    } else if (!block_->body.empty()) {
      block_->where = block_->body.back().where;
    }
  }
  block_ = nullptr;
  for (ir::block& one : extra_) blocks.push_back(std::move(one));
  out_.blocks = std::move(blocks);
}

void function_lowering::lower_element(const clang::CFGElement& element) {
  const ir::location here = block_->body.empty() ? out_.where : block_->body.back().where;
  switch (element.getKind()) {
    case clang::CFGElement::Statement:
    case clang::CFGElement::Constructor:
    case clang::CFGElement::CXXRecordTypedCall: {
      const clang::Stmt* statement = element.castAs<clang::CFGStmt>().getStmt();
      if (!facts_.skipped.contains(statement)) lower_statement(*statement);
      break;
    }
    case clang::CFGElement::Initializer:
      lower_initialiser(*element.castAs<clang::CFGInitializer>().getInitializer());
      break;
    case clang::CFGElement::AutomaticObjectDtor: {
      const auto dtor = element.castAs<clang::CFGAutomaticObjDtor>();
      const clang::VarDecl* variable = dtor.getVarDecl();
      if (variable->isImplicit() && !variable->getType()->isReferenceType())
        break;  // iterators of a range-for
      const ir::location at =
          dtor.getTriggerStmt() ? unit_.files.where(dtor.getTriggerStmt()->getEndLoc()) : here;
      const ir::place where = place_of_variable(*variable, nullptr);
      emit_destroy(dtor.getDestructorDecl(ast_), where, at);
      // A reference that keeps a temporary alive has no lifetime element of its own.
      if (variable->getType()->isReferenceType() && where.root == ir::root_kind::local &&
          where.path.empty()) {
        emit_at(ir::scope_end{where.number}, at, {});
      }
      break;
    }
    case clang::CFGElement::LifetimeEnds: {
      const auto end = element.castAs<clang::CFGLifetimeEnds>();
      const ir::location at =
          end.getTriggerStmt() ? unit_.files.where(end.getTriggerStmt()->getEndLoc()) : here;
      end_of_variable(*end.getVarDecl(), at);
      break;
    }
    case clang::CFGElement::TemporaryDtor:
      end_of_temporary(*element.castAs<clang::CFGTemporaryDtor>().getBindTemporaryExpr(), here);
      break;
    case clang::CFGElement::MemberDtor: {
      const auto dtor = element.castAs<clang::CFGMemberDtor>();
      ir::place where = object();
      where.path.push_back(field_step(*dtor.getFieldDecl()));
      emit_destroy(dtor.getDestructorDecl(ast_), where, out_.where);
      break;
    }
    case clang::CFGElement::BaseDtor: {
      // Asked for its destructor, a base element has no answer.
      const clang::CXXBaseSpecifier* base = element.castAs<clang::CFGBaseDtor>().getBaseSpecifier();
      const clang::CXXRecordDecl* record = base->getType()->getAsCXXRecordDecl();
      if (record) emit_destroy(record->getDestructor(), object(), out_.where);
      break;
    }
    case clang::CFGElement::DeleteDtor: {
      const auto dtor = element.castAs<clang::CFGDeleteDtor>();
      const clang::CXXDeleteExpr* e = dtor.getDeleteExpr();
      emit_destroy(dtor.getDestructorDecl(ast_), pointee(value(e->getArgument()), e),
                   unit_.files.where(e->getExprLoc()));
      break;
    }
    case clang::CFGElement::ScopeBegin:
    case clang::CFGElement::ScopeEnd:
    case clang::CFGElement::NewAllocator:
    case clang::CFGElement::LoopExit:
    case clang::CFGElement::CleanupFunction:
      break;
  }
}

void function_lowering::end_of_variable(const clang::VarDecl& variable, ir::location at) {
  if (variable.isImplicit() || variable.getType()->isReferenceType()) return;
  const ir::place where = place_of_variable(variable, nullptr);
  if (where.root == ir::root_kind::local && where.path.empty()) emit_at(ir::scope_end{where.number}, at, {});
}

void function_lowering::end_of_temporary(const clang::CXXBindTemporaryExpr& temporary, ir::location at) {
  auto known = temporaries_.find(&temporary);
  if (known == temporaries_.end()) return;
  const lowered what = known->second;
  if (what.what == lowered::kind::place) {
    if (what.where.root != ir::root_kind::local || !what.where.path.empty()) return;
    emit_destroy(temporary.getTemporary()->getDestructor(), what.where, at);
    emit_at(ir::scope_end{what.where.number}, at, {});
  } else if (const auto* value = std::get_if<ir::value_ref>(&what.value)) {
    emit_at(ir::temporary_end{value->id}, at, {});
  }
}

void function_lowering::emit_destroy(const clang::CXXDestructorDecl* destructor, const ir::place& where,
                                     ir::location at) {
  if (!destructor) return;
  ir::call call;
  call.kind = ir::call_kind::destroy;
  name_callee(call, *destructor);
  call.record = unit_.names.record(*destructor->getParent());
  call.is_method = true;
  call.type = "void";
  ir::argument self;
  self.what = ir::address_of{where};
  self.type = unit_.types.spelled(ast_.getRecordType(destructor->getParent()));
  self.where = at;
  call.args.push_back(std::move(self));
  emit_at(std::move(call), at, {});
}

// ---- terminators -------------------------------------------------------------------------------------------------

ir::block_id function_lowering::successor(const clang::CFGBlock& from, const clang::CFGBlock& to) {
  auto returned = returning_.find(&from);
  if (returned == returning_.end()) return numbers_[&to];
  if (&to != exit_) {
    const ir::operand what = returned->second;
    returning_[&to] = what;
    return numbers_[&to];
  }
  // A branch from a return's clean-up straight to the exit: give the edge a block that returns.
  ir::block made;
  made.end = ir::ret{returned->second};
  made.where = block_->body.empty() ? out_.where : block_->body.back().where;
  extra_.push_back(std::move(made));
  return static_cast<ir::block_id>(numbers_.size() + extra_.size() - 1);
}

ir::terminator function_lowering::terminate(const clang::CFGBlock& block) {
  if (&block == exit_) return ir::ret{};
  if (block.hasNoReturnElement()) return ir::stop{ir::stop_kind::abort};
  for (const clang::CFGElement& element : block) {
    if (const auto statement = element.getAs<clang::CFGStmt>()) {
      if (isa<clang::CXXThrowExpr>(statement->getStmt())) return ir::stop{ir::stop_kind::throw_};
    }
  }
  std::vector<const clang::CFGBlock*> next;
  for (const clang::CFGBlock::AdjacentBlock& one : block.succs()) {
    if (one.isReachable()) next.push_back(one.getReachableBlock());
  }
  const clang::Stmt* terminator = block.getTerminatorStmt();
  if (const auto* choice = dyn_cast_or_null<clang::SwitchStmt>(terminator))
    return terminate_switch(block, *choice);
  if (isa_and_nonnull<clang::CXXTryStmt>(terminator)) return ir::unreachable{};  // handlers are entries
  if (next.empty()) return ir::unreachable{};
  if (next.size() == 1) {
    auto returned = returning_.find(&block);
    if (next[0] == exit_ && returned != returning_.end()) return ir::ret{returned->second};
    return ir::jump{successor(block, *next[0])};
  }
  if (next.size() > 2) {
    ir::switch_branch out;
    for (const clang::CFGBlock* one : next) out.cases.push_back({{}, successor(block, *one)});
    return out;
  }
  ir::branch out;
  if (terminator) out.condition = branch_condition(block, *terminator);
  out.if_true = successor(block, *next[0]);
  out.if_false = successor(block, *next[1]);
  out.is_loop =
      isa_and_nonnull<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(terminator);
  return out;
}

ir::terminator function_lowering::terminate_switch(const clang::CFGBlock& block,
                                                   const clang::SwitchStmt& statement) {
  ir::switch_branch out;
  out.condition = value(statement.getCond());
  for (const clang::CFGBlock::AdjacentBlock& one : block.succs()) {
    const clang::CFGBlock* to = one.getReachableBlock();
    // Clang drops a `default` below cases for every enumerator; a value that is none of them still goes there.
    if (!to && statement.isAllEnumCasesCovered()) {
      to = one.getPossiblyUnreachableBlock();
      if (to && !isa_and_nonnull<clang::DefaultStmt>(to->getLabel())) to = nullptr;
    }
    if (!to) continue;
    ir::switch_case made;
    if (const auto* label = dyn_cast_or_null<clang::CaseStmt>(to->getLabel())) {
      std::optional<ir::integer> first = fold(label->getLHS());
      std::optional<ir::integer> last = label->getRHS() ? fold(label->getRHS()) : first;
      constexpr std::int64_t longest_range = 64;
      if (first && last && last->number >= first->number && last->number - first->number < longest_range) {
        made.values.push_back(*first);
        for (std::int64_t n = first->number; n < last->number;) made.values.push_back({++n, {}});
      }
    }
    made.to = successor(block, *to);
    out.cases.push_back(std::move(made));
  }
  std::stable_sort(out.cases.begin(), out.cases.end(),
                   [](const ir::switch_case& a, const ir::switch_case& b) {
                     if (a.values.empty() || b.values.empty()) return !a.values.empty() && b.values.empty();
                     return a.values.front().number < b.values.front().number;
                   });
  return out;
}

ir::operand function_lowering::branch_condition(const clang::CFGBlock& block, const clang::Stmt& terminator) {
  if (block.getTerminator().isTemporaryDtorsBranch()) {
    const auto* temporary = dyn_cast<clang::CXXBindTemporaryExpr>(&terminator);
    return temporary ? existence(*temporary) : ir::operand{};
  }
  if (isa<clang::CXXForRangeStmt>(terminator)) return {};
  const auto* condition = dyn_cast_or_null<clang::Expr>(block.getTerminatorCondition());
  // Of a condition that the graph split, this block evaluated the last part.
  while (condition) {
    condition = condition->IgnoreParens();
    const auto* logical = dyn_cast<clang::BinaryOperator>(condition);
    if (!logical || !logical->isLogicalOp() || done_.contains(condition)) break;
    condition = logical->getRHS();
  }
  if (!condition) return {};
  const ir::operand what = value(condition);
  return condition->getType()->isScalarType() ? truth_of(what, condition) : what;
}

// Whether a temporary was created depends on the conditions around it, all of which earlier blocks evaluated.
ir::operand function_lowering::existence(const clang::CXXBindTemporaryExpr& temporary) {
  auto known = facts_.exists_if.find(&temporary);
  if (known == facts_.exists_if.end()) return {};
  ir::operand all;
  for (int i = known->second; i >= 0; i = facts_.conditions[static_cast<std::size_t>(i)].outer) {
    const condition& one = facts_.conditions[static_cast<std::size_t>(i)];
    ir::operand test = value(one.test);
    if (!one.expected) test = emit_expr(ir::expr_op::logical_not, {test}, ast_.BoolTy, one.test);
    all = std::holds_alternative<ir::none>(all)
              ? test
              : emit_expr(ir::expr_op::logical_and, {test, all}, ast_.BoolTy, one.test);
  }
  return all;
}

// ---- emission ----------------------------------------------------------------------------------------------------

void function_lowering::emit_at(ir::payload what, ir::location where, ir::name spelling) {
  ++instructions_;
  block_->body.push_back({std::move(what), where, spelling});
}

void function_lowering::emit(ir::payload what, const clang::Stmt* from) {
  if (!from) {
    emit_at(std::move(what), block_->body.empty() ? out_.where : block_->body.back().where, {});
    return;
  }
  if (use_of_shared_) from = use_of_shared_;
  const auto* expression = dyn_cast<clang::Expr>(from);
  emit_at(std::move(what), unit_.files.where(expression ? expression->getExprLoc() : from->getBeginLoc()),
          unit_.files.spelling(from->getSourceRange()));
}

ir::operand function_lowering::emit_expr(ir::expr_op op, std::vector<ir::operand> operands,
                                         clang::QualType type, const clang::Stmt* from) {
  ir::expr made;
  made.result = fresh();
  made.op = op;
  made.operands = std::move(operands);
  if (!type.isNull() && type->isIntegralOrEnumerationType() && !type->isDependentType()) {
    made.bits = static_cast<std::uint8_t>(std::min(ast_.getIntWidth(type), 255U));
    made.is_signed = type->isSignedIntegerOrEnumerationType();
  }
  const ir::value_id id = made.result;
  emit(std::move(made), from);
  if (!type.isNull() && type->isBooleanType()) truths_.insert(id);
  return ir::value_ref{id};
}

std::optional<ir::operand> function_lowering::as_truth(const ir::operand& what) const {
  const auto* value = std::get_if<ir::value_ref>(&what);
  if (!value) return std::nullopt;
  if (auto known = widened_.find(value->id); known != widened_.end()) return known->second;
  if (truths_.contains(value->id)) return what;
  return std::nullopt;
}

ir::operand function_lowering::truth_of(const ir::operand& what, const clang::Expr* e) {
  if (e->getType()->isBooleanType()) return what;
  if (std::optional<ir::operand> truth = as_truth(what)) return *truth;
  return emit_expr(ir::expr_op::ne, {what, ir::integer{}}, ast_.BoolTy, e);
}

ir::operand function_lowering::emit_load(const ir::place& from, clang::QualType type, const clang::Stmt* at) {
  ir::load made;
  made.result = fresh();
  made.from = from;
  made.type = unit_.types.spelled(type.getUnqualifiedType());
  const ir::value_id id = made.result;
  emit(std::move(made), at);
  if (type->isBooleanType()) truths_.insert(id);
  return ir::value_ref{id};
}

ir::operand function_lowering::emit_unknown(ir::name reason, const clang::Stmt* from) {
  const ir::value_id id = fresh();
  emit(ir::unknown{id, reason}, from);
  return ir::value_ref{id};
}

void function_lowering::emit_store(const ir::place& to, ir::operand what, ir::store_kind kind,
                                   const clang::Stmt* from) {
  emit(ir::store{to, std::move(what), kind}, from);
}

}  // namespace stridelock::extract
