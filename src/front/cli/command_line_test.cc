#include "front/cli/command_line.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string shown(const std::vector<ConfigFlag>& settings) {
  std::string text;
  for (const ConfigFlag& one : settings) {
    text += " " + std::string(one.flag) + ":" + std::string(one.setting) + "=" + one.value;
  }
  return text;
}

// What was chosen, in one line.
std::string shown(const CommandLine& line) {
  if (const auto* text = std::get_if<ShowText>(&line)) {
    return std::to_string(text->exit_code) + " " + text->text;
  }
  if (const auto* call = std::get_if<CallOptions>(&line)) {
    return "call " + call->tool + " " + call->arguments + " task=" + call->task +
           shown(call->settings);
  }
  if (const auto* lines = std::get_if<LinesOptions>(&line)) return "lines" + shown(lines->settings);
  if (const auto* config = std::get_if<ConfigOptions>(&line)) {
    return std::string("config") + (config->json ? " json" : "") + (config->doc ? " doc" : "") +
           (config->all ? " all" : "") + shown(config->settings);
  }
  const auto& exec = std::get<ExecOptions>(line);
  std::string text = "exec";
  for (const std::string& word : exec.words) text += " [" + word + "]";
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
      {{"call", "--target", "t", "--cwd", "/d", "--timeout", "5", "terminal", "{}"},
       "call terminal {} task= --target:TERMINAL_ENV=t --cwd:TERMINAL_CWD=/d "
       "--timeout:TERMINAL_TIMEOUT=5"},
      {{"call", "--lines", "--cwd", "/d"}, "lines --cwd:TERMINAL_CWD=/d"},
      {{"config"}, "config"},
      {{"config", "--json", "--all"}, "config json all"},
      {{"config", "--doc"}, "config doc"},
      {{"config", "--target", "docker"}, "config --target:TERMINAL_ENV=docker"},
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
      {{"bogus"},
       "2 talaria: no command 'bogus'; there is: exec, call, config\nSee 'talaria --help'.\n"},
      {{"--bogus"}, "2 talaria: "},
      {{"exec"}, "125 talaria: COMMAND is required" + exec_help},
      {{"exec", "--"}, "125 talaria: COMMAND is required" + exec_help},
      {{"exec", "--bogus", "ls"},
       "125 talaria: The following argument was not expected: --bogus" + exec_help},
      {{"exec", "--timeout"}, "125 talaria: --timeout: 1 required SECONDS missing" + exec_help},
      {{"exec", "--timeout", "0", "ls"},
       "125 talaria: --timeout: expected seconds, from 0.001 to 1000000000, got '0'" + exec_help},
      {{"exec", "--timeout", "-1", "ls"},
       "125 talaria: --timeout: expected seconds, from 0.001 to 1000000000, got '-1'" + exec_help},
      {{"exec", "--timeout", "nan", "ls"},
       "125 talaria: --timeout: expected seconds, from 0.001 to 1000000000, got 'nan'" + exec_help},
      {{"exec", "--timeout", "5m", "ls"},
       "125 talaria: --timeout: expected seconds, from 0.001 to 1000000000, got '5m'" + exec_help},
      {{"exec", "--task", "", "ls"}, "125 talaria: --task: expected 1 to 256 bytes" + exec_help},
      {{"exec", "--task", std::string(257, 'a'), "ls"},
       "125 talaria: --task: expected 1 to 256 bytes" + exec_help},
      {{"call"}, "2 talaria: TOOL is required" + call_help},
      {{"call", "terminal"}, "2 talaria: JSON is required" + call_help},
      {{"call", "terminal", "{}", "x"},
       "2 talaria: The following argument was not expected: x" + call_help},
      {{"call", "--lines", "terminal"},
       "2 talaria: --lines: each line names its own tool and task" + call_help},
      {{"config", "x"},
       "2 talaria: The following argument was not expected: x\nSee 'talaria config --help'.\n"},
      {{"config", "--json", "--doc"}, "2 talaria: --doc: it is markdown; leave out --json"},
      {{"config", "--target"}, "2 talaria: --target: 1 required NAME missing"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.words));
    EXPECT_THAT(shown(parse_command_line(c.words)), StartsWith(c.expected));
  }
}

TEST(CommandLine, HelpNamesEveryOptionAndExitsWithZero) {
  const std::string exec = shown(parse_command_line({"exec", "--help"}));
  EXPECT_THAT(exec, StartsWith("0 "));
  for (const char* word : {"COMMAND...", "--task", "--timeout", "--workdir", "--json", "--stdin",
                           "124", "125", "126", "128+N", "130"}) {
    EXPECT_THAT(exec, HasSubstr(word));
  }
  const std::string call = shown(parse_command_line({"call", "-h"}));
  EXPECT_THAT(call, StartsWith("0 "));
  for (const char* word : {"TOOL", "JSON", "--lines", "cancel", "env.list"}) {
    EXPECT_THAT(call, HasSubstr(word));
  }
  const std::string config = shown(parse_command_line({"config", "--help"}));
  EXPECT_THAT(config, StartsWith("0 "));
  for (const char* word : {"--json", "--all", "--doc", "--target", "--cwd", "--timeout", ".env"}) {
    EXPECT_THAT(config, HasSubstr(word));
  }
  const std::string all = shown(parse_command_line({"--help"}));
  EXPECT_THAT(all, StartsWith("0 "));
  EXPECT_THAT(all, HasSubstr("TERMINAL_ENV"));
  EXPECT_THAT(shown(parse_command_line({"--version"})), StartsWith("0 talaria "));
  EXPECT_THAT(shown(parse_command_line({})), StartsWith("2 "));
}

}  // namespace
}  // namespace talaria
