#include "front/cli/command_line.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/cli/commands/commands.h"
#include "front/cli/help.h"

namespace talaria::front::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string shown(const std::vector<GivenSetting>& settings) {
  std::string text;
  for (const GivenSetting& one : settings) {
    text += " " + one.place + ":" + one.name + "=" + one.value;
  }
  return text;
}

// What was chosen, in one line.
std::string shown(const CommandLine& line) {
  if (const auto* text = std::get_if<ShowText>(&line)) {
    return std::to_string(text->exit_code) + (text->is_error ? "! " : " ") + text->text;
  }
  if (const auto* call = std::get_if<CallOptions>(&line)) {
    return "call " + call->tool + " " + call->arguments + " task=" + call->task +
           shown(call->settings);
  }
  if (const auto* code = std::get_if<CodeOptions>(&line)) {
    return "code " + code->file + " task=" + code->task + (code->json ? " json" : "") +
           shown(code->settings);
  }
  if (const auto* lines = std::get_if<LinesOptions>(&line)) return "lines" + shown(lines->settings);
  if (const auto* config = std::get_if<ConfigOptions>(&line)) {
    return std::string("config") + (config->json ? " json" : "") + (config->doc ? " doc" : "") +
           (config->all ? " all" : "") + shown(config->settings);
  }
  if (const auto* tools = std::get_if<ToolsOptions>(&line))
    return tools->json ? "tools json" : "tools";
  if (const auto* version = std::get_if<VersionOptions>(&line)) {
    return version->json ? "version json" : "version";
  }
  if (const auto* script = std::get_if<CompletionOptions>(&line)) {
    return "completion " + script->format;
  }
  if (const auto* complete = std::get_if<CompleteOptions>(&line)) {
    return "complete " + testing::PrintToString(complete->arguments);
  }
  if (const auto* list = std::get_if<EnvListOptions>(&line))
    return list->json ? "list json" : "list";
  if (const auto* show = std::get_if<EnvShowOptions>(&line)) return "show " + show->id;
  if (const auto* remove = std::get_if<EnvRemoveOptions>(&line)) {
    return "rm " + (remove->all ? "all" : remove->id) + (remove->force ? " force" : "") +
           (remove->yes ? " yes" : "");
  }
  if (const auto* override = std::get_if<EnvOverrideOptions>(&line)) {
    std::string text = "override " + override->task + (override->clear ? " clear" : "");
    for (const auto& [key, value] : override->overrides) text += " " + key + ":" + value;
    return text;
  }
  if (const auto* stop = std::get_if<StopOptions>(&line))
    return stop->force ? "stop force" : "stop";
  if (const auto* doctor = std::get_if<DoctorOptions>(&line)) {
    return doctor->reap ? "doctor reap" : "doctor";
  }
  const auto& exec = std::get<ExecOptions>(line);
  std::string text = "exec";
  for (const std::string& word : exec.arguments) text += " [" + word + "]";
  if (exec.task) text += " task=" + *exec.task;
  if (exec.workdir) text += " workdir=" + *exec.workdir;
  if (exec.timeout.count() > 0) text += " ms=" + std::to_string(exec.timeout.count());
  if (exec.json) text += " json";
  if (exec.pass_stdin) text += " stdin";
  return text + shown(exec.settings);
}

