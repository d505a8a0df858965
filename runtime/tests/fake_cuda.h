// A capture backend without a GPU: streams with the states, modes and error codes of CUDA's stream capture
// (docs/capture.md), as far as guard, workspace and ledger can tell.
//
// As measured with driver 580: an invalidated capture has no id, and ending from a wrong thread gives 908 and ends it.
// Not modelled: which calls are "potentially unsafe" beyond malloc, edges, devices.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "stridelock/capture_backend.h"

namespace stridelock_test {

class fake_cuda {
 public:
  static constexpr int illegal_state = 401;  // begin on a capturing stream, end on one that does not capture
  static constexpr int invalid_value = 1;

  struct graph {
    std::vector<int> nodes;
  };
  struct stream {
    bool blocking = true;
  };

  fake_cuda();
  ~fake_cuda();
  fake_cuda(const fake_cuda&) = delete;
  fake_cuda& operator=(const fake_cuda&) = delete;

  const stridelock::capture_backend& backend() const { return table_; }

  // ---- what a program does beside capturing ----
  stream* make_stream(bool blocking = true);
  int malloc();                        // potentially unsafe
  int kernel(stream* where);           // null: the legacy stream
  int synchronize(stream* where);      // never allowed on a capturing stream
  int fork(stream* from, stream* to);  // `to` waits for an event of `from`
  int join(stream* from, stream* to);  // `to` waits for an event of `from`, which is done for

  int live_graphs() const;
  int launches() const { return launches_; }
  std::size_t queries() const { return queries_; }
  int last_error(bool clear);
  stridelock::capture_info look(stream* where);

 private:
  struct capture {
    std::uint64_t id = 0;
    stridelock::capture_mode mode = stridelock::capture_mode::global;
    std::thread::id thread;
    stream* origin = nullptr;
    std::set<stream*> forks;  // not joined yet
    bool invalidated = false;
    graph* built = nullptr;
  };

  int fail(int code);  // remembers it as this thread's last error
  capture* capture_of(stream* s);
  bool blocking_capture() const;

  int begin(stream* s, stridelock::capture_mode mode);
  int end(stream* s, graph** out);
  int info(stream* s, stridelock::capture_info* out);
  int exchange(stridelock::capture_mode* mode);
  int destroy(graph* g);
  int launch(void* executable, stream* s);

  stridelock::capture_backend table_{};
  mutable std::mutex lock_;
  std::set<stream*> streams_;
  std::map<std::uint64_t, capture> captures_;
  std::set<graph*> graphs_;
  std::map<std::thread::id, int> last_errors_;
  std::map<std::thread::id, stridelock::capture_mode> modes_;
  std::uint64_t next_id_ = 1;
  int launches_ = 0;
  std::size_t queries_ = 0;
};

}  // namespace stridelock_test
