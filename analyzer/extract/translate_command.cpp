#include "analyzer/extract/translate_command.h"

#include <clang/Driver/Options.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "analyzer/extract/command_table.h"
#include "analyzer/extract/compile_database.h"
#include "analyzer/extract/supplied_files.h"

#ifndef STRIDELOCK_RESOURCE_DIR
#error "STRIDELOCK_RESOURCE_DIR is defined by the build: the folder of Clang's own headers"
#endif

namespace stridelock::extract {
namespace {

constexpr int deepest_response_file = 8;
constexpr std::size_t most_arguments = 1'000'000;

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_launcher(std::string_view program) {
  static constexpr std::array<std::string_view, 7> names = {"ccache", "sccache",    "distcc", "icecc",
                                                            "gomacc", "buildcache", "recc"};
  return std::find(names.begin(), names.end(), base_name(program)) != names.end();
}

std::string absolute(std::string_view path, const std::string& directory) {
  llvm::SmallString<256> full(llvm::StringRef(path.data(), path.size()));
  if (!llvm::sys::path::is_absolute(full)) {
    full = directory;
    llvm::sys::path::append(full, llvm::StringRef(path.data(), path.size()));
  }
  llvm::sys::path::remove_dots(full, true);
  return std::string(full.str());
}

// nvcc's lists: at commas and blanks, but for those in quotes or behind a backslash.
std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> out(1);
  char quote = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '\\' && i + 1 < list.size() &&
        (list[i + 1] == ',' || list[i + 1] == '\\' || list[i + 1] == ' ')) {
      out.back() += list[++i];
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        out.back() += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ',' || c == ' ' || c == '\t') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  std::erase_if(out, [](const std::string& one) { return one.empty(); });
  return out;
}

// How many arguments, beginning with the first, a rule takes; 0: it does not match. `value` gets the option's value.
std::size_t match(const option_rule& rule, const std::vector<std::string>& arguments, std::size_t at,
                  std::string& value) {
  const std::string_view given = arguments[at];
  if (!given.starts_with(rule.name)) return 0;
  const std::string_view rest = given.substr(rule.name.size());
  const bool has_next = at + 1 < arguments.size();
  switch (rule.form) {
    case shape::flag:
      return rest.empty() ? 1 : 0;
    case shape::joined:
      value = rest;
      return 1;
    case shape::joined_eq:
      if (!rest.starts_with('=')) return 0;
      value = rest.substr(1);
      return 1;
    case shape::separate:
    case shape::either:
      if (rest.empty()) {
        if (!has_next) return 1;
        value = arguments[at + 1];
        return 2;
      }
      if (rest.starts_with('=')) {
        value = rest.substr(1);
        return 1;
      }
      if (rule.form == shape::separate) return 0;
      value = rest;
      return 1;
  }
  return 0;
}

const option_rule* find_rule(std::span<const option_rule> rules, const std::vector<std::string>& arguments,
                             std::size_t at, std::size_t& taken, std::string& value) {
  const option_rule* best = nullptr;
  for (const option_rule& rule : rules) {
    std::string found;
    const std::size_t count = match(rule, arguments, at, found);
    if (count == 0 || (best && best->name.size() >= rule.name.size())) continue;
    best = &rule;
    taken = count;
    value = std::move(found);
  }
  return best;
}

bool is_known_to_clang(const std::string& option) {
  const llvm::opt::OptTable& table = clang::driver::getDriverOptTable();
  const char* const arguments[] = {option.c_str()};
  unsigned missing_index = 0, missing_count = 0;
  const llvm::opt::InputArgList parsed = table.ParseArgs(
      arguments, missing_index, missing_count, llvm::opt::Visibility(clang::driver::options::ClangOption));
  return missing_count != 0 || !parsed.hasArg(clang::driver::options::OPT_UNKNOWN);
}

class translator {
 public:
  translator(const compile_command& command, const translate_options& options)
      : command_(command), options_(options) {}

  translated_command run() {
    std::vector<std::string> arguments = command_.arguments;
    while (!arguments.empty() && is_launcher(arguments.front())) arguments.erase(arguments.begin());
    if (arguments.empty())
      return failed("the compile command is empty: expected a compiler and its arguments");
    if (command_.file.empty()) return failed("the compile command names no source file");
    compiler_ = arguments.front();
    arguments.erase(arguments.begin());
    is_nvcc_ = base_name(compiler_).starts_with("nvcc");
    out_.main_file = absolute(command_.file, command_.directory);

    if (!expand_response_files(arguments, 0)) return std::move(out_);
    each(arguments);
    if (!out_.error.empty()) return std::move(out_);
    finish();
    return std::move(out_);
  }