TEST(CommandLine, SaysWhatToDo) {
  const struct {
    std::vector<std::string> words;
    std::string expected;
  } cases[] = {
      {{"exec", "ls"}, "exec [ls]"},
      {{"exec", "ls -la | wc"}, "exec [ls -la | wc]"},
      {{"exec", "ls", "-la", "--json", "--", "x"}, "exec [ls] [-la] [--json] [--] [x]"},
      {{"exec", "--", "-weird", "--"}, "exec [-weird] [--]"},
      {{"exec", "--json", "--stdin", "ls"}, "exec [ls] json stdin"},
      {{"exec", "--task", "t", "--workdir", "/d", "--timeout", "1.5", "ls"},
       "exec [ls] task=t workdir=/d ms=1500"},
      {{"exec", "--task=t", "--timeout=2", "ls"}, "exec [ls] task=t ms=2000"},
      {{"exec", "--task", "--", "--", "ls"}, "exec [ls] task=--"},
      {{"exec", ""}, "exec []"},
      {{"call", "terminal", "{}"}, "call terminal {} task="},
      {{"call", "--task", "t", "terminal", "{}"}, "call terminal {} task=t"},
      {{"call", "terminal", "{}", "--task", "t"}, "call terminal {} task=t"},
      {{"call", "--lines"}, "lines"},
      {{"exec", "--target", "local", "ls", "--target", "x"},
       "exec [ls] [--target] [x] --target:TERMINAL_ENV=local"},
      {{"exec", "--target=local", "ls"}, "exec [ls] --target:TERMINAL_ENV=local"},
      {{"call", "--target", "ssh", "--cwd", "/d", "--timeout", "5", "terminal", "{}"},
       "call terminal {} task= --target:TERMINAL_ENV=ssh --cwd:TERMINAL_CWD=/d "
       "--timeout:TERMINAL_TIMEOUT=5"},
      {{"call", "--lines", "--cwd", "/d"}, "lines --cwd:TERMINAL_CWD=/d"},
      {{"config"}, "config"},
      {{"config", "--json", "--all"}, "config json all"},
      {{"config", "--doc"}, "config doc"},
      {{"config", "--target", "docker"}, "config --target:TERMINAL_ENV=docker"},
      {{"call", "--", "terminal", "{}"}, "call terminal {} task="},
      {{"tools"}, "tools"},
      {{"tools", "--json"}, "tools json"},
      {{"version"}, "version"},
      {{"env", "list", "--json"}, "list json"},
      {{"env", "show", "local"}, "show local"},
      {{"env", "rm", "--force", "x", "--yes"}, "rm x force yes"},
      {{"env", "rm", "--all", "--yes"}, "rm all yes"},
      {{"env", "override", "t", "cwd=/a=b", "env_type="}, "override t cwd:/a=b env_type:"},
      {{"env", "override", "t", "--clear"}, "override t clear"},
      {{"env", "override", "t"}, "override t"},
      {{"stop", "--all"}, "stop"},
      {{"stop", "--all", "--force"}, "stop force"},
      {{"doctor"}, "doctor"},
      {{"doctor", "--reap"}, "doctor reap"},
      {{"version", "--json"}, "version json"},
      {{"completion", "fish"}, "completion fish"},
      {{"completion", "markdown"}, "completion markdown"},
      {{"complete", "--", "exec", "--ta"}, "complete { \"exec\", \"--ta\" }"},
      {{"--version"},
       "0 talaria "
       "0.1.0\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.words));
    EXPECT_EQ(shown(parse_command_line(c.words)), c.expected);
  }
}

TEST(CommandLine, SaysWhatIsWrongAndWhereToLook) {
  const std::string exec_help = "\nSee 'talaria exec --help'.\n";
  const std::string call_help = "\nSee 'talaria call --help'.\n";
  const struct {
    std::vector<std::string> words;
    std::string expected;
  } cases[] = {
      {{"bogus"}, "2! talaria: unknown command 'bogus'\nSee 'talaria --help'.\n"},
      {{"confg"},
       "2! talaria: unknown command 'confg'; did you mean 'config'?\nSee 'talaria --help'.\n"},
      {{"--bogus"}, "2! talaria: unknown option '--bogus'\nSee 'talaria --help'.\n"},
      {{"bogus", "--json"}, "2 {\"error\":\"unknown command 'bogus'\"}\n"},
      {{"exec"}, "125! talaria: COMMAND is required" + exec_help},
      {{"exec", "--"}, "125! talaria: COMMAND is required" + exec_help},
      {{"exec", "--bogus", "ls"}, "125! talaria: unknown option '--bogus'" + exec_help},
      {{"exec", "--tiemout=5", "ls"},
       "125! talaria: unknown option '--tiemout=5'; did you mean '--timeout'?" + exec_help},
      {{"exec", "--timeout"}, "125! talaria: --timeout: TIME is required" + exec_help},
      {{"exec", "--timeout", "0", "ls"},
       "125! talaria: --timeout: expected a time above 0, such as 90s, 5m or 2h, got '0'" +
           exec_help},
      {{"exec", "--timeout", "1000000001", "ls"},
       "125! talaria: --timeout: expected a time of at most 1000000000 seconds, got '1000000001'" +
           exec_help},
      {{"exec", "--timeout", "-1", "ls"},
       "125! talaria: --timeout: expected a time such as 90s, 5m or 2h, got '-1'" + exec_help},
      {{"exec", "--timeout", "nan", "ls"},
       "125! talaria: --timeout: expected a time such as 90s, 5m or 2h, got 'nan'" + exec_help},
      {{"exec", "--timeout", "5min", "ls"},
       "125! talaria: --timeout: expected a time such as 90s, 5m or 2h, got '5min'" + exec_help},
      {{"exec", "--json", "--timeout", "5min", "ls"},
       "125 {\"error\":\"--timeout: expected a time such as"},
      {{"exec", "--timeout", "5min", "ls", "--json"},
       "125! talaria: --timeout: expected a time such as"},
      {{"mcp", "--timeout", "5q"},
       "2! talaria: --timeout: expected a time such as 90s, 5m or 2h, got '5q'"},
      {{"mcp", "--timeout", "0"}, "2! talaria: --timeout: expected a time above 0"},
      {{"mcp", "--target", "moon"},
       "2! talaria: --target: expected one of local, docker, podman, singularity, ssh, carrier, "
       "managed, modal, daytona, got 'moon'\nSee 'talaria mcp --help'.\n"},
      {{"doctor", "--check", "moon"}, "2! talaria: --check: expected one of local, docker, "},
      {{"exec", "--task", "", "ls"},
       "125! talaria: --task: expected a name of 1 to 256 bytes, got 0 bytes" + exec_help},
      {{"exec", "--task", std::string(257, 'a'), "ls"},
       "125! talaria: --task: expected a name of 1 to 256 bytes, got 257 bytes" + exec_help},
      {{"call"}, "2! talaria: TOOL is required" + call_help},
      {{"call", "terminal"}, "2! talaria: JSON is required" + call_help},
      {{"call", "terminal", "{}", "x"}, "2! talaria: unexpected argument 'x'" + call_help},
      {{"call", "--lines", "terminal"},
       "2! talaria: --lines cannot be combined with TOOL or --task: each line names its own tool "
       "and task" +
           call_help},
      {{"config", "x"}, "2! talaria: unexpected argument 'x'\nSee 'talaria config --help'.\n"},
      {{"config", "--json", "--doc"},
       "2 {\"error\":\"--doc prints Markdown; it cannot be combined with --json\"}\n"},
      {{"config", "--target"}, "2! talaria: --target: NAME is required"},
      {{"env"}, "2! Manage environments "},
      {{"env", "lst"},
       "2! talaria: unknown command 'env lst'; did you mean 'list'?\nSee 'talaria env --help'.\n"},
      {{"env", "lst", "--json"}, "2 {\"error\":\"unknown command 'env lst'"},
      {{"env", "--json"},
       "2 {\"error\":\"'env' requires a command before '--json': one of list, show, rm, "
       "override\"}\n"},
      {{"exec", "--task", "a", "--task", "b", "ls"},
       "125! talaria: --task: can be used only once" + exec_help},
      {{"tools", "--json=x"}, "2! talaria: --json: takes no value"},
      {{"help", "bogus"}, "2! talaria: unknown command 'bogus'"},
      {{"help", "exec", "ls"}, "2! talaria: unexpected argument 'ls'"},
      {{"env", "override", std::string(257, 'a')},
       "2! talaria: TASK: expected a name of 1 to 256 bytes"},
      {{"env", "show"}, "2! talaria: ID is required\nSee 'talaria env show --help'."},
      {{"env", "override", "t", "cwd"}, "2! talaria: expected KEY=VALUE, got 'cwd'"},
      {{"stop"}, "2! talaria: --all is required"},
      {{"approve", "--covers", "task", "appr_1"},
       "2! talaria: --covers needs --session, --always or --for"},
      {{"approve", "--for", "1", "appr_1"},
       "2! talaria: --for: expected a time with a unit, such as 90s, 30m, 2h or 7d, got '1'"},
      {{"approve", "--for", "0", "appr_1"},
       "2! talaria: --for: expected a time above 0, such as 90s, 30m, 2h or 7d, got '0'"},
      {{"approve", "--for", "99999d", "appr_1"},
       "2! talaria: --for: '99999d' is too long; the maximum is 36500d"},
      {{"audit", "--since", "2026-99-99"},
       "2! talaria: --since: expected a period (90s, 10m, 2h, 7d) or a UTC time, which may be "
       "shortened (2026-11-15T14), got '2026-99-99'"},
      {{"mcp", "instal"},
       "2! talaria: unknown command 'mcp instal'; did you mean 'install'?\nSee 'talaria mcp "
       "--help'.\n"},
      {{"mcp", "serve", "--json"}, "2 {\"error\":\"unknown command 'mcp serve'. Commands: install"},
      {{"deny", "appr_1", "--all"}, "2! talaria: --all cannot be combined with an ID"},
      {{"doctor", "--only", "x"}, "2! talaria: --only requires --check"},
      {{"doctor", "--dry-run"}, "2! talaria: --dry-run requires --reap"},
      {{"completion"}, "2! talaria: FORMAT is required: expected one of bash, zsh, fish"},
      {{"completion", "csh"},
       "2! talaria: FORMAT: expected one of bash, zsh, fish, man, markdown, got 'csh'"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.words));
    EXPECT_THAT(shown(parse_command_line(c.words)), StartsWith(c.expected));
  }
}

