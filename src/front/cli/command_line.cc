#include "front/cli/command_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/limits.h"
#include "base/version.h"

namespace talaria {
namespace {

constexpr const char* kAbout =
    "Talaria runs an AI agent's commands, here or at a target, and keeps their sessions.";

constexpr const char* kExamples =
    "Examples:\n"
    "  talaria exec make test                     run a command here, see its output\n"
    "  talaria exec --task blog 'cd site; ls'     in a session that remembers its directory\n"
    "  talaria call terminal '{\"command\":\"ls\"}'   one tool call, its result as JSON\n"
    "  talaria call --lines                       serve a client that writes JSON lines\n"
    "  talaria config                             what is set, and where\n"
    "\n"
    "TERMINAL_ENV names the target (local), TALARIA_HOME where Talaria keeps its files.";

constexpr const char* kExecNotes =
    "One COMMAND word is shell text; several are quoted each and joined, so that\n"
    "  talaria exec 'echo $HOME | wc -c'    is a pipeline, and\n"
    "  talaria exec echo '$HOME'            prints $HOME.\n"
    "Options end at the first word of the command, or at --.\n"
    "\n"
    "Exit code: the command's own; 128+N if signal N killed it; 124 after --timeout; 130 after\n"
    "Ctrl-C (a second Ctrl-C does not wait); 125 if Talaria failed; 126 if policy refused.";

constexpr const char* kCallNotes =
    "Exit code: 0 if the result has no error, 1 if it has one, 2 for bad usage.\n"
    "\n"
    "With --lines, one JSON object per line comes in and goes out, many calls at once:\n"
    "  {\"id\":1,\"tool\":\"terminal\",\"args\":{\"command\":\"ls\"},\"task\":\"t\"}\n"
    "  {\"id\":2,\"cancel\":1}\n"
    "  {\"id\":3,\"method\":\"env.list\"}\n"
    "answered by {\"id\":1,\"result\":{...}} or "
    "{\"id\":1,\"error\":{\"kind\":\"...\",\"message\":\"...\"}}.";

constexpr const char* kConfigNotes =
    "In order of weight: flags, environment, <home>/.env, <home>/config.yaml. Secrets are masked.\n"
    "Exit code: 0; 1 if a value makes no sense or a file cannot be read, so that no call would\n"
    "run; 2 for bad usage.";

// The options of `exec` that are followed by a value. Needed to find where the command begins,
// which CLI11 cannot be told in a way that keeps every word of it as it is.
constexpr auto kExecValueOptions =
    std::to_array<std::string_view>({"--target", "--task", "--timeout", "--workdir"});

constexpr auto kCommands = std::to_array<std::string_view>({"exec", "call", "config"});

bool is_command(std::string_view word) {
  return std::ranges::find(kCommands, word) != kCommands.end();
}

// Takes the command's words off the end of `words`, which begin with "exec".
std::vector<std::string> split_command(std::vector<std::string>& words) {
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with("-") && words[at] != "--") {
    at += std::ranges::find(kExecValueOptions, words[at]) != kExecValueOptions.end() ? 2 : 1;
  }
  at = std::min(at, words.size());
  const std::size_t skip = at < words.size() && words[at] == "--" ? 1 : 0;
  std::vector<std::string> command(words.begin() + static_cast<std::ptrdiff_t>(at + skip),
                                   words.end());
  words.resize(at);
  return command;
}

// Seconds with a fraction, in range. Throws what CLI11 turns into a usage error.
std::chrono::milliseconds read_timeout(const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0.001) ||
      seconds > static_cast<double>(kMaxDuration.count())) {
    throw CLI::ValidationError("--timeout", "expected seconds, from 0.001 to " +
                                                std::to_string(kMaxDuration.count()) + ", got '" +
                                                text + "'");
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

std::string read_task(const std::string& task) {
  if (task.empty() || task.size() > kMaxTaskBytes) {
    throw CLI::ValidationError("--task",
                               "expected 1 to " + std::to_string(kMaxTaskBytes) + " bytes");
  }
  return task;
}

// CLI11's help, with a usage line that shows what it does not know: the words after the options.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    if (app->get_name() == "exec") return "Usage: talaria exec [OPTIONS] [--] COMMAND...\n";
    if (app->get_name() == "call") {
      return "Usage: talaria call [OPTIONS] TOOL JSON\n       talaria call [OPTIONS] --lines\n";
    }
    if (app->get_name() == "config") return "Usage: talaria config [OPTIONS]\n";
    return "Usage: talaria exec|call|config ...\n";
  }
};

// The options as CLI11 fills them in.
struct Parser {
  Parser() {
    app.name("talaria");
    for (CLI::App* command : {&app, exec, call, config}) {
      command->formatter(std::make_shared<HelpFormatter>());
      command->set_help_flag("-h,--help", "Show this help");
    }
    app.set_version_flag("--version", "talaria " + std::string(kVersion), "Show the version");
    app.require_subcommand(1);
    app.footer(kExamples);

    add_exec();
    add_call();
    add_config();
  }

