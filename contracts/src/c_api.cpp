// The C interface. Handles and report contents carry the functions of the copy of this library that made them, so that
// only C structs and these functions cross from one copy to another.
#include "stridelock/c_api.h"

#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "stridelock/evaluate.h"
#include "stridelock/export_contract.h"
#include "stridelock/message.h"
#include "text.h"

// A new kind of violation must get its name here.
#pragma GCC diagnostic error "-Wswitch"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

constexpr std::int32_t most_arguments = 255;

// What `content` points to. Its layout belongs to the interface of version 1.
struct report_content {
  void (*violation_at)(const report_content* content, std::int32_t i, stridelock_violation* to) noexcept;
  void (*symbol_at)(const report_content* content, std::int32_t i, stridelock_symbol* to) noexcept;
  std::size_t (*write)(const report_content* content, char* to, std::size_t capacity) noexcept;
  void (*destroy)(report_content* content) noexcept;
};

struct owned_report : report_content {
  report what;
  const dispatch_view* judged = nullptr;
};

stridelock_text c_text(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view kind_name(violation_kind kind) {
  switch (kind) {
#define STRIDELOCK_KIND(name) \
  case violation_kind::name:  \
    return #name;
    STRIDELOCK_KIND(argument_count)
    STRIDELOCK_KIND(missing)
    STRIDELOCK_KIND(malformed)
    STRIDELOCK_KIND(type)
    STRIDELOCK_KIND(rank)
    STRIDELOCK_KIND(device)
    STRIDELOCK_KIND(negative_extent)
    STRIDELOCK_KIND(not_addressable)
    STRIDELOCK_KIND(null_data)
    STRIDELOCK_KIND(extent)
    STRIDELOCK_KIND(stride)
    STRIDELOCK_KIND(overflow)
    STRIDELOCK_KIND(packed_stride)
    STRIDELOCK_KIND(layout)
    STRIDELOCK_KIND(row_pitch)
    STRIDELOCK_KIND(row_overlap)
    STRIDELOCK_KIND(permutation)
    STRIDELOCK_KIND(overlap)
    STRIDELOCK_KIND(overlap_unknown)
    STRIDELOCK_KIND(shared_memory)
    STRIDELOCK_KIND(shared_memory_unknown)
    STRIDELOCK_KIND(other_memory)
    STRIDELOCK_KIND(other_memory_unknown)
    STRIDELOCK_KIND(descriptor)
    STRIDELOCK_KIND(active_extent)
    STRIDELOCK_KIND(reads_beyond)
    STRIDELOCK_KIND(stale_read)
    STRIDELOCK_KIND(aligned)
    STRIDELOCK_KIND(aligned_rows)
    STRIDELOCK_KIND(index_bits)
    STRIDELOCK_KIND(stable)
    STRIDELOCK_KIND(read_only)
    STRIDELOCK_KIND(guard)
    STRIDELOCK_KIND(no_kernel)
    STRIDELOCK_KIND(uncovered)
    STRIDELOCK_KIND(ambiguous)
    STRIDELOCK_KIND(undecided)
#undef STRIDELOCK_KIND
  }
  return {};
}

std::string_view argument_name(const dispatch_view& what, int i) {
  const bool known = what.branch_count > 0 && i >= 0 && i < what.branches[0].argument_count;
  return known ? what.branches[0].arguments[i].name : std::string_view();
}

void violation_at(const report_content* content, std::int32_t i, stridelock_violation* to) noexcept {
  const auto* owned = static_cast<const owned_report*>(content);
  const violation& v = owned->what[i];
  *to = {};
  to->kind = c_text(kind_name(v.kind));
  to->evidence = c_text(to_string(v.how));
  to->argument_name = c_text(argument_name(*owned->judged, v.argument));
  if (v.symbol >= 0 && v.symbol < owned->what.symbol_count())
    to->symbol = c_text(owned->what.symbol(v.symbol).name);
  to->where = c_text(v.where);
  to->found = v.found;
  to->needed = v.needed;
  to->argument = v.argument;
  to->dim = v.dim;
  to->other_argument = v.other;
  to->is_consequence = v.is_consequence ? 1 : 0;
}

void symbol_at(const report_content* content, std::int32_t i, stridelock_symbol* to) noexcept {
  const symbol_value& s = static_cast<const owned_report*>(content)->what.symbol(i);
  *to = {};
  to->name = c_text(s.name);
  to->value = s.value;
  to->bound = s.bound ? 1 : 0;
  to->argument = s.argument;
  to->dim = s.dim;
  to->by_stride = s.by_stride ? 1 : 0;
}

std::size_t write(const report_content* content, char* to, std::size_t capacity) noexcept {
  return write_text(static_cast<const owned_report*>(content)->what, to, capacity);
}

void destroy(report_content* content) noexcept {
  delete static_cast<owned_report*>(content);
}

tri three_valued(std::uint8_t value) {
  return value == STRIDELOCK_YES ? tri::yes : value == STRIDELOCK_NO ? tri::no : tri::unknown;
}

argument_value argument_of(const stridelock_tensor* t) {
  if (t == nullptr) return {};
  tensor_ref r;
  r.data = t->data;
  r.type = {static_cast<type_code>(t->type_code), t->type_bits, t->type_lanes, tag::none};
  r.rank = t->rank;
  r.where = {static_cast<device_kind>(t->device_kind), t->device_ordinal};
  r.extents = t->extents;
  r.strides = t->strides;
  r.byte_offset = t->byte_offset;
  r.read_only = three_valued(t->read_only);
  return argument_value(r);
}

report judge(const dispatch_view& what, const stridelock_tensor* const* arguments, std::int32_t count,
             const stridelock_context* given) {
  evaluation_context context;
  std::vector<parameter_value> parameters;
  if (given != nullptr) {
    context.device_capability = {given->capability_major, given->capability_minor};
    context.without_data = given->without_data != 0;
    for (std::int32_t p = 0; given->parameters != nullptr && p < given->parameter_count; ++p)
      if (given->parameters[p].name != nullptr)
        parameters.push_back({given->parameters[p].name, given->parameters[p].value});
    context.parameters = parameters.data();
    context.parameter_count = static_cast<int>(parameters.size());
  }
  std::vector<argument_value> values(static_cast<std::size_t>(count) + 1);
  for (std::int32_t i = 0; i < count; ++i)
    if (arguments != nullptr) values[static_cast<std::size_t>(i)] = argument_of(arguments[i]);
  return evaluate(what, values.data(), count, context);
}

void show(report&& what, const dispatch_view* judged, stridelock_report* to) noexcept {
  to->violation_count = what.size();
  to->headline = what.headline();
  to->symbol_count = what.symbol_count();
  to->unevaluated = what.unevaluated();
  to->depends_on_parameter = what.depends_on_parameter() ? 1 : 0;
  to->incomplete = what.incomplete() ? 1 : 0;
  to->device_ordinal = what.where().kind == device_kind::none ? -1 : what.where().ordinal;
  to->branch = c_text(what.branch());
  if (what.head() == nullptr) return;
  auto* const owned = new (std::nothrow) owned_report;
  if (owned == nullptr) {
    to->violation_count = to->headline = to->symbol_count = 0;
    to->branch = {};
    to->incomplete = 1;
    return;
  }
  static_cast<report_content&>(*owned) = {violation_at, symbol_at, write, destroy};
  owned->what = std::move(what);
  owned->judged = judged;
  to->content = static_cast<report_content*>(owned);
}

const report_content* content_of(const stridelock_report* r) {
  return r == nullptr ? nullptr : static_cast<const report_content*>(r->content);
}

}  // namespace

