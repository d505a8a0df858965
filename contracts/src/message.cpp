// Reports as text. One function for each of the five fields; every kind of violation states its fact in `fact`.
#include "stridelock/message.h"

#include <algorithm>
#include <exception>

#include "report_data.h"
#include "text.h"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

constexpr std::string_view next_line = "\n        ";

class message_writer {
 public:
  explicit message_writer(const report& r) : report_(r), data_(*r.data()) {}

  std::string write() const {
    if (report_.size() == 0) return "ok";
    std::string out;
    if (report_.size() > 1) out += table();
    // The headline first; consequences of another violation are in the table only.
    out += block(data_.violations[static_cast<std::size_t>(data_.headline)]);
    for (int i = 0; i < report_.size(); ++i)
      if (i != data_.headline && !report_[i].is_consequence) out += block(report_[i]);
    return out;
  }

 private:
  // ---- names and values --------------------------------------------------------------------------------------

  const contract_view* branch() const {
    if (data_.branch >= 0) return &data_.branches[static_cast<std::size_t>(data_.branch)];
    return data_.branches.empty() ? nullptr : data_.branches.data();
  }
  const argument& declaration(int i) const {
    const contract_view* b = branch();
    if (b->argument_count == 0) b = data_.branches.data();
    return b->arguments[i];
  }
  const tensor_desc& tensor(int i) const { return data_.arguments[static_cast<std::size_t>(i)].tensor; }
  std::string argument_name(int i) const { return std::string(declaration(i).name); }

  static std::string dim_text(std::string_view what, int dim) {
    return std::string(what) + "[" + number(dim) + "]";
  }

  // x.shape[0]
  std::string path(const symbol_value& s) const {
    return argument_name(s.argument) + (s.by_stride ? ".stride[" : ".shape[") + number(s.dim) + "]";
  }

  expression_value value(const expression& e) const {
    return value_of(e, data_.symbols.data(), data_.symbol_count, data_.parameters, data_.parameter_values);
  }

  // 64*W+1, rounded up: ceil(W, 128)
  static std::string formula(const expression& e) {
    if (e.kind == expression_kind::any) return "any";
    if (e.kind == expression_kind::constant) return number(e.added);
    std::string out(e.name);
    if (e.multiple != 1) out = number(e.multiple) + "*" + out;
    if (e.added > 0) out += "+" + number(e.added);
    if (e.added < 0) out += number(e.added);
    if (e.rounded_to != 1) out = "ceil(" + out + ", " + number(e.rounded_to) + ")";
    return out;
  }

  // T = 66; a constant is just its number, an unbound symbol just its name
  std::string formula_and_value(const expression& e) const {
    const std::string name = formula(e);
    if (e.kind == expression_kind::constant || e.kind == expression_kind::any) return name;
    const expression_value v = value(e);
    if (!v.known) return name;
    return name + " = " + (v.fits ? number(v.value) : "beyond 64 bits") + parameter_source(e);
  }

  std::string parameter_source(const expression& e) const {
    if (e.kind != expression_kind::parameter) return {};
    for (const library_parameter& p : data_.parameters) {
      if (p.name != e.name) continue;
      std::string out(p.library);
      if (!p.version.empty()) out += (out.empty() ? "" : " ") + std::string(p.version);
      if (!p.where.empty()) out += (out.empty() ? "" : ", ") + std::string(p.where);
      return out.empty() ? out : " (" + out + ")";
    }
    return {};
  }

  static std::string_view sign(comparison how) {
    switch (how) {
      case comparison::lt:
        return " < ";
      case comparison::le:
        return " <= ";
      case comparison::gt:
        return " > ";
      case comparison::ge:
        return " >= ";
      case comparison::eq:
        return " == ";
      case comparison::ne:
        return " != ";
    }
    return " ? ";
  }

  static std::string text_of_capability(capability c) { return number(c.major) + "." + number(c.minor); }

