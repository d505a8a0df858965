#include "analyzer/tool/command_line.h"

#include <algorithm>

#include "analyzer/tool/failure.h"
#include "analyzer/tool/nearest.h"

namespace stridelock::tool {

void command::value(std::string name, std::string placeholder, std::string help,
                    std::function<void(const std::string&)> set) {
  options_.push_back({std::move(name), std::move(placeholder), std::move(help), true, false, std::move(set)});
}

void command::flag(std::string name, std::string help, std::function<void()> set) {
  options_.push_back({std::move(name), "", std::move(help), false, false,
                      [set = std::move(set)](const std::string&) { set(); }});
}

void command::hidden_value(std::string name, std::function<void(const std::string&)> set) {
  options_.push_back({std::move(name), "", "", true, true, std::move(set)});
}

const command::option* command::find(const std::string& name) const {
  for (const option& o : options_) {
    if (o.name == name) return &o;
  }
  return nullptr;
}

bool command::parse(const std::vector<std::string>& arguments) const {
  const std::string see = " (see `stridelock " + name_ + " --help`)";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") return false;
    if (argument == "--") {
      if (!rest_) throw failure("'" + name_ + "' takes nothing behind `--`" + see);
      rest_({arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end()});
      return true;
    }
    if (argument.size() < 2 || argument[0] != '-') {  // also "-": standard input or output
      if (!positional_) throw failure("'" + name_ + "' takes no argument '" + argument + "'" + see);
      positional_(argument);
      continue;
    }

    std::string name = argument;
    std::string value;
    bool has_value = false;
    const option* found = find(argument);
    if (found == nullptr) {
      const std::size_t equals = argument.find('=');
      if (equals != std::string::npos) {
        name = argument.substr(0, equals);
        value = argument.substr(equals + 1);
        has_value = true;
        found = find(name);
      }
    }
    if (found == nullptr && argument[1] != '-' && argument.size() > 2) {  // -j4
      const option* shortened = find(argument.substr(0, 2));
      if (shortened != nullptr && shortened->takes_value) {
        found = shortened;
        name = argument.substr(0, 2);
        value = argument.substr(2);
        has_value = true;
      }
    }
    if (found == nullptr) {
      std::vector<std::string> known = {"--help"};
      for (const option& o : options_) {
        if (!o.hidden) known.push_back(o.name);
      }
      throw failure("unknown option '" + name + "'" + did_you_mean(known, name) + see);
    }
    if (!found->takes_value) {
      if (has_value) throw failure("option '" + name + "' takes no value, found '" + value + "'" + see);
      found->set("");
      continue;
    }
    if (!has_value) {
      if (i + 1 == arguments.size()) {
        throw failure("option '" + name + "' needs a value: " + found->placeholder + see);
      }
      value = arguments[++i];
    }
    found->set(value);
  }
  return true;
}

std::string command::help() const {
  std::string out = "stridelock " + name_ + " " + usage_ + "\n\n" + summary_ + "\n\nOptions:\n";
  const auto left_of = [](const option& o) {
    if (!o.takes_value) return "  " + o.name;
    return "  " + o.name + (o.name.rfind("--", 0) == 0 ? "=" : " ") + o.placeholder;
  };
  constexpr std::size_t help_column = 27;
  for (const option& o : options_) {
    if (o.hidden) continue;
    std::string left = left_of(o);
    left += left.size() + 2 > help_column ? "\n" + std::string(help_column, ' ')
                                          : std::string(help_column - left.size(), ' ');
    std::string text = o.help;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
      text.insert(at + 1, help_column, ' ');
    }
    out += left + text + "\n";
  }
  out += "  --help                   this text\n";
  if (!epilogue_.empty()) out += "\n" + epilogue_ + "\n";
  return out;
}

}  // namespace stridelock::tool
