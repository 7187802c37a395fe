// `talaria exec` and `talaria call` as a person or a script uses them.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <boost/json/parse.hpp>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using std::chrono::seconds;

struct Code {
  const char* name;
  std::vector<std::string> words;
  int code;
};

void PrintTo(const Code& row, std::ostream* out) { *out << row.name; }

class ExitCode : public TalariaTest, public testing::WithParamInterface<Code> {};

TEST_P(ExitCode, Is) { EXPECT_EQ(world_.run(GetParam().words).code(), GetParam().code); }

const Code kCodes[] = {
    {"Zero", {"exec", "true"}, 0},
    {"TheCommands", {"exec", "exit 7"}, 7},
    {"TheCommandsAlsoAbove128", {"exec", "exit 200"}, 200},
    {"HighByteOnly", {"exec", "exit 256"}, 0},
    {"OfASignal", {"exec", "kill -9 $$"}, 137},
    {"OfTerm", {"exec", "kill -TERM $$"}, 143},
    {"OfATimeout", {"exec", "--timeout", "0.2", "sleep 60"}, 124},
    {"OfAMissingProgram", {"exec", "no-such-program"}, 127},
    {"OfBadUsage", {"exec", "--no-such-option", "true"}, 125},
    {"OfNoCommand", {"exec"}, 125},
    {"OfAMissingWorkdir", {"exec", "--workdir", "/no/such", "true"}, 126},
    {"OfACall", {"call", "terminal", R"({"command":"exit 3"})"}, 0},
    {"OfACallWithAnError", {"call", "terminal", R"({"command":7})"}, 1},
    {"OfACallOfNoTool", {"call", "no-such-tool", "{}"}, 2},
    {"OfACallWithBadJson", {"call", "terminal", "{"}, 2},
    {"OfHelp", {"--help"}, 0},
    {"OfVersion", {"--version"}, 0},
    {"OfNothing", {}, 2},
};

INSTANTIATE_TEST_SUITE_P(Exec, ExitCode, testing::ValuesIn(kCodes),
                         [](const auto& info) { return std::string(info.param.name); });

class ExecTest : public TalariaTest {
 protected:
  bool here(const std::string& name) {
    return std::filesystem::exists(world_.path("work/" + name));
  }
};

TEST_F(ExecTest, RunsInTheCallersDirectoryAndKeepsNothing) {
  EXPECT_EQ(world_.exec("pwd; cd /usr; export A=1; f() { :; }; umask 077").out,
            world_.path("work") + "\n");
  EXPECT_EQ(world_.exec("pwd; echo ${A-unset}; type -t f || echo none; umask").out,
            world_.path("work") + "\nunset\nnone\n0022\n");
  EXPECT_TRUE(std::filesystem::is_empty(world_.runner_directory() + "/sessions"));
}

TEST_F(ExecTest, OutputIsTheBytesTheCommandPrinted) {
  EXPECT_EQ(world_.exec("printf 'x\\n\\n'").out, "x\n\n");
  EXPECT_EQ(world_.exec("printf 'no newline'").out, "no newline");
}

// A result that nobody reads once kept the process from noticing any signal.
TEST_F(ExecTest, AStopSignalEndsItWhileItsResultWaitsForAReader) {
  // So that the result of `call` is more than the pipe that it asks for holds, too.
  std::ofstream(world_.directory("home") + "/config.yaml") << "tool_output: {max_bytes: 100000}\n";
  const std::string long_output = "printf '\u65e5%.0s' {1..99000}";  // more than a pipe holds
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"exec", "--json", long_output},
        {"call", "terminal", "{\"command\":\"" + long_output + "\"}"}}) {
    ProgramSpec spec = world_.spec(words);
    spec.read_output = false;
    Program program(spec);
    EXPECT_FALSE(program.wait(std::chrono::seconds(1))) << "it did not wait for its reader";
    program.kill(SIGTERM);
    EXPECT_TRUE(program.wait(std::chrono::seconds(5))) << words[0];
  }
}

