#include "front/cli/command_line.h"

#include <talaria/version.h>

#include <algorithm>
#include <span>
#include <utility>

#include <CLI/CLI.hpp>

#include "front/cli/commands/commands.h"
#include "front/cli/help.h"
#include "front/cli/nearest.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

// Takes the words that are no options of the command's off the end of `words`. CLI11 cannot be told
// to leave them alone.
std::vector<std::string> split_verbatim(const CommandInfo& command,
                                        std::vector<std::string>& words) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with("-") && words[at] != "--") {
    const Option* option = command.find_option(words[at]);
    at += option && !option->value.empty() ? 2 : 1;
  }
  at = std::min(at, words.size());
  const std::size_t skip = at < words.size() && words[at] == "--" ? 1 : 0;
  std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(at + skip),
                                words.end());
  words.resize(at);
  return rest;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& words) {
  const std::string_view meant = nearest(typed, words);
  return meant.empty() ? "" : "; did you mean '" + std::string(meant) + "'?";
}

std::string unexpected(const CommandInfo& command, const std::string& word) {
  if (!word.starts_with("-")) return "'" + word + "' is a word too many";
  std::vector<std::string_view> names{"--help"};
  for (const Option& option : command.options) names.push_back(option.name);
  return "no option '" + word + "'" + did_you_mean(word.substr(0, word.find('=')), names);
}

// What CLI11 says of an option that takes a value begins with its name.
std::string mismatch(const CommandInfo& command, const std::string& said) {
  const std::string name = said.substr(0, said.find(':'));
  const Option* option = command.find_option(name);
  if (!option) return said;
  if (said.contains("received")) return name + ": given more than once";
  return name + ": " + std::string(option->value) + " is required";
}

// "--json" of "--json=x"; empty: there is no such word.
std::string flag_with_value(const CommandInfo& command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    const Option* option = command.find_option(name);
    if (option && option->value.empty() && name != word) return name;
  }
  return "";
}

// Throws what CLI11 throws.
Result<Given> parse(const CommandInfo& command, std::vector<std::string> words) {
  Given given;
  if (command.verbatim) given.words = split_verbatim(command, words);
  if (const std::string flag = flag_with_value(command, words); !flag.empty()) {
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
      app.add_option(name, given.words);
    } else {
      app.add_option_function<std::string>(name, [&given, &argument](const std::string& value) {
        given.values[argument.name] = value;
      });
    }
  }
  std::ranges::reverse(words);  // CLI11 takes them off the end
  app.parse(std::move(words));
  for (const std::string& extra : app.remaining()) {
    if (extra != "--") return fail(ErrorKind::bad_request, unexpected(command, extra));
  }
  return given;
}

ShowText wrong(const std::string& message, const CommandInfo* command, bool as_json) {
  const int code = command ? command->usage_code : kBadUsage;
  if (as_json) return {to_line(json::object{{"error", message}}) + "\n", code};
  return {"talaria: " + message + "\nSee 'talaria " +
              (command ? std::string(command->name) + " " : "") + "--help'.\n",
          code, true};
}

// `words` begin with no command.
ShowText without_command(const std::vector<CommandInfo>& commands,
                         const std::vector<std::string>& words) {
  const auto has = [&](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  if (words.empty()) return {overview(commands), kBadUsage, true};
  const std::string& first = words.front();
  const std::string_view group = group_summary(first).empty() ? "" : std::string_view(first);
  if (!group.empty() && words.size() == 1) return {overview(commands, group), kBadUsage, true};
  const std::string& odd = group.empty() ? first : words[1];
  if (odd == "-h" || odd == "--help") return {overview(commands, group)};
  if (odd == "--version") return {"talaria " + std::string(kVersion) + "\n"};

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
  const bool is_option = odd.starts_with("-");
  if (is_option && !group.empty()) {
    return wrong("a command of '" + first + "' is required before '" + odd + "'; there is: " + list,
                 nullptr, has("--json"));
  }
  std::string hint = did_you_mean(odd, names);
  if (hint.empty() && !is_option) hint = "; there is: " + list;
  return wrong(std::string(is_option ? "no option '" : "no command '") +
                   (group.empty() ? "" : std::string(group) + " ") + odd + "'" + hint,
               nullptr, has("--json"));
}

}  // namespace

CommandLine parse_command_line(std::vector<std::string> words) {
  const std::vector<CommandInfo> commands = all_commands();
  const CommandInfo* command = find_command(commands, words);
  if (!command) return without_command(commands, words);
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(name_size(*command)));

  std::vector<std::string> own = words;
  if (command->verbatim) split_verbatim(*command, own);
  const bool as_json = std::ranges::find(own, "--json") != own.end();
  try {
    Result<Given> given = parse(*command, std::move(words));
    if (!given) return wrong(given.error().message(), command, as_json);
    Result<CommandLine> line = command->read(*given);
    if (!line) return wrong(line.error().message(), command, as_json);
    return std::move(*line);
  } catch (const CLI::CallForHelp&) {
    return ShowText{help(*command)};
  } catch (const CLI::ArgumentMismatch& error) {
    return wrong(mismatch(*command, error.what()), command, as_json);
  } catch (const CLI::ParseError& error) {
    return wrong(error.what(), command, as_json);
  }
}

}  // namespace talaria::front::cli
