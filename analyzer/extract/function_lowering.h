// Lowers one function body to IR: a walk over Clang's control-flow graph in which every sub-expression is an element
// of a block, so each is lowered once, in the block and in the order in which it is evaluated.
//
// The methods are spread over files by what they lower:
//   function_lowering.cpp    the function, its blocks, terminators and scope ends
//   lower_statements.cpp     declarations, returns, elements
//   lower_expressions.cpp    operators, names, members, subscripts
//   lower_casts.cpp          conversions
//   lower_calls.cpp          calls, launches, lambdas
//   lower_initialisers.cpp   constructors, aggregates, temporaries, new
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtVisitor.h>
#include <clang/Analysis/CFG.h>
#include <llvm/ADT/DenseMap.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/extract/body_facts.h"
#include "analyzer/extract/identity.h"
#include "analyzer/extract/project_files.h"
#include "analyzer/extract/types.h"
#include "analyzer/ir/ir.h"

namespace stridelock::extract {

// What all functions of a unit share.
struct unit_context {
  clang::ASTContext& ast;
  const project_files& files;
  identity& names;
  const type_names& types;
  std::uint32_t max_instructions;
  std::set<ir::name> constructed;  // records
};

// An expression after lowering. An lvalue or xvalue is a `place`, or a `value` that is its address. A prvalue of
// class type is a `value`, or the `place` of the temporary or variable that it initialises. `nothing`: void.
struct lowered {
  enum class kind : std::uint8_t { nothing, value, place };
  kind what = kind::nothing;
  ir::operand value;
  ir::place where;

  static lowered of(ir::operand operand) { return {kind::value, std::move(operand), {}}; }
  static lowered at(ir::place place) { return {kind::place, {}, std::move(place)}; }
};

class function_lowering : public clang::ConstStmtVisitor<function_lowering, lowered> {
 public:
  function_lowering(unit_context& unit, const clang::FunctionDecl& function);
  ir::function run();

  // ---- called by ConstStmtVisitor ------------------------------------------------------------------------------
  lowered VisitStmt(const clang::Stmt* statement);

  // lower_expressions.cpp
  lowered VisitIntegerLiteral(const clang::IntegerLiteral* e);
  lowered VisitCharacterLiteral(const clang::CharacterLiteral* e);
  lowered VisitCXXBoolLiteralExpr(const clang::CXXBoolLiteralExpr* e);
  lowered VisitCXXNullPtrLiteralExpr(const clang::CXXNullPtrLiteralExpr* e);
  lowered VisitGNUNullExpr(const clang::GNUNullExpr* e);
  lowered VisitFloatingLiteral(const clang::FloatingLiteral* e);
  lowered VisitStringLiteral(const clang::StringLiteral* e);
  lowered VisitPredefinedExpr(const clang::PredefinedExpr* e);
  lowered VisitUnaryExprOrTypeTraitExpr(const clang::UnaryExprOrTypeTraitExpr* e);
  lowered VisitTypeTraitExpr(const clang::TypeTraitExpr* e);
  lowered VisitCXXNoexceptExpr(const clang::CXXNoexceptExpr* e);
  lowered VisitSizeOfPackExpr(const clang::SizeOfPackExpr* e);
  lowered VisitOffsetOfExpr(const clang::OffsetOfExpr* e);
  lowered VisitConceptSpecializationExpr(const clang::ConceptSpecializationExpr* e);
  lowered VisitRequiresExpr(const clang::RequiresExpr* e);
  lowered VisitConstantExpr(const clang::ConstantExpr* e);
  lowered VisitParenExpr(const clang::ParenExpr* e);
  lowered VisitExprWithCleanups(const clang::ExprWithCleanups* e);
  lowered VisitSubstNonTypeTemplateParmExpr(const clang::SubstNonTypeTemplateParmExpr* e);
  lowered VisitOpaqueValueExpr(const clang::OpaqueValueExpr* e);
  lowered VisitGenericSelectionExpr(const clang::GenericSelectionExpr* e);
  lowered VisitChooseExpr(const clang::ChooseExpr* e);
  lowered VisitCXXRewrittenBinaryOperator(const clang::CXXRewrittenBinaryOperator* e);
  lowered VisitStmtExpr(const clang::StmtExpr* e);
  lowered VisitDeclRefExpr(const clang::DeclRefExpr* e);
  lowered VisitCXXThisExpr(const clang::CXXThisExpr* e);
  lowered VisitMemberExpr(const clang::MemberExpr* e);
  lowered VisitArraySubscriptExpr(const clang::ArraySubscriptExpr* e);
  lowered VisitUnaryOperator(const clang::UnaryOperator* e);
  lowered VisitBinaryOperator(const clang::BinaryOperator* e);
  lowered VisitConditionalOperator(const clang::ConditionalOperator* e);
  lowered VisitBinaryConditionalOperator(const clang::BinaryConditionalOperator* e);
  lowered VisitAtomicExpr(const clang::AtomicExpr* e);
  lowered VisitPseudoObjectExpr(const clang::PseudoObjectExpr* e);
  lowered VisitCXXThrowExpr(const clang::CXXThrowExpr* e);