  // With values: "T = 66 > decode_max_tokens = 64"; without: "T > 64".
  std::string condition_text(const condition& c, bool with_values) const {
    const auto side = [&](const expression& e) {
      if (with_values) return formula_and_value(e);
      const expression_value v = value(e);
      return e.kind == expression_kind::parameter && v.known && v.fits ? number(v.value) : formula(e);
    };
    switch (c.kind) {
      case condition_kind::compare:
        return side(c.left) + std::string(sign(c.how)) + side(c.right);
      case condition_kind::divisible:
        return side(c.left) + (with_values ? " divisible by " : " % ") + number(c.right.added) +
               (with_values ? "" : " == 0");
      case condition_kind::present:
        return quoted(c.argument_name) + " is present";
      case condition_kind::absent:
        return quoted(c.argument_name) + " is absent";
      case condition_kind::one_of:
      case condition_kind::none_of: {
        std::string names = "(", values = "(";
        for (int i = 0; i < c.tuple_width; ++i) {
          const expression_value v = value(c.tuple[i]);
          names += (i > 0 ? ", " : "") + formula(c.tuple[i]);
          values += (i > 0 ? ", " : "") + (v.known && v.fits ? number(v.value) : std::string("?"));
        }
        std::string out = names + ")";
        if (with_values) out += " = " + values + ")";
        out += c.kind == condition_kind::one_of ? " in {" : " not in {";
        constexpr int shown = 4;
        for (int row = 0; row < c.tuple_count && row < shown; ++row) {
          out += row > 0 ? ", " : "";
          out += tuple(c.tuple_width, [&](int i) { return c.tuples[row * c.tuple_width + i]; });
        }
        if (c.tuple_count > shown) out += ", and " + number(c.tuple_count - shown) + " more";
        return out + "}";
      }
      case condition_kind::capability_between: {
        std::string out = "capability";
        if (with_values && data_.device_capability.known())
          out += " = " + text_of_capability(data_.device_capability);
        if (c.lowest == c.highest) {
          return with_values ? out + " is " + text_of_capability(c.lowest)
                             : out + " " + text_of_capability(c.lowest);
        }
        return out + " in [" + text_of_capability(c.lowest) + ", " + text_of_capability(c.highest) + "]";
      }
    }
    return {};
  }

  std::string conditions_text(const contract_view& b, bool with_values) const {
    std::string out;
    for (int i = 0; i < b.condition_count; ++i)
      out += (i > 0 ? " and " : "") + condition_text(b.conditions[i], with_values);
    return out;
  }

  // The values of the symbols and parameters in a condition: "K = 24, W = 200".
  std::string known_values(const condition& c) const {
    std::string out;
    const auto tell = [&](expression e) {
      if (e.kind != expression_kind::symbol && e.kind != expression_kind::parameter) return;
      e.multiple = e.rounded_to = 1;
      e.added = 0;
      out += (out.empty() ? "" : ", ") + formula_and_value(e);
    };
    tell(c.left);
    tell(c.right);
    for (int i = 0; i < c.tuple_width; ++i) tell(c.tuple[i]);
    return out;
  }

  // ---- headline ------------------------------------------------------------------------------------------------

  std::string needed_text(const violation& v) const {
    std::string out = number(v.needed);
    if (v.symbol < 0) return out;
    const expression& e = violated_expression(v);
    out = formula(e) + " = " + out;
    if (v.other >= 0) out += " from " + path(data_.symbols[static_cast<std::size_t>(v.symbol)]);
    return out;
  }

  const expression& violated_expression(const violation& v) const {
    const argument& a = declaration(v.argument);
    for (int s = 0; s < a.shape_count; ++s)
      if (a.shapes[s].rank == tensor(v.argument).rank()) {
        return v.kind == violation_kind::stride ? a.shapes[s].strides[v.dim] : a.shapes[s].extents[v.dim];
      }
    return any;
  }

  std::string types_text(const argument& a) const {
    std::string out;
    for (int i = 0; i < a.type_count; ++i) out += (i > 0 ? " or " : "") + text_of(a.types[i]);
    return out;
  }

  static std::string ranks_text(std::uint16_t ranks) {
    std::string out;
    for (int r = 0; r <= max_rank; ++r)
      if ((ranks >> r) & 1) out += (out.empty() ? "" : " or ") + number(r);
    return out;
  }

