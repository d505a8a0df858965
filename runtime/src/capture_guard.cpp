#include "stridelock/capture_guard.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "capture_refusal.h"
#include "contracts/src/text.h"
#include "graph_words.h"
#include "ledger_data.h"

namespace stridelock {
inline namespace v1 {
namespace {

// Guards of one thread, innermost last. A guard that was destroyed by another thread leaves null behind.
using guard_slot = std::shared_ptr<std::atomic<capture_guard*>>;
std::vector<guard_slot>& guards_of_this_thread() noexcept {
  thread_local std::vector<guard_slot> guards;
  return guards;
}

capture_info look(const capture_backend& backend, void* stream, int& code) noexcept {
  capture_info info;
  code = backend.info(backend.self, stream, &info);
  return info;
}

}  // namespace

struct capture_guard::content {
  content(const capture_backend& b, void* s, std::string_view name, capture_mode m, registry& r)
      : backend(b), stream(s), graph_name(name), mode(m), in(r) {}

  const capture_backend& backend;
  void* const stream;
  const std::string graph_name;
  capture_mode mode;
  registry& in;
  const std::thread::id thread = std::this_thread::get_id();
  guard_slot slot;

  std::uint64_t id = 0;
  bool attached = false;
  bool open = false;  // begun or attached, and neither ended nor lost
  bool over = false;  // somebody else ended it: nothing on the stream is captured for this guard any more
  bool finished = false;
  capture_fault fault{};
  int first_refused = 0;  // reported by checked()
  short_text<48> refused_call{};
  source_line refused_at{};

  std::unique_ptr<detail::ledger_data> book;
  std::optional<private_pool> pool;
  std::string last_boundary;
  int last_occurrence = 0;
  boundary_observer observer{};
  void (*tell)(const capture_fault&, void*) noexcept = nullptr;
  void* tell_state = nullptr;

  // Everything that can fail for want of memory, before a capture is open.
  void prepare(capture_guard* guard) {
    slot = std::make_shared<std::atomic<capture_guard*>>(guard);
    guards_of_this_thread().reserve(guards_of_this_thread().size() + 1);
    pool.emplace(graph_name, in);
    book = std::make_unique<detail::ledger_data>(detail::registry_access::state(in), graph_name);
  }
  void open_with(std::uint64_t capture) {
    id = capture;
    open = true;
    guards_of_this_thread().push_back(slot);
  }

  capture_fault fault_at(capture_stage stage, int code, capture_status status) const noexcept {
    capture_fault f;
    f.stage = stage;
    f.code = code;
    f.graph = std::string_view(graph_name);
    f.mode = mode;
    f.status = status;
    if (!last_boundary.empty()) f.after = std::string_view(last_boundary);
    // What the caller reported says more than that the capture is broken.
    if (first_refused != 0) {
      f.code = first_refused;
      f.call = refused_call;
      f.where = refused_at;
    }
    return f;
  }

  // Is the capture still this guard's, and whole? Keeps the first fault.
  capture_info notice(std::string_view next_boundary) noexcept {
    int code = 0;
    const capture_info info = over ? capture_info{} : look(backend, stream, code);
    // A driver gives no id once the capture is invalidated (measured, driver 580): then it is taken for this guard's.
    const bool is_other = info.id != id && !(info.status == capture_status::invalidated && info.id == 0);
    over = over || (code == 0 && (is_other || info.status == capture_status::none));
    if (!fault.ok()) return info;
    // A framework ends its capture when it likes: what was recorded until then stands.
    if (over && attached && info.status == capture_status::none && first_refused == 0) return info;
    if (code != 0 || over) {
      fault = fault_at(capture_stage::body, code != 0 ? code : capture_code::unmatched, info.status);
      fault.other_capture = info.status != capture_status::none;
    } else if (info.status == capture_status::invalidated || first_refused != 0) {
      const int last = backend.last_error(backend.self, false);
      fault = fault_at(capture_stage::body, last != 0 ? last : capture_code::invalidated, info.status);
    }
    if (!fault.ok()) fault.before = next_boundary;
    return info;
  }

  // May this thread end the capture? A relaxed one may be ended by any.
  bool may_end() const noexcept {
    return mode == capture_mode::relaxed || std::this_thread::get_id() == thread;
  }

  // Ends the capture if it is still this one. Returns the graph, or null and the fault.
  void* end() noexcept {
    notice({});
    open = false;
    // It is not ours to end, or nobody knows whose it is.
    if (over || (!fault.ok() && fault.status == capture_status::none)) return nullptr;
    void* graph = nullptr;
    const int code = backend.end(backend.self, stream, &graph);
    if (code != 0 && fault.ok()) fault = fault_at(capture_stage::end, code, capture_status::invalidated);
    if (!fault.ok()) {
      if (graph != nullptr) backend.destroy_graph(backend.self, graph);
      graph = nullptr;
      backend.last_error(backend.self, true);
    }
    return graph;
  }
};

capture_guard::capture_guard(const capture_backend& backend, void* stream, std::string_view graph_name,
                             capture_mode mode, registry& in)
    : content_(std::make_unique<content>(backend, stream, graph_name, mode, in)) {
  content& c = *content_;
  c.prepare(this);
  int code = backend.begin(backend.self, stream, mode);
  if (code != 0) {
    capture_status status = capture_status::none;
    backend.is_capturing(backend.self, stream, &status);
    c.fault = c.fault_at(capture_stage::begin, code, status);
    backend.last_error(backend.self, true);
    return;
  }
  const capture_info info = look(backend, stream, code);
  c.open_with(info.id);
}

capture_guard::capture_guard(attached, const capture_backend& backend, void* stream,
                             std::string_view graph_name, registry& in)
    : content_(std::make_unique<content>(backend, stream, graph_name, capture_mode::global, in)) {
  content& c = *content_;
  c.attached = true;
  c.prepare(this);
  int code = 0;
  const capture_info info = look(backend, stream, code);
  if (code != 0 || info.status != capture_status::active) {
    c.fault = c.fault_at(capture_stage::begin, code, info.status);
    return;
  }
  c.open_with(info.id);
}

capture_guard capture_guard::attach(const capture_backend& backend, void* stream, std::string_view graph_name,
                                    registry& in) {
  return capture_guard(attached{}, backend, stream, graph_name, in);
}

capture_guard::~capture_guard() {
  content& c = *content_;
  c.slot->store(nullptr, std::memory_order_release);
  std::vector<guard_slot>& guards = guards_of_this_thread();
  for (auto at = guards.begin(); at != guards.end();)
    at = (*at)->load(std::memory_order_acquire) == nullptr ? guards.erase(at) : at + 1;
  if (!c.open || c.attached) return;
  if (!c.may_end()) {
    // The capture is lost either way. Ended like this it gives error 908, and the stream is free (measured, driver 580).
    const capture_fault wrong =
        c.fault_at(capture_stage::end, capture_code::wrong_thread, capture_status::active);
    if (void* const graph = c.end(); graph != nullptr) c.backend.destroy_graph(c.backend.self, graph);
    c.backend.last_error(c.backend.self, true);
    c.fault = wrong;
  } else if (void* const graph = c.end(); graph != nullptr) {
    c.backend.destroy_graph(c.backend.self, graph);
    return;  // abandoned by an exception, and all is well again
  }
  if (c.tell != nullptr && !c.fault.ok()) c.tell(c.fault, c.tell_state);
}

capture_guard* capture_guard::current() noexcept {
  const std::vector<guard_slot>& guards = guards_of_this_thread();
  for (auto at = guards.rbegin(); at != guards.rend(); ++at) {
    capture_guard* const guard = (*at)->load(std::memory_order_acquire);
    if (guard != nullptr && guard->content_->open && !guard->content_->over) return guard;
  }
  return nullptr;
}

capture_guard* capture_guard::of(const capture_backend& backend, void* stream) noexcept {
  int code = 0;
  const capture_info info = look(backend, stream, code);
  if (code != 0 || info.status == capture_status::none) return nullptr;
  const std::vector<guard_slot>& guards = guards_of_this_thread();
  for (auto at = guards.rbegin(); at != guards.rend(); ++at) {
    capture_guard* const guard = (*at)->load(std::memory_order_acquire);
    if (guard != nullptr && guard->content_->open && guard->content_->id == info.id) return guard;
  }
  return nullptr;
}

bool capture_guard::active() const noexcept {
  return content_->open && !content_->over && content_->fault.ok();
}
const capture_fault& capture_guard::fault() const noexcept {
  return content_->fault;
}
std::uint64_t capture_guard::capture_id() const noexcept {
  return content_->id;
}
std::string_view capture_guard::graph_name() const noexcept {
  return content_->graph_name;
}

captured_boundary capture_guard::boundary(const contract_view& what, const argument_value* arguments,
                                          int count) {
  dispatch_view one;
  one.name = what.kernel;
  one.branches = &what;
  one.branch_count = 1;
  return boundary(one, arguments, count);
}

captured_boundary capture_guard::boundary(const dispatch_view& what, const argument_value* arguments,
                                          int count) {
  content& c = *content_;
  report judged = evaluate(what, arguments, count, c.in.context());
  const capture_info info = c.open && !c.over ? c.notice(what.name) : capture_info{};
  if (!c.open || c.over) {
    if (!judged.ok()) fail(std::move(judged));
    return {};
  }

  detail::refused_arguments refused(what, arguments, count, c.graph_name, c.mode);
  for (int i = 0; i < count; ++i) {
    if (!arguments[i].is_present) continue;
    const detail::address_range range = detail::range_of(arguments[i].tensor);
    if (range.ok && range.bytes == 0) continue;
    const placement where = c.in.find(arguments[i].tensor);
    const bool other_pool = where.what() == memory_class::graph_private && where.owner() != c.pool->owner();
    if (where.what() == memory_class::unregistered || other_pool) refused.add(i, where);
  }
  if (!judged.ok() || !refused.empty()) fail(std::move(refused).join(std::move(judged)));

  detail::ledger_data& book = *c.book;
  const std::size_t index = book.add_boundary(what.name);
  const contract_view* const named = what.branch_count > 0 ? &what.branches[0] : nullptr;
  for (int i = 0; i < count; ++i) {
    const bool has_name = named != nullptr && i < named->argument_count;
    book.add_tensor(index, has_name ? std::string(named->arguments[i].name) : "argument " + std::to_string(i),
                    arguments[i]);
  }
  captured_boundary added;
  added.guard_ = this;
  added.index_ = index;
  added.occurrence_ = book.boundaries[index].occurrence;
  c.last_boundary = what.name;
  c.last_occurrence = added.occurrence_;
  if (c.observer.entered != nullptr) c.observer.entered(c.observer.state, info, what.name, added.occurrence_);
  return added;
}

int capture_guard::checked(std::string_view call, int code, const source_line& where) noexcept {
  content& c = *content_;
  // A call that only says that the capture is already broken is no news.
  const bool better = c.first_refused == 0 || c.first_refused == capture_code::invalidated;
  if (code != 0 && better && (c.first_refused == 0 || code != capture_code::invalidated)) {
    c.first_refused = code;
    c.refused_call = call;
    c.refused_at = where;
  }
  return code;
}

private_pool& capture_guard::pool() noexcept {
  return *content_->pool;
}
void capture_guard::share(const private_pool& pool) {
  content_->pool = pool;
}
void capture_guard::observe(const boundary_observer& observer) noexcept {
  content_->observer = observer;
}
void capture_guard::on_failure(void (*tell)(const capture_fault&, void*) noexcept, void* state) noexcept {
  content_->tell = tell;
  content_->tell_state = state;
}

captured_graph capture_guard::finish() noexcept {
  content& c = *content_;
  captured_graph result;
  result.backend_ = &c.backend;
  if (!c.open) {
    result.fault_ = !c.fault.ok() ? c.fault : c.fault_at(capture_stage::end, capture_code::unmatched, {});
    return result;
  }
  if (!c.attached && !c.may_end()) {  // the thread that began it still can
    result.fault_ = c.fault_at(capture_stage::end, capture_code::wrong_thread, capture_status::active);
    return result;
  }
  if (c.attached) {
    const capture_info now = c.notice({});
    if (c.observer.entered != nullptr && c.fault.ok()) c.observer.entered(c.observer.state, now, {}, 0);
    c.open = false;
  } else {
    if (c.observer.entered != nullptr) {
      const capture_info now = c.notice({});
      if (c.fault.ok()) c.observer.entered(c.observer.state, now, {}, 0);
    }
    result.graph_ = c.end();
  }
  result.fault_ = c.fault;
  if (!c.fault.ok()) {
    c.book = nullptr;
    return result;
  }
  try {
    c.book->pools.push_back(*c.pool);
    c.book->tell_registry();
    result.book_ = detail::ledger_access::make(std::move(c.book));
  } catch (const std::exception&) {  // a graph without a ledger: nothing in it is ever current
  }
  return result;
}

// ---- what else a boundary bakes in -----------------------------------------------------------------------------------

captured_boundary& captured_boundary::scalar(std::string_view name, scalar_value value) {
  if (detail::ledger_data* const book = book_now()) book->add_scalar(index_, name, value);
  return *this;
}
captured_boundary& captured_boundary::host(std::string_view name, const void* data, std::size_t bytes) {
  detail::ledger_data* const book = book_now();
  if (book == nullptr) return *this;
  if (bytes > 0 && guard_->content_->in.find(data, bytes).what() != memory_class::persistent) {
    fail(detail::refused_host_memory(book->boundaries[index_].name, name, bytes, guard_->content_->graph_name,
                                     guard_->content_->mode));
  }
  book->add_host(index_, name, data, bytes);
  return *this;
}
captured_boundary& captured_boundary::bytes(std::string_view name, const void* data, std::size_t count) {
  if (detail::ledger_data* const book = book_now()) book->add_value(index_, name, data, count);
  return *this;
}
captured_boundary& captured_boundary::at(const source_line& where) {
  if (detail::ledger_data* const book = book_now()) book->boundaries[index_].where = where;
  return *this;
}
detail::ledger_data* captured_boundary::book_now() const noexcept {
  return guard_ == nullptr || !guard_->content_->open || guard_->content_->over
             ? nullptr
             : guard_->content_->book.get();
}

// ---- the graph -------------------------------------------------------------------------------------------------------

captured_graph::captured_graph(captured_graph&& other) noexcept
    : backend_(other.backend_),
      graph_(other.release()),
      book_(std::move(other.book_)),
      fault_(std::exchange(other.fault_, captured_graph().fault_)) {}
captured_graph& captured_graph::operator=(captured_graph&& other) noexcept {
  if (this == &other) return *this;
  if (graph_ != nullptr) backend_->destroy_graph(backend_->self, graph_);
  backend_ = other.backend_;
  graph_ = other.release();
  book_ = std::move(other.book_);
  fault_ = std::exchange(other.fault_, captured_graph().fault_);
  return *this;
}
captured_graph::~captured_graph() {
  if (graph_ != nullptr) backend_->destroy_graph(backend_->self, graph_);
}
void* captured_graph::release() noexcept {
  void* const graph = graph_;
  graph_ = nullptr;
  return graph;
}

// ---- faults as text --------------------------------------------------------------------------------------------------

namespace detail {
namespace {

std::string_view fix(int code) {
  switch (code) {
    case capture_code::unsupported:
      return "make the call before the capture, or allocate under a relaxed scoped_capture_mode if it must "
             "be here";
    case capture_code::invalidated:
      return "report the codes of the calls in between with checked(); the first one that is not 901 is the "
             "cause";
    case capture_code::merge:
      return "keep the two captures apart: no event of one may be waited for in the other";
    case capture_code::unmatched:
      return "end the capture once, on the stream that began it";
    case capture_code::unjoined:
      return "let the capturing stream wait for an event of every stream that was forked from it";
    case capture_code::isolation:
      return "wait for earlier work before the capture, or wait with cudaEventWaitExternal";
    case capture_code::implicit:
      return "give the call a stream, or create the capture stream with cudaStreamNonBlocking";
    case capture_code::captured_event:
      return "query and synchronise only events that were recorded outside the capture";
    case capture_code::wrong_thread:
      return "finish on the thread that began the capture, or begin it relaxed";
    default:
      return "make the call before the capture";
  }
}

std::string code_text(int code) {
  std::string out = std::to_string(code);
  if (code >= capture_code::unsupported && code <= capture_code::wrong_thread)
    out += " (" + std::string(capture_error_text(code)) + ")";
  return out;
}

std::string message_of(const capture_fault& f) {
  if (f.ok()) return "ok";
  std::string out = "capture of " + quoted_name(f.graph.view());
  const std::string code = code_text(f.code);
  std::string_view fixed = fix(f.code);
  if (f.stage == capture_stage::begin && f.code == 0) {
    out += " cannot be watched: the stream is not capturing";
    fixed = "attach after the framework began its capture";
  } else if (f.stage == capture_stage::begin) {
    out += " could not begin: " + code;
    if (f.status != capture_status::none)
      fixed = "the stream is already capturing: end that capture first, or attach to it";
    else
      fixed = "capture on a stream of its own; the legacy stream cannot capture";
  } else if (f.other_capture) {
    out += " is lost: the stream was ended and begun again by someone else";
    fixed = "leave the stream to the guard until finish()";
  } else if (!f.call.empty()) {
    out += " failed: " + printable(f.call.view()) + " returned " + code;
  } else if (f.stage == capture_stage::body && f.status == capture_status::none) {
    out += " is lost: it was ended by someone else";
    fixed = "leave the stream to the guard until finish()";
  } else {
    out += (f.stage == capture_stage::end ? " could not end: " : " failed: ") + code;
  }
  out += "\n  got   " + std::string(to_string(f.mode)) + " mode, capture " + std::string(to_string(f.status));
  if (f.stage == capture_stage::body || f.stage == capture_stage::end) {
    out += "\n  from  ";
    if (f.where.line != 0) out += printable(f.where.file.view()) + ":" + std::to_string(f.where.line) + ", ";
    out += f.after.empty() ? std::string("before the first boundary")
                           : "after boundary " + quoted_name(f.after.view());
    if (!f.before.empty()) out += ", before " + quoted_name(f.before.view());
  }
  return out + "\n  fix   " + std::string(fixed) + "\n";
}

}  // namespace
}  // namespace detail

std::size_t write_text(const capture_fault& fault, char* to, std::size_t capacity) noexcept {
  try {
    return detail::copy_out(detail::message_of(fault), to, capacity);
  } catch (const std::exception&) {
    if (to != nullptr && capacity > 0) to[0] = '\0';
    return 0;
  }
}

}  // namespace v1
}  // namespace stridelock