TEST_F(ExecTest, ACarrierThatPrintsWhatItShouldRunIsNamed) {
  world_.set("TERMINAL_ENV", "carrier");
  world_.set("TERMINAL_CARRIER", "echo hi");
  const Finished ended = world_.exec("true");
  EXPECT_EQ(ended.code(), 125);
  EXPECT_EQ(ended.err,
            "talaria: `echo hi` failed to start a runner at the target: it printed its arguments "
            "instead of running them. Check TERMINAL_CARRIER.\n");
}

TEST_F(ExecTest, SeveralWordsAreNotShellText) {
  EXPECT_EQ(world_.run({"exec", "printf", "%s|", "$HOME", "a b", "*", "'", ""}).out,
            "$HOME|a b|*|'||");
}

TEST_F(ExecTest, OutputComesWhileTheCommandRuns) {
  auto talaria =
      world_.start({"exec", "echo first; until [ -e go ]; do sleep 0.01; done; echo second"});
  EXPECT_TRUE(talaria->read_until_contains("first"));
  EXPECT_TRUE(talaria->running());
  world_.exec("touch go");
  EXPECT_TRUE(talaria->wait());
  EXPECT_EQ(talaria->out(), "first\nsecond\n");
}

struct Stop {
  int signal;
  int code;
};

TEST_F(ExecTest, AStopSignalKillsTheCommand) {
  for (const Stop& stop : {Stop{SIGINT, 130}, Stop{SIGTERM, 130}, Stop{SIGHUP, 130}}) {
    SCOPED_TRACE(stop.signal);
    std::filesystem::remove(world_.path("pid"));
    auto talaria = world_.start({"exec", "trap '' INT; echo $$ > ../pid; sleep 300"});
    const ProcessName shell = process_in("pid");
    talaria->kill(stop.signal);
    const auto status = talaria->wait(seconds(10));
    ASSERT_TRUE(status);
    EXPECT_EQ(exit_code_of(*status), stop.code);
    EXPECT_FALSE(is_alive(shell));
  }
}

TEST_F(ExecTest, ATimeoutIsSaidToThePerson) {
  const Finished late = world_.run({"exec", "--timeout", "0.3", "echo part; sleep 60"});
  EXPECT_EQ(late.out, "part\n");
  EXPECT_NE(late.err.find("timed out after 0.3s"), std::string::npos) << late.err;
  EXPECT_LT(late.took, seconds(5));
}

TEST_F(ExecTest, StdinThatIsNotReadDoesNotHoldTheCommand) {
  const std::string input(5 << 20, 'x');
  const Finished ignored = world_.run({"exec", "--stdin", "true"}, input);
  EXPECT_EQ(ignored.code(), 0);
  const Finished some = world_.run({"exec", "--stdin", "head -c 10"}, input);
  EXPECT_EQ(some.out, "xxxxxxxxxx");
}

TEST_F(ExecTest, StdinArrivesExactly) {
  std::string input;
  for (int i = 0; i < (5 << 20); ++i) input += static_cast<char>(i * 7 + (i >> 8));
  EXPECT_TRUE(world_.run({"exec", "--stdin", "cat"}, input).out == input);
  EXPECT_EQ(world_.run({"exec", "--stdin", "cat; echo end"}, "a").out, "aend\n");
}

// All of standard input was once read before the command began.
TEST_F(ExecTest, StdinArrivesAsItComes) {
  ProgramSpec spec =
      world_.spec({"exec", "-i", "while read -r l; do echo \"<$l>\"; done; echo end"});
  spec.keep_stdin_open = true;
  Program talaria(spec);
  for (const char* line : {"one", "two", "three"}) {
    talaria.write(std::string(line) + "\n");
    EXPECT_TRUE(talaria.read_until_contains("<" + std::string(line) + ">\n")) << talaria.err();
  }
  talaria.close_stdin();
  ASSERT_TRUE(talaria.wait());
  EXPECT_EQ(talaria.out(), "<one>\n<two>\n<three>\nend\n");
}