  std::string layout_fact(const violation& v) const {
    const std::string stride =
        dim_text("stride", v.dim) + " is " + number(v.found) + ", needs " + number(v.needed);
    switch (v.what) {
      case notion::dense:
        return stride + " (dense)";
      case notion::canonical:
        return stride + " (canonical, also where the extent is 1)";
      case notion::inner_contiguous:
        return stride + " (unit inner stride)";
      case notion::row_pitched:
        return stride + (v.dim == tensor(v.argument).rank() - 1 ? " (dense rows)"
                                                                : " (outer dimensions merge into rows)");
      case notion::suffix_dense:
        return stride + " (dense inner dimensions)";
      case notion::collapsible:
        return stride + " (dimensions merge)";
      default:
        return stride;
    }
  }

  std::string descriptor_fact(const violation& v) const {
    const std::string map = " (tensor map)";
    switch (v.fault) {
      case descriptor_fault_kind::none:
        return {};
      case descriptor_fault_kind::rank:
        return "rank is " + number(v.found) + ", needs " + (v.found > v.needed ? "at most " : "at least ") +
               number(v.needed) + map;
      case descriptor_fault_kind::address:
        return "address is " + number(v.found) + " bytes past a multiple of " + number(v.needed) + map;
      case descriptor_fault_kind::extent_range:
        return dim_text("shape", v.dim) + " is " + number(v.found) + ", needs " +
               (v.found < v.needed ? "at least " : "at most ") + number(v.needed) + map;
      case descriptor_fault_kind::extent_multiple:
        return dim_text("shape", v.dim) + " is " + number(v.found) + ", needs a multiple of " +
               number(v.needed) + map;
      case descriptor_fault_kind::inner_stride:
        return dim_text("stride", v.dim) + " is " + number(v.found) + ", needs 1" + map;
      case descriptor_fault_kind::stride_multiple:
        return dim_text("stride", v.dim) + " is " + grouped(v.found) + " bytes, needs a multiple of " +
               number(v.needed) + map;
      case descriptor_fault_kind::stride_range:
        return dim_text("stride", v.dim) + " is " + grouped(v.found) +
               " bytes, needs 0 or more and less than " + grouped(v.needed) + map;
      case descriptor_fault_kind::box_range:
        return dim_text("box", v.dim) + " is " + number(v.found) + ", needs 1 to 256" + map;
      case descriptor_fault_kind::box_bytes:
        return dim_text("box", v.dim) + " is " + number(v.found) + " bytes, needs a multiple of " +
               number(v.needed) + map;
      case descriptor_fault_kind::box_swizzle:
        return dim_text("box", v.dim) + " is " + number(v.found) + " bytes, needs at most " +
               number(v.needed) + ", the swizzle" + map;
      case descriptor_fault_kind::box_packed:
        return dim_text("box", v.dim) + " is " + number(v.found) + ", needs " + number(v.needed) + map;
      case descriptor_fault_kind::element_stride:
        return dim_text("element stride", v.dim) + " is " + number(v.found) + ", needs 1 to 8" + map;
    }
    return {};
  }

  std::string stale_fact(const violation& v) const {
    const tensor_desc& t = tensor(v.argument);
    const std::string what = v.dim == t.rank() - 1 ? "columns" : "indices of dimension " + number(v.dim);
    std::string out = "the kernel reads " + number(v.needed) + " " + what + ", " + number(v.found) +
                      " hold this step's data; the rest ";
    switch (t.stale()) {
      case stale_content::unknown:
        out += "holds nobody knows what";
        break;
      case stale_content::cleared:
        out += "holds the sentinel";
        break;
      case stale_content::earlier_step:
        out += "holds an earlier step's";
        break;
    }
    switch (declaration(v.argument).stale) {
      case stale_policy::must_be_cleared:
        return out + ", needs the sentinel";
      case stale_policy::any_valid_value:
        return out + ", needs valid values";
      default:
        return out;
    }
  }

