// A contract of three arguments and a call of it, out of bytes: mostly sensible, sometimes at the limits of int64.
#pragma once

#include <array>

#include "bytes.h"
#include "stridelock/contract.h"
#include "stridelock/evaluate.h"

namespace stridelock::fuzz {

inline constexpr int arguments = 3;

struct random_dispatch {
  std::array<argument, arguments> shapes[2];
  bool two_branches = false;
  bool has_conditions = false;
  bool asks_for_every_stride = false;  // some notion looks at strides of extents of 1 as well
  condition guard[2]{};
  bool has_guard[2]{};
  condition when{};

  // The branches of a dispatch, with the arguments in the given order.
  struct built {
    contract<arguments> branches[2];
    dispatch<2> both;
    contract_view views[2];
    dispatch_view what() const;
    bool two = false;
  };
  void build(const std::array<int, arguments>& order, built& to) const;
};

struct random_tensor {
  bool is_present = true;
  std::int32_t rank = 0;
  index_t extents[max_rank + 1]{};
  index_t strides[max_rank + 1]{};
  bool has_strides = true;
  index_t active[max_rank + 1]{};
  bool is_partial = false;
  stale_content stale = stale_content::unknown;
  std::uintptr_t address = 0;
  std::uint64_t byte_offset = 0;
  dtype type{};
  device where{};
  tri read_only = tri::unknown;

  argument_value value() const;
};

random_dispatch make_dispatch_from(bytes& in);
std::array<random_tensor, arguments> make_call_from(bytes& in);
evaluation_context make_context_from(bytes& in, parameter_value& parameter);

}  // namespace stridelock::fuzz