TEST_F(ExecTest, ACommandThatReadsEnoughEndsWhileInputGoesOn) {
  ProgramSpec spec = world_.spec({"exec", "-i", "head -n 2"});
  spec.argv = {"sh", "-c", "yes | \"$@\"", "sh", spec.argv[0], "exec", "-i", "head -n 2"};
  Program endless(spec);
  ASSERT_TRUE(endless.wait());
  EXPECT_EQ(endless.out(), "y\ny\n");
  ProgramSpec waits = world_.spec({"exec", "--stdin", "head -n 1"});
  waits.keep_stdin_open = true;
  Program open(waits);
  open.write("a\n");
  ASSERT_TRUE(open.wait()) << "it waited for the end of its own input";
  EXPECT_EQ(open.out(), "a\n");
}

// Both once came on standard output.
TEST_F(ExecTest, StandardErrorStaysApart) {
  const Finished both = world_.exec("echo out; echo err >&2; no-such-program; exit 3");
  EXPECT_EQ(both.out, "out\n");
  EXPECT_EQ(both.err, "err\nbash: line 1: no-such-program: command not found\n");
  EXPECT_EQ(both.code(), 3);
  const Finished much = world_.run({"exec", "--task", "t", "seq 200000 >&2 & seq 200000; wait"});
  EXPECT_EQ(much.out.size(), 1'288'895u);
  EXPECT_TRUE(much.out == much.err);
  const auto merged =
      json::parse(world_.run({"exec", "--json", "echo a; echo b >&2; echo c"}).out).as_object();
  EXPECT_EQ(output_of(merged), "a\nb\nc");
}

TEST_F(ExecTest, OutputAndErrorsForOnePlaceKeepTheirOrder) {
  ProgramSpec spec = world_.spec({"exec"});
  spec.argv = {"sh", "-c", "\"$0\" exec 'for i in 1 2 3; do echo o$i; echo e$i >&2; done' 2>&1",
               spec.argv[0]};
  Program talaria(spec);
  ASSERT_TRUE(talaria.wait());
  EXPECT_EQ(talaria.out(), "o1\ne1\no2\ne2\no3\ne3\n");
}

TEST_F(ExecTest, ATimeMayHaveAUnit) {
  EXPECT_EQ(world_.run({"exec", "--timeout", "300ms", "sleep 60"}).code(), 124);
  EXPECT_EQ(world_.run({"exec", "--timeout", "2m", "echo done"}).out, "done\n");
  world_.set("TERMINAL_TIMEOUT", "1s");
  const Finished late = world_.run({"call", "terminal", R"({"command":"sleep 60"})"});
  EXPECT_EQ(code_of(json::parse(late.out).as_object()), 124) << late.out;
  world_.directory("home");
  std::ofstream(world_.path("home/config.yaml")) << "code_execution:\n  timeout: 2m\n";
  EXPECT_NE(world_.run({"config"}).out.find("code_execution.timeout"), std::string::npos);
  EXPECT_NE(world_.run({"config", "--changed", "--json"}).out.find("\"value\":120"),
            std::string::npos);
}

TEST_F(ExecTest, OnATerminalACommandHasOne) {
  const Finished shown = world_.run({"exec", "-t", "tty >/dev/null && echo yes; exit 5"});
  EXPECT_EQ(shown.out, "yes\r\n");
  EXPECT_EQ(shown.code(), 5);
  const Finished typed = world_.run({"exec", "-it", "read -r a; echo \"<$a>\""}, "hello\n");
  EXPECT_NE(typed.out.find("<hello>"), std::string::npos) << typed.out << typed.err;
  EXPECT_EQ(world_.run({"exec", "-t", "--timeout", "1", "sleep 60"}).code(), 124);
  EXPECT_TRUE(world_.run({"ps"}).out.starts_with("No process is running."));
}

