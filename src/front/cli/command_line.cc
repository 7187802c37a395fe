#include "front/cli/command_line.h"

#include <talaria/version.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/duration.h"
#include "base/limits.h"
#include "base/message.h"
#include "base/text.h"
#include "base/to_number.h"
#include "front/cli/commands/commands.h"
#include "front/cli/help.h"
#include "front/cli/nearest.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

// Removes the arguments of the command itself from `arguments`, from the first that is not an
// option. CLI11 cannot leave them unparsed.
std::vector<std::string> split_verbatim(const CommandInfo& command,
                                        std::vector<std::string>& arguments) {
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with("-") && arguments[at] != "--") {
    const Option* option = command.find_option(arguments[at]);
    at += option && !option->value.empty() ? 2 : 1;
  }
  at = std::min(at, arguments.size());
  const std::size_t skip = at < arguments.size() && arguments[at] == "--" ? 1 : 0;
  std::vector<std::string> rest(arguments.begin() + static_cast<std::ptrdiff_t>(at + skip),
                                arguments.end());
  arguments.resize(at);
  return rest;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& known) {
  const std::string_view meant = nearest(typed, known);
  return meant.empty() ? "" : "; did you mean '" + std::string(meant) + "'?";
}

// Of a command such as mcp, which has sub-commands and no arguments. Empty: it has none.
std::string unknown_sub_command(const CommandInfo& command, const std::string& argument) {
  const std::vector<CommandInfo> commands = all_commands();
  std::vector<std::string_view> names;
  std::string list;
  for (const CommandInfo& one : commands) {
    if (one.hidden || !in_group(one, command.name)) continue;
    names.push_back(one.name.substr(command.name.size() + 1));
    list += (list.empty() ? "" : ", ") + std::string(names.back());
  }
  if (names.empty()) return "";
  const std::string hint = did_you_mean(argument, names);
  return "unknown command '" + std::string(command.name) + " " + argument + "'" +
         (hint.empty() ? ". Commands: " + list : hint);
}

std::string unexpected(const CommandInfo& command, const std::string& argument) {
  if (!argument.starts_with("-")) {
    const std::string sub_command = unknown_sub_command(command, argument);
    return sub_command.empty() ? "unexpected argument '" + argument + "'" : sub_command;
  }
  std::vector<std::string_view> names{"--help"};
  for (const Option& option : command.options) names.push_back(option.name);
  return "unknown option '" + argument + "'" +
         did_you_mean(argument.substr(0, argument.find('=')), names);
}

// The message of CLI11 about an option with a value begins with the name of the option.
std::string mismatch(const CommandInfo& command, const std::string& message) {
  const std::string name = message.substr(0, message.find(':'));
  const Option* option = command.find_option(name);
  if (!option) return message;
  if (message.contains("received")) return name + ": can be used only once";
  return name + ": " + std::string(option->value) + " is required";
}

// "--json" of "--json=x"; empty: there is no such argument.
std::string flag_with_value(const CommandInfo& command, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::string name = argument.substr(0, argument.find('='));
    const Option* option = command.find_option(name);
    if (option && option->value.empty() && name != argument) return name;
  }
  return "";
}

// What was expected instead of a time; empty: it is valid.
std::string expected_time(const std::string& value, bool whole, bool zero_is_valid) {
  const std::string examples = "such as 90s, 5m or 2h";
  const auto time = parse_time(value);
  std::string longest = "a time of at most " + std::to_string(kMaxDuration.count()) + " seconds";
  if (!time) {
    const std::size_t digits = value.find_first_not_of("0123456789");
    const bool is_long =
        digits != 0 && parse_time("1" + value.substr(std::min(digits, value.size())));
    return is_long ? longest : "a time " + examples;
  }
  if (whole && time->count() % 1000 != 0) return "a whole number of seconds, or a time " + examples;
  if (*time > kMaxDuration) return longest;
  if (time->count() == 0 && !zero_is_valid) return "a time above 0, " + examples;
  return "";
}

