#include "front/cli/help.h"

#include <algorithm>

#include "base/text.h"
#include "front/cli/commands/commands.h"
#include "front/wrap.h"

namespace talaria::front::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kWidestTerm = 44;

const Terms::value_type kHelpOption{"-h, --help", "Show this help, or the help of a command"};

// ". One of: a, b"; empty if there is no list.
std::string choice_text(std::string_view choices) {
  std::string text;
  while (!choices.empty()) {
    text += (text.empty() ? ". One of: " : ", ") + std::string(next_word(choices));
  }
  return text;
}

// A heading, then terms on the left and meanings on the right.
std::string section(std::string_view heading, const Terms& terms) {
  if (terms.empty()) return "";
  std::size_t widest = 0;
  for (const auto& [term, meaning] : terms) {
    if (term.size() <= kWidestTerm) widest = std::max(widest, term.size());
  }
  const std::size_t column = widest + 4;
  std::string text = "\n" + std::string(heading) + ":\n";
  for (const auto& [term, meaning] : terms) {
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
  for (const std::string_view line : note_lines(notes)) {
    if (line.starts_with(' ')) {
      text += std::string(line) + "\n";
    } else {
      for (const std::string& part : wrapped(line, kWidth)) text += part + "\n";
    }
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

Terms argument_terms(const CommandInfo& command) {
  Terms terms;
  for (const Argument& one : command.arguments) {
    terms.emplace_back(std::string(one.name) + (one.many ? "..." : ""),
                       std::string(one.meaning) + choice_text(one.choices));
  }
  return terms;
}

Terms option_terms(const CommandInfo& command) {
  Terms terms;
  for (const Option& one : command.options) {
    terms.emplace_back((one.brief.empty() ? "" : std::string(one.brief) + ", ") +
                           std::string(one.name) +
                           (one.value.empty() ? "" : " " + std::string(one.value)),
                       std::string(one.meaning) + choice_text(one.choices));
  }
  terms.emplace_back("-h, --help", "Show this help");
  return terms;
}

Terms example_terms(const CommandInfo& command) {
  Terms terms;
  for (const Example& one : command.examples) terms.emplace_back(one.command, one.meaning);
  return terms;
}

Terms exit_code_terms(const CommandInfo& command) {
  Terms terms;
  for (const ExitCodeNote& one : command.exit_codes) terms.emplace_back(one.code, one.meaning);
  return terms;
}

Terms concept_terms() {
  return {{"target", "Where commands run; see the targets below"},
          {"environment", "One live instance of a target, such as a container, with its runner"},
          {"runner", "The program at a target that runs the commands; it outlives `talaria`"},
          {"task",
           "The name under which an agent works; it determines the session and the environment"},
          {"session", "What is kept between the commands of a task: directory, variables, ..."},
          {"process", "A command in the background; `talaria ps` lists all processes"},
          {"approval request", "A command that waits for approval; see `talaria approvals`"},
          {"grant", "An approval that covers more than one call; see `talaria grants list`"},
          {"link", "The protocol between `talaria` and a runner"},
          {"home", "The directory of TALARIA_HOME, with configuration and state"}};
}

Terms target_terms() {
  return {{"local", "On this machine, as you (default)"},
          {"docker, podman", "In a container that Talaria creates"},
          {"singularity", "In an instance of Apptainer or Singularity"},
          {"ssh", "On another host (TERMINAL_SSH_HOST, TERMINAL_SSH_USER)"},
          {"carrier", "Through a command of yours, such as kubectl exec (TERMINAL_CARRIER)"},
          {"managed", "In a sandbox of an HTTP gateway (MODAL_GATEWAY_URL), such as talaria serve"},
          {"modal", "In a sandbox of your account at Modal"},
          {"daytona", "In a sandbox of your account at Daytona"}};
}

Terms variable_terms() {
  return {{"TERMINAL_ENV", "Target of commands (default: local)"},
          {"TALARIA_HOME",
           "Directory of the configuration and of Talaria's files (default: the value of "
           "HERMES_HOME, or else ~/.hermes)"},
          {"NO_COLOR", "If set and not empty, turns colours off"}};
}

Terms file_terms() {
  return {{"~/.hermes/config.yaml", "Settings; `talaria config --all` lists all settings"},
          {"~/.hermes/.env", "Settings as NAME=value; they override config.yaml"},
          {"~/.hermes/talaria/", "Talaria's own files: runners, sessions, output"}};
}

std::vector<std::string> usage_forms(const CommandInfo& command) {
  const std::string name = "talaria " + std::string(command.name) + " ";
  std::vector<std::string> forms;
  for (const std::string_view form : command.usage) forms.push_back(name + std::string(form));
  if (!forms.empty()) return forms;
  std::string all = name + "[OPTIONS]";
  for (const auto& [argument, meaning] : argument_terms(command)) all += " " + argument;
  return {all};
}

std::vector<std::string_view> note_lines(std::string_view notes) {
  std::vector<std::string_view> lines;
  while (!notes.empty()) lines.push_back(next_word(notes, '\n'));
  return lines;
}

std::string help(const CommandInfo& command) {
  std::string usage;
  for (const std::string& form : usage_forms(command)) {
    usage += (usage.empty() ? "Usage: " : "       ") + form + "\n";
  }
  return std::string(command.summary) + ".\n\n" + usage +
         section("Arguments", argument_terms(command)) + section("Options", option_terms(command)) +
         paragraphs(command.notes) + section("Examples", example_terms(command)) +
         section("Exit codes", exit_code_terms(command));
}

std::string overview(const std::vector<CommandInfo>& commands, std::string_view group) {
  Terms names, examples, exit_codes;
  for (const CommandInfo& command : commands) {
    if (command.hidden || !in_group(command, group)) continue;
    names.emplace_back(command.name, command.summary);
    if (exit_codes.empty()) exit_codes = exit_code_terms(command);  // the same for the whole group
    for (auto& example : example_terms(command)) examples.push_back(std::move(example));
  }
  if (!group.empty()) {
    return std::string(group_summary(group)) + ".\n\nUsage: talaria " + std::string(group) +
           " COMMAND ...\n" + section("Commands", names) + section("Options", {kHelpOption}) +
           section("Examples", examples) + section("Exit codes", exit_codes);
  }
  return std::string(kAbout) + "\n\nUsage: talaria COMMAND ...\n" + section("Commands", names) +
         section("Options", {{"--version", "Show the version"}, kHelpOption}) +
         section("Terms", concept_terms()) + section("Targets", target_terms()) +
         section("Environment variables", variable_terms()) +
         "\n'talaria COMMAND --help' shows the options, examples and exit codes of a command.\n";
}

}  // namespace talaria::front::cli
