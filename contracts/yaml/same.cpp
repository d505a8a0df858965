#include "contracts/yaml/same.h"

#include <algorithm>

// Every struct is taken apart, so that a member that is added later stops the build here: it is compared, or written down as one that
// does not count.
namespace stridelock::yaml {
namespace {

bool same(const expression& a, const expression& b) {
  const auto& [kind, index, multiple, rounded_to, added, name] = a;
  if (kind != b.kind) return false;
  if (kind == expression_kind::any) return true;
  if (kind == expression_kind::constant) return added == b.added;
  return name == b.name && multiple == b.multiple && rounded_to == b.rounded_to && added == b.added &&
         (kind != expression_kind::symbol || index == b.index);
}

bool same(const basis& a, const basis& b) {
  const auto& [how, where] = a;
  return how == b.how && where == b.where;
}

bool same(const capability& a, const capability& b) {
  const auto& [major, minor] = a;
  return major == b.major && minor == b.minor;
}

bool same(const condition& a, const condition& b) {
  // The typed tables are the same numbers again, for constant expressions.
  [[maybe_unused]] const auto& [kind, how, left, right, argument_name, argument_index, tuple, tuple_width,
                                tuples, tuple_count, singles, pairs, triples, lowest, highest, why] = a;
  if (kind != b.kind || !same(why, b.why)) return false;
  switch (kind) {
    case condition_kind::compare:
      return how == b.how && same(left, b.left) && same(right, b.right);
    case condition_kind::divisible:
      return same(left, b.left) && same(right, b.right);
    case condition_kind::present:
    case condition_kind::absent:
      return argument_name == b.argument_name && argument_index == b.argument_index;
    case condition_kind::one_of:
    case condition_kind::none_of:
      if (tuple_width != b.tuple_width || tuple_count != b.tuple_count) return false;
      for (int i = 0; i < tuple_width; ++i)
        if (!same(tuple[i], b.tuple[i])) return false;
      return std::equal(tuples, tuples + tuple_count * tuple_width, b.tuples);
    case condition_kind::capability_between:
      return same(lowest, b.lowest) && same(highest, b.highest);
  }
  return false;
}

bool same(const dtype& a, const dtype& b) {
  const auto& [code, bits, lanes, means] = a;
  return code == b.code && bits == b.bits && lanes == b.lanes && means == b.means;
}

bool same(const shape_pattern& a, const shape_pattern& b) {
  const auto& [rank, extents, strides, has_strides] = a;
  if (rank != b.rank || has_strides != b.has_strides) return false;
  for (int d = 0; d < rank; ++d)
    if (!same(extents[d], b.extents[d]) || (has_strides && !same(strides[d], b.strides[d]))) return false;
  return true;
}

bool same(const requirement& a, const requirement& b) {
  const auto& [what, detail, second, why] = a;
  return what == b.what && detail == b.detail && second == b.second && same(why, b.why);
}

bool same(const sharing_rule& a, const sharing_rule& b) {
  const auto& [what, with, index, why] = a;
  return what == b.what && with == b.with && index == b.index && same(why, b.why);
}

bool same(const dimension_basis& a, const dimension_basis& b) {
  const auto& [rank, dim, of_stride, why] = a;
  return rank == b.rank && dim == b.dim && of_stride == b.of_stride && same(why, b.why);
}

bool same(const descriptor_rule& a, const descriptor_rule& b) {
  const auto& [element_bytes, interleaved, swizzled, packed, has_box, box, element_strides] = a;
  return element_bytes == b.element_bytes && interleaved == b.interleaved && swizzled == b.swizzled &&
         packed == b.packed && has_box == b.has_box &&
         (!has_box ||
          (std::equal(std::begin(box), std::end(box), b.box) &&
           std::equal(std::begin(element_strides), std::end(element_strides), b.element_strides)));
}

bool same(const symbol& a, const symbol& b) {
  const auto& [name, by_extent] = a;
  return name == b.name && by_extent == b.by_extent;
}

// The first `count` of two arrays.
template <class Item>
bool same(const Item* a, const Item* b, int count) {
  return std::equal(a, a + count, b, [](const Item& x, const Item& y) { return same(x, y); });
}

std::string difference(const argument& a, const argument& b) {
  const auto& [name, types, type_count, type_why, shapes, shape_count, ranks, shape_why, dimension_why,
               dimension_why_count, requirements, requirement_count, descriptor, sharing_rules, sharing_count,
               is_optional, presence_why, on_device, device_why, reader, stale, tile, reader_why, bounded_by,
               cost, lengths_outside] = a;
  if (name != b.name) return "its name";
  if (type_count != b.type_count || !same(types, b.types, type_count) ||
      (type_count > 0 && !same(type_why, b.type_why)))
    return "its type";
  if (shape_count != b.shape_count || ranks != b.ranks || !same(shape_why, b.shape_why) ||
      !same(shapes, b.shapes, shape_count))
    return "its shape";
  if (requirement_count != b.requirement_count || !same(requirements, b.requirements, requirement_count))
    return "its facts";
  if (is_optional != b.is_optional) return "whether it is optional";
  if (on_device != b.on_device) return "its device";
  if (!same(device_why, b.device_why)) return "the evidence of its device";
  if (!same(presence_why, b.presence_why)) return "the evidence of its presence";
  if (reader != b.reader || bounded_by != b.bounded_by || lengths_outside != b.lengths_outside ||
      cost != b.cost || stale != b.stale || tile != b.tile || !same(reader_why, b.reader_why))
    return "how it is read";
  if (sharing_count != b.sharing_count || !same(sharing_rules, b.sharing_rules, sharing_count))
    return "what memory it shares";
  if (dimension_why_count != b.dimension_why_count ||
      !same(dimension_why, b.dimension_why, dimension_why_count))
    return "the evidence of a dimension";
  if (!same(descriptor, b.descriptor)) return "its tensor map";
  return {};
}

std::string difference(const contract_view& a, const contract_view& b) {
  const auto& [kernel, kind, arguments, argument_count, symbols, symbol_count, conditions, condition_count,
               guards, guard_count] = a;
  if (kernel != b.kernel || kind != b.kind) return "its name or kind";
  if (argument_count != b.argument_count) return "the number of arguments";
  for (int i = 0; i < argument_count; ++i)
    if (const std::string d = difference(arguments[i], b.arguments[i]); !d.empty())
      return "argument '" + std::string(arguments[i].name) + "': " + d;
  if (symbol_count != b.symbol_count) return "the number of symbols";
  for (int i = 0; i < symbol_count; ++i)
    if (!same(symbols[i], b.symbols[i])) return "symbol '" + std::string(symbols[i].name) + "'";
  if (condition_count != b.condition_count) return "the number of conditions";
  for (int i = 0; i < condition_count; ++i)
    if (!same(conditions[i], b.conditions[i])) return "condition " + std::to_string(i + 1);
  if (guard_count != b.guard_count) return "the number of needs";
  for (int i = 0; i < guard_count; ++i)
    if (!same(guards[i], b.guards[i])) return "need " + std::to_string(i + 1);
  return {};
}

bool same(const library_parameter& a, const library_parameter& b) {
  const auto& [name, values, value_count, library, version, where] = a;
  return name == b.name && value_count == b.value_count &&
         std::equal(values, values + value_count, b.values) && library == b.library && version == b.version &&
         where == b.where;
}

}  // namespace

std::string difference(const dispatch_view& a, const dispatch_view& b) {
  const auto& [name, branches, branch_count, parameters, parameter_count] = a;
  if (name != b.name) return "the name";
  if (branch_count != b.branch_count) return "the number of branches";
  for (int i = 0; i < branch_count; ++i)
    if (const std::string d = difference(branches[i], b.branches[i]); !d.empty())
      return "branch '" + std::string(branches[i].kernel) + "': " + d;
  if (parameter_count != b.parameter_count) return "the number of parameters";
  for (int i = 0; i < parameter_count; ++i)
    if (!same(parameters[i], b.parameters[i])) return "parameter '" + std::string(parameters[i].name) + "'";
  return {};
}

bool same_function(const function_requirement& a, const function_requirement& b) {
  [[maybe_unused]] const auto& [function, param, layout, line] = a;  // the line is where it stood
  return function == b.function && param == b.param && layout == b.layout;
}

}  // namespace stridelock::yaml
