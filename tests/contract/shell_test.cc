// One command is real bash: what it prints, how it ends, what it may do to itself.
#include <fstream>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

struct Command {
  const char* name;
  const char* text;
  int code;
  const char* output;
};

void PrintTo(const Command& row, std::ostream* out) { *out << row.name; }

constexpr Command kCommands[] = {
    {"Success", "true", 0, ""},
    {"Failure", "false", 1, ""},
    {"Exit", "exit 42", 42, ""},
    {"ExitInSubshell", "(exit 3); echo $?", 0, "3"},
    {"NotFound", "no-such-program-at-all 2>/dev/null", 127, ""},
    {"NotExecutable", "/etc/passwd 2>/dev/null", 126, ""},
    {"KilledBySignal9", "kill -9 $$", -9, ""},
    {"KilledBySignal15", "kill -TERM $$", -15, ""},
    {"KilledBySegfault", "kill -SEGV $$", -11, ""},
    {"SignalOfAChildIsTheShellsCode", "{ sh -c 'kill -9 $$'; } 2>/dev/null; exit $?", 137, ""},
    {"NoNewline", "printf 'no newline'", 0, "no newline"},
    {"HereDocument", "cat <<'E'\nit's $HOME `x` \\ \"q\"\nE", 0, "it's $HOME `x` \\ \"q\""},
    {"HereDocumentWithoutItsEnd", "cat <<E\nbody", 0,
     "bash: line 2: warning: here-document at line 1 delimited by end-of-file (wanted `E')\nbody"},
    {"FunctionsNamedLikeBuiltins", "printf() { :; }; exit() { :; }; pwd() { :; }; false", 1, ""},
    {"BuiltinsTurnedOff", "enable -n printf echo cd builtin 2>/dev/null; command true", 0, ""},
    {"TextThatLooksLikeAMarker",
     "echo __HERMES_CWD_0123456789ab__/etc__HERMES_CWD_0123456789ab__; cd /usr", 0,
     "__HERMES_CWD_0123456789ab__/etc__HERMES_CWD_0123456789ab__"},
    {"HereDocumentWithShellText", "cat <<E\nsudo x\nA && B &\nE", 0, "sudo x\nA && B &"},
    {"ABackgroundListInTheMiddle", "true && sleep 0.1 & echo hi", 0, "hi"},
    {"Empty", "", 0, ""},
    {"Blank", " \n\t ", 0, ""},
    {"Comment", "# nothing", 0, ""},
    {"SetE", "set -e; false; echo no", 1, ""},
    {"SetU", "set -u; echo $NOTHING; echo no", 127, "bash: line 1: NOTHING: unbound variable"},
    {"ErrTrap", "trap 'echo caught' ERR; false; true", 0, "caught"},
    {"ExitTrap", "trap 'echo bye' EXIT; exit 3", 3, "bye"},
    {"Exec", "exec sh -c 'echo other; exit 5'", 5, "other"},
    {"Return", "return 4 2>/dev/null; echo $?", 0, "2"},
    {"Pipeline", "false | true; echo ${PIPESTATUS[0]}", 0, "1"},
    {"ProcessSubstitution", "cat <(echo one) <(echo two)", 0, "one\ntwo"},
    {"Dollar0", "echo $0", 0, "bash"},
    {"NoArguments", "echo $#", 0, "0"},
    {"ExecutionString", "echo $BASH_EXECUTION_STRING", 0, "echo $BASH_EXECUTION_STRING"},
    {"StdinIsEmpty", "cat; echo $?", 0, "0"},
    {"NoTerminal", "[ -t 0 ] || [ -t 1 ] || tty -s < /dev/tty || echo none", 0,
     "bash: line 1: /dev/tty: No such device or address\nnone"},
    {"OnlyThreeDescriptors", "ls /proc/self/fd | sort -n | head -n -1 | tr '\\n' ' '", 0, "0 1 2"},
    {"NoVariableOfOurs", "compgen -v | grep -i talaria; compgen -A function", 1, ""},
    {"StderrComesWithStdout", "echo out; echo err >&2", 0, "out\nerr"},
    // Up to 28: of two above that the C library says itself that children ignore them.
    {"SignalsAreAtTheirDefaults",
     "grep -E 'Sig(Blk|Ign)' /proc/self/status | grep -o '.......$' | tr '\\n' ' '", 0,
     "0000000 0000000"},
};

