#include "fake_cuda.h"

namespace stridelock_test {

using namespace stridelock;

namespace {
fake_cuda::stream* as_stream(void* s) {
  return static_cast<fake_cuda::stream*>(s);
}
}  // namespace

fake_cuda::fake_cuda() {
  table_.self = this;
  table_.begin = [](void* self, void* s, capture_mode mode) noexcept {
    return static_cast<fake_cuda*>(self)->begin(as_stream(s), mode);
  };
  table_.end = [](void* self, void* s, void** out) noexcept {
    graph* g = nullptr;
    const int code = static_cast<fake_cuda*>(self)->end(as_stream(s), &g);
    *out = g;
    return code;
  };
  table_.info = [](void* self, void* s, capture_info* out) noexcept {
    return static_cast<fake_cuda*>(self)->info(as_stream(s), out);
  };
  table_.is_capturing = [](void* self, void* s, capture_status* out) noexcept {
    capture_info found;
    const int code = static_cast<fake_cuda*>(self)->info(as_stream(s), &found);
    *out = found.status;
    return code;
  };
  table_.exchange_mode = [](void* self, capture_mode* mode) noexcept {
    return static_cast<fake_cuda*>(self)->exchange(mode);
  };
  table_.last_error = [](void* self, bool clear) noexcept {
    return static_cast<fake_cuda*>(self)->last_error(clear);
  };
  table_.destroy_graph = [](void* self, void* g) noexcept {
    return static_cast<fake_cuda*>(self)->destroy(static_cast<graph*>(g));
  };
  table_.launch = [](void* self, void* executable, void* s) noexcept {
    return static_cast<fake_cuda*>(self)->launch(executable, as_stream(s));
  };
}

fake_cuda::~fake_cuda() {
  for (auto& [id, c] : captures_) delete c.built;
  for (graph* g : graphs_) delete g;
  for (stream* s : streams_) delete s;
}

fake_cuda::stream* fake_cuda::make_stream(bool blocking) {
  const std::lock_guard<std::mutex> held(lock_);
  auto* const s = new stream{blocking};
  streams_.insert(s);
  return s;
}

int fake_cuda::fail(int code) {
  if (code != 0) last_errors_[std::this_thread::get_id()] = code;
  return code;
}

int fake_cuda::last_error(bool clear) {
  const std::lock_guard<std::mutex> held(lock_);
  const int code = last_errors_[std::this_thread::get_id()];
  if (clear) last_errors_[std::this_thread::get_id()] = 0;
  return code;
}

fake_cuda::capture* fake_cuda::capture_of(stream* s) {
  for (auto& [id, c] : captures_)
    if (c.origin == s || c.forks.count(s) != 0) return &c;
  return nullptr;
}

bool fake_cuda::blocking_capture() const {
  for (const auto& [id, c] : captures_)
    if (c.origin->blocking) return true;
  return false;
}

int fake_cuda::begin(stream* s, capture_mode mode) {
  const std::lock_guard<std::mutex> held(lock_);
  if (s == nullptr) return fail(capture_code::unsupported);
  if (capture_of(s) != nullptr) return fail(illegal_state);
  capture c;
  c.id = next_id_++;
  c.mode = mode;
  c.thread = std::this_thread::get_id();
  c.origin = s;
  c.built = new graph;
  captures_[c.id] = c;
  return 0;
}

int fake_cuda::end(stream* s, graph** out) {
  const std::lock_guard<std::mutex> held(lock_);
  *out = nullptr;
  capture* const c = capture_of(s);
  if (c == nullptr) return fail(illegal_state);
  if (c->origin != s) return fail(capture_code::unmatched);
  graph* const g = c->built;
  if (c->mode != capture_mode::relaxed && c->thread != std::this_thread::get_id()) {
    captures_.erase(c->id);
    delete g;
    return fail(capture_code::wrong_thread);
  }
  const bool invalidated = c->invalidated, unjoined = !c->forks.empty();
  captures_.erase(c->id);
  if (invalidated || unjoined) {
    delete g;
    return fail(invalidated ? capture_code::invalidated : capture_code::unjoined);
  }
  graphs_.insert(g);
  *out = g;
  return 0;
}

int fake_cuda::info(stream* s, capture_info* out) {
  const std::lock_guard<std::mutex> held(lock_);
  ++queries_;
  *out = {};
  if (s == nullptr) return blocking_capture() ? fail(capture_code::implicit) : 0;
  if (const capture* const c = capture_of(s)) {
    out->status = c->invalidated ? capture_status::invalidated : capture_status::active;
    out->id = c->invalidated ? 0 : c->id;
    out->graph = c->invalidated ? nullptr : c->built;
  }
  return 0;
}

int fake_cuda::exchange(capture_mode* mode) {
  const std::lock_guard<std::mutex> held(lock_);
  auto [at, added] = modes_.emplace(std::this_thread::get_id(), capture_mode::global);
  std::swap(at->second, *mode);
  return 0;
}

int fake_cuda::destroy(graph* g) {
  const std::lock_guard<std::mutex> held(lock_);
  if (graphs_.erase(g) == 0) return fail(invalid_value);
  delete g;
  return 0;
}

int fake_cuda::launch(void* executable, stream* s) {
  const std::lock_guard<std::mutex> held(lock_);
  if (executable == nullptr || capture_of(s) != nullptr) return fail(invalid_value);
  ++launches_;
  return 0;
}

int fake_cuda::malloc() {
  const std::lock_guard<std::mutex> held(lock_);
  const std::thread::id me = std::this_thread::get_id();
  const auto mode = modes_.find(me);
  if (mode != modes_.end() && mode->second == capture_mode::relaxed) return 0;
  bool refused = false;
  for (auto& [id, c] : captures_) {
    const bool own = c.thread == me && c.mode != capture_mode::relaxed;
    const bool others = c.thread != me && c.mode == capture_mode::global &&
                        (mode == modes_.end() || mode->second == capture_mode::global);
    if (!own && !others) continue;
    refused = true;
    c.invalidated = true;
  }
  return refused ? fail(capture_code::unsupported) : 0;
}

int fake_cuda::kernel(stream* where) {
  const std::lock_guard<std::mutex> held(lock_);
  if (where == nullptr) {
    bool refused = false;
    for (auto& [id, c] : captures_) {
      if (!c.origin->blocking) continue;
      refused = true;
      c.invalidated = true;
    }
    return refused ? fail(capture_code::implicit)
                   : 0;  // with a non-blocking stream: runs, and is in no graph
  }
  capture* const c = capture_of(where);
  if (c == nullptr) return 0;
  if (c->invalidated) return fail(capture_code::invalidated);
  c->built->nodes.push_back(static_cast<int>(c->built->nodes.size()));
  return 0;
}

int fake_cuda::synchronize(stream* where) {
  const std::lock_guard<std::mutex> held(lock_);
  capture* const c = capture_of(where);
  if (c == nullptr) return 0;
  c->invalidated = true;
  return fail(capture_code::unsupported);
}

int fake_cuda::fork(stream* from, stream* to) {
  const std::lock_guard<std::mutex> held(lock_);
  capture* const c = capture_of(from);
  capture* const other = capture_of(to);
  if (c == nullptr) return 0;
  if (other != nullptr && other != c) {
    c->invalidated = other->invalidated = true;
    return fail(capture_code::merge);
  }
  c->forks.insert(to);
  return 0;
}

int fake_cuda::join(stream* from, stream* to) {
  const std::lock_guard<std::mutex> held(lock_);
  capture* const c = capture_of(from);
  if (c == nullptr || capture_of(to) != c) return fail(capture_code::isolation);
  c->forks.erase(from);
  return 0;
}

int fake_cuda::live_graphs() const {
  const std::lock_guard<std::mutex> held(lock_);
  return static_cast<int>(graphs_.size());
}

capture_info fake_cuda::look(stream* where) {
  capture_info out;
  info(where, &out);
  return out;
}

}  // namespace stridelock_test
