// CommandInfo: all that is known about one command of the command line, in one place. The parser,
// --help, the manual page and the completions of the shells are made from it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "front/cli/command_line.h"

namespace talaria::front::cli {

// What a shell may offer where a value is to be typed.
enum class Offer { nothing, directories, programs, tools, environments, commands, processes };

struct Option {
  std::string_view name;   // "--task"
  std::string_view value;  // what its value is called ("NAME"); empty: it takes none
  std::string_view meaning;
  Offer offer = Offer::nothing;
  std::string_view choices;  // the words it may be, as far as there is a list: "bash zsh fish"
  std::string_view setting;  // not empty: it sets this setting for the run
  std::string_view brief;    // "-f", if it has such a name, too
  bool repeats = false;      // it may be given several times
};

struct Argument {
  std::string_view name;
  std::string_view meaning;
  bool many = false;  // all words that are left
  Offer offer = Offer::nothing;
  std::string_view choices;
  std::vector<Option> keys;  // of an argument KEY=VALUE
};

struct Example {
  std::string_view command;
  std::string_view meaning;
};

struct ExitCodeNote {
  std::string_view code;
  std::string_view meaning;
};

// What stood behind the command's name.
struct Given {
  std::map<std::string_view, std::string> values;  // by the name of an option or argument
  std::map<std::string_view, std::vector<std::string>> lists;  // of options that may repeat
  std::vector<std::string> words;                              // of the argument that takes many
  std::vector<GivenSetting> settings;

  bool has(std::string_view name) const { return values.contains(name); }
  std::string value(std::string_view name) const;  // "" if it was not given
};

struct CommandInfo {
  std::string_view name;                // one word or two: "exec", "env list"
  std::string_view summary;             // a short sentence without its full stop
  std::vector<std::string_view> usage;  // what follows the name; more than one: forms of it
  std::vector<Argument> arguments;
  std::vector<Option> options;  // beside --help
  // Paragraphs, one per line. A line that begins with a blank is shown as it is.
  std::string_view notes;
  std::vector<Example> examples;
  std::vector<ExitCodeNote> exit_codes;
  int usage_code = kBadUsage;  // for words that make no sense
  bool verbatim = false;  // its options end at the first word that is none; the rest stays as it is
  bool hidden = false;    // for our own scripts
  Result<CommandLine> (*read)(const Given& given) = nullptr;

  const Option* find_option(std::string_view option) const;  // by a name; null: it has none
};

// Targets there are, as in TERMINAL_ENV.
inline constexpr std::string_view kTargetNames =
    "local docker podman singularity ssh carrier managed modal daytona";

// Options that several commands have.
Option json_option(std::string_view meaning);
Option target_option();
std::vector<Option> setting_options();  // --target, --cwd, --timeout

}  // namespace talaria::front::cli