  // The fact that failed, with what was found and what was needed.
  std::string fact(const violation& v) const {
    switch (v.kind) {
      case violation_kind::argument_count:
        return "it was given " + number(v.found) + " arguments, needs " + number(v.needed);
      case violation_kind::missing:
        return "it is absent, but required";
      case violation_kind::malformed:
        return v.found < 0 || v.found > max_rank
                   ? "rank is " + number(v.found) + ", needs 0 to " + number(max_rank)
                   : "its description has no extents";
      case violation_kind::type:
        return "dtype is " + text_of(tensor(v.argument).type()) + ", needs " +
               types_text(declaration(v.argument));
      case violation_kind::rank:
        return "rank is " + number(v.found) + ", needs " +
               (v.needed > 0 ? "at least " + number(v.needed) : ranks_text(declaration(v.argument).ranks));
      case violation_kind::device:
        if (v.other >= 0) {
          return "it is on " + text_of(tensor(v.argument).where()) + ", " + quoted(argument_name(v.other)) +
                 " is on " + text_of(tensor(v.other).where());
        }
        return "it is on " + text_of(tensor(v.argument).where()) + ", needs " +
               std::string(to_string(declaration(v.argument).on_device));
      case violation_kind::negative_extent:
        return dim_text("shape", v.dim) + " is " + number(v.found) + ", needs at least 0";
      case violation_kind::not_addressable:
        return "its extents and strides reach beyond 64 bits";
      case violation_kind::null_data:
        return "data is null, but " + grouped(element_count(tensor(v.argument).layout()).value) +
               " elements are addressed";
      case violation_kind::extent:
        return dim_text("shape", v.dim) + " is " + number(v.found) + ", needs " + needed_text(v);
      case violation_kind::stride:
        return dim_text("stride", v.dim) + " is " + number(v.found) + ", needs " + needed_text(v);
      case violation_kind::overflow:
        return dim_text("shape", v.dim) + " is " + number(v.found) + ", needs " +
               formula(violated_expression(v)) + ", which is beyond 64 bits";
      case violation_kind::packed_stride:
        return dim_text("stride", v.dim) + " is " + number(v.found) + ", needs 1 (" +
               number(tensor(v.argument).type().element_bits()) + "-bit values are packed along it)";
      case violation_kind::layout:
        return layout_fact(v);
      case violation_kind::row_pitch:
        return "row pitch is " + number(v.found) + ", needs " + number(v.needed) + " (dense rows)";
      case violation_kind::row_overlap:
        return "row pitch is " + number(v.found) + ", needs at least " + number(v.needed) +
               " (rows must not overlap)";
      case violation_kind::permutation:
        return grouped(v.needed) + " elements span " + grouped(v.found) +
               " (dense in no order of the dimensions)";
      case violation_kind::overlap:
        return v.dim >= 0 ? dim_text("stride", v.dim) +
                                " is 0, so its elements share addresses (the kernel writes them)"
                          : "its elements share addresses (the kernel writes them)";
      case violation_kind::overlap_unknown:
        return "that no two of its elements share an address cannot be proved (the kernel writes them)";
      case violation_kind::aligned: {
        const tensor_desc& t = tensor(v.argument);
        const auto bytes = static_cast<std::uint64_t>(v.needed);
        const std::string offset = grouped(static_cast<index_t>(t.byte_offset()));
        if (!has_addresses(t.where())) {
          return "byte offset " + offset + " is " + number(v.found) + " bytes past a multiple of " +
                 number(v.needed);
        }
        return "address is " + number(v.found) + " bytes past a multiple of " + number(v.needed) + " (data " +
               number(static_cast<index_t>(reinterpret_cast<std::uintptr_t>(t.data()) % bytes)) +
               ", byte offset " + offset + ")";
      }
      case violation_kind::aligned_rows:
        return "row pitch is " + grouped(v.found) + " bytes, needs a multiple of " + number(v.needed);
      case violation_kind::index_bits:
        return "its offsets span " + grouped(v.found) + " elements, too far for " + number(v.needed) +
               "-bit indices";
      case violation_kind::stable:
        return "it is not inside a registered persistent buffer";
      case violation_kind::read_only:
        return "it is read-only, and the kernel writes it";
      case violation_kind::shared_memory:
        return "it shares memory with " + quoted(argument_name(v.other)) + ", and must not";
      case violation_kind::shared_memory_unknown:
        return "that it shares no memory with " + quoted(argument_name(v.other)) + " cannot be proved";
      case violation_kind::other_memory:
        return "it is not the memory of " + quoted(argument_name(v.other)) + ", and must be";
      case violation_kind::other_memory_unknown:
        return "that it is the memory of " + quoted(argument_name(v.other)) + " cannot be proved";
      case violation_kind::descriptor:
        return descriptor_fact(v);
      case violation_kind::active_extent:
        return dim_text("active", v.dim) + " is " + number(v.found) + ", needs at most " + number(v.needed);
      case violation_kind::reads_beyond:
        return "the kernel reads " + number(v.found) + " columns of each row, the view has " +
               number(v.needed);
      case violation_kind::stale_read:
        return stale_fact(v);
      case violation_kind::guard: {
        const condition& c = branch()->guards[v.index];
        std::string values = known_values(c);
        return "needs " + condition_text(c, false) + (values.empty() ? values : ", but " + values);
      }
        return "needs " + condition_text(branch()->guards[v.index], true);
      case violation_kind::no_kernel:
        return "there is no kernel for this case";
      case violation_kind::uncovered:
        return "no branch of its contract covers this case";
      case violation_kind::ambiguous:
        return "branches " + quoted(data_.branches[static_cast<std::size_t>(v.found)].kernel) + " and " +
               quoted(data_.branches[static_cast<std::size_t>(v.needed)].kernel) + " both claim this case";
      case violation_kind::undecided:
        return "whether branch " + quoted(branch()->kernel) +
               " applies is not known: " + condition_text(branch()->conditions[v.index], false);
    }
    return {};
  }

