#include "contracts/yaml/same.h"

#include <algorithm>

namespace stridelock::yaml {
namespace {

bool same(const expression& a, const expression& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == expression_kind::any) return true;
  if (a.kind == expression_kind::constant) return a.added == b.added;
  return a.name == b.name && a.multiple == b.multiple && a.rounded_to == b.rounded_to && a.added == b.added &&
         (a.kind != expression_kind::symbol || a.index == b.index);
}

bool same(const basis& a, const basis& b) {
  return a.how == b.how && a.where == b.where;
}

bool same(const condition& a, const condition& b) {
  if (a.kind != b.kind || !same(a.why, b.why)) return false;
  switch (a.kind) {
    case condition_kind::compare:
      return a.how == b.how && same(a.left, b.left) && same(a.right, b.right);
    case condition_kind::divisible:
      return same(a.left, b.left) && same(a.right, b.right);
    case condition_kind::present:
    case condition_kind::absent:
      return a.argument_name == b.argument_name && a.argument_index == b.argument_index;
    case condition_kind::one_of:
    case condition_kind::none_of:
      if (a.tuple_width != b.tuple_width || a.tuple_count != b.tuple_count) return false;
      for (int i = 0; i < a.tuple_width; ++i)
        if (!same(a.tuple[i], b.tuple[i])) return false;
      return std::equal(a.tuples, a.tuples + a.tuple_count * a.tuple_width, b.tuples);
    case condition_kind::capability_between:
      return a.lowest == b.lowest && a.highest == b.highest;
  }
  return false;
}

bool same_type(dtype a, dtype b) {
  return same_representation(a, b) && a.means == b.means;
}

std::string difference(const argument& a, const argument& b) {
  if (a.name != b.name) return "its name";
  if (a.type_count != b.type_count || !std::equal(a.types, a.types + a.type_count, b.types, same_type) ||
      (a.type_count > 0 && !same(a.type_why, b.type_why)))
    return "its type";
  if (a.shape_count != b.shape_count || a.ranks != b.ranks || !same(a.shape_why, b.shape_why))
    return "its shape";
  for (int s = 0; s < a.shape_count; ++s) {
    const shape_pattern &x = a.shapes[s], &y = b.shapes[s];
    if (x.rank != y.rank || x.has_strides != y.has_strides) return "its shape";
    for (int d = 0; d < x.rank; ++d)
      if (!same(x.extents[d], y.extents[d]) || (x.has_strides && !same(x.strides[d], y.strides[d])))
        return "its shape";
  }
  if (a.requirement_count != b.requirement_count) return "its facts";
  for (int i = 0; i < a.requirement_count; ++i) {
    const requirement &x = a.requirements[i], &y = b.requirements[i];
    if (x.what != y.what || x.detail != y.detail || x.second != y.second || !same(x.why, y.why))
      return "its facts";
  }
  if (a.is_optional != b.is_optional) return "whether it is optional";
  if (a.on_device != b.on_device) return "its device";
  if (!same(a.device_why, b.device_why)) return "the evidence of its device";
  if (!same(a.presence_why, b.presence_why)) return "the evidence of its presence";
  if (a.reader != b.reader || a.bounded_by != b.bounded_by || a.cost != b.cost || a.stale != b.stale ||
      a.tile != b.tile || !same(a.reader_why, b.reader_why))
    return "how it is read";
  if (a.sharing_count != b.sharing_count) return "what memory it shares";
  for (int i = 0; i < a.sharing_count; ++i) {
    const sharing_rule &x = a.sharing_rules[i], &y = b.sharing_rules[i];
    if (x.what != y.what || x.with != y.with || x.index != y.index || !same(x.why, y.why))
      return "what memory it shares";
  }
  if (a.dimension_why_count != b.dimension_why_count) return "the evidence of a dimension";
  for (int i = 0; i < a.dimension_why_count; ++i) {
    const dimension_basis &x = a.dimension_why[i], &y = b.dimension_why[i];
    if (x.rank != y.rank || x.dim != y.dim || x.of_stride != y.of_stride || !same(x.why, y.why))
      return "the evidence of a dimension";
  }
  const descriptor_rule &x = a.descriptor, &y = b.descriptor;
  if (x.element_bytes != y.element_bytes || x.interleaved != y.interleaved || x.swizzled != y.swizzled ||
      x.packed != y.packed || x.has_box != y.has_box ||
      (x.has_box && (!std::equal(x.box, x.box + 5, y.box) ||
                     !std::equal(x.element_strides, x.element_strides + 5, y.element_strides))))
    return "its tensor map";
  return {};
}

std::string difference(const contract_view& a, const contract_view& b) {
  if (a.kernel != b.kernel || a.kind != b.kind) return "its name or kind";
  if (a.argument_count != b.argument_count) return "the number of arguments";
  for (int i = 0; i < a.argument_count; ++i)
    if (const std::string d = difference(a.arguments[i], b.arguments[i]); !d.empty())
      return "argument '" + std::string(a.arguments[i].name) + "': " + d;
  if (a.symbol_count != b.symbol_count) return "the number of symbols";
  for (int i = 0; i < a.symbol_count; ++i)
    if (a.symbols[i].name != b.symbols[i].name || a.symbols[i].by_extent != b.symbols[i].by_extent)
      return "symbol '" + std::string(a.symbols[i].name) + "'";
  if (a.condition_count != b.condition_count) return "the number of conditions";
  for (int i = 0; i < a.condition_count; ++i)
    if (!same(a.conditions[i], b.conditions[i])) return "condition " + std::to_string(i + 1);
  if (a.guard_count != b.guard_count) return "the number of needs";
  for (int i = 0; i < a.guard_count; ++i)
    if (!same(a.guards[i], b.guards[i])) return "need " + std::to_string(i + 1);
  return {};
}

}  // namespace

std::string difference(const dispatch_view& a, const dispatch_view& b) {
  if (a.name != b.name) return "the name";
  if (a.branch_count != b.branch_count) return "the number of branches";
  for (int i = 0; i < a.branch_count; ++i)
    if (const std::string d = difference(a.branches[i], b.branches[i]); !d.empty())
      return "branch '" + std::string(a.branches[i].kernel) + "': " + d;
  if (a.parameter_count != b.parameter_count) return "the number of parameters";
  for (int i = 0; i < a.parameter_count; ++i) {
    const library_parameter &x = a.parameters[i], &y = b.parameters[i];
    if (x.name != y.name || x.value_count != y.value_count ||
        !std::equal(x.values, x.values + x.value_count, y.values) || x.library != y.library ||
        x.version != y.version || x.where != y.where)
      return "parameter '" + std::string(x.name) + "'";
  }
  return {};
}

}  // namespace stridelock::yaml