stridelock_text exported_argument_name(const stridelock_contract* contract, std::int32_t i) noexcept {
  return c_text(argument_name(*contract->what, i));
}

std::int32_t check_exported(const stridelock_contract* contract, const stridelock_tensor* const* arguments,
                            std::int32_t count, const stridelock_context* context,
                            stridelock_report* to) noexcept {
  try {
    report what = judge(*contract->what, arguments, count, context);
    const auto result = static_cast<std::int32_t>(what.result());
    if (to == nullptr) return result;
    to->verdict = result;
    show(std::move(what), contract->what, to);
    return result;
  } catch (const std::exception&) {  // out of memory: fail closed
    if (to != nullptr) {
      to->verdict = STRIDELOCK_REFUSED;
      to->incomplete = 1;
    }
    return STRIDELOCK_REFUSED;
  }
}

static_assert(static_cast<int>(verdict::ok) == STRIDELOCK_OK &&
              static_cast<int>(verdict::no_kernel) == STRIDELOCK_NO_KERNEL &&
              static_cast<int>(verdict::refused) == STRIDELOCK_REFUSED &&
              static_cast<int>(verdict::silent) == STRIDELOCK_SILENT);

}  // namespace detail
}  // namespace v1
}  // namespace stridelock

extern "C" {

stridelock_text stridelock_v1_contract_name(const stridelock_contract* contract) {
  return contract == nullptr ? stridelock_text() : contract->name;
}

int32_t stridelock_v1_argument_count(const stridelock_contract* contract) {
  return contract == nullptr ? 0 : contract->argument_count;
}

stridelock_text stridelock_v1_argument_name(const stridelock_contract* contract, int32_t i) {
  return contract == nullptr ? stridelock_text() : contract->argument_name(contract, i);
}

int32_t stridelock_v1_check(const stridelock_contract* contract, const stridelock_tensor* const* arguments,
                            int32_t count, const stridelock_context* context, stridelock_report* report) {
  if (report != nullptr) {
    *report = {};
    report->device_ordinal = -1;
  }
  if (contract != nullptr && count >= 0 && count <= stridelock::detail::most_arguments)
    return contract->check(contract, arguments, count, context, report);
  if (report != nullptr) {
    report->verdict = STRIDELOCK_REFUSED;
    report->incomplete = 1;
  }
  return STRIDELOCK_REFUSED;
}

int32_t stridelock_v1_report_violation(const stridelock_report* report, int32_t i,
                                       stridelock_violation* violation) {
  const auto* content = stridelock::detail::content_of(report);
  if (content == nullptr || violation == nullptr || i < 0 || i >= report->violation_count) return 0;
  content->violation_at(content, i, violation);
  return 1;
}

int32_t stridelock_v1_report_symbol(const stridelock_report* report, int32_t i, stridelock_symbol* symbol) {
  const auto* content = stridelock::detail::content_of(report);
  if (content == nullptr || symbol == nullptr || i < 0 || i >= report->symbol_count) return 0;
  content->symbol_at(content, i, symbol);
  return 1;
}

size_t stridelock_v1_report_text(const stridelock_report* report, char* to, size_t capacity) {
  if (const auto* content = stridelock::detail::content_of(report))
    return content->write(content, to, capacity);
  const bool ok = report == nullptr || report->verdict == STRIDELOCK_OK;
  return stridelock::detail::copy_out(ok ? "ok"
                                         : "refused: memory ran out, or the check was called without a "
                                           "contract or with a count outside 0 to 255",
                                      to, capacity);
}

void stridelock_v1_report_release(stridelock_report* report) {
  if (report == nullptr) return;
  if (report->content != nullptr) {
    auto* content = static_cast<stridelock::detail::report_content*>(report->content);
    content->destroy(content);
  }
  *report = {};
}

}  // extern "C"
