// The reader of preflight plans: a plan, or one failure in a line; and a plan of few cells is judged or refused, twice the same,
// with every cell counted.
#include <memory>
#include <string_view>

#include "analyzer/tool/failure.h"
#include "analyzer/tool/plan_file.h"
#include "bytes.h"
#include "stridelock/contract.h"

namespace {

using namespace stridelock;

constexpr auto small =
    make_contract("small", arg("a").shape(sym("T"), sym("W")).layout(notion::dense, unchecked()),
                  arg("b").shape(sym("T")).optional())
        .when(sym("T") <= parameter("limit"));
constexpr auto large =
    make_contract("large", arg("a").shape(sym("T"), any).layout(notion::row_pitched).aligned(16),
                  arg("b").optional().disjoint_from("a"))
        .when(sym("T") > parameter("limit"));
constexpr auto kernels =
    make_dispatch("kernels", small, large).with(library_parameter("limit", {4, 8}, "lib", "1"));

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto exact = std::make_unique<char[]>(size);
  std::string_view(reinterpret_cast<const char*>(data), size).copy(exact.get(), size);
  preflight_contracts contracts;
  contracts.library = "lib";
  contracts.version = "1";
  contracts.dispatches = {kernels.view()};
  try {
    tool::plan_file f = tool::parse_plan({exact.get(), size}, "p.yaml");
    f.plan.most_cells = 200;
    const plan_fault fault = check_plan(f.plan, contracts);
    if (!fault.error.empty()) f.refuse(fault);
    const preflight_report r = preflight(f.plan, contracts), again = preflight(f.plan, contracts);
    FUZZ_EXPECT(r.error == again.error && text(r) == text(again));
    if (!r.error.empty()) return 0;
    std::int64_t sum = 0;
    for (std::int64_t n : r.by_verdict) sum += n;
    FUZZ_EXPECT(sum == r.cells && r.cells > 0 && r.cells <= 200 && r.depending <= r.cells && !r.rows.empty());
  } catch (const tool::failure& e) {
    const std::string_view what = e.what();
    FUZZ_EXPECT(what.substr(0, 6) == "p.yaml" && what.find(": error: ") != std::string_view::npos);
  }
  return 0;
}