  // lower_casts.cpp
  lowered VisitCastExpr(const clang::CastExpr* e);

  // lower_calls.cpp
  lowered VisitCallExpr(const clang::CallExpr* e);
  lowered VisitCXXPseudoDestructorExpr(const clang::CXXPseudoDestructorExpr* e);
  lowered VisitLambdaExpr(const clang::LambdaExpr* e);
  lowered VisitCXXDeleteExpr(const clang::CXXDeleteExpr* e);

  // lower_initialisers.cpp
  lowered VisitCXXConstructExpr(const clang::CXXConstructExpr* e);
  lowered VisitCXXInheritedCtorInitExpr(const clang::CXXInheritedCtorInitExpr* e);
  lowered VisitInitListExpr(const clang::InitListExpr* e);
  lowered VisitCXXParenListInitExpr(const clang::CXXParenListInitExpr* e);
  lowered VisitCXXStdInitializerListExpr(const clang::CXXStdInitializerListExpr* e);
  lowered VisitImplicitValueInitExpr(const clang::ImplicitValueInitExpr* e);
  lowered VisitCXXScalarValueInitExpr(const clang::CXXScalarValueInitExpr* e);
  lowered VisitCompoundLiteralExpr(const clang::CompoundLiteralExpr* e);
  lowered VisitMaterializeTemporaryExpr(const clang::MaterializeTemporaryExpr* e);
  lowered VisitCXXBindTemporaryExpr(const clang::CXXBindTemporaryExpr* e);
  lowered VisitCXXDefaultArgExpr(const clang::CXXDefaultArgExpr* e);
  lowered VisitCXXDefaultInitExpr(const clang::CXXDefaultInitExpr* e);
  lowered VisitArrayInitLoopExpr(const clang::ArrayInitLoopExpr* e);
  lowered VisitArrayInitIndexExpr(const clang::ArrayInitIndexExpr* e);
  lowered VisitCXXNewExpr(const clang::CXXNewExpr* e);

 private:
  // ---- results of expressions -----------------------------------------------------------------------------------
  // The result of `e`, lowering it here if no block has done so yet.
  lowered eval(const clang::Expr* e);
  ir::operand value(const clang::Expr* e);    // as a prvalue; loads class objects
  ir::operand address(const clang::Expr* e);  // of an lvalue or xvalue
  ir::place place(const clang::Expr* e);      // of an lvalue or xvalue
  ir::operand value_of(const lowered& result, const clang::Expr* e);
  ir::operand address_of(const lowered& result, const clang::Expr* e);
  ir::place place_of(const lowered& result, const clang::Expr* e);
  ir::place pointee(const ir::operand& pointer, const clang::Expr* e);
  lowered result_of(const clang::Expr* e, ir::value_id id);  // of a call or similar, by the category of `e`

  std::optional<ir::integer> fold(const clang::Expr* e);
  std::optional<ir::operand> folded(const clang::Expr* e);

  // ---- emission --------------------------------------------------------------------------------------------------
  ir::value_id fresh() { return out_.value_count++; }
  void emit(ir::payload what, const clang::Stmt* from);
  void emit_at(ir::payload what, ir::location where, ir::name spelling);
  ir::operand emit_expr(ir::expr_op op, std::vector<ir::operand> operands, clang::QualType type,
                        const clang::Stmt* from);
  ir::operand emit_load(const ir::place& from, clang::QualType type, const clang::Stmt* at);
  ir::operand emit_unknown(ir::name reason, const clang::Stmt* from);
  void emit_store(const ir::place& to, ir::operand what, ir::store_kind kind, const clang::Stmt* from);
  void emit_destroy(const clang::CXXDestructorDecl* destructor, const ir::place& where, ir::location at);

  // ---- names ------------------------------------------------------------------------------------------------------
  std::uint32_t make_local(ir::name variable, clang::QualType type, clang::SourceLocation at, bool is_static);
  ir::place make_temporary(clang::QualType type, const clang::Expr* at);
  ir::place place_of_variable(const clang::VarDecl& variable, const clang::Stmt* at);
  ir::place place_of_binding(const clang::BindingDecl& binding, const clang::Stmt* at);
  std::optional<ir::place> captured(const clang::ValueDecl& variable, const clang::Stmt* at);
  ir::place object() const;  // *this of a method, the closure of a lambda
  ir::step field_step(const clang::FieldDecl& field);
  static ir::step element_step(const ir::operand& index);

