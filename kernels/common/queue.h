// queue.h: where a launcher sends its kernel: a CUDA stream, or the host in its place.
//
// Promises:  a host queue runs the kernel's host reference, at once or, when it records, at every replay() of the
//            recording, with the pointers, pitches and scalars it was launched with baked in. That is what a captured
//            graph does with them, so an engine behaves alike on both.
// Does not:  own a stream, or keep the memory of a launch alive. A host queue runs nothing in parallel.
//
//   host_recording graph;
//   pack_rows(queue::recording(graph), {rows, packed});     // baked in, not run
//   graph.replay();
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace stridelock::kernels {

// Stands for an executable graph.
class host_recording {
 public:
  void add(std::function<void()> kernel) { kernels_.push_back(std::move(kernel)); }
  void replay() const {
    for (const auto& kernel : kernels_) kernel();
  }
  int size() const { return static_cast<int>(kernels_.size()); }

 private:
  std::vector<std::function<void()>> kernels_;
};

class queue {
 public:
  static queue host() { return queue(); }
  static queue recording(host_recording& into) {
    queue q;
    q.into_ = &into;
    return q;
  }
  // `stream` is a cudaStream_t.
  static queue cuda(void* stream) {
    queue q;
    q.is_host_ = false;
    q.stream_ = stream;
    return q;
  }

  bool is_host() const { return is_host_; }
  void* stream() const { return stream_; }

  void run_on_host(std::function<void()> kernel) const {
    if (into_ != nullptr) {
      into_->add(std::move(kernel));
    } else {
      kernel();
    }
  }

 private:
  queue() = default;
  bool is_host_ = true;
  void* stream_ = nullptr;
  host_recording* into_ = nullptr;
};

}  // namespace stridelock::kernels
