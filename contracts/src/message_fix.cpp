// The field `fix`: the cheapest repair that is really valid, what it costs, and why the obvious one may be no cure.
// Repairs of the arguments are offered only after they were evaluated (repair.h); the rest is advice.
#include "message_writer.h"
#include "repair.h"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

index_t bytes_of_copy(const tensor_desc& t) {
  if (const pitch_result rows = row_pitch(t.layout()); rows.has_pitch && !is_dense(t.layout())) {
    checked row(rows.pitch);  // padding included
    for (int d = 0; d < t.rank() - 1; ++d) row = row * checked(t.extent(d));
    const checked bytes = bytes_of_elements(t.type(), row);
    return bytes.ok ? bytes.value : 0;
  }
  const checked bytes = bytes_of_elements(t.type(), element_count(t.layout()));
  return bytes.ok ? bytes.value : 0;
}

std::string step_call(const view_step& s) {
  const std::string range = number(s.begin) + ", " + number(s.end);
  switch (s.what) {
    case operation::rows:
      if (s.dim == 0) return ".rows(" + range + ")";
      break;
    case operation::select_first:
    case operation::select_middle:
    case operation::select_next_to_last:
      return ".select(" + number(s.dim) + ", " + number(s.begin) + ")";
    case operation::transpose_outer:
      return ".transpose(" + number(s.dim) + ", " + number(s.other_dim) + ")";
    case operation::columns:
    case operation::identity:
      return {};
    default:
      break;
  }
  return ".slice(" + number(s.dim) + ", " + range + (s.step == 1 ? "" : ", " + number(s.step)) + ")";
}

// By another card or by another value of a library parameter.
bool can_be_chosen(const condition& c) {
  if (c.kind == condition_kind::capability_between) return true;
  bool by_parameter = c.left.kind == expression_kind::parameter || c.right.kind == expression_kind::parameter;
  for (int i = 0; i < c.tuple_width; ++i)
    by_parameter = by_parameter || c.tuple[i].kind == expression_kind::parameter;
  return by_parameter;
}

}  // namespace

std::string message_writer::copy_text(const tensor_desc& copy) {
  return "(" + grouped(bytes_of_copy(copy)) + " bytes)";
}

// Why .contiguous() at the call is no cure.
std::string message_writer::not_contiguous(const violation& v) const {
  const tensor_desc& t = tensor(v.argument);
  if (is_dense(t.layout()))
    return "Not .contiguous(): the tensor is already contiguous and comes back unchanged";
  const checked bytes = bytes_of_elements(t.type(), element_count(t.layout()));
  return "Not .contiguous(): " + grouped(bytes.ok ? bytes.value : 0) +
         " bytes copied per step, address not the graph's";
}

std::string message_writer::rewritten_text(const violation& v, const tensor_desc& repaired) const {
  const tensor_desc& t = tensor(v.argument);
  std::string out = "rewrite ";
  bool first = true;
  for (int d = 0; d < t.rank(); ++d) {
    if (t.stride(d) == repaired.stride(d)) continue;
    out += (first ? "" : " and ") + dim_text("stride", d) + " to " + number(repaired.stride(d));
    first = false;
  }
  return out + ": free, it is never used. " + not_contiguous(v);
}

std::string message_writer::full_rows_text(const violation& v, const tensor_desc& rows) const {
  const argument& a = declaration(v.argument);
  const tensor_desc& t = tensor(v.argument);
  const provenance& p = t.from();
  std::string calls;
  bool in_order = p.root_rank == 2;  // only rows and columns: one call says it
  index_t first = 0;
  for (int i = 0; i < p.kept_steps(); ++i) {
    in_order = in_order && (p.steps[i].what == operation::rows || p.steps[i].what == operation::columns);
    if (p.steps[i].what == operation::rows) first += p.steps[i].begin;
    calls += step_call(p.steps[i]);
  }
  if (in_order) calls = ".rows(" + number(first) + ", " + number(first + t.extent(0)) + ")";
  const index_t width = rows.extent(rows.rank() - 1), before = t.extent(t.rank() - 1);
  std::string out = "full rows, " + std::string(p.root.view()) + calls + ": ";
  out += is_dense(rows.layout()) ? "dense, readers are bounded" : "readers are bounded";
  if (!a.bounded_by.empty()) out += " by " + std::string(a.bounded_by);
  out += "; scans " + number(width) + " columns";
  if (!a.cost.empty() && before > 0)
    out += ", " + std::string(a.cost) + " x" + number((width + before - 1) / before);
  return out;
}

