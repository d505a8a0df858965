#include "capture_refusal.h"

#include <memory>
#include <utility>

#include "contracts/src/text.h"
#include "graph_words.h"
#include "stridelock/message.h"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

// A report with a text of its own; the contract's report, if any, stands before it.
struct joined_report : report_head {
  report judged;
  std::vector<violation> all;
  std::string message;
};

report make_report(report judged, std::vector<violation> added, std::string text) {
  auto owned = std::make_unique<joined_report>();
  joined_report* const data = owned.get();
  data->judged = std::move(judged);
  data->all.assign(data->judged.begin(), data->judged.end());
  const int first_added = static_cast<int>(data->all.size());
  data->all.insert(data->all.end(), added.begin(), added.end());
  if (!data->judged.ok()) data->message = stridelock::text(data->judged);
  data->message += text;

  report_head& head = *data;
  head.violations = data->all.data();
  head.violation_count = static_cast<std::int32_t>(data->all.size());
  head.headline = data->judged.ok() ? first_added : data->judged.headline();
  head.branch = data->judged.branch();
  head.symbols = data->judged.symbol_count() > 0 ? &data->judged.symbol(0) : nullptr;
  head.symbol_count = data->judged.symbol_count();
  head.unevaluated = data->judged.unevaluated();
  head.depends_on_parameter = data->judged.depends_on_parameter();
  head.where = data->judged.where();
  const verdict result = data->judged.result() == verdict::ok ? verdict::refused : data->judged.result();
  head.destroy = [](report_head* h) noexcept { delete static_cast<joined_report*>(h); };
  head.write = [](const report& r, char* to, std::size_t capacity) noexcept {
    return copy_out(static_cast<const joined_report*>(r.head())->message, to, capacity);
  };
  return report::adopt(owned.release(), result, false);
}

std::string provenance_text(const provenance* from) {
  if (from == nullptr || !from->known()) return "not recorded";
  std::string out = from->step_count > 0 ? "a view of " : "";
  out += quoted_name(from->root.view()) + " " +
         tuple(from->root_rank, [&](int i) { return from->root_extents[i]; });
  for (int i = from->kept_steps() - 1; i >= 0; --i) {
    const source_line& where = from->steps[i].where;
    if (where.line == 0) continue;
    return out + " (" + printable(where.file.view()) + ":" + number(where.line) + ")";
  }
  return out;
}

std::string when(std::string_view graph, capture_mode mode) {
  return "graph " + quoted_name(graph) + " is being captured (" + std::string(to_string(mode)) +
         " mode): every replay reads this address, whatever is there by then";
}

}  // namespace

std::string_view refused_arguments::name(int argument) const {
  if (what_.branch_count == 0 || argument >= what_.branches[0].argument_count) return "?";
  return what_.branches[0].arguments[argument].name;
}

void refused_arguments::add(int argument, const placement& where) {
  const tensor_ref& tensor = arguments_[argument].tensor;
  violation v;
  v.kind = violation_kind::stable;
  v.what = notion::stable;
  v.argument = static_cast<std::int8_t>(argument);
  violations_.push_back(v);

  const bool foreign = where.what() == memory_class::graph_private;
  text_ += printable(what_.name) + ": argument " + quoted_name(name(argument)) + " cannot be captured: ";
  text_ += foreign ? "its memory belongs to the private pool of " + quoted_name(where.name())
                   : std::string("its memory is neither registered nor private to this graph");
  text_ += "\n  got   " + stridelock::text(tensor_desc::copy_of(tensor));
  text_ += "\n  from  " + provenance_text(tensor.from);
  text_ += "\n  when  " + when(graph_, mode_);
  text_ += foreign
               ? "\n  fix   copy it into a persistent buffer between the graphs, or let both share the pool: "
                 "guard.share(pool)\n"
               : "\n  fix   pass a view of a persistent buffer, refilled in place before replay\n"
                 "        or, for memory that this capture allocated, guard.pool().note(…). Not "
                 ".contiguous(): outside "
                 "the capture\n        it makes a block that moves at every step\n";
}

report refused_arguments::join(report judged) && {
  if (violations_.empty()) return judged;
  return make_report(std::move(judged), std::move(violations_), std::move(text_));
}

report refused_host_memory(std::string_view boundary, std::string_view name, std::uint64_t bytes,
                           std::string_view graph, capture_mode mode) {
  violation v;
  v.kind = violation_kind::stable;
  v.what = notion::stable;
  std::string text =
      printable(boundary) + ": host memory " + quoted_name(name) +
      " cannot be captured: it is not registered\n  got   " + grouped(bytes) +
      " bytes of host memory\n  from  not recorded\n  when  " + when(graph, mode) +
      "\n  fix   a persistent pinned buffer, registered and refilled in place; never the stack, "
      "never memory that an allocator takes back\n";
  return make_report({}, {v}, std::move(text));
}

}  // namespace detail
}  // namespace v1
}  // namespace stridelock
