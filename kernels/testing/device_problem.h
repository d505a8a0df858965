// device_problem.h: for tests: a host_problem with its twin in device memory.
#pragma once

#include "kernels/sparse_mla/problem_for_tests.h"
#include "kernels/testing/device_memory.h"

namespace stridelock::kernels::testing {

struct device_problem {
  host_problem host;
  device_memory<bfloat16> q, cache, extra_cache, out;
  device_memory<std::int32_t> indices, lengths, extra_indices, extra_lengths;
  device_memory<float> partial, partial_sums;

  device_problem(const problem_sizes& sizes, unsigned seed)
      : host(sizes, seed),
        q(host.q),
        cache(host.cache),
        extra_cache(host.extra_cache),
        out(host.out),
        indices(host.indices),
        lengths(host.lengths),
        extra_indices(host.extra_indices),
        extra_lengths(host.extra_lengths),
        partial(host.partial),
        partial_sums(host.partial_sums) {}

  sparse_mla_arguments<row_pitched> arguments() {
    return host.arguments({q.data(), cache.data(), extra_cache.data(), indices.data(), lengths.data(),
                           extra_indices.data(), extra_lengths.data(), out.data(), partial.data(),
                           partial_sums.data()});
  }
  void poison() {
    out.poison(0xff);  // NaN
    partial.poison(0xff);
    partial_sums.poison(0xff);
  }
  bool guards_hold() const {
    return out.guards_hold() && partial.guards_hold() && partial_sums.guards_hold();
  }
};

}  // namespace stridelock::kernels::testing
