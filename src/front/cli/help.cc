#include "front/cli/help.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "front/cli/commands/commands.h"
#include "front/cli/wrap.h"

namespace talaria::front::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kWidestTerm = 44;

using Pairs = std::vector<std::pair<std::string, std::string>>;  // a term and its meaning

const Pairs::value_type kHelpOption{"-h, --help",
                                    "Show this help; behind a command, all about that"};

Pairs pairs(const std::vector<ExitCodeNote>& notes) {
  Pairs pairs;
  for (const ExitCodeNote& one : notes) pairs.emplace_back(one.code, one.meaning);
  return pairs;
}

// A heading and what stands below it: terms on the left, meanings on the right.
std::string section(std::string_view heading, const Pairs& pairs) {
  if (pairs.empty()) return "";
  std::size_t widest = 0;
  for (const auto& [term, meaning] : pairs) {
    if (term.size() <= kWidestTerm) widest = std::max(widest, term.size());
  }
  const std::size_t column = widest + 4;
  std::string text = "\n" + std::string(heading) + ":\n";
  for (const auto& [term, meaning] : pairs) {
    std::string line = "  " + term;
    if (line.size() + 2 > column) {
      text += line + "\n";
      line.clear();
    }
    for (const std::string& part : wrapped(meaning, kWidth - column)) {
      line.resize(column, ' ');
      text += line + part + "\n";
      line.clear();
    }
  }
  return text;
}

std::string paragraphs(std::string_view notes) {
  std::string text;
  while (!notes.empty()) {
    const std::string_view line = notes.substr(0, notes.find('\n'));
    notes.remove_prefix(std::min(line.size() + 1, notes.size()));
    if (line.starts_with(' ')) {
      text += std::string(line) + "\n";
    } else {
      for (const std::string& part : wrapped(line, kWidth)) text += part + "\n";
    }
  }
  return text.empty() ? "" : "\n" + text;
}

Pairs option_pairs(const std::vector<Option>& options) {
  Pairs pairs;
  for (const Option& option : options) {
    pairs.emplace_back((option.brief.empty() ? "" : std::string(option.brief) + ", ") +
                           std::string(option.name) +
                           (option.value.empty() ? "" : " " + std::string(option.value)),
                       option.meaning);
  }
  pairs.emplace_back("-h, --help", "Show this help");
  return pairs;
}

std::string usage(const CommandInfo& command) {
  std::string text;
  for (const std::string_view form : command.usage) {
    text += (text.empty() ? "Usage: talaria " : "       talaria ") + std::string(command.name) +
            " " + std::string(form) + "\n";
  }
  return text;
}

}  // namespace

std::string help(const CommandInfo& command) {
  Pairs arguments, examples;
  for (const Argument& one : command.arguments) arguments.emplace_back(one.name, one.meaning);
  for (const Example& one : command.examples) examples.emplace_back(one.command, one.meaning);
  return std::string(command.summary) + ".\n\n" + usage(command) + section("Arguments", arguments) +
         section("Options", option_pairs(command.options)) + paragraphs(command.notes) +
         section("Examples", examples) + section("Exit codes", pairs(command.exit_codes));
}

std::string overview(const std::vector<CommandInfo>& commands, std::string_view group) {
  Pairs names, examples, exit_codes;
  for (const CommandInfo& command : commands) {
    if (command.hidden || !in_group(command, group)) continue;
    names.emplace_back(command.name, command.summary);
    if (exit_codes.empty()) exit_codes = pairs(command.exit_codes);  // a group's are the same
    for (const Example& one : command.examples) {
      examples.emplace_back(one.command, one.meaning);
      if (group.empty()) break;  // the first of each is enough
    }
  }
  if (!group.empty()) {
    return std::string(group_summary(group)) + ".\n\nUsage: talaria " + std::string(group) +
           " COMMAND ...\n" + section("Commands", names) + section("Options", {kHelpOption}) +
           section("Examples", examples) + section("Exit codes", exit_codes);
  }
  Pairs variables;
  for (const Outside& one : outside_variables()) variables.emplace_back(one.name, one.meaning);
  return std::string(kAbout) + "\n\nUsage: talaria COMMAND ...\n" + section("Commands", names) +
         section("Options", {{"--version", "Show the version"}, kHelpOption}) +
         section("Examples", examples) + section("Environment", variables);
}

std::vector<Outside> outside_variables() {
  return {{"TERMINAL_ENV", "The target commands run at (local)"},
          {"TALARIA_HOME", "Where the configuration is, and Talaria's files (~/.hermes)"},
          {"NO_COLOR", "Not empty: no colours, also on a terminal"}};
}

std::vector<Outside> outside_files() {
  return {{"~/.hermes/config.yaml", "Settings; talaria config --all lists them"},
          {"~/.hermes/.env", "Settings as NAME=value, which weigh more"},
          {"~/.hermes/talaria/", "What Talaria keeps: runners, sessions, output"}};
}

}  // namespace talaria::front::cli
