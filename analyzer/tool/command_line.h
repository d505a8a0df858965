// A small command-line layer: options with values, positional arguments, everything behind `--`.
//
// LLVM's own is not used: it keeps its options in globals, shows those of every linked LLVM library, and cannot give
// each subcommand its own help.
//
// Promises:  `--name=VALUE`, `--name VALUE`, `-n VALUE` and `-nVALUE` mean the same; an option that does not exist is
//            a failure that names the nearest one; help lists exactly the options that parse.
//
//   command c{"check", "[-p BUILD] [FILES...]", "find layout bugs"};
//   c.value("--format", "FORMAT", "text, json or sarif", [&](const std::string& v) { … });
//   c.flag("--quiet", "no progress", [&] { … });
//   c.parse(arguments);
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace stridelock::tool {

class command {
 public:
  command(std::string name, std::string usage, std::string summary)
      : name_(std::move(name)), usage_(std::move(usage)), summary_(std::move(summary)) {}

  void value(std::string name, std::string placeholder, std::string help,
             std::function<void(const std::string&)> set);
  void flag(std::string name, std::string help, std::function<void()> set);
  // Not in the help: between processes of the tool, or for its tests.
  void hidden_value(std::string name, std::function<void(const std::string&)> set);
  void positional(std::function<void(const std::string&)> add) { positional_ = std::move(add); }
  // Called once with everything behind `--`, if that is there.
  void rest(std::function<void(std::vector<std::string>)> set) { rest_ = std::move(set); }
  void epilogue(std::string text) { epilogue_ = std::move(text); }

  // False: --help was asked. Throws failure.
  bool parse(const std::vector<std::string>& arguments) const;
  std::string help() const;

 private:
  struct option {
    std::string name;
    std::string placeholder;
    std::string help;
    bool takes_value = false;
    bool hidden = false;
    std::function<void(const std::string&)> set;
  };
  const option* find(const std::string& name) const;

  std::string name_;
  std::string usage_;
  std::string summary_;
  std::string epilogue_;
  std::vector<option> options_;
  std::function<void(const std::string&)> positional_;
  std::function<void(std::vector<std::string>)> rest_;
};

}  // namespace stridelock::tool