// 'paged' takes it as it is, but needs T > 64
std::string message_writer::nearest_branch_text(const violation& v) const {
  const other_branch* nearest = repairs(data_, v).nearest_branch();
  if (nearest == nullptr) return {};
  const contract_view& b = data_.branches[static_cast<std::size_t>(nearest->branch)];
  std::string conditions;
  bool of_the_call =
      false;  // sizes and presence are not to be chosen: then it is no repair, but says what is accepted
  for (int i = 0; i < b.condition_count && i < 32; ++i) {
    if (((nearest->failing >> i) & 1) == 0) continue;
    conditions += (conditions.empty() ? "" : " and ") + condition_text(b.conditions[i], false);
    of_the_call = of_the_call || !can_be_chosen(b.conditions[i]);
  }
  if (of_the_call) return quoted(b.kernel) + " accepts only calls where " + conditions;
  const std::string out = quoted(b.kernel) + " accepts the call as it is";
  return conditions.empty() ? out : out + " where " + conditions;
}

std::string message_writer::layout_fix(const violation& v) const {
  const repairs repair(data_, v);
  if (const auto rewritten = repair.rewritten_strides()) return rewritten_text(v, *rewritten);

  const std::string branch_that_accepts = nearest_branch_text(v);
  std::string kernel = branch_that_accepts;
  if (kernel.empty() && v.kind == violation_kind::row_pitch && repair.kernel_that_takes_the_pitch())
    kernel = "a kernel that takes the row pitch";
  if (kernel.empty() && repair.kernel_that_takes_the_strides()) kernel = "a kernel that takes the strides";

  std::string out;
  const auto add = [&](const std::string& option, std::string_view separator) {
    if (!option.empty()) out += (out.empty() ? "" : std::string(separator)) + option;
  };
  const auto rows = repair.full_rows();
  if (rows) {
    add(full_rows_text(v, *rows), "");
    add(kernel.empty() ? kernel : "or " + kernel, next_line);
    return out + (kernel.empty() ? std::string(next_line) : ". ") + not_contiguous(v);
  }
  const bool by_pitch = v.kind == violation_kind::row_pitch || !branch_that_accepts.empty();
  if (by_pitch) add(kernel, "");
  if (const auto copy = repair.dense_copy()) {
    add("a dense copy made before capture " + copy_text(*copy), ", or ");
  } else if (const auto padded = repair.padded_copy(v.needed);
             padded && v.kind == violation_kind::aligned_rows) {
    add("a copy with padded rows made before capture " + copy_text(*padded), ", or ");
  }
  if (!by_pitch) add(kernel, ", or ");
  if (out.empty()) return "no single repair cures it: see the other violations";
  return out + ". " + not_contiguous(v);
}

std::string message_writer::stale_fix(const violation& v) const {
  const repairs repair(data_, v);
  std::string out;
  if (repair.cleared()) out = "fill the rest with the sentinel whenever a step is smaller than the last";
  if (const auto part = repair.active_part()) {
    out += (out.empty() ? "" : ", or ") + std::string("pass only what holds data, ") +
           tuple(part->rank(), [&](int d) { return part->extent(d); }) + "; a captured graph keeps that size";
  }
  if (repair.kernel_that_is_bounded())
    out += (out.empty() ? "" : ", or ") + std::string("a kernel that stops at per-row lengths");
  return out.empty() ? "a kernel that states what it does with stale columns" : out;
}

std::string message_writer::reshaped_text(const violation& v) const {
  bool added = false;
  int dim = 0;
  if (const auto view = repairs(data_, v).reshaped(added, dim)) {
    return std::string(added ? "add" : "drop") + " dimension " + number(dim) +
           ", of extent 1: " + tuple(view->rank(), [&](int d) { return view->extent(d); }) + ", a view, free";
  }
  return "a view of that rank; adding or dropping dimensions of extent 1 alone does not cure it";
}