TEST(CommandLine, HelpNamesEveryOptionWithExamplesAndExitCodes) {
  for (const CommandInfo& command : all_commands()) {
    if (command.hidden) continue;
    SCOPED_TRACE(command.name);
    std::vector<std::string> words = {std::string(command.name.substr(0, command.name.find(' ')))};
    if (name_size(command) == 2) words.emplace_back(command.name.substr(words[0].size() + 1));
    words.emplace_back("--help");
    const std::string text = shown(parse_command_line(words));
    EXPECT_THAT(text, StartsWith("0 " + std::string(command.summary)));
    for (const Option& option : command.options) {
      const std::string brief = option.brief.empty() ? "" : std::string(option.brief) + ", ";
      EXPECT_THAT(text, HasSubstr("\n  " + brief + std::string(option.name) + " "));
    }
    ASSERT_FALSE(command.examples.empty());
    EXPECT_THAT(text, HasSubstr("\nExamples:\n  " + std::string(command.examples[0].command)));
    ASSERT_FALSE(command.exit_codes.empty());
    EXPECT_THAT(text, HasSubstr("\nExit codes:\n"));
    words.back() = "-h";
    EXPECT_EQ(shown(parse_command_line(words)), text);
  }
}

TEST(CommandLine, HelpIsAlsoACommand) {
  const struct {
    std::vector<std::string> words, same_as;
  } cases[] = {
      {{"help"}, {"--help"}},
      {{"help", "exec"}, {"exec", "--help"}},
      {{"help", "env"}, {"env", "--help"}},
      {{"help", "env", "list"}, {"env", "list", "--help"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.words));
    const std::string text = shown(parse_command_line(c.words));
    EXPECT_THAT(text, StartsWith("0 "));
    EXPECT_EQ(text, shown(parse_command_line(c.same_as)));
  }
}

TEST(CommandLine, AGroupHasHelpToo) {
  const std::string text = shown(parse_command_line({"env", "--help"}));
  EXPECT_THAT(text, HasSubstr("\nOptions:\n  -h, --help"));
  EXPECT_THAT(text, HasSubstr("\nExit codes:\n  0"));
}

TEST(CommandLine, HelpFitsOn80Columns) {
  for (const CommandInfo& command : all_commands()) {
    std::istringstream lines(help(command));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(CommandLine, TheOverviewNamesEveryCommand) {
  const std::string all = shown(parse_command_line({"--help"}));
  EXPECT_THAT(all, StartsWith("0 Talaria "));
  EXPECT_THAT(all, HasSubstr("TERMINAL_ENV"));
  EXPECT_THAT(all, Not(HasSubstr("  complete ")));
  for (const CommandInfo& command : all_commands()) {
    if (!command.hidden) EXPECT_THAT(all, HasSubstr("\n  " + std::string(command.name) + " "));
  }
  EXPECT_EQ(shown(parse_command_line({})), "2!" + all.substr(1));
}

}  // namespace
}  // namespace talaria::front::cli