  // ---- parts ------------------------------------------------------------------------------------------------------
  void describe();
  void fail(ir::name reason);
  void lower_blocks(const clang::CFG& graph);
  void lower_element(const clang::CFGElement& element);
  void lower_statement(const clang::Stmt& statement);
  void lower_declaration(const clang::VarDecl& variable, const clang::DeclStmt& statement);
  void lower_loop_variable(const clang::VarDecl& variable, const clang::CXXForRangeStmt& range,
                           const clang::DeclStmt& statement);
  void lower_return(const clang::ReturnStmt& statement);
  void lower_initialiser(const clang::CXXCtorInitializer& initialiser);
  void initialise(const ir::place& where, const clang::Expr* init, bool is_reference);
  void end_of_variable(const clang::VarDecl& variable, ir::location at);
  void end_of_temporary(const clang::CXXBindTemporaryExpr& temporary, ir::location at);

  ir::terminator terminate(const clang::CFGBlock& block);
  ir::terminator terminate_switch(const clang::CFGBlock& block, const clang::SwitchStmt& statement);
  ir::operand branch_condition(const clang::CFGBlock& block, const clang::Stmt& terminator);
  ir::operand existence(const clang::CXXBindTemporaryExpr& temporary);
  ir::block_id successor(const clang::CFGBlock& from, const clang::CFGBlock& to);

  lowered assign(const clang::Expr* to, const clang::Expr* from, const clang::Expr* whole);
  lowered increment(const clang::UnaryOperator* e);
  lowered arithmetic(const clang::BinaryOperator* e, clang::BinaryOperatorKind opcode,
                     const ir::operand& left, const ir::operand& right, clang::QualType type);
  lowered pointer_conversion(const clang::CastExpr* e, const ir::operand& what);
  ir::argument argument_of(const clang::Expr* e, clang::QualType parameter);
  ir::argument object_argument(const ir::place& where, clang::QualType type, bool to_const,
                               const clang::Expr* e);
  void name_callee(ir::call& call, const clang::FunctionDecl& callee);
  lowered finish_call(ir::call call, const clang::CallExpr* e);
  void lower_launch(ir::call& call, const clang::CallExpr* launch);
  std::optional<lowered> transparent_call(const clang::CallExpr* e, const clang::FunctionDecl& callee);
  ir::place destination_of(const clang::Expr* construction, clang::QualType type);
  ir::value_id allocation(const clang::CXXNewExpr* e);
  lowered aggregate(const clang::Expr* e, llvm::ArrayRef<clang::Expr*> inits,
                    const clang::FieldDecl* of_union);
  void aggregate_fields(ir::expr& made, const clang::RecordDecl& record, llvm::ArrayRef<clang::Expr*> inits,
                        const clang::FieldDecl* of_union);
  // Lowers an expression that several places of the source share, so that nothing is remembered of it.
  lowered eval_shared(const clang::Expr* e, const clang::Expr* use);
  // The truth value that `what` was before it was converted to an integer; `what` if it is a truth value itself.
  std::optional<ir::operand> as_truth(const ir::operand& what) const;
  ir::operand truth_of(const ir::operand& what, const clang::Expr* e);  // emits a comparison with 0 if needed

  unit_context& unit_;
  clang::ASTContext& ast_;
  const clang::FunctionDecl& function_;
  ir::function out_;
  body_facts facts_;
  ir::block* block_ = nullptr;

  llvm::DenseMap<const clang::Expr*, lowered> done_;
  std::vector<const clang::Expr*>* shared_ = nullptr;  // what eval_shared must forget again
  const clang::Expr* use_of_shared_ = nullptr;         // where the default argument is used
  llvm::DenseSet<ir::value_id> truths_;                // values that are 0 or 1
  llvm::DenseMap<ir::value_id, ir::operand> widened_;  // integer conversions of truths
  llvm::DenseMap<const clang::ValueDecl*, ir::place> names_;
  llvm::DenseMap<const clang::ParmVarDecl*, std::uint32_t> parameters_;
  llvm::DenseMap<const clang::ValueDecl*, const clang::FieldDecl*> captures_;
  const clang::FieldDecl* captured_this_ = nullptr;
  llvm::DenseMap<const clang::CXXBindTemporaryExpr*, lowered> temporaries_;
  llvm::DenseMap<const clang::CXXNewExpr*, ir::value_id> allocations_;
  llvm::DenseMap<const clang::CFGBlock*, ir::block_id> numbers_;
  llvm::DenseMap<const clang::CFGBlock*, ir::operand> returning_;  // blocks between a return and the exit
  std::vector<ir::block> extra_;                                   // made for branches that leave such blocks
  const clang::CFGBlock* exit_ = nullptr;
  const clang::CFGBlock* current_ = nullptr;
  std::uint32_t instructions_ = 0;
  unsigned depth_ = 0;
};

}  // namespace stridelock::extract