std::string message_writer::fix(const violation& v) const {
  switch (v.kind) {
    case violation_kind::row_pitch:
    case violation_kind::layout:
    case violation_kind::permutation:
    case violation_kind::row_overlap:
      return layout_fix(v);
    case violation_kind::descriptor:
    case violation_kind::aligned_rows: {
      const repairs repair(data_, v);
      if (const auto rewritten = repair.rewritten_strides()) return rewritten_text(v, *rewritten);
      const std::string nearest = nearest_branch_text(v);
      std::string out = nearest.empty() ? nearest : nearest + ", or ";
      const bool of_stride =
          v.kind == violation_kind::aligned_rows || v.fault == descriptor_fault_kind::stride_multiple;
      if (const auto copy = repair.dense_copy())
        return out + "a dense copy made before capture " + copy_text(*copy);
      if (of_stride)
        if (const auto padded = repair.padded_copy(v.needed)) {
          return out + "pad the rows of its buffer to " +
                 grouped(row_pitch(padded->layout()).pitch * padded->type().element_bits() / 8) +
                 " bytes, or a copy so padded made before capture " + copy_text(*padded);
        }
      return out + (v.kind == violation_kind::aligned_rows ? "a kernel that needs no aligned rows"
                                                           : "a kernel that reads it without a tensor map");
    }
    case violation_kind::stride:
      if (v.other < 0 || v.other == v.argument) {
        const repairs repair(data_, v);
        if (const auto copy = repair.dense_copy())
          return "a dense copy made before capture " + copy_text(*copy) +
                 ", or a kernel that takes the strides. " + not_contiguous(v);
      }
      [[fallthrough]];
    case violation_kind::extent:
      return v.other >= 0 && v.other != v.argument
                 ? "make " + quoted(argument_name(v.argument)) + " and " + quoted(argument_name(v.other)) +
                       " agree"
                 : std::string("pass a tensor of the declared ") +
                       (v.kind == violation_kind::stride ? "strides" : "shape");
    case violation_kind::overlap:
    case violation_kind::overlap_unknown: {
      const auto copy = repairs(data_, v).dense_copy();
      return copy ? "a dense tensor of its own " + copy_text(*copy) : "a tensor of its own";
    }
    case violation_kind::argument_count:
      return "pass every argument of the contract, absent optional ones included";
    case violation_kind::missing:
      return "pass it, or declare it optional";
    case violation_kind::malformed:
      switch (tensor(v.argument).from().refusal) {
        case step_refusal::none:
          break;
        case step_refusal::no_buffer:
          return "correct the extents and strides of the buffer";
        default:
          return "cut it within the buffer, or allocate a larger one";
      }
      return "pass a description of rank 0 to 8 with its extents";
    case violation_kind::type:
      return "pass " + types_text(declaration(v.argument)) + "; a conversion is a copy";
    case violation_kind::rank:
      return reshaped_text(v);
    case violation_kind::device:
      return v.other >= 0 ? "keep all arguments on one device" : "move it there before capture";
    case violation_kind::negative_extent:
      return "correct the size computation that made it";
    case violation_kind::not_addressable:
      return "correct the sizes and strides; no tensor is that large";
    case violation_kind::null_data:
      return "allocate it before the call";
    case violation_kind::overflow:
      return "correct the extents that the expression is computed from";
    case violation_kind::packed_stride:
      return "pack the values along the last dimension";
    case violation_kind::aligned: {
      std::string out = "start the view, and its buffer, at multiples of " + number(v.needed) + " bytes";
      if (const auto copy = repairs(data_, v).dense_copy()) {
        out += ", or an aligned copy made before capture " + copy_text(*copy);
        if (is_dense(tensor(v.argument).layout())) out += ". " + not_contiguous(v);
      }
      return out;
    }
    case violation_kind::index_bits: {
      const auto copy = repairs(data_, v).dense_copy();
      return "split the call, or a kernel with 64-bit indices" +
             (copy ? ", or a dense copy made before capture " + copy_text(*copy) : std::string());
    }
    case violation_kind::stable:
      return "pass a view of a persistent buffer, refreshed in place";
    case violation_kind::read_only:
      return "pass a writable tensor";
    case violation_kind::shared_memory:
    case violation_kind::shared_memory_unknown: {
      const repairs repair(data_, v);
      std::string out;
      if (repair.other_tensor())
        out = "pass the view of " + quoted(argument_name(v.other)) + " itself, in place";
      if (const auto copy = repair.dense_copy())
        out += (out.empty() ? "" : ", or ") + std::string("memory of its own ") + copy_text(*copy);
      return out.empty() ? "give one of them memory of its own" : out;
    }
    case violation_kind::other_memory:
    case violation_kind::other_memory_unknown:
      return repairs(data_, v).other_tensor()
                 ? "pass the view of " + quoted(argument_name(v.other)) + " itself"
                 : "pass a view of exactly the memory of " + quoted(argument_name(v.other));
    case violation_kind::active_extent:
      return "activate no more than the view has, or pass and capture a wider one";
    case violation_kind::reads_beyond: {
      if (const auto rows = repairs(data_, v).full_rows()) return full_rows_text(v, *rows);
      return "a view of at least " + number(v.found) + " columns, or a kernel that stops at per-row lengths";
    }
    case violation_kind::stale_read:
      return stale_fix(v);
    case violation_kind::guard:
      return "choose sizes that satisfy it";
    case violation_kind::no_kernel:
    case violation_kind::uncovered: {
      const std::string nearest = nearest_branch_text(v);
      return nearest.empty() ? "choose sizes that a branch covers, or add a kernel and its contract"
                             : nearest + "; else add a kernel and its contract";
    }
    case violation_kind::ambiguous:
      return "make the conditions of the two branches exclude each other";
    case violation_kind::undecided:
      return "pass the missing value in the evaluation context";
  }
  return {};
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