  void add_exec() {
    exec->footer(kExecNotes);
    exec->add_option_function<std::string>(
            "--task", [this](const std::string& text) { exec_options.task = read_task(text); },
            "Resume this task's session: its directory, variables, functions")
        ->type_name("NAME");
    exec->add_option_function<std::string>(
            "--timeout",
            [this](const std::string& text) { exec_options.timeout = read_timeout(text); },
            "Kill the command after this long (default: never)")
        ->type_name("SECONDS");
    exec->add_option_function<std::string>(
            "--workdir", [this](const std::string& text) { exec_options.workdir = text; },
            "Run in this directory; the session's own does not change")
        ->type_name("DIR");
    exec->add_flag("--json", exec_options.json, "Print the terminal tool's result instead");
    exec->add_flag(
        "--stdin", exec_options.pass_stdin,
        "Read standard input to its end and pass it on (default: the command gets none)");
    add_setting(exec, {"TERMINAL_ENV", "--target", "NAME", "Run there instead of TERMINAL_ENV"});
  }

  void add_call() {
    call->footer(kCallNotes);
    call->add_option("TOOL", call_options.tool, "Which tool")->type_name("");
    call->add_option("JSON", call_options.arguments, "Its arguments, an object")->type_name("");
    call->add_option_function<std::string>(
            "--task", [this](const std::string& text) { call_options.task = read_task(text); },
            "The task the call belongs to")
        ->type_name("NAME");
    call->add_flag("--lines", lines, "Serve JSON lines on standard input and output");
    add_settings(call);
  }

  void add_config() {
    config->footer(kConfigNotes);
    config->add_flag("--json", config_options.json, "Everything, as one line of JSON");
    config->add_flag("--all", config_options.all, "Also what does not count for the target now");
    config->add_flag("--doc", config_options.doc, "Every setting there is, as a markdown table");
    add_settings(config);
  }

  // A flag that stands for a setting.
  struct SettingFlag {
    std::string_view setting;
    std::string_view flag;
    const char* value_name;
    const char* meaning;
  };

  void add_settings(CLI::App* command) {
    for (const SettingFlag& flag :
         {SettingFlag{"TERMINAL_ENV", "--target", "NAME", "Instead of TERMINAL_ENV: where to run"},
          {"TERMINAL_CWD", "--cwd", "DIR", "Instead of TERMINAL_CWD: where new sessions start"},
          {"TERMINAL_TIMEOUT", "--timeout", "SECONDS",
           "Instead of TERMINAL_TIMEOUT: for calls that do not say"}}) {
      add_setting(command, flag);
    }
  }

  void add_setting(CLI::App* command, const SettingFlag& flag) {
    command
        ->add_option_function<std::string>(
            std::string(flag.flag),
            [this, flag](const std::string& text) {
              settings.push_back({flag.setting, flag.flag, text});
            },
            flag.meaning)
        ->type_name(flag.value_name);
  }

  CLI::App app{kAbout};
  CLI::App* exec = app.add_subcommand("exec", "Run a command and show its output");
  CLI::App* call = app.add_subcommand("call", "Call a tool as an agent does");
  CLI::App* config = app.add_subcommand("config", "Show what is set, and where it was set");
  ExecOptions exec_options;
  CallOptions call_options;
  ConfigOptions config_options;
  std::vector<ConfigFlag> settings;
  bool lines = false;
};

CommandLine chosen(Parser& parser, std::vector<std::string> command) {
  if (parser.exec->parsed()) {
    if (command.empty()) throw CLI::RequiredError("COMMAND");
    parser.exec_options.words = std::move(command);
    parser.exec_options.settings = std::move(parser.settings);
    return std::move(parser.exec_options);
  }
  if (parser.config->parsed()) {
    if (parser.config_options.json && parser.config_options.doc) {
      throw CLI::ValidationError("--doc", "it is markdown; leave out --json");
    }
    parser.config_options.settings = std::move(parser.settings);
    return std::move(parser.config_options);
  }
  if (parser.lines) {
    if (!parser.call_options.tool.empty() || !parser.call_options.task.empty()) {
      throw CLI::ValidationError("--lines", "each line names its own tool and task");
    }
    return LinesOptions{std::move(parser.settings)};
  }
  if (parser.call_options.tool.empty()) throw CLI::RequiredError("TOOL");
  if (parser.call_options.arguments.empty()) throw CLI::RequiredError("JSON");
  parser.call_options.settings = std::move(parser.settings);
  return std::move(parser.call_options);
}

}  // namespace

CommandLine parse_command_line(std::vector<std::string> words) {
  Parser parser;
  if (words.empty()) return ShowText{parser.app.help(), kBadUsage};
  const std::string first = words.front();
  std::vector<std::string> command;
  if (first == "exec") command = split_command(words);

  try {
    if (!is_command(first) && !first.starts_with("-")) {
      throw CLI::ParseError("no command '" + first + "'; there is: exec, call, config", kBadUsage);
    }
    std::ranges::reverse(words);  // CLI11 takes them off the end
    parser.app.parse(std::move(words));
    return chosen(parser, std::move(command));
  } catch (const CLI::Success& asked) {  // --help or --version
    std::ostringstream text;
    parser.app.exit(asked, text, text);
    return ShowText{text.str()};
  } catch (const CLI::ParseError& wrong) {
    return ShowText{"talaria: " + std::string(wrong.what()) + "\nSee 'talaria " +
                        (is_command(first) ? first + " " : "") + "--help'.\n",
                    first == "exec" ? kExecFailed : kBadUsage};
  }
}

}  // namespace talaria
