#include <cstring>
#include <new>
#include <vector>

#include "engine/machine.h"

namespace sparse_mla_engine {
namespace {

using namespace stridelock;

struct host_graph {
  kernels::host_recording kernels;
  std::vector<std::unique_ptr<unsigned char[]>> allocations;
};

class host_machine final : public machine {
 public:
  host_machine() {
    table_.self = this;
    table_.begin = [](void* self, void*, capture_mode) noexcept { return of(self).begin(); };
    table_.end = [](void* self, void*, void** graph) noexcept { return of(self).end(graph); };
    table_.info = [](void* self, void*, capture_info* out) noexcept {
      *out = of(self).info();
      return capture_code::success;
    };
    table_.is_capturing = [](void* self, void*, capture_status* out) noexcept {
      *out = of(self).info().status;
      return capture_code::success;
    };
    table_.exchange_mode = [](void*, capture_mode*) noexcept { return capture_code::success; };
    table_.last_error = [](void*, bool) noexcept { return capture_code::success; };
    table_.destroy_graph = [](void*, void* graph) noexcept {
      delete static_cast<host_graph*>(graph);
      return capture_code::success;
    };
    table_.launch = [](void*, void* executable, void*) noexcept {
      static_cast<host_graph*>(executable)->kernels.replay();
      return capture_code::success;
    };
  }

  device where() const override { return {device_kind::cpu, 0}; }
  void* allocate(std::size_t bytes) override { return ::operator new(bytes, std::align_val_t{256}); }
  void release(void* memory) noexcept override { ::operator delete(memory, std::align_val_t{256}); }
  void upload(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void* allocate_in_capture(std::size_t bytes) override {
    open_->allocations.push_back(std::make_unique<unsigned char[]>(bytes));
    return open_->allocations.back().get();
  }

  kernels::queue queue() override {
    return open_ ? kernels::queue::recording(open_->kernels) : kernels::queue::host();
  }
  void* stream() override { return this; }  // there is one, and it needs no more than an address
  const capture_backend& capture() const override { return table_; }
  void* instantiate(void* graph) override { return graph; }
  void launch(void* executable) override { table_.launch(this, executable, this); }
  void destroy(void* executable) noexcept override { delete static_cast<host_graph*>(executable); }

 private:
  static host_machine& of(void* self) { return *static_cast<host_machine*>(self); }
  static constexpr int illegal_state = 401;

  int begin() {
    if (open_) return illegal_state;
    open_ = std::make_unique<host_graph>();
    ++captures_;
    return capture_code::success;
  }
  int end(void** graph) {
    *graph = open_.release();
    return *graph != nullptr ? capture_code::success : illegal_state;
  }
  capture_info info() const {
    capture_info i;
    if (!open_) return i;
    i.status = capture_status::active;
    i.id = captures_;
    i.graph = open_.get();
    return i;
  }

  capture_backend table_{};
  std::unique_ptr<host_graph> open_;
  std::uint64_t captures_ = 0;
};

}  // namespace

std::unique_ptr<machine> make_host_machine() {
  return std::make_unique<host_machine>();
}

#ifndef STRIDELOCK_CUDA_KERNELS
std::unique_ptr<machine> make_cuda_machine() {
  return nullptr;
}
#endif

}  // namespace sparse_mla_engine
