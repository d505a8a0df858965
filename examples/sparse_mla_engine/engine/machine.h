// machine.h: where the engine runs: a CUDA device, or the host in its place.
//
// Promises:  one interface for memory, capture and replay. The host machine records what is launched while a capture is open
//            and runs it at every launch of the graph, with pointers, pitches and scalars baked in, as a device does.
// Does not:  make the host parallel, or refuse what a real capture refuses.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/common/queue.h"
#include "stridelock/capture_backend.h"
#include "stridelock/device.h"

namespace sparse_mla_engine {

class machine {
 public:
  virtual ~machine() = default;

  virtual stridelock::device where() const = 0;
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  // Both wait until the copy is done.
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;

  // Memory that a library would take in the middle of a capture: an allocation node of the graph.
  virtual void* allocate_in_capture(std::size_t bytes) = 0;

  virtual stridelock::kernels::queue queue() = 0;
  virtual void* stream() = 0;
  virtual const stridelock::capture_backend& capture() const = 0;
  // Takes the graph over.
  virtual void* instantiate(void* graph) = 0;
  virtual void launch(void* executable) = 0;
  virtual void destroy(void* executable) noexcept = 0;
};

std::unique_ptr<machine> make_host_machine();
// Null where this build has no CUDA or this computer no device.
std::unique_ptr<machine> make_cuda_machine();

}  // namespace sparse_mla_engine