  std::string headline(const violation& v) const {
    std::string out(data_.name);
    if (v.argument >= 0)
      return out + ": argument " + quoted(argument_name(v.argument)) + " breaks its contract: " + fact(v);
    return out + ": " + fact(v);
  }

  // ---- got ---------------------------------------------------------------------------------------------------

  std::string symbols_text() const {
    std::string out;
    for (int i = 0; i < data_.symbol_count; ++i) {
      const symbol_value& s = data_.symbols[static_cast<std::size_t>(i)];
      if (!out.empty()) out += ", ";
      out += std::string(s.name);
      out += s.bound ? " = " + number(s.value) + " (" + path(s) + ")" : " unbound";
    }
    return out.empty() ? "no symbols" : out;
  }

  std::string got(const violation& v) const {
    if (v.kind == violation_kind::argument_count) return number(v.found) + " arguments";
    if (v.argument < 0) return symbols_text();
    if (v.kind == violation_kind::missing) return "nothing";
    if (v.kind == violation_kind::malformed) return "rank " + number(v.found);
    return text_of(tensor(v.argument));
  }

  // ---- from ----------------------------------------------------------------------------------------------------

  static std::string step_text(const view_step& s) {
    const std::string range = "[" + number(s.begin) + ", " + number(s.end) + ")";
    const std::string every = s.step == 1 ? "" : " by " + number(s.step);
    switch (s.what) {
      case operation::rows:
      case operation::step_first:
        return (s.dim == 0 ? "rows " + range : range + " of dimension " + number(s.dim)) + every;
      case operation::columns:
      case operation::step_last:
        return "columns " + range + every;
      case operation::middle_slice:
        return range + " of dimension " + number(s.dim) + every;
      case operation::select_first:
      case operation::select_middle:
      case operation::select_next_to_last:
      case operation::select_last:
        return "index " + number(s.begin) + " of dimension " + number(s.dim);
      case operation::transpose:
      case operation::transpose_outer:
        return "dimensions " + number(s.dim) + " and " + number(s.other_dim) + " swapped";
      default:
        return std::string(to_string(s.what));
    }
  }

  static bool about_layout(const violation& v) {
    switch (v.kind) {
      case violation_kind::layout:
      case violation_kind::row_pitch:
      case violation_kind::row_overlap:
      case violation_kind::permutation:
      case violation_kind::aligned_rows:
      case violation_kind::stride:
        return true;
      default:
        return false;
    }
  }

