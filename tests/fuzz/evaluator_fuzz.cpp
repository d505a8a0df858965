// The exact evaluator: never crashes or wraps, gives the same answer twice, whatever the order of the arguments, and
// whatever the strides that no element is reached by.
#include <memory>
#include <string>

#include "bytes.h"
#include "random_call.h"
#include "stridelock/message.h"

namespace {

using namespace stridelock;
using namespace stridelock::fuzz;

using call = std::array<random_tensor, arguments>;

report judge(const random_dispatch::built& built, const call& tensors,
             const std::array<int, arguments>& order, const evaluation_context& context) {
  argument_value values[arguments];
  for (std::size_t i = 0; i < arguments; ++i) values[i] = tensors[static_cast<std::size_t>(order[i])].value();
  return evaluate(built.what(), values, arguments, context);
}

bool same(const violation& a, const violation& b) {
  return a.kind == b.kind && a.how == b.how && a.argument == b.argument && a.dim == b.dim &&
         a.found == b.found && a.needed == b.needed && a.symbol == b.symbol && a.other == b.other &&
         a.where == b.where && a.is_consequence == b.is_consequence;
}

void expect_same(const report& a, const report& b) {
  FUZZ_EXPECT(a.result() == b.result() && a.size() == b.size() && a.branch() == b.branch());
  for (int i = 0; i < a.size(); ++i) FUZZ_EXPECT(same(a[i], b[i]));
  FUZZ_EXPECT(a.headline() == b.headline() && text(a) == text(b));
}

// Strides of extents of 1, and all strides of an empty tensor, reach nothing.
bool scramble(random_tensor& t, bytes& in) {
  if (!t.is_present || !t.has_strides || t.rank < 1 || t.rank > max_rank) return false;
  bool empty = false;
  for (int i = 0; i < t.rank; ++i) {
    if (t.extents[i] < 0) return false;
    empty = empty || t.extents[i] == 0;
  }
  for (int i = 0; i < t.rank; ++i)
    if (empty || t.extents[i] == 1) t.strides[i] = in.number<index_t>();
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bytes in(data, size);
  const random_dispatch dispatch = make_dispatch_from(in);
  call tensors = make_call_from(in);
  parameter_value parameter;
  const evaluation_context context = make_context_from(in, parameter);

  constexpr std::array<int, arguments> as_declared = {0, 1, 2};
  auto built = std::make_unique<random_dispatch::built>();
  dispatch.build(as_declared, *built);
  const report first = judge(*built, tensors, as_declared, context);
  FUZZ_EXPECT(!first.incomplete());
  FUZZ_EXPECT(first.ok() == (first.size() == 0));
  expect_same(first, judge(*built, tensors, as_declared, context));

  // Which of two extents is blamed for a difference depends on the order; that there is one does not. A condition on a
  // symbol that has two values chooses by the first, so only a single contract without one is compared.
  if (!dispatch.two_branches && !dispatch.has_conditions) {
    constexpr std::array<int, arguments> orders[] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const auto& order = in.one_of(orders);
    auto permuted = std::make_unique<random_dispatch::built>();
    dispatch.build(order, *permuted);
    FUZZ_EXPECT(judge(*permuted, tensors, order, context).ok() == first.ok());
  }

  if (!dispatch.asks_for_every_stride) {
    bool scrambled = false;
    for (random_tensor& t : tensors) scrambled = scramble(t, in) || scrambled;
    if (scrambled) FUZZ_EXPECT(judge(*built, tensors, as_declared, context).result() == first.result());
  }
  return 0;
}
