// What `check` and `link` are told: the command line laid over the configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/models/model_set.h"
#include "analyzer/report/report.h"
#include "analyzer/solve/program.h"
#include "analyzer/tool/command_line.h"
#include "analyzer/tool/config.h"

namespace stridelock::tool {

enum class output_format : std::uint8_t { text, json, sarif, github, gitlab };
enum class debug_output : std::uint8_t { none, contracts, ir, raw_ir };

// As given; names of files are relative to the current folder.
struct common_options {
  output_format format = output_format::text;
  std::string output = "-";
  std::string sarif;  // a second output
  std::string baseline;
  std::string write_baseline;
  std::vector<std::string> checks;
  std::vector<std::string> models;
  std::vector<std::string> contracts;
  std::vector<std::string> assume_capture;
  std::optional<report::fail_threshold> fail_on;
  std::string config;
  bool no_config = false;
  std::string project_root;
  bool report_unmodelled = false;
  debug_output debug = debug_output::none;
};

// Makes `c` read them.
void add_common_options(command& c, common_options& out);

// Everything read and checked: no later surprise from a file that was named.
struct settings {
  output_format format = output_format::text;
  std::string output = "-";
  std::string sarif;
  std::optional<report::baseline> baseline;
  std::string write_baseline;       // absolute; empty: not asked
  std::vector<std::string> checks;  // globs; empty: all
  std::vector<std::string> assume_capture;
  report::fail_threshold fail_on = report::fail_threshold::warning;
  bool report_unmodelled = false;
  debug_output debug = debug_output::none;
  config file;  // the configuration; its path is empty if there is none
  models::model_set models;
  std::vector<solve::requirement_row> requirements;
};

// `near`: where the search for the configuration starts, absolute; after it the current folder. Throws failure.
settings make_settings(const common_options& options, const std::string& near);

}  // namespace stridelock::tool