 private:
  translated_command failed(std::string why) {
    out_.error = std::move(why);
    return std::move(out_);
  }

  void changed(std::string option, std::string outcome, std::string_view reason) {
    out_.changes.push_back({std::move(option), std::move(outcome), std::string(reason)});
  }

  std::optional<std::vector<std::string>> read_options(std::string_view name) {
    const std::string path = absolute(name, command_.directory);
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(path);
    if (!text) {
      out_.error = "the response file '" + path + "' cannot be read: " + text.getError().message();
      return std::nullopt;
    }
    llvm::StringRef content = (*text)->getBuffer();
    return split_command_line(std::string_view(content.data(), content.size()));
  }

  bool expand_response_files(std::vector<std::string>& arguments, int depth) {
    if (depth > deepest_response_file) {
      out_.error = "response files name each other without end";
      return false;
    }
    std::vector<std::string> flat;
    for (const std::string& one : arguments) {
      if (one.size() < 2 || one[0] != '@') {
        flat.push_back(one);
        continue;
      }
      std::optional<std::vector<std::string>> inner = read_options(std::string_view(one).substr(1));
      if (!inner || !expand_response_files(*inner, depth + 1)) return false;
      changed(one, "read", std::to_string(inner->size()) + " arguments");
      flat.insert(flat.end(), inner->begin(), inner->end());
      if (flat.size() > most_arguments) {
        out_.error = "the compile command has more than a million arguments";
        return false;
      }
    }
    arguments = std::move(flat);
    return true;
  }

