// Runs every policy on both sides of the architecture branch, first as engines do, then watched, and says what came out.
//
// usage: sparse_mla_engine [--machine=host|cuda] [--policy=NAME] [--full]      --full prints whole messages
// exit:  0 done, 2 an option or a value that it does not know, 77 no CUDA device
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "engine/engine.h"

namespace {

using namespace sparse_mla_engine;

struct settings {
  bool cuda = false;
  std::optional<policy> only;
  bool full = false;
};

std::string said(const step_result& r, const engine& e, const step& s, bool full) {
  const std::string message = full ? "\n" + r.message : r.message.substr(0, r.message.find('\n'));
  switch (r.what) {
    case outcome::died:
      return "DIED during capture: " + message;
    case outcome::refused_at_capture:
      return "refused at capture: " + message;
    case outcome::refused_at_replay:
      return "refused before replay: " + message;
    case outcome::done:
      break;
  }
  const row_errors errors = compare(r.out, e.reference(s), s.rows());
  if (errors.wrong == 0) return "right in all rows";
  return "WRONG in " + std::to_string(errors.wrong) + " of " + std::to_string(s.rows()) +
         " rows, first in row " + std::to_string(errors.first);
}

void run_pair(machine& on, const settings& want, const engine_options& options, const step& first,
              const step& second) {
  engine e(on, options);
  for (const step* s : {&first, &second}) {
    const step_result r = e.run(*s);
    std::printf("  %-9s %3lld columns%s  %s\n", options.watch ? "watched" : "unwatched",
                static_cast<long long>(r.width), r.captured ? ", captured" : "          ",
                said(r, e, *s, want.full).c_str());
    if (r.what == outcome::died || r.what == outcome::refused_at_capture) return;
  }
}

void run_case(machine& on, const settings& want, const engine_options& options, const step& first,
              const step& second) {
  std::printf("%s, capability %d.0, %lld x (1 + %lld) = %lld rows%s\n",
              std::string(name(options.rows)).c_str(), static_cast<int>(options.on.major),
              static_cast<long long>(first.requests), static_cast<long long>(first.draft),
              static_cast<long long>(first.rows()),
              options.width_in_key ? "" : ", one graph for every width");
  for (const bool watch : {false, true}) {
    engine_options these = options;
    these.watch = watch;
    run_pair(on, want, these, first, second);
  }
}

int run(const settings& want) {
  const auto on = want.cuda ? make_cuda_machine() : make_host_machine();
  if (!on) {
    std::puts("sparse_mla_engine: no CUDA device, or a build without CUDA");
    return 77;
  }
  for (const policy p : policies) {
    if (want.only && *want.only != p) continue;
    for (const int capability : {12, 10}) {
      if (p == policy::packed_rows && capability == 10) continue;  // the same
      for (const auto& [requests, draft] : {std::pair<index_t, index_t>{1, 1}, {11, 5}}) {
        engine_options options;
        options.rows = p;
        options.on = {capability, 0};
        // The width shrinks: 150 entries need 256 columns, then 100 need 128. Of packed rows only the pitch does.
        const index_t first_longest = p == policy::packed_rows ? 100 : 150;
        run_case(*on, want, options, make_step(requests, draft, first_longest, 0, 150),
                 make_step(requests, draft, 100, 1));
      }
    }
  }
  if (want.only) return 0;
  std::puts("\nThe direction in which entries are lost: captured at 128 columns, rebuilt at 256");
  for (const policy p : {policy::pitch_cure, policy::seed_cure}) {
    for (const bool width_in_key : {false, true}) {
      if (p == policy::seed_cure && width_in_key) continue;  // its rows have one width
      engine_options options;
      options.rows = p;
      options.width_in_key = width_in_key;
      run_case(*on, want, options, make_step(1, 1, 100, 0), make_step(1, 1, 150, 1));
    }
  }
  return 0;
}

bool read_machine(const std::string& value, settings& want) {
  want.cuda = value == "cuda";
  if (want.cuda || value == "host") return true;
  std::fprintf(stderr, "sparse_mla_engine: unknown machine '%s'; known: host, cuda\n", value.c_str());
  return false;
}

bool read_policy(const std::string& value, settings& want) {
  std::string known;
  for (const policy p : policies) {
    if (value == name(p)) {
      want.only = p;
      return true;
    }
    known += (known.empty() ? "" : ", ") + std::string(name(p));
  }
  std::fprintf(stderr, "sparse_mla_engine: unknown policy '%s'; known: %s\n", value.c_str(), known.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  settings want;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--full") {
      want.full = true;
    } else if (argument.rfind("--machine=", 0) == 0) {
      if (!read_machine(argument.substr(10), want)) return 2;
    } else if (argument.rfind("--policy=", 0) == 0) {
      if (!read_policy(argument.substr(9), want)) return 2;
    } else {
      std::fprintf(stderr, "usage: sparse_mla_engine [--machine=host|cuda] [--policy=NAME] [--full]\n");
      return 2;
    }
  }
  return run(want);
}