  std::string from(const violation& v) const {
    if (v.kind == violation_kind::argument_count) return "the call";
    if (v.argument < 0) return "the extents of its arguments";
    const tensor_desc& t = tensor(v.argument);
    const provenance& p = t.from();
    if (!data_.arguments[static_cast<std::size_t>(v.argument)].is_present || !p.known())
      return "not recorded";

    // For a layout fact only the steps that lost something matter: rows of a dense buffer are not at fault.
    const bool lossy_only = about_layout(v);
    const view_step* told[provenance::capacity];
    int told_count = 0;
    layout_facts facts;
    facts.dense = to_tri(is_dense({p.root_rank, p.root_extents, p.root_strides}));
    for (int i = 0; i < p.kept_steps(); ++i) {
      const layout_facts next = after(p.steps[i].what, facts);
      const bool lossy = p.steps[i].what != operation::rows && p.steps[i].what != operation::identity &&
                         p.steps[i].what != operation::select_first;
      if (!lossy_only || lossy || next.dense != facts.dense) told[told_count++] = &p.steps[i];
      facts = next;
    }

    bool one_line = true;  // all steps on the same source line: say it once, at the end
    for (int i = 1; i < told_count; ++i)
      one_line = one_line && told[i]->where.line == told[0]->where.line &&
                 told[i]->where.file.view() == told[0]->where.file.view();
    const auto line_text = [](const view_step& s) {
      if (s.where.line == 0) return std::string();
      return " (" + std::string(s.where.file.view()) + ":" + number(s.where.line) + ")";
    };

    std::string out;
    for (int i = told_count - 1; i >= 0; --i) {  // the last step first, as one reads "columns of rows of x"
      out += step_text(*told[i]);
      if (!one_line) out += line_text(*told[i]);
      out += " of ";
    }
    if (p.step_count > provenance::capacity) {
      out = "later steps (" + number(p.step_count - provenance::capacity) + " not kept) of " + out;
    }
    out += quoted(p.root.view()) + " " + tuple(p.root_rank, [&](int i) { return p.root_extents[i]; });
    if (one_line && told_count > 0) out += line_text(*told[0]);
    if (v.kind == violation_kind::row_pitch) {
      out += told_count > 0 ? " keep its row pitch of " + number(v.found)
                            : ", whose row pitch is " + number(v.found);
    }
    return out;
  }

  // ---- when ----------------------------------------------------------------------------------------------------

  static std::string basis_text(evidence how, std::string_view where) {
    std::string out = "(" + std::string(to_string(how));
    if (!where.empty()) out += ", " + std::string(where);
    return out + ")";
  }

  std::string_view consequence(const violation& v) const {
    switch (v.kind) {
      case violation_kind::row_pitch:
      case violation_kind::row_overlap:
        return "rows from 1 on";
      case violation_kind::type:
        return "all values";
      case violation_kind::extent:
      case violation_kind::rank:
        return "elements out of place";
      default:
        return "elements";
    }
  }

  std::string what_it_does(const violation& v, bool taken) const {
    if (v.how == evidence::unchecked) {
      return "does not check: " + std::string(consequence(v)) + (taken ? " are wrong" : " would be wrong");
    }
    return (taken ? "refuses " : "refuses too ") + basis_text(v.how, v.where);
  }

  std::string all_conditions() const {
    std::string out;
    for (const contract_view& b : data_.branches) {
      if (!out.empty()) out += std::string(";") + std::string(next_line);
      const std::string conditions = conditions_text(b, false);
      out += quoted(b.kernel) + " takes " + (conditions.empty() ? "every call" : conditions);
    }
    return out;
  }

  std::string when(const violation& v) const {
    if (v.kind == violation_kind::argument_count) return "always";
    if (data_.branch < 0 || v.kind == violation_kind::undecided) return all_conditions();
    std::string out;
    const contract_view& taken = *branch();
    const std::string conditions = conditions_text(taken, true);
    if (taken.kind == branch_kind::otherwise) {
      out = "no other branch applies, refused by design (" + std::string(taken.kernel) + ")";
    } else if (taken.kind == branch_kind::refusal) {
      out = conditions + " is refused by design (" + std::string(taken.kernel) + ")";
    } else {
      out = (conditions.empty() ? "every call" : conditions) + " takes " + quoted(taken.kernel) + ", which " +
            what_it_does(v, true);
    }
    if (data_.depends_on_parameter) out += " (the worst of the values of its parameters)";
    for (const other_branch& other : data_.others) {
      const contract_view& b = data_.branches[static_cast<std::size_t>(other.branch)];
      if (b.kind != branch_kind::kernel) continue;
      out += std::string(";") + std::string(next_line) + quoted(b.kernel);
      const std::string other_conditions = conditions_text(b, false);
      if (!other_conditions.empty()) out += " (" + other_conditions + ")";
      out += other.result == verdict::ok ? " would accept it" : " " + what_it_does(other.first, false);
    }
    return out;
  }