// They once ran where the first of them was started.
TEST_F(ExecTest, CallStartAndCodeRunInTheCallersDirectory) {
  world_.set("TERMINAL_CWD", "");
  for (const char* name : {"one", "two"}) {
    const std::string directory = world_.directory("work/" + std::string(name));
    const auto run_there = [&](std::vector<std::string> words, std::string_view input = {}) {
      ProgramSpec spec = world_.spec(std::move(words));
      spec.cwd = directory;
      spec.keep_stdin_open = !input.empty();
      Program program(spec);
      if (!input.empty()) program.write(input);
      program.close_stdin();
      EXPECT_TRUE(program.wait()) << program.err();
      return program.out();
    };
    const std::string called = run_there({"call", "terminal", R"({"command":"pwd; cd /usr"})"});
    EXPECT_EQ(output_of(json::parse(called).as_object()), directory);
    run_there({"call", "write_file", R"({"path":"made","content":"x"})"});
    EXPECT_TRUE(here(std::string(name) + "/made"));
    EXPECT_EQ(run_there({"code", "-"}, "import os; print(os.getcwd())"), directory + "\n");
    const std::string id = trim_end(run_there({"start", "pwd"}));
    EXPECT_EQ(world_.run({"wait", id}).code(), 0);
    EXPECT_EQ(world_.run({"logs", id}).out, directory + "\n");
  }
  EXPECT_EQ(
      output_of(
          json::parse(world_.run({"call", "--cwd", "/tmp", "terminal", R"({"command":"pwd"})"}).out)
              .as_object()),
      "/tmp");
}

TEST_F(ExecTest, WithoutStdinACommandReadsTheEnd) {
  EXPECT_EQ(world_.run({"exec", "cat; echo end"}, "not for you").out, "end\n");
  EXPECT_EQ(world_.run({"exec", "--stdin", "cat; echo end"}).out, "end\n");
}

TEST_F(ExecTest, JsonIsTheToolsShape) {
  const auto result = json::parse(world_.run({"exec", "--json", "echo a; exit 3"}).out).as_object();
  EXPECT_EQ(output_of(result), "a");
  EXPECT_EQ(code_of(result), 3);
  EXPECT_EQ(result.at("transport").as_string(), "link");
}

TEST_F(ExecTest, ManyAtOnceStartOneRunner) {
  std::vector<std::unique_ptr<Program>> all;
  for (int i = 0; i < 12; ++i) all.push_back(world_.start({"exec", "sleep 0.01"}));
  for (auto& talaria : all) {
    const auto status = talaria->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(exit_code_of(*status), 0) << talaria->err();
  }
  EXPECT_EQ(descendants_named("talaria-runner").size(), 1u);
}

TEST_F(ExecTest, AHomeThatIsTooLongForASocketWorks) {
  std::string home = world_.path("");
  while (home.size() < 120) home += "long-name/";
  world_.directory(home.substr(world_.path("").size()));
  world_.set("TALARIA_HOME", home);
  EXPECT_EQ(world_.exec("echo here").out, "here\n");
  const std::string moved =
      world_.read(home.substr(world_.path("").size()) + "/talaria/run/local/moved-to");
  EXPECT_TRUE(moved.starts_with("/var/tmp/talaria-")) << moved;
  const auto runner = Runner::in(moved);
  ASSERT_TRUE(runner);
  runner->kill(SIGTERM);
  EXPECT_TRUE(runner->wait_gone());
  std::filesystem::remove_all(moved);
}

TEST_F(ExecTest, AHomeOthersMayWriteToIsRefused) {
  world_.directory("home/talaria");
  std::filesystem::permissions(world_.path("home/talaria"), std::filesystem::perms::all);
  const Finished refused = world_.exec("touch ran");
  EXPECT_EQ(refused.code(), 126);
  EXPECT_FALSE(refused.err.empty());
  EXPECT_FALSE(here("ran"));
}

TEST_F(ExecTest, AHomeThatCannotBeMadeIsSaid) {
  world_.set("TALARIA_HOME", "/proc/no/such");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_NE(refused.err.find("/proc/no"), std::string::npos) << refused.err;
}

// An idle runner goes when its time is up, and says nothing about it.
TEST_F(ExecTest, ARunnerWithoutWorkEndsAfterItsLifetime) {
  world_.set("TERMINAL_LIFETIME_SECONDS", "1");
  EXPECT_EQ(world_.run({"exec", "--task", "t", "export A=kept"}).code(), 0);
  EXPECT_TRUE(world_.runner()->wait_gone(seconds(10)));
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo $A"}).out, "kept\n");
}

}  // namespace
}  // namespace talaria::test