class Shell : public TalariaTest, public testing::WithParamInterface<Command> {};

// Cold first, then in a warm shell, which must not differ.
TEST_P(Shell, RunsAs) {
  LinesClient agent(world_);
  for (const char* shell : {"cold", "after another", "warm"}) {
    SCOPED_TRACE(shell);
    const json::object result = agent.run(GetParam().text);
    EXPECT_EQ(code_of(result), GetParam().code);
    EXPECT_EQ(output_of(result), GetParam().output);
    EXPECT_EQ(error_of(result), "");
    EXPECT_EQ(result.at("target").as_string(), "local");
    EXPECT_EQ(result.at("transport").as_string(), "link");
    EXPECT_EQ(output_of(agent.run("echo next")), "next");
    const auto runner = world_.runner();
    eventually([&] { return runner->reapers().size() >= 2; }, std::chrono::milliseconds(500));
  }
}

INSTANTIATE_TEST_SUITE_P(Command, Shell, testing::ValuesIn(kCommands),
                         [](const auto& info) { return std::string(info.param.name); });

class ShellTest : public TalariaTest {};

TEST_F(ShellTest, ASyntaxErrorIsSaidAndTheNextCommandWorks) {
  LinesClient agent(world_);
  const json::object result = agent.run("echo 'unterminated");
  EXPECT_EQ(code_of(result), 2);
  EXPECT_NE(output_of(result).find("unexpected EOF"), std::string::npos) << output_of(result);
  EXPECT_EQ(output_of(agent.run("echo fine")), "fine");
}

// Hermes rewrites `A && B &` to `A && { B & }`, because the shell that bash forks for the list
// holds the output and with it the call. Here a call ends with its shell, whoever holds the output,
// so the text stays as it is, and A runs in the background as in any bash.
TEST_F(ShellTest, AListInTheBackgroundReturnsAtOnce) {
  LinesClient agent(world_);
  const json::object result = agent.run("sleep 300 && echo done &");
  EXPECT_EQ(output_of(result), "");
  EXPECT_EQ(code_of(result), 0);
  EXPECT_LT(result.at("duration_ms").to_number<std::int64_t>(), 5000);
  EXPECT_GE(result.at("background_children").to_number<std::int64_t>(), 1);
}

TEST_F(ShellTest, AdviceIsGivenInsteadOfRunningIt) {
  LinesClient agent(world_);
  const json::object result = agent.run({.command = "sleep 1 &", .force = false});
  EXPECT_NE(error_of(result).find("'&' backgrounding"), std::string::npos);
  EXPECT_EQ(code_of(result), -1);
  EXPECT_EQ(output_of(agent.run({.command = "echo 'a & b'", .force = false})), "a & b");
}

TEST_F(ShellTest, ATimeoutOfOneCallIsNotTheNexts) {
  world_.set("TERMINAL_TIMEOUT", "300");
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run({.command = "sleep 30", .timeout = 1})), 124);
  EXPECT_EQ(output_of(agent.run("sleep 1.5; echo whole")), "whole");
}