// What was expected instead of `value`; empty: it is valid.
std::string expected(const Option& option, const std::string& value) {
  const auto count = to_number<std::uint64_t>(value);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const bool is_count = count && *count <= kMost;
  const bool is_number = value.find_first_not_of("0123456789") == value.npos && !value.empty();
  std::string at_most = "a whole number of at most " + std::to_string(kMost);
  switch (option.accepts) {
    case Accepts::anything:
      return "";
    case Accepts::name:
      if (!value.empty() && value.size() <= option.max_bytes) return "";
      return "a name of 1 to " + std::to_string(option.max_bytes) + " bytes";
    case Accepts::count:
      if (is_number && !is_count) return at_most;
      return is_count ? "" : "a whole number of at least 0";
    case Accepts::positive:
      if (is_number && !is_count) return at_most;
      return is_count && *count > 0 ? "" : "a whole number of at least 1";
    case Accepts::time:
      return expected_time(value, false, false);
    case Accepts::seconds:
      return expected_time(value, true, true);
    case Accepts::some_seconds:
      return expected_time(value, true, false);
    case Accepts::choices:
      return has_word(option.choices, value) ? "" : "one of " + listed_words(option.choices);
  }
  return "";
}

Result<void> check_values(const CommandInfo& command, const Given& given) {
  for (const Option& option : command.options) {
    std::vector<std::string> values = given.list(option.name);
    if (given.has(option.name)) values.push_back(given.value(option.name));
    for (const std::string& value : values) {
      const std::string wanted = expected(option, value);
      if (wanted.empty()) continue;
      const std::string got = option.accepts == Accepts::name
                                  ? ", got " + std::to_string(value.size()) + " bytes"
                                  : ", got '" + value + "'";
      return fail(ErrorKind::bad_request, std::string(option.name) + ": expected " + wanted + got);
    }
  }
  for (const Argument& argument : command.arguments) {
    const std::string name(argument.name);
    const std::string value = given.value(argument.name);
    const bool missing = argument.many ? given.arguments.empty() : value.empty();
    const std::string choices =
        argument.choices.empty() ? "" : "expected one of " + listed_words(argument.choices);
    if (missing && !argument.optional) {
      return fail(ErrorKind::bad_request,
                  name + " is required" + (choices.empty() ? "" : ": " + choices));
    }
    if (!missing && !choices.empty() && !has_word(argument.choices, value)) {
      return fail(ErrorKind::bad_request, name + ": " + choices + ", got '" + value + "'");
    }
  }
  return {};
}

// Throws the exceptions of CLI11.
Result<Given> parse(const CommandInfo& command, std::vector<std::string> arguments) {
  Given given;
  if (command.verbatim) given.arguments = split_verbatim(command, arguments);
  if (const std::string flag = flag_with_value(command, arguments); !flag.empty()) {
    return fail(ErrorKind::bad_request, flag + ": takes no value");
  }

  CLI::App app;
  app.allow_extras();
  app.set_help_flag("-h,--help");
  for (const Option& option : command.options) {
    const std::string name(option.name);
    const std::string names = option.brief.empty() ? name : std::string(option.brief) + "," + name;
    if (option.value.empty()) {
      app.add_flag_callback(names, [&given, &option] { given.values[option.name] = "true"; });
      continue;
    }
    if (option.repeats) {
      app.add_option(names, given.lists[option.name])->allow_extra_args(false);
      continue;
    }
    app.add_option_function<std::string>(
           names,
           [&given, &option, name](const std::string& value) {
             given.values[option.name] = value;
             if (option.setting.empty()) return;
             given.settings.push_back({std::string(option.setting), value, name});
           })
        ->type_name(std::string(option.value));
  }
  for (const Argument& argument : command.arguments) {
    if (command.verbatim) break;
    const std::string name(argument.name);
    if (argument.many) {
      app.add_option(name, given.arguments);
    } else {
      app.add_option_function<std::string>(name, [&given, &argument](const std::string& value) {
        given.values[argument.name] = value;
      });
    }
  }
  std::ranges::reverse(arguments);  // CLI11 takes them from the end
  app.parse(std::move(arguments));
  for (const std::string& extra : app.remaining()) {
    if (extra != "--") return fail(ErrorKind::bad_request, unexpected(command, extra));
  }
  if (const auto valid = check_values(command, given); !valid) return fail(valid.error());
  return given;
}

