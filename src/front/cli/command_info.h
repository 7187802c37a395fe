// CommandInfo: everything about one command of the command line. The parser, --help, the manual
// page and the completions of the shells use it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/target_names.h"
#include "front/cli/command_line.h"

namespace talaria::front::cli {

// What a shell completes a value with.
enum class Offer { nothing, directories, programs, tools, environments, commands, processes };

// Which values the parser accepts.
enum class Accepts {
  anything,
  name,          // 1 to `max_bytes` bytes
  count,         // a whole number
  positive,      // a whole number of at least 1
  time,          // seconds, with a fraction, or with a unit: 90, 2m; more than 0
  seconds,       // whole ones, or with a unit; 0 is possible
  some_seconds,  // the same, but not 0
  choices,       // one of the choices
};

struct Option {
  std::string_view name;   // "--task"
  std::string_view value;  // the name of its value ("NAME"); empty: it is a flag
  std::string_view meaning;
  Offer offer = Offer::nothing;
  std::string_view choices;  // known values: "bash zsh fish"
  std::string_view setting;  // not empty: the setting that it sets for this run
  std::string_view brief;    // short name, such as "-f"
  bool repeats = false;      // it may be given several times
  Accepts accepts = Accepts::anything;
  std::size_t max_bytes = 0;
};

struct Argument {
  std::string_view name;
  std::string_view meaning;
  bool many = false;  // all remaining arguments
  Offer offer = Offer::nothing;
  std::string_view choices;  // the only values, if there are any here
  std::vector<Option> keys;  // of an argument KEY=VALUE
  bool optional = false;
};

struct Example {
  std::string_view command;
  std::string_view meaning;
};

struct ExitCodeNote {
  std::string_view code;
  std::string_view meaning;
};

// The arguments after the name of a command.
struct Given {
  std::map<std::string_view, std::string> values;  // by the name of an option or argument
  std::map<std::string_view, std::vector<std::string>> lists;  // of options that may repeat
  std::vector<std::string> arguments;                          // of the argument that takes many
  std::vector<GivenSetting> settings;

  bool has(std::string_view name) const { return values.contains(name); }
  std::string value(std::string_view name) const;  // "" if it was not given
  std::optional<std::string> optional(std::string_view name) const;
  std::vector<std::string> list(std::string_view name) const;
  // Of options whose value the parser has checked.
  std::optional<std::uint64_t> count(std::string_view name) const;
  std::chrono::milliseconds time(std::string_view name) const;  // 0 if it was not given
  std::optional<std::uint64_t> seconds(std::string_view name) const;
};

struct CommandInfo {
  std::string_view name;                // one word or two: "exec", "env list"
  std::string_view summary;             // a short sentence without its full stop
  std::vector<std::string_view> usage;  // what follows the name; empty: all options and arguments
  std::vector<Argument> arguments;
  std::vector<Option> options;  // without --help
  // Paragraphs, one per line. A line that begins with a blank is shown unchanged.
  std::string_view notes;
  std::vector<Example> examples;
  std::vector<ExitCodeNote> exit_codes = {
      {"0", "success"}, {"1", "failure"}, {"2", "invalid command line"}};
  int usage_code = kBadUsage;  // for an invalid command line
  bool verbatim = false;       // its options end at its first argument; the rest stays unchanged
  bool hidden = false;         // for our own scripts
  Result<CommandLine> (*read)(const Given& given) = nullptr;

  const Option* find_option(std::string_view option) const;  // by either name; null: not found
};

// What several commands have.
Option json_option(std::string_view meaning = "Print the result as one line of JSON");
Option task_option(std::string_view meaning);
Option timeout_option(std::string_view meaning);
Option target_option(std::string_view meaning = "Target to use (default: value of TERMINAL_ENV)");
// Of commands that find a process by its ID, at whatever target it is.
Option process_target_option();
std::vector<Option> with_setting_options(
    std::vector<Option> options);  // --target, --cwd, --timeout

}  // namespace talaria::front::cli
