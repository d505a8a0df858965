// Terms in the words of the source, for messages.
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "analyzer/solve/term.h"

namespace stridelock::solve {
namespace {

using ir::expr_op;

constexpr std::size_t longest = 160;

const char* symbol_of(expr_op op) {
  switch (op) {
    case expr_op::add:
      return " + ";
    case expr_op::sub:
      return " - ";
    case expr_op::mul:
      return " * ";
    case expr_op::div:
      return " / ";
    case expr_op::rem:
      return " % ";
    case expr_op::shl:
      return " << ";
    case expr_op::shr:
      return " >> ";
    case expr_op::bit_and:
      return " & ";
    case expr_op::bit_or:
      return " | ";
    case expr_op::bit_xor:
      return " ^ ";
    case expr_op::lt:
      return " < ";
    case expr_op::le:
      return " <= ";
    case expr_op::gt:
      return " > ";
    case expr_op::ge:
      return " >= ";
    case expr_op::eq:
      return " == ";
    case expr_op::ne:
      return " != ";
    case expr_op::logical_and:
      return " && ";
    case expr_op::logical_or:
      return " || ";
    default:
      return nullptr;
  }
}

const char* name_of(ir::query_op op) {
  switch (op) {
    case ir::query_op::size:
      return "size";
    case ir::query_op::stride:
      return "stride";
    case ir::query_op::stride_bytes:
      return "stride_bytes";
    case ir::query_op::numel:
      return "numel";
    case ir::query_op::nbytes:
      return "nbytes";
    case ir::query_op::ndim:
      return "ndim";
    case ir::query_op::dtype:
      return "dtype";
    case ir::query_op::itemsize:
      return "itemsize";
    case ir::query_op::offset:
      return "offset";
    case ir::query_op::device:
      return "device";
    case ir::query_op::sizes:
      return "sizes";
    case ir::query_op::strides:
      return "strides";
  }
  return "query";
}

const char* name_of(ir::predicate what) {
  switch (what) {
    case ir::predicate::contiguous:
      return "is_contiguous";
    case ir::predicate::inner_contiguous:
      return "is_inner_contiguous";
    case ir::predicate::row_pitched:
      return "is_row_pitched";
    case ir::predicate::suffix_dense:
      return "is_suffix_dense";
    case ir::predicate::permutation_dense:
      return "is_permutation_dense";
    case ir::predicate::present:
      return "has_value";
    case ir::predicate::is_capturing:
      return "is_capturing";
    case ir::predicate::same_strides:
      return "same_strides";
    case ir::predicate::aligned:
      return "is_aligned";
  }
  return "test";
}

// The source's name of a global: without file, parameters and mangling.
std::string readable_symbol(const std::string& symbol) {
  const std::string plain = symbol.substr(0, symbol.find('@'));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(plain.c_str(), nullptr, nullptr, &status), &std::free);
  std::string out = status == 0 && text ? std::string(text.get()) : plain;
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at = out.find(unnamed); at != std::string::npos; at = out.find(unnamed))
    out.erase(at, unnamed.size());
  return out;
}

class writer {
 public:
  writer(const term_graph& graph, const ir::function* context) : graph_(graph), context_(context) {}

  std::string write(term_id id, int depth) {
    if (depth > 8) return "…";
    const term_id x = graph_.strip(id);
    const term& t = graph_.at(x);
    auto child = [&](std::size_t k) { return write(graph_.child(x, k), depth + 1); };
    auto list = [&](std::size_t from) {
      std::string out;
      for (std::size_t k = from; k < t.child_count; ++k) {
        if (graph_.child(x, k) == no_term) continue;
        if (!out.empty()) out += ", ";
        out += child(k);
      }
      return out;
    };
    switch (t.kind) {
      case term_kind::nothing:
        return "nothing";
      case term_kind::unknown:
        return "(" + t.first.str() + ")";
      case term_kind::integer:
        return std::to_string(t.number);
      case term_kind::literal:
        return "\"" + t.first.str() + "\"";
      case term_kind::function:
        return t.first.str();
      case term_kind::global:
        return readable_symbol(t.first.str());
      case term_kind::parameter: {
        const auto k = static_cast<std::size_t>(t.number);
        if (context_ && k < context_->params.size() && !context_->params[k].variable.empty())
          return context_->params[k].variable.str();
        return "argument " + std::to_string(k);
      }
      case term_kind::location:
        return "place";
      case term_kind::address:
        return "&object";
      case term_kind::deref:
        return child(0);
      case term_kind::step:
        return t.second.str();
      case term_kind::project: {
        const term& step = graph_.at(graph_.child(x, 1));
        const std::string whole = child(0);
        switch (static_cast<ir::step_kind>(step.op)) {
          case ir::step_kind::field:
            return whole == "this" ? step.second.str() : whole + "." + step.second.str();
          case ir::step_kind::element:
            return whole + "[" + std::to_string(step.number) + "]";
          default:
            return whole + "[…]";
        }
      }
      case term_kind::operation: {
        const auto op = static_cast<expr_op>(t.op);
        if (op == expr_op::logical_not) {
          const std::string inner = child(0);
          return inner.find(' ') == std::string::npos ? "!" + inner : "!(" + inner + ")";
        }
        if (op == expr_op::list) return "{" + list(0) + "}";
        if (const char* s = symbol_of(op); s && t.child_count == 2) {
          std::string text = child(0) + s + child(1);
          return depth > 0 ? "(" + text + ")" : text;
        }
        return "expression";
      }
      case term_kind::aggregate:
        return "{…}";
      case term_kind::one_of: {
        std::string out = "(";
        for (std::size_t k = 0; k < t.child_count; k += 2) out += (k ? " or " : "") + child(k);
        return out + ")";
      }
      case term_kind::conjunction: {
        std::string out;
        for (std::size_t k = 0; k < t.child_count; ++k) out += (k ? " and " : "") + child(k);
        return out;
      }
      case term_kind::closure:
        return "lambda";
      case term_kind::view:
      case term_kind::copy:
        return t.spelling.empty() ? t.first.str() : t.spelling.str();
      case term_kind::allocation:
        return t.first.str();
      case term_kind::pointer:
        return child(0) + ".data";
      case term_kind::query: {
        std::string out = child(0) + "." + name_of(static_cast<ir::query_op>(t.op)) + "(";
        if (graph_.child(x, 1) != no_term) out += child(1);
        return out + ")";
      }
      case term_kind::test: {
        if (t.child_count == 0) return std::string(name_of(static_cast<ir::predicate>(t.op))) + "()";
        return child(0) + "." + name_of(static_cast<ir::predicate>(t.op)) + "(" + list(1) + ")";
      }
      case term_kind::result:
        return t.first.str() + "(" + list(0) + ")";
      case term_kind::via:
        return child(0);
    }
    return "?";
  }

 private:
  const term_graph& graph_;
  const ir::function* context_;
};

}  // namespace

std::string describe(const term_graph& graph, term_id id, const ir::function* context) {
  std::string out = writer(graph, context).write(id, 0);
  if (out.size() > longest) {
    out.resize(longest);
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0) out.pop_back();
    out += "…";
  }
  return out;
}

}  // namespace stridelock::solve
