// extract: one compile command in, one unit of raw layout IR out.
//
// Promises:  never throws and never exits because of what the analysed code looks like. A unit that cannot be read
//            at all has state `failed`; one with errors that was analysed nevertheless has state `degraded`; both say
//            why in `diagnostics`. Equal input gives equal output: functions, records and suppressions are sorted, no
//            address and no absolute path of the project appears. Changes neither the working directory nor any file.
// Does not:  know what any library function means (that is link's work), cache, print, or isolate itself: a crash
//            of the compiler inside is a crash of the process, so callers run it in a child.
//
//   extract_options options;
//   options.project_root = "/home/me/engine";
//   ir::unit unit = extract({"/home/me/engine/build", "../src/a.cpp", {"g++", "-I..", "-c", "../src/a.cpp"}}, options);
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/extract/compile_command.h"
#include "analyzer/ir/ir.h"

namespace stridelock::extract {

struct extract_options {
  std::string project_root;        // absolute; paths in the IR are relative to it
  std::vector<std::string> roots;  // absolute folders whose functions get bodies; empty: project_root
  std::string resource_dir;        // Clang's own headers; empty: those of the Clang this was built with
  std::string cuda_path;  // toolkit for CUDA files; empty: from the command's nvcc, else the usual places
  // Texts that stand in for files, by absolute path: unsaved or older states of files, and tests.
  std::vector<std::pair<std::string, std::string>> overlay;
  std::uint32_t max_instructions = 200'000;  // per function; beyond it the function is one `unknown`
  std::uint32_t max_diagnostics = 20;        // kept per unit; all are counted
};

ir::unit extract(const compile_command& command, const extract_options& options);

// What `unit::command_digest` would be, without parsing: for caches.
std::string command_digest(const compile_command& command, const extract_options& options);

}  // namespace stridelock::extract
