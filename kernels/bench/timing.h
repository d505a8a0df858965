// timing.h: medians of event times, ABBA pairs with a bootstrap interval, and host times of calls.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "kernels/testing/device_memory.h"

namespace stridelock::kernels::bench {

using testing::cuda;
using work = std::function<void()>;

inline double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

class event {
 public:
  event() { cuda(cudaEventCreate(&handle_)); }
  ~event() { cudaEventDestroy(handle_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  void record(cudaStream_t stream) { cuda(cudaEventRecord(handle_, stream)); }
  double microseconds_since(const event& earlier) const {
    float ms = 0;
    cuda(cudaEventElapsedTime(&ms, earlier.handle_, handle_));
    return 1e3 * static_cast<double>(ms);
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

// An executable graph of `copies` times the work.
class graph {
 public:
  graph(cudaStream_t stream, const work& w, int copies) : stream_(stream), copies_(copies) {
    cudaGraph_t captured = nullptr;
    cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < copies; ++i) w();
    cuda(cudaStreamEndCapture(stream, &captured));
    cuda(cudaGraphInstantiate(&executable_, captured, 0));
    cuda(cudaGraphDestroy(captured));
  }
  ~graph() { cudaGraphExecDestroy(executable_); }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  void launch() const { cuda(cudaGraphLaunch(executable_, stream_)); }
  int copies() const { return copies_; }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t executable_ = nullptr;
  int copies_;
};

// Microseconds of one run of each, interleaved; kernels below some tens of microseconds go through graphs.
inline std::vector<double> interleaved(cudaStream_t stream, const std::vector<work>& works, int repeats,
                                       int copies) {
  std::vector<std::unique_ptr<graph>> graphs;
  for (const work& w : works) graphs.push_back(std::make_unique<graph>(stream, w, copies));
  std::vector<std::vector<double>> times(works.size());
  event begin, end;
  for (int r = -3; r < repeats; ++r)
    for (std::size_t i = 0; i < works.size(); ++i) {
      begin.record(stream);
      graphs[i]->launch();
      end.record(stream);
      cuda(cudaStreamSynchronize(stream));
      if (r >= 0) times[i].push_back(end.microseconds_since(begin) / copies);
    }
  std::vector<double> result;
  for (const auto& t : times) result.push_back(median(t));
  return result;
}

struct ratio {
  double a = 0, b = 0;                  // median microseconds
  double value = 0, low = 0, high = 0;  // b over a, 95 % bootstrap interval
};

// A B B A and B A A B by turns, `pairs` times, in batches that are queued as a whole: the device never waits for the host,
// so that no run follows an idle gap. The first group of a batch is not counted.
inline ratio abba(cudaStream_t stream, const work& a, const work& b, int pairs) {
  constexpr int batch = 20;
  std::vector<double> of_a, of_b;
  std::vector<std::unique_ptr<event>> marks;
  for (int i = 0; i < (batch + 1) * 5; ++i) marks.push_back(std::make_unique<event>());
  while (static_cast<int>(of_a.size()) < pairs) {
    for (int group = 0; group <= batch; ++group) {
      const bool a_outside = group % 2 == 0;
      for (int i = 0; i < 4; ++i) {
        marks[static_cast<std::size_t>(group * 5 + i)]->record(stream);
        ((i == 0 || i == 3) == a_outside ? a : b)();
      }
      marks[static_cast<std::size_t>(group * 5 + 4)]->record(stream);
    }
    cuda(cudaStreamSynchronize(stream));
    for (int group = 1; group <= batch; ++group) {
      const auto us = [&](int i) {
        const auto at = static_cast<std::size_t>(group * 5 + i);
        return marks[at + 1]->microseconds_since(*marks[at]);
      };
      const double outside = (us(0) + us(3)) / 2, inside = (us(1) + us(2)) / 2;
      of_a.push_back(group % 2 == 0 ? outside : inside);
      of_b.push_back(group % 2 == 0 ? inside : outside);
    }
  }
  pairs = static_cast<int>(of_a.size());
  ratio r{median(of_a), median(of_b), 0, 0, 0};
  r.value = r.b / r.a;
  std::mt19937 random(1);
  std::vector<double> bootstrap;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> x, y;
    for (int p = 0; p < pairs; ++p) {
      const std::size_t k = random() % of_a.size();
      x.push_back(of_a[k]);
      y.push_back(of_b[k]);
    }
    bootstrap.push_back(median(y) / median(x));
  }
  std::sort(bootstrap.begin(), bootstrap.end());
  r.low = bootstrap[50];
  r.high = bootstrap[1949];
  return r;
}

// Nanoseconds of host time of one call, the least of the batches: other threads only add to it.
inline double host_nanoseconds(const work& w, int calls, int batches, const work& after_batch) {
  double best = 1e18;
  for (int b = 0; b < batches; ++b) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) w();
    const auto end = std::chrono::steady_clock::now();
    after_batch();
    best = std::min(best, std::chrono::duration<double, std::nano>(end - begin).count() / calls);
  }
  return best;
}

}  // namespace stridelock::kernels::bench