  // ---- fix -----------------------------------------------------------------------------------------------------

  index_t bytes_of_copy(const tensor_desc& t) const {
    const checked bytes = bytes_of_elements(t.type(), element_count(t.layout()));
    return bytes.ok ? bytes.value : 0;
  }

  // Full rows of the buffer the view was cut from, if the kernel's readers stop at per-row lengths anyway.
  std::string full_rows(const violation& v) const {
    const argument& a = declaration(v.argument);
    const tensor_desc& t = tensor(v.argument);
    const provenance& p = t.from();
    if (a.reader != reads::bounded || !p.known() || p.root_rank != 2 || t.rank() != 2) return {};
    if (p.step_count > provenance::capacity || !is_dense({p.root_rank, p.root_extents, p.root_strides}))
      return {};
    index_t first = 0;
    for (int i = 0; i < p.step_count; ++i) {
      if (p.steps[i].what == operation::rows && p.steps[i].dim == 0)
        first += p.steps[i].begin;
      else if (p.steps[i].what != operation::columns || p.steps[i].begin != 0)
        return {};
    }
    const index_t width = p.root_extents[1];
    std::string out = "full rows, " + std::string(p.root.view()) + ".rows(" + number(first) + ", " +
                      number(first + t.extent(0)) + "): dense, readers are bounded";
    if (!a.bounded_by.empty()) out += " by " + std::string(a.bounded_by);
    out += "; scans " + number(width) + " columns";
    if (!a.cost.empty() && t.extent(1) > 0) {
      out += ", " + std::string(a.cost) + " x" + number((width + t.extent(1) - 1) / t.extent(1));
    }
    return out;
  }

  std::string fix(const violation& v) const {
    switch (v.kind) {
      case violation_kind::row_pitch: {
        const std::string copy = "Not .contiguous(): " + grouped(bytes_of_copy(tensor(v.argument))) +
                                 " bytes copied per step, address not the graph's";
        const std::string rows = full_rows(v);
        if (!rows.empty())
          return rows + std::string(next_line) + "or a kernel that takes the row pitch. " + copy;
        return "a kernel that takes the row pitch, or a buffer of " + number(v.needed) + " columns. " + copy;
      }
      case violation_kind::layout:
        if (v.what == notion::canonical) {
          const tensor_desc& t = tensor(v.argument);
          if (is_dense(t.layout())) {
            return "rewrite " + dim_text("stride", v.dim) + " to " + number(v.needed) +
                   ": free, it is never used. Not .contiguous(): the tensor is already contiguous and comes "
                   "back unchanged";
          }
        }
        return "a dense copy made before capture (" + grouped(bytes_of_copy(tensor(v.argument))) +
               " bytes), or a kernel that takes the strides";
      case violation_kind::permutation:
      case violation_kind::row_overlap:
      case violation_kind::overlap:
      case violation_kind::overlap_unknown:
        return "a dense tensor of its own (" + grouped(bytes_of_copy(tensor(v.argument))) + " bytes)";
      case violation_kind::argument_count:
        return "pass every argument of the contract, absent optional ones included";
      case violation_kind::missing:
        return "pass it, or declare it optional";
      case violation_kind::malformed:
        return "pass a description of rank 0 to 8 with its extents";
      case violation_kind::type:
        return "pass " + types_text(declaration(v.argument)) + "; a conversion is a copy";
      case violation_kind::rank:
        return "a view with that many dimensions; adding or dropping dimensions of extent 1 is free";
      case violation_kind::device:
        return v.other >= 0 ? "keep all arguments on one device" : "move it there before capture";
      case violation_kind::negative_extent:
        return "correct the size computation that made it";
      case violation_kind::not_addressable:
        return "correct the sizes and strides; no tensor is that large";
      case violation_kind::null_data:
        return "allocate it before the call";
      case violation_kind::extent:
      case violation_kind::stride:
        return v.other >= 0 && v.other != v.argument ? "make " + quoted(argument_name(v.argument)) + " and " +
                                                           quoted(argument_name(v.other)) + " agree"
                                                     : "pass a tensor of the declared shape";
      case violation_kind::overflow:
        return "correct the extents that the expression is computed from";
      case violation_kind::packed_stride:
        return "pack the values along the last dimension";
      case violation_kind::aligned:
        return "start the view, and its buffer, at multiples of " + number(v.needed) + " bytes";
      case violation_kind::aligned_rows:
        return "pad the rows of its buffer to a multiple of " + number(v.needed) + " bytes";
      case violation_kind::index_bits:
        return "split the call, or a kernel with 64-bit indices";
      case violation_kind::stable:
        return "pass a view of a persistent buffer, refreshed in place";
      case violation_kind::read_only:
        return "pass a writable tensor";
      case violation_kind::shared_memory:
      case violation_kind::shared_memory_unknown:
        return "give one of them memory of its own";
      case violation_kind::other_memory:
      case violation_kind::other_memory_unknown:
        return "pass the same view for both";
      case violation_kind::descriptor:
        return "a tensor whose strides a tensor map can hold";
      case violation_kind::active_extent:
        return "activate no more than the view has, or pass a wider one";
      case violation_kind::reads_beyond:
        return "a view as wide as the kernel reads";
      case violation_kind::stale_read:
        return "clear the rest, or a kernel that stops at per-row lengths";
      case violation_kind::guard:
        return "choose sizes that satisfy it";
      case violation_kind::no_kernel:
      case violation_kind::uncovered:
        return "choose sizes that a branch covers, or add a kernel and its contract";
      case violation_kind::ambiguous:
        return "make the conditions of the two branches exclude each other";
      case violation_kind::undecided:
        return "pass the missing value in the evaluation context";
    }
    return {};
  }