TEST_F(ShellTest, ATenMegabyteCommandRuns) {
  LinesClient agent(world_);
  const std::string text = "printf '%s' '" + std::string(10 << 20, 'x') + "' | wc -c";
  EXPECT_EQ(output_of(agent.run(text)), std::to_string(10 << 20));
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_F(ShellTest, ACommandOfManyQuotesRuns) {
  LinesClient agent(world_);
  std::string text = "printf '%s' \"";
  for (int i = 0; i < 150'000; ++i) text += "'";
  text += "\" | wc -c";
  EXPECT_EQ(output_of(agent.run(text)), "150000");
}

TEST_F(ShellTest, ANulByteIsAnErrorThatSaysSo) {
  LinesClient agent(world_);
  agent.send_line(R"({"id":77,"tool":"terminal","args":{"command":"echo a\u0000b"}})");
  const json::object result = agent.result(77);
  EXPECT_NE(error_of(result).find("NUL"), std::string::npos) << error_of(result);
  EXPECT_EQ(code_of(result), -1);
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_F(ShellTest, AnUnpairedSurrogateIsACleanError) {
  LinesClient agent(world_);
  agent.send_line(R"({"id":77,"tool":"terminal","args":{"command":"echo \ud800"}})");
  const json::object answer = agent.answer(77);
  EXPECT_EQ(answer.at("error").at("kind"), "bad_request");
  EXPECT_NE(answer.at("error").at("message").as_string().find("unpaired surrogate"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(world_.runner_directory()));  // nothing was tried
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_F(ShellTest, TheUsersStartupFilesAreNotRead) {
  for (const char* name : {".bashrc", ".bash_profile", ".profile"}) {
    const std::string file = world_.path(std::string("user/") + name);
    std::filesystem::copy_file("/etc/hostname", file);
  }
  EXPECT_EQ(output_of(LinesClient(world_).run("echo quiet")), "quiet");
}

TEST_F(ShellTest, WorkdirIsForOneCommandAndDoesNotMoveTheSession) {
  LinesClient agent(world_);
  agent.run("cd /usr");
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = "/etc"})), "/etc");
  EXPECT_EQ(output_of(agent.run("pwd")), "/usr");
}

TEST_F(ShellTest, ACdOnTopOfAWorkdirMovesTheSession) {
  LinesClient agent(world_);
  agent.run("cd /usr");
  EXPECT_EQ(output_of(agent.run({.command = "cd /var; pwd", .workdir = "/etc"})), "/var");
  EXPECT_EQ(output_of(agent.run("pwd")), "/var");
}

TEST_F(ShellTest, AWorkdirThatLooksLikeAnOptionWorks) {
  world_.directory("work/-demo");
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = world_.path("work/-demo")})),
            world_.path("work/-demo"));
}

TEST_F(ShellTest, AWorkdirThatIsMissingIsAClearError) {
  LinesClient agent(world_);
  const json::object result = agent.run({.command = "touch ran", .workdir = "/no/such/place"});
  EXPECT_EQ(code_of(result), 126);
  EXPECT_EQ(error_of(result), "");
  EXPECT_EQ(output_of(result), "bash: line 1: cd: /no/such/place: No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(world_.path("work/ran")));
  EXPECT_EQ(output_of(agent.run("pwd")), world_.path("work"));
}

TEST_F(ShellTest, AWorkdirThatIsAFileIsAClearError) {
  const json::object result =
      LinesClient(world_).run({.command = "true", .workdir = "/etc/passwd"});
  EXPECT_NE(code_of(result), 0);
  EXPECT_NE((error_of(result) + output_of(result)).find("/etc/passwd"), std::string::npos);
}

TEST_F(ShellTest, SecretsOfTheAgentDoNotReachACommand) {
  world_.set("ANTHROPIC_API_KEY", "canary");
  world_.set("TALARIA_ANYTHING", "canary");
  world_.set("AWS_PROFILE", "mine");
  LinesClient agent(world_);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(output_of(agent.run("env | grep canary; cat /proc/$PPID/environ | tr '\\0' '\\n' | "
                                  "grep canary; echo $AWS_PROFILE")),
              "mine");
  }
}

// It outlives the agent by hours, and every command can look into it.
TEST_F(ShellTest, TheRunnerHoldsNoSecretOfTheAgent) {
  world_.set("ANTHROPIC_API_KEY", "canary");
  EXPECT_EQ(world_.exec("true").code(), 0);
  std::ifstream file("/proc/" + std::to_string(world_.runner()->pid()) + "/environ");
  std::string environment;
  std::getline(file, environment);
  EXPECT_NE(environment.find("PATH="), std::string::npos);
  EXPECT_EQ(environment.find("canary"), std::string::npos);
}

// A command that fills the memory of a container would take the runner, and all else that runs,
// too.
TEST_F(ShellTest, WhenMemoryRunsOutACommandGoesBeforeItsRunner) {
  const auto score = [](const std::string& text) { return std::stoi(text); };
  const int of_command = score(world_.exec("cat /proc/self/oom_score_adj").out);
  std::ifstream file("/proc/" + std::to_string(world_.runner()->pid()) + "/oom_score_adj");
  std::string of_runner;
  file >> of_runner;
  EXPECT_GT(of_command, score(of_runner));
}

}  // namespace
}  // namespace talaria::test
