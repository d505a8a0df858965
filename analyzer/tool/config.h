// .stridelock.yaml: what a project always says to `check`.
//
//   models: [ci/our_tensor.yaml]       # paths are relative to this file
//   contracts: [ci/kernels.yaml]
//   checks: "*, -copy-in-capture"      # or a list
//   assume-capture: ["engine::*::replay_body"]
//   roots: [csrc, include]
//   unparsed:
//     - {file: csrc/nvshmem_ops.cu, reason: needs nvshmem, not on the CI machines}
//   baseline: ci/known_findings.txt
//   fail-on: warning
//
// Promises:  an unknown key, a wrong kind of value or a missing reason is a failure with file, line and column.
// Does not:  look at the files it names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/report.h"

namespace stridelock::tool {

struct unparsed_entry {
  std::string file;  // as written
  std::string path;  // absolute
  std::string reason;
  std::uint32_t line = 0;
};

struct config {
  std::string path;  // empty: there is none
  std::vector<std::string> models;
  std::vector<std::string> contracts;
  std::vector<std::string> checks;
  std::vector<std::string> assume_capture;
  std::vector<std::string> roots;
  std::vector<unparsed_entry> unparsed;
  std::string baseline;
  std::optional<report::fail_threshold> fail_on;
};

// `path` is absolute, and so are the names in the result; messages call it `shown`.
config parse_config(std::string_view bytes, const std::string& path, const std::string& shown);
config read_config(const std::string& path);

// .stridelock.yaml in `folder` or the nearest folder above; empty if there is none.
std::string find_config(const std::string& folder);

// "error", "warning", "note", "never". Throws failure naming `option`.
report::fail_threshold parse_threshold(const std::string& word, const std::string& option);

// "a, -b" as {"a", "-b"}; blanks around are dropped.
std::vector<std::string> split_list(std::string_view text);

}  // namespace stridelock::tool
