#include "random_call.h"

namespace stridelock::fuzz {
namespace {

constexpr std::string_view names[] = {"alpha", "beta", "gamma"};
constexpr std::string_view symbols[] = {"T", "W", "H"};
constexpr dtype element_types[] = {types::int32,   types::float32,       types::bfloat16, types::uint8,
                                   types::float16, types::float4_e2m1fn, types::int64,    types::boolean};
constexpr device devices[] = {{device_kind::cuda, 0},
                              {device_kind::cuda, 1},
                              {device_kind::cpu, 0},
                              {device_kind::none, 0},
                              {device_kind::vulkan, 0}};
constexpr index_t small_numbers[] = {1, 2, 4, 3, 0, 8, 16, 64, 128, 5};
constexpr index_t extreme_numbers[] = {
    checked::highest, checked::lowest,  checked::highest / 2, checked::lowest / 2, -1,
    index_t{1} << 32, index_t{1} << 62, -(index_t{1} << 31),  checked::highest - 1};
constexpr index_t tuples[][2] = {{4, 8}, {2, 16}, {64, 512}};

index_t number(bytes& in) {
  const std::uint8_t how = in.byte();
  if (how < 200) return small_numbers[how % std::size(small_numbers)];
  if (how < 240) return extreme_numbers[how % std::size(extreme_numbers)];
  return in.number<index_t>();
}

expression make_expression(bytes& in) {
  switch (in.below(8)) {
    case 0:
    case 1:
    case 2:
      return sym(in.one_of(symbols));
    case 3:
      return any;
    case 4:
      return number(in);
    case 5:
      return number(in) * sym(in.one_of(symbols)) + number(in);
    case 6:
      return rounded_up(sym(in.one_of(symbols)), static_cast<std::int32_t>(number(in)));
    default:
      return parameter("limit");
  }
}

basis make_basis(bytes& in) {
  switch (in.below(4)) {
    case 0:
      return declared();
    case 1:
      return checked_at("kernel.cu:12");
    case 2:
      return inferred_from("kernel.cu:13");
    default:
      return unchecked();
  }
}

condition make_condition(bytes& in) {
  switch (in.below(7)) {
    case 0:
      return sym(in.one_of(symbols)) <= parameter("limit");
    case 1: {
      condition c = make_expression(in) == make_expression(in);
      c.how = static_cast<comparison>(in.below(6));
      return c;
    }
    case 2:
      return divisible(make_expression(in), number(in));
    case 3:
      return is_present(in.one_of(names));
    case 4:
      return is_absent(in.one_of(names));
    case 5:
      return in.flag() ? one_of({sym("T"), sym("W")}, tuples) : none_of({sym("T"), sym("W")}, tuples);
    default:
      return capability_between({in.below(14), in.below(3)}, {in.below(14), in.below(3)});
  }
}

argument make_argument(bytes& in, std::string_view name, bool& asks_for_every_stride) {
  argument a = arg(name);
  for (int i = in.below(3); i > 0; --i) a = a.or_type(in.one_of(element_types));
  a.type_why = make_basis(in);
  const auto shape = [&](int rank) {
    switch (rank) {
      case 0:
        return a.shape();
      case 1:
        return a.shape(make_expression(in));
      case 2: {
        const expression e0 = make_expression(in), e1 = make_expression(in);
        return a.shape(e0, e1);
      }
      default: {
        const expression e0 = make_expression(in), e1 = make_expression(in), e2 = make_expression(in);
        return a.shape(e0, e1, e2);
      }
    }
  };
  const int shape_kind = in.below(8);
  if (shape_kind < 6) {
    const int rank = shape_kind < 4 ? 2 : shape_kind == 4 ? 3 : in.below(2);
    a = shape(rank);
    if (rank == 2 && in.below(4) == 3) {
      const expression s0 = make_expression(in), s1 = make_expression(in);
      a = a.strides(s0, s1);
    }
    if (in.below(4) == 3) a = shape(3);
  } else if (shape_kind == 6) {
    a = a.rank_in({in.below(4), in.below(9)});
  }
  a = a.shape_by(make_basis(in));
  for (int i = in.below(4); i > 0; --i) {
    requirement r;
    r.what = static_cast<notion>(in.below(static_cast<int>(notion::descriptor_legal) + 1));
    r.detail = static_cast<std::int32_t>(number(in));
    r.second = static_cast<std::int32_t>(number(in));
    r.why = make_basis(in);
    if (r.what == notion::canonical || r.what == notion::descriptor_legal) asks_for_every_stride = true;
    a = a.require(r);
  }
  switch (in.below(8)) {
    case 1:
      a = a.bounded("gamma", "scratch", make_basis(in));
      break;
    case 2:
      a = a.whole_row(static_cast<stale_policy>(in.below(4)), make_basis(in));
      break;
    case 3:
      a = a.up_to_tile(in.one_of(small_numbers), static_cast<stale_policy>(in.below(4)), make_basis(in));
      break;
    case 4:
      a = a.disjoint_from(in.one_of(names), make_basis(in));
      break;
    case 5:
      a = a.same_view_or_disjoint(in.one_of(names), make_basis(in));
      break;
    case 6:
      a = a.same_memory_as(in.one_of(names), make_basis(in));
      break;
    default:
      break;
  }
  if (in.below(4) == 3) a = a.optional();
  if (in.below(8) == 7) a = a.on(device_kind::cpu);
  return a;
}

}  // namespace

dispatch_view random_dispatch::built::what() const {
  if (two) return both.view();
  return {"single", views, 1, both.parameters, both.parameter_count};
}

void random_dispatch::build(const std::array<int, arguments>& order, built& to) const {
  to.two = two_branches;
  for (int b = 0; b < 2; ++b) {
    const auto& s = shapes[b];
    to.branches[b] =
        make_contract(b == 0 ? "first" : "second", s[static_cast<std::size_t>(order[0])],
                      s[static_cast<std::size_t>(order[1])], s[static_cast<std::size_t>(order[2])]);
    if (has_guard[b]) to.branches[b] = to.branches[b].needs(guard[b], checked_at("kernel.cu:14"));
    if (b == 0 && has_conditions) to.branches[b] = to.branches[b].when(when);
  }
  to.both = make_dispatch("random", to.branches[0], to.branches[1])
                .with(library_parameter("limit", {4, 64}, "library", "1.2", "tune.py:3"));
  to.views[0] = to.branches[0].view();
}

argument_value random_tensor::value() const {
  if (!is_present) return {};
  tensor_ref r;
  r.data = reinterpret_cast<const void*>(address);
  r.type = type;
  r.rank = rank;
  r.where = where;
  r.extents = extents;
  r.strides = has_strides ? strides : nullptr;
  r.byte_offset = byte_offset;
  r.read_only = read_only;
  r.active = is_partial ? active : nullptr;
  r.stale = stale;
  return argument_value(r);
}

random_dispatch make_dispatch_from(bytes& in) {
  random_dispatch d;
  d.two_branches = in.below(4) == 3;
  for (auto& branch : d.shapes)
    for (std::size_t i = 0; i < arguments; ++i)
      branch[i] = make_argument(in, names[i], d.asks_for_every_stride);
  d.has_conditions = in.flag();
  d.when = make_condition(in);
  for (int b = 0; b < 2; ++b) {
    d.has_guard[b] = in.below(3) == 2;
    d.guard[b] = make_condition(in);
  }
  return d;
}

std::array<random_tensor, arguments> make_call_from(bytes& in) {
  std::array<random_tensor, arguments> call;
  for (random_tensor& t : call) {
    t.is_present = in.below(8) != 7;
    t.type = in.one_of(element_types);
    t.where = devices[in.byte() < 200 ? 0 : in.byte() % std::size(devices)];
    t.rank = in.byte() < 200 ? 2 : in.below(max_rank + 3) - 1;
    const int dims = t.rank < 0 ? 0 : t.rank > max_rank ? max_rank : t.rank;
    for (int i = 0; i < dims; ++i) t.extents[i] = number(in);
    t.has_strides = in.below(4) != 3;
    // Dense, unless bytes say otherwise.
    std::uint64_t stride = 1;
    for (int i = dims - 1; i >= 0; --i) {
      t.strides[i] = static_cast<index_t>(stride);
      stride *= static_cast<std::uint64_t>(t.extents[i]);
    }
    for (int i = in.below(4); i > 1; --i) {
      const index_t replaced = number(in);
      if (dims > 0) t.strides[in.byte() % dims] = replaced;
    }
    t.is_partial = in.below(6) == 5;
    if (t.is_partial)
      for (int i = 0; i < dims; ++i) t.active[i] = in.flag() ? t.extents[i] : number(in);
    t.stale = static_cast<stale_content>(in.below(3));
    // Distinctive, so that it would be seen in a message.
    t.address = in.below(16) == 15
                    ? 0
                    : 0x7e5abc000000u + in.number<std::uint16_t>() * std::uintptr_t{16} + in.below(2);
    t.byte_offset = in.below(8) == 7 ? in.number<std::uint64_t>() : 0;
    t.read_only = static_cast<tri>(in.below(3));
  }
  return call;
}

evaluation_context make_context_from(bytes& in, parameter_value& parameter) {
  evaluation_context context;
  if (in.flag()) context.device_capability = {in.below(14), in.below(3)};
  context.without_data = in.below(8) == 7;
  parameter = {"limit", number(in)};
  if (in.below(4) == 3) {
    context.parameters = &parameter;
    context.parameter_count = 1;
  }
  return context;
}

}  // namespace stridelock::fuzz
