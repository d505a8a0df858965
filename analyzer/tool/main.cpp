// stridelock: finds tensors whose layout is not what a kernel assumes.
#include <exception>

#include "analyzer/tool/command_line.h"
#include "analyzer/tool/commands.h"
#include "analyzer/tool/failure.h"
#include "analyzer/tool/nearest.h"
#include "analyzer/tool/output_file.h"
#include "analyzer/tool/version.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

namespace stridelock::tool {
namespace {

struct subcommand {
  const char* name;
  const char* summary;
  int (*run)(const invocation&);
};

constexpr subcommand subcommands[] = {
    {"check", "find layout bugs in a project or a file", check_command},
    {"preflight", "judge a dispatch over all planned sizes, without a GPU", preflight_command},
    {"explain", "say what a check finds and how to fix it", explain_command},
    {"extract", "parse one file into layout IR, for a build engine", extract_command},
    {"graph", "judge a saved snapshot of a captured CUDA graph", graph_command},
    {"link", "analyse what extract wrote", link_command},
};

std::string usage() {
  std::string out = "stridelock: finds tensors whose layout is not what a kernel assumes\n\nUsage:\n";
  for (const subcommand& s : subcommands) {
    std::string name = s.name;
    name.resize(10, ' ');
    out += "  stridelock " + name + s.summary + "\n";
  }
  out +=
      "  stridelock COMMAND --help\n  stridelock --version\n\nThe main job:\n"
      "  stridelock check -p BUILD            all files of BUILD/compile_commands.json\n"
      "  stridelock check file.cpp -- FLAGS   one file\n";
  return out;
}

int run(const std::string& executable, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    llvm::errs() << usage();
    return 2;
  }
  const std::string& name = arguments.front();
  if (name == "--version") {
    write_output("-", version_line() + "\n");
    return 0;
  }
  if (name == "--help" || name == "-h" || name == "help") {
    write_output("-", usage());
    return 0;
  }
  std::vector<std::string> names;
  for (const subcommand& s : subcommands) {
    if (name == s.name) return s.run({executable, {arguments.begin() + 1, arguments.end()}});
    names.push_back(s.name);
  }
  // The option may belong to a subcommand that was forgotten.
  throw failure("unknown command '" + name + "'" + did_you_mean(names, name) + " Commands: " + listed(names));
}

}  // namespace
}  // namespace stridelock::tool

int main(int argc, char** argv) {
  llvm::sys::PrintStackTraceOnErrorSignal(argv[0], /*DisableCrashReporting=*/true);
  const std::string executable =
      llvm::sys::fs::getMainExecutable(argv[0], reinterpret_cast<void*>(&stridelock::tool::version_line));
  try {
    return stridelock::tool::run(executable, {argv + 1, argv + argc});
  } catch (const stridelock::tool::failure& f) {
    llvm::errs() << f.what() << '\n';
  } catch (const std::bad_alloc&) {
    llvm::errs() << "stridelock: error: out of memory\n";
  } catch (const std::exception& e) {
    llvm::errs() << "stridelock: error: " << e.what() << "; this is a bug in stridelock\n";
  }
  return 2;
}
