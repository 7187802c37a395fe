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

// The options of `exec` that are followed by a value. Needed to find where the command begins,
// which CLI11 cannot be told in a way that keeps every word of it as it is.
constexpr auto kExecValueOptions =
    std::to_array<std::string_view>({"--task", "--timeout", "--workdir"});

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
      return "Usage: talaria call [--task NAME] TOOL JSON\n       talaria call --lines\n";
    }
    return "Usage: talaria exec|call ...\n";
  }
};

// The options as CLI11 fills them in.
struct Parser {
  Parser() {
    app.name("talaria");
    for (CLI::App* command : {&app, exec, call}) {
      command->formatter(std::make_shared<HelpFormatter>());
      command->set_help_flag("-h,--help", "Show this help");
    }
    app.set_version_flag("--version", "talaria " + std::string(kVersion), "Show the version");
    app.require_subcommand(1);
    app.footer(kExamples);

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

    call->footer(kCallNotes);
    call->add_option("TOOL", call_options.tool, "Which tool")->type_name("");
    call->add_option("JSON", call_options.arguments, "Its arguments, an object")->type_name("");
    call->add_option_function<std::string>(
            "--task", [this](const std::string& text) { call_options.task = read_task(text); },
            "The task the call belongs to")
        ->type_name("NAME");
    call->add_flag("--lines", lines, "Serve JSON lines on standard input and output");
  }

  CLI::App app{kAbout};
  CLI::App* exec = app.add_subcommand("exec", "Run a command and show its output");
  CLI::App* call = app.add_subcommand("call", "Call a tool as an agent does");
  ExecOptions exec_options;
  CallOptions call_options;
  bool lines = false;
};

CommandLine chosen(Parser& parser, std::vector<std::string> command) {
  if (parser.exec->parsed()) {
    if (command.empty()) throw CLI::RequiredError("COMMAND");
    parser.exec_options.words = std::move(command);
    return std::move(parser.exec_options);
  }
  if (parser.lines) {
    if (!parser.call_options.tool.empty() || !parser.call_options.task.empty()) {
      throw CLI::ValidationError("--lines", "each line names its own tool and task");
    }
    return LinesOptions{};
  }
  if (parser.call_options.tool.empty()) throw CLI::RequiredError("TOOL");
  if (parser.call_options.arguments.empty()) throw CLI::RequiredError("JSON");
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
    if (first != "exec" && first != "call" && !first.starts_with("-")) {
      throw CLI::ParseError("no command '" + first + "'; there is: exec, call", kBadUsage);
    }
    std::ranges::reverse(words);  // CLI11 takes them off the end
    parser.app.parse(std::move(words));
    return chosen(parser, std::move(command));
  } catch (const CLI::Success& asked) {  // --help or --version
    std::ostringstream text;
    parser.app.exit(asked, text, text);
    return ShowText{text.str()};
  } catch (const CLI::ParseError& wrong) {
    const bool known = first == "exec" || first == "call";
    return ShowText{"talaria: " + std::string(wrong.what()) + "\nSee 'talaria " +
                        (known ? first + " " : "") + "--help'.\n",
                    first == "exec" ? kExecFailed : kBadUsage};
  }
}

}  // namespace talaria