  void each(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size() && out_.error.empty();) i += one(arguments, i);
  }

  std::size_t one(const std::vector<std::string>& arguments, std::size_t at) {
    const std::string& given = arguments[at];
    if (given == "--") return 1;
    if (given.empty() || given[0] != '-' || given == "-") {
      input(given);
      return 1;
    }
    std::size_t taken = 1;
    std::string value;
    const option_rule* rule =
        is_nvcc_ && !is_host_part_ ? find_rule(nvcc_rules(), arguments, at, taken, value) : nullptr;
    if (!rule) rule = find_rule(host_rules(), arguments, at, taken, value);
    if (!rule) {
      unknown(given);
      return 1;
    }
    std::string whole = given;
    for (std::size_t i = 1; i < taken; ++i) whole += " " + arguments[at + i];
    apply(*rule, whole, value, arguments, at, taken);
    return taken;
  }

  void input(const std::string& given) {
    if (absolute(given, command_.directory) == out_.main_file) return;
    changed(given, "dropped", "another input; a unit is one file");
  }

  void unknown(const std::string& given) {
    if (is_known_to_clang(given)) {
      kept_.push_back(given);
      return;
    }
    if (given.starts_with("-f") || given.starts_with("-m")) {
      changed(given, "dropped", "Clang does not know it, and it can only concern code generation");
      return;
    }
    changed(given, "kept", "no rule knows it and Clang will reject it");
    kept_.push_back(given);
  }

  void apply(const option_rule& rule, const std::string& whole, std::string value,
             const std::vector<std::string>& arguments, std::size_t at, std::size_t taken) {
    switch (rule.what) {
      case fate::drop:
      case fate::compiler:
        changed(whole, "dropped", rule.reason);
        return;
      case fate::keep:
        if (rule.name == "-x") language_ = value;
        if (rule.name != "-x") {
          for (std::size_t i = 0; i < taken; ++i) kept_.push_back(arguments[at + i]);
        }
        return;
      case fate::forced:
        force_include(value);
        return;
      case fate::inside:
        inside(whole, value, rule.reason);
        return;
      case fate::rename: {
        if (rule.replacement == "-x") {
          if (value == "cu") {
            value = "cuda";
            changed(whole, "became -x cuda", "Clang's name of the language");
          }
          language_ = value;
          return;
        }
        if (rule.replacement == "-include") {
          if (!rule.reason.empty()) changed(whole, "became -include " + value, rule.reason);
          force_include(value);
          return;
        }
        std::vector<std::string> made;
        if (rule.replacement.ends_with('=') || rule.replacement.size() == 2) {
          made.push_back(std::string(rule.replacement) + value);
        } else {
          made.emplace_back(rule.replacement);
          made.push_back(value);
        }
        if (!rule.reason.empty()) changed(whole, "became " + joined(made), rule.reason);
        kept_.insert(kept_.end(), made.begin(), made.end());
        return;
      }
      case fate::unpack: {
        const std::vector<std::string> inner = split_list(value);
        changed(whole, "unpacked", rule.reason);
        const bool was_host_part = is_host_part_;
        is_host_part_ = true;
        each(inner);
        is_host_part_ = was_host_part;
        return;
      }
      case fate::options_file:
        for (const std::string& name : split_list(value)) {
          if (++options_files_ > deepest_response_file * 8) {
            out_.error = "options files name each other without end";
            return;
          }
          std::optional<std::vector<std::string>> inner = read_options(name);
          if (!inner || !expand_response_files(*inner, 1)) return;
          changed(rule.name == whole ? whole : std::string(rule.name) + " " + name, "read",
                  std::to_string(inner->size()) + " arguments");
          each(*inner);
        }
        return;
      case fate::define:
        changed(whole, "became -D" + std::string(rule.replacement), rule.reason);
        kept_.push_back("-D" + std::string(rule.replacement));
        return;
      case fate::stream:
        if (value == "per-thread") {
          changed(whole, "became -DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", rule.reason);
          kept_.emplace_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
        } else {
          changed(whole, "dropped", "the legacy stream is the default");
        }
        return;
    }
  }

  void force_include(const std::string& header) {
    const std::string path = absolute(header, command_.directory);
    // The driver would take the precompiled form, which another compiler made; the front end does not look for it.
    if (llvm::sys::fs::exists(path + ".gch") || llvm::sys::fs::exists(path + ".pch")) {
      kept_.insert(kept_.end(), {"-Xclang", "-include", "-Xclang", header});
      changed("-include " + header, "kept as text", "its precompiled form is of another compiler");
    } else {
      kept_.insert(kept_.end(), {"-include", header});
    }
  }

  // `-Xclang -include -Xclang x.h` is one option in two halves.
  void inside(const std::string& whole, const std::string& value, std::string_view reason) {
    const std::string half = std::exchange(half_, {});
    if (half == "-include") return force_include(value);
    if (half.empty() && (value == "-include" || value == "-include-pch" || value == "-load")) {
      half_ = value;
      if (value == "-include") return;
    } else if (half.empty() && value.starts_with("-f") && !value.starts_with("-fplugin") &&
               !value.starts_with("-fmodule")) {
      kept_.insert(kept_.end(), {"-Xclang", value});
      return;
    }
    changed(whole, "dropped", reason);
  }

  static std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& one : parts) out += (out.empty() ? "" : " ") + one;
    return out;
  }

  // The folder that holds include/cuda.h.
  std::optional<std::string> toolkit() {
    std::vector<std::string> places;
    if (!options_.cuda_path.empty()) {
      places.push_back(options_.cuda_path);
    } else {
      for (const std::string& one : kept_) {
        if (std::string_view(one).starts_with("--cuda-path=")) places.push_back(one.substr(12));
      }
      if (is_nvcc_) {
        llvm::SmallString<256> program(compiler_);
        if (program.find('/') != llvm::StringRef::npos) {
          program = absolute(compiler_, command_.directory);
          llvm::SmallString<256> real;
          if (!llvm::sys::fs::real_path(program, real)) program = real;
          places.push_back(llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)).str());
        }
      }
      places.insert(places.end(), {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", "/usr"});
    }
    for (const std::string& place : places) {
      if (llvm::sys::fs::exists(place + "/include/cuda_runtime.h")) return place;
      if (!looked_in_.empty()) looked_in_ += ", ";
      looked_in_ += place;
    }
    return std::nullopt;
  }

  void finish() {
    const bool is_cuda_file = llvm::StringRef(out_.main_file).ends_with(".cu");
    out_.is_cuda = language_ ? *language_ == "cuda" : is_cuda_file;
    std::vector<std::string>& made = out_.arguments;
    made.emplace_back(STRIDELOCK_CLANG);
    if (base_name(compiler_).find("++") != std::string_view::npos) made.emplace_back("--driver-mode=g++");
    made.insert(made.end(),
                {"-fsyntax-only", "-w", "-resource-dir",
                 options_.resource_dir.empty() ? STRIDELOCK_RESOURCE_DIR : options_.resource_dir});
    const bool has_no_includes = std::find(kept_.begin(), kept_.end(), "-nocudainc") != kept_.end();
    std::erase_if(kept_,
                  [](const std::string& one) { return std::string_view(one).starts_with("--cuda-path="); });
    std::vector<std::string> after;
    if (out_.is_cuda) {
      made.insert(made.end(), {"--cuda-host-only", "-nocudalib", "--no-cuda-version-check"});
      changed("--cuda-host-only -nocudalib", "added", "only the host pass is parsed");
      if (!has_no_includes) {
        std::optional<std::string> path = toolkit();
        if (!path) {
          out_.error = "a CUDA file needs the CUDA toolkit's headers, and none were found (looked in " +
                       looked_in_ + "): give the toolkit's folder with --cuda-path";
          return;
        }
        made.push_back("--cuda-path=" + *path);
        changed("--cuda-path=" + *path, "added", "the toolkit's headers");
        // <cuda_runtime.h> comes first with nvcc as well.
        made.insert(made.end(), {"-include", supplied_cuda_prelude});
        changed("min, max", "added", "nvcc lets host code call them unqualified");
        made.emplace_back("-D_CG_CLUSTER_INTRINSICS_AVAILABLE");
        changed("-D_CG_CLUSTER_INTRINSICS_AVAILABLE", "added", "declared for newer devices only");
        add_cccl(*path, after);
        after.insert(after.end(), {"-isystem", supplied_cuda_headers});
        changed("texture_fetch_functions.h", "added", "Clang includes it, CUDA 13 has none");
      }
    } else if (is_nvcc_) {
      if (std::optional<std::string> path = toolkit()) {
        after.insert(after.end(), {"-isystem", *path + "/include"});
        changed("-isystem " + *path + "/include", "added", "nvcc searches it");
        add_cccl(*path, after);
      }
    }
    if (std::find(kept_.begin(), kept_.end(), "-fopenmp") != kept_.end()) {
      after.insert(after.end(), {"-idirafter", supplied_openmp_headers});
      changed("omp.h", "added", "used where no other is found");
    }
    after.insert(after.end(), {"-idirafter", supplied_generated_headers});
    made.insert(made.end(), kept_.begin(), kept_.end());
    made.insert(made.end(), after.begin(), after.end());
    if (language_ && *language_ != "none") {
      made.insert(made.end(), {"-x", *language_});
    } else if (out_.is_cuda) {
      made.insert(made.end(), {"-x", "cuda"});
    }
    made.insert(made.end(), {"--", out_.main_file});
  }

  void add_cccl(const std::string& path, std::vector<std::string>& after) {
    const std::string cccl = path + "/include/cccl";
    if (!llvm::sys::fs::is_directory(cccl)) return;
    after.insert(after.end(), {"-isystem", cccl});
    changed("-isystem " + cccl, "added", "nvcc searches it since CUDA 13");
  }

  const compile_command& command_;
  const translate_options& options_;
  translated_command out_;
  std::string compiler_;
  bool is_nvcc_ = false;
  bool is_host_part_ = false;
  int options_files_ = 0;
  std::vector<std::string> kept_;
  std::optional<std::string> language_;
  std::string half_;  // an -Xclang option whose value is still to come
  std::string looked_in_;
};

}  // namespace

translated_command translate(const compile_command& command, const translate_options& options) {
  return translator(command, options).run();
}

std::string explain(const translated_command& command) {
  std::string out;
  for (const option_change& one : command.changes) {
    out += "  " + one.option + ": " + one.outcome;
    if (!one.reason.empty()) out += " (" + one.reason + ")";
    out += '\n';
  }
  if (!command.error.empty()) return out + "error: " + command.error + '\n';
  std::string line;
  for (const std::string& one : command.arguments) {
    if (!line.empty()) line += ' ';
    const bool is_plain = !one.empty() && one.find_first_of(" \t\n\"'\\$`;&|<>()*?#~") == std::string::npos;
    if (is_plain) {
      line += one;
      continue;
    }
    line += '\'';
    for (char c : one) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return out + line + '\n';
}

}  // namespace stridelock::extract