// `name`: of the command or the group of commands whose help to see.
ShowText usage_error(const std::string& message, std::string_view name, bool as_json,
                     int code = kBadUsage) {
  if (as_json) return {to_line(json::object{{"error", message}}) + "\n", code};
  return {"talaria: " + message + "\nSee 'talaria " + std::string(name) +
              (name.empty() ? "" : " ") + "--help'.\n",
          code, true};
}

ShowText usage_error(const std::string& message, const CommandInfo& command, bool as_json) {
  return usage_error(message, command.name, as_json, command.usage_code);
}

// `arguments` do not begin with a command.
ShowText without_command(const std::vector<CommandInfo>& commands,
                         const std::vector<std::string>& arguments) {
  const auto has = [&](std::string_view argument) {
    return std::ranges::find(arguments, argument) != arguments.end();
  };
  if (arguments.empty()) return {overview(commands), kBadUsage, true};
  const std::string& first = arguments.front();
  const std::string_view group = group_summary(first).empty() ? "" : std::string_view(first);
  if (!group.empty() && arguments.size() == 1) return {overview(commands, group), kBadUsage, true};
  const std::string& typed = group.empty() ? first : arguments[1];
  if (typed == "-h" || typed == "--help") return {overview(commands, group)};
  if (typed == "--version") return {"talaria " + std::string(kVersion) + "\n"};

  std::vector<std::string_view> names;
  std::string list;
  for (const CommandInfo& command : commands) {
    if (command.hidden || !in_group(command, group)) continue;
    const std::string_view name = group.empty() ? command.name.substr(0, command.name.find(' '))
                                                : command.name.substr(group.size() + 1);
    if (!names.empty() && names.back() == name) continue;
    names.push_back(name);
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  const bool is_option = typed.starts_with("-");
  if (is_option && !group.empty()) {
    return usage_error("'" + first + "' requires a command before '" + typed + "': one of " + list,
                       group, has("--json"));
  }
  std::string hint = did_you_mean(typed, names);
  if (hint.empty() && !is_option && !group.empty()) hint = ". Commands: " + list;
  return usage_error(std::string(is_option ? "unknown option '" : "unknown command '") +
                         (group.empty() ? "" : std::string(group) + " ") + typed + "'" + hint,
                     group, has("--json"));
}

}  // namespace

CommandLine parse_command_line(std::vector<std::string> arguments) {
  const std::vector<CommandInfo> commands = all_commands();
  const CommandInfo* command = find_command(commands, arguments);
  if (!command) return without_command(commands, arguments);
  const auto name_end = arguments.begin() + static_cast<std::ptrdiff_t>(name_size(*command));
  arguments.erase(arguments.begin(), name_end);

  std::vector<std::string> own = arguments;
  if (command->verbatim) split_verbatim(*command, own);
  const bool as_json = std::ranges::find(own, "--json") != own.end();
  try {
    Result<Given> given = parse(*command, std::move(arguments));
    if (!given) return usage_error(given.error().message(), *command, as_json);
    Result<CommandLine> line = command->read(*given);
    if (!line) return usage_error(line.error().message(), *command, as_json);
    return std::move(*line);
  } catch (const CLI::CallForHelp&) {
    return ShowText{help(*command)};
  } catch (const CLI::ArgumentMismatch& error) {
    return usage_error(mismatch(*command, error.what()), *command, as_json);
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what(), *command, as_json);
  }
}

}  // namespace talaria::front::cli
