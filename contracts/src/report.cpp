// Between the evaluator, which fills reports, and everything that reads them, perhaps in another copy of this library.
#include "stridelock/report.h"

#include "report_data.h"
#include "stridelock/message.h"
#include "text.h"

namespace stridelock {
inline namespace v1 {
namespace detail {
namespace {

void destroy(report_head* head) noexcept {
  delete head->data;
}

device device_of_call(const report_data& data) {
  for (const argument_copy& a : data.arguments)
    if (a.is_present && a.tensor.where().kind != device_kind::none &&
        a.tensor.where().kind != device_kind::cpu && a.tensor.where().kind != device_kind::cuda_host &&
        a.tensor.where().kind != device_kind::rocm_host)
      return a.tensor.where();
  return {};
}

}  // namespace

void report_data::attach(report& to, report_data* data, verdict result) noexcept {
  report_head& head = data->head;
  head.data = data;
  head.destroy = destroy;
  head.write = write_message;
  head.violations = data->violations.data();
  head.violation_count = static_cast<std::int32_t>(data->violations.size());
  head.headline = data->headline;
  head.symbols = data->symbols.data();
  head.symbol_count = data->symbol_count;
  head.unevaluated = data->unevaluated;
  head.depends_on_parameter = data->depends_on_parameter;
  head.where = device_of_call(*data);
  if (data->branch >= 0) head.branch = data->branches[static_cast<std::size_t>(data->branch)].kernel;
  to = report::adopt(&head, result, false);
}

}  // namespace detail

std::size_t write_text(const report& r, char* to, std::size_t capacity) noexcept {
  if (r.head() != nullptr) return r.head()->write(r, to, capacity);
  return detail::copy_out(r.incomplete() ? "refused, and memory ran out before the reasons were kept" : "ok",
                          to, capacity);
}

}  // namespace v1
}  // namespace stridelock
