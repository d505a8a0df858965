// The headline: what broke, with what was found and what was needed. Every kind of violation states its fact here.
#include "message_writer.h"

namespace stridelock {
inline namespace v1 {
namespace detail {

const expression& message_writer::violated_expression(const violation& v) const {
  const argument& a = declaration(v.argument);
  for (int s = 0; s < a.shape_count; ++s)
    if (a.shapes[s].rank == tensor(v.argument).rank()) {
      return v.kind == violation_kind::stride ? a.shapes[s].strides[v.dim] : a.shapes[s].extents[v.dim];
    }
  return any;
}

std::string message_writer::needed_text(const violation& v) const {
  std::string out = number(v.needed);
  if (v.symbol < 0) return out;
  const expression& e = violated_expression(v);
  out = formula(e) + " = " + out;
  if (v.other >= 0) out += " from " + path(data_.symbols[static_cast<std::size_t>(v.symbol)]);
  return out;
}

std::string message_writer::ranks_text(std::uint16_t ranks) {
  std::string out;
  for (int r = 0; r <= max_rank; ++r)
    if ((ranks >> r) & 1) out += (out.empty() ? "" : " or ") + number(r);
  return out;
}

// Where the other one starts, seen from here.
std::string message_writer::distance_text(const violation& v) {
  if (v.found == 0) return "at the same byte";
  const bool before = v.found > 0;
  return grouped(before ? v.found : -v.found) + (before ? " bytes before it" : " bytes after it");
}

std::string message_writer::layout_fact(const violation& v) const {
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

std::string message_writer::descriptor_fact(const violation& v) const {
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
      return dim_text("box", v.dim) + " is " + number(v.found) + " bytes, needs at most " + number(v.needed) +
             ", the swizzle" + map;
    case descriptor_fault_kind::box_packed:
      return dim_text("box", v.dim) + " is " + number(v.found) + ", needs " + number(v.needed) + map;
    case descriptor_fault_kind::element_stride:
      return dim_text("element stride", v.dim) + " is " + number(v.found) + ", needs 1 to 8" + map;
  }
  return {};
}

std::string message_writer::stale_fact(const violation& v) const {
  const tensor_desc& t = tensor(v.argument);
  const std::string what = v.dim == t.rank() - 1 ? "columns" : "indices of dimension " + number(v.dim);
  std::string out = "the kernel reads " + number(v.needed) + " " + what + ", " + number(v.found) +
                    " hold this step's data; ";
  switch (t.stale()) {
    case stale_content::unknown:
      out += "what the rest holds is not known";
      break;
    case stale_content::cleared:
      out += "the rest holds the sentinel";
      break;
    case stale_content::earlier_step:
      out += "the rest is an earlier step's";
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
std::string message_writer::fact(const violation& v) const {
  switch (v.kind) {
    case violation_kind::argument_count:
      return "it was given " + number(v.found) + " arguments, needs " + number(v.needed);
    case violation_kind::missing:
      return "it is absent, but required";
    case violation_kind::malformed:
      if (const std::string why = refusal_text(tensor(v.argument).from()); !why.empty())
        return "it could not be made: " + why;
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
      return "it shares memory with " + quoted(argument_name(v.other)) + ", which starts " + distance_text(v);
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
      return "the kernel reads " + number(v.found) + " columns of each row, the view has " + number(v.needed);
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

std::string message_writer::headline(const violation& v) const {
  std::string out(data_.name);
  if (v.argument >= 0)
    return out + ": argument " + quoted(argument_name(v.argument)) + " breaks its contract: " + fact(v);
  return out + ": " + fact(v);
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
