#include "analyzer/tool/children.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"

namespace stridelock::tool {
namespace {

child_outcome run_one(const child_job& job) {
  llvm::SmallVector<llvm::StringRef, 8> arguments(job.arguments.begin(), job.arguments.end());
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), std::nullopt,
                                                      llvm::StringRef(job.errors_path)};
  std::string message;
  bool not_started = false;
  const llvm::sys::ProcessInfo child =
      llvm::sys::ExecuteNoWait(arguments[0], arguments, std::nullopt, redirects,
                               /*MemoryLimit=*/0, &message, &not_started);
  child_outcome outcome;
  if (not_started) {
    outcome.how = child_outcome::kind::refused;
    outcome.exit_code = -1;
    outcome.message = message;
    return outcome;
  }
  const llvm::sys::ProcessInfo ended = llvm::sys::Wait(child, std::nullopt, &message);
  outcome.exit_code = ended.ReturnCode;
  if (ended.ReturnCode == 0) return outcome;
  outcome.message = message;
  if (ended.ReturnCode > 0) {
    outcome.how = child_outcome::kind::refused;
    outcome.message.clear();
  } else {
    // LLVM says which signal in words only. SIGKILL is what the kernel sends when memory runs out.
    const bool killed = llvm::StringRef(message).starts_with(strsignal(SIGKILL));
    outcome.how = killed ? child_outcome::kind::killed : child_outcome::kind::crashed;
    const std::size_t dumped = outcome.message.find(" (core dumped)");
    if (dumped != std::string::npos) outcome.message.resize(dumped);  // says nothing about the unit
  }
  return outcome;
}

std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream in(path);
  std::uint64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;  // also "max"
}

std::uint64_t free_memory() {
  std::uint64_t free = std::numeric_limits<std::uint64_t>::max();
  std::ifstream in("/proc/meminfo");
  std::string key;
  std::string unit;
  std::uint64_t kib = 0;
  while (in >> key >> kib) {
    std::getline(in, unit);
    if (key == "MemAvailable:") free = kib * 1024;
  }
  const auto within = [&](const char* limit_path, const char* used_path) {
    const std::optional<std::uint64_t> limit = number_in(limit_path);
    const std::optional<std::uint64_t> used = number_in(used_path);
    if (limit && used) free = std::min(free, *limit > *used ? *limit - *used : 0);
  };
  within("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current");
  within("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes");
  return free;
}

}  // namespace

void run_children(const std::vector<child_job>& jobs, unsigned at_once,
                  const std::function<void(std::size_t, const child_outcome&)>& finished) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::vector<std::size_t> killed;
  const auto work = [&] {
    for (std::size_t job = next++; job < jobs.size(); job = next++) {
      const child_outcome outcome = run_one(jobs[job]);
      std::lock_guard<std::mutex> lock(mutex);
      if (outcome.how == child_outcome::kind::killed) {
        killed.push_back(job);
      } else {
        finished(job, outcome);
      }
    }
  };
  const std::size_t threads = std::min<std::size_t>(std::max(at_once, 1u), jobs.size());
  std::vector<std::thread> workers;
  for (std::size_t i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();

  std::sort(killed.begin(), killed.end());
  for (const std::size_t job : killed) finished(job, run_one(jobs[job]));
}

unsigned affordable_children(std::uint64_t bytes_each) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t by_memory =
      std::max<std::uint64_t>(free_memory() / std::max<std::uint64_t>(bytes_each, 1), 1);
  return static_cast<unsigned>(std::min<std::uint64_t>(cores, by_memory));
}

}  // namespace stridelock::tool