  // ---- the whole -----------------------------------------------------------------------------------------------

  std::string block(const violation& v) const {
    return headline(v) + "\n  got   " + got(v) + "\n  from  " + from(v) + "\n  when  " + when(v) +
           "\n  fix   " + fix(v) + "\n";
  }

  std::string table() const {
    std::string out = "contract " + std::string(data_.name) + ": " + number(report_.size()) + " violations\n";
    std::size_t name_width = 7, tensor_width = 0;  // "symbols"
    for (std::size_t i = 0; i < data_.arguments.size() && branch()->argument_count > 0; ++i) {
      name_width = std::max(name_width, argument_name(static_cast<int>(i)).size());
      tensor_width = std::max(tensor_width, shown(i).size());
    }
    const auto pad = [](std::string text, std::size_t width) {
      if (text.size() < width) text.append(width - text.size(), ' ');
      return text;
    };
    for (std::size_t i = 0; i < data_.arguments.size() && branch()->argument_count > 0; ++i) {
      out += "  " + pad(argument_name(static_cast<int>(i)), name_width) + "  " + pad(shown(i), tensor_width) +
             "  ";
      std::string facts;
      bool first = false;
      for (int k = 0; k < report_.size(); ++k) {
        if (report_[k].argument != static_cast<int>(i)) continue;
        if (!facts.empty()) facts += "; ";
        facts += fact(report_[k]);
        if (report_[k].is_consequence) facts += " (follows)";
        first = first || k == data_.headline;
      }
      if (first) facts += "   <- first";
      out += (facts.empty() ? "ok" : facts) + "\n";
    }
    for (int k = 0; k < report_.size(); ++k)
      if (report_[k].argument < 0) out += "  " + pad("call", name_width) + "  " + fact(report_[k]) + "\n";
    return out + "  " + pad("symbols", name_width) + "  " + symbols_text() + "\n";
  }

  std::string shown(std::size_t i) const {
    return data_.arguments[i].is_present ? text_of(data_.arguments[i].tensor) : "absent";
  }

  const report& report_;
  const report_data& data_;
};

}  // namespace

std::size_t write_message(const report& r, char* to, std::size_t capacity) noexcept {
  try {
    return copy_out(message_writer(r).write(), to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
