// What the commands that run nothing print, for people and for programs.
#include <sstream>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "support/talaria_test.h"
#include "support/terminal.h"

namespace talaria::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CommandLineTest : public TalariaTest {
 protected:
  json::object json_of(const std::vector<std::string>& words) {
    return json::parse(world_.run(words).out).as_object();
  }
  std::string on_screen(const std::string& words, int columns = 200) {
    return shown_on_terminal(world_, World::talaria() + " " + words, columns);
  }
  static std::size_t longest_line(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line, '\n');) {
      longest = std::max(longest, line.size());
    }
    return longest;
  }
};

TEST_F(CommandLineTest, ToolsAreListedForPeopleAndForModels) {
  const Finished table = world_.run({"tools"});
  EXPECT_EQ(table.code(), 0);
  EXPECT_THAT(table.out, StartsWith("TOOL          WHAT IT DOES"));
  EXPECT_THAT(table.out, HasSubstr("  command ["));
  const json::array tools = json_of({"tools", "--json"}).at("tools").as_array();
  ASSERT_EQ(tools.size(), 8u) << "without a search engine";
  EXPECT_EQ(tools[1].at("name"), "process");
  EXPECT_EQ(tools[6].at("name"), "execute_code");
  EXPECT_THAT(std::string(tools[6].at("description").as_string()),
              HasSubstr("  terminal(command: str, timeout: int = None, workdir: str = None)"));
  EXPECT_EQ(tools[0].at("name"), "terminal");
  EXPECT_FALSE(tools[0].at("description").as_string().empty());
  EXPECT_EQ(tools[0].at("parameters").at("required"), json::array{"command"});
}

TEST_F(CommandLineTest, VersionNamesTheLinkAndTheRunners) {
  const json::object version = json_of({"version", "--json"});
  EXPECT_EQ(world_.run({"--version"}).out,
            "talaria " + std::string(version.at("version").as_string()) + "\n");
  EXPECT_EQ(version.at("link"), "1.0");
  const json::array& runners = version.at("runners").as_array();
  ASSERT_EQ(runners.size(), 2u);
  EXPECT_EQ(runners[0].at("architecture"), "x86_64");
  EXPECT_EQ(runners[1].at("architecture"), "aarch64");
  const std::string table = world_.run({"version"}).out;
  for (const json::value& runner : runners) {
    EXPECT_EQ(runner.at("sha256").as_string().size(), 64u);
    EXPECT_GT(runner.at("bytes").as_int64(), 100'000);
    EXPECT_THAT(table, HasSubstr(runner.at("sha256").as_string()));
  }
}

TEST_F(CommandLineTest, NothingOfThisStartsARunnerOrWritesAFile) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"tools"},
                                                {"version"},
                                                {"config"},
                                                {"--help"},
                                                {"completion", "bash"},
                                                {"complete", "--", ""}}) {
    EXPECT_EQ(world_.run(words).code(), 0) << words[0];
  }
  EXPECT_FALSE(std::filesystem::exists(world_.path("home")));
}

TEST_F(CommandLineTest, ErrorsGoToStandardErrorAndWithJsonIntoTheJson) {
  const struct {
    std::vector<std::string> words;
    int code;
    const char* said;
  } cases[] = {
      {{"tolls"}, 2, "unknown command 'tolls'; did you mean 'tools'?"},
      {{"tools", "--jsn"}, 2, "unknown option '--jsn'; did you mean '--json'?"},
      {{"version", "x"}, 2, "unexpected argument 'x'"},
      {{"exec", "--task"}, 125, "--task: NAME is required"},
      {{"config", "--target"}, 2, "--target: NAME is required"},
      {{"call", "--lines", "--task", "t"},
       2,
       "--lines cannot be combined with TOOL or --task: each line names its own tool and task"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.words));
    const Finished failed = world_.run(c.words);
    EXPECT_EQ(failed.code(), c.code);
    EXPECT_EQ(failed.out, "");
    EXPECT_THAT(failed.err, StartsWith("talaria: " + std::string(c.said) + "\nSee 'talaria "));

    std::vector<std::string> with_json = c.words;
    with_json.insert(with_json.begin() + 1, "--json");
    const Finished told = world_.run(with_json);
    EXPECT_EQ(told.code(), c.code);
    EXPECT_EQ(told.err, "");
    EXPECT_EQ(json::parse(told.out).at("error").as_string(), c.said);
  }
}

// They once ended without a word, or with 0.
TEST_F(CommandLineTest, SaysThatItsOutputCannotBeWritten) {
  const struct {
    const char* words;
    int code;
  } cases[] = {{"--help", 1},        {"version --json", 1},     {"config", 1}, {"env list", 1},
               {"exec echo a", 125}, {"exec --json true", 125}, {"tools", 1}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.words);
    Program program({.argv = {"/bin/sh", "-c", World::talaria() + " " + c.words + " >/dev/full"},
                     .env = world_.env(),
                     .cwd = world_.path("work")});
    const auto status = program.wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(exit_code_of(*status), c.code);
    EXPECT_EQ(program.err(), "talaria: cannot write to standard output: No space left on device\n");
  }
}

TEST_F(CommandLineTest, ColoursAreForTerminalsThatWantThem) {
  EXPECT_THAT(world_.run({"tools"}).out, Not(HasSubstr("\x1b")));
  world_.set("TERM", "xterm");
  EXPECT_THAT(on_screen("tools"), StartsWith("\x1b[1mTOOL"));
  EXPECT_THAT(on_screen("tools | cat"), StartsWith("TOOL"));
  EXPECT_THAT(on_screen("tools --json"), Not(HasSubstr("\x1b")));
  world_.set("NO_COLOR", "1");
  EXPECT_THAT(on_screen("tools"), StartsWith("TOOL"));
  world_.set("NO_COLOR", "");
  EXPECT_THAT(on_screen("config"), StartsWith("\x1b[1mSETTING"));
  world_.set("TERM", "dumb");
  EXPECT_THAT(on_screen("config"), StartsWith("SETTING"));
}

TEST_F(CommandLineTest, ATableFitsTheTerminalItIsShownOn) {
  for (const int columns : {60, 80, 120}) {
    for (const char* words : {"tools", "config --all", "version"}) {
      SCOPED_TRACE(words + std::string(" on ") + std::to_string(columns));
      const std::string text = on_screen(words, columns);
      EXPECT_LE(longest_line(text), static_cast<std::size_t>(columns) + 1) << text;  // with \r
      EXPECT_GT(longest_line(text), 40u);
    }
  }
  EXPECT_GT(longest_line(world_.run({"config", "--all"}).out), 120u) << "it is cut for nobody";
}

TEST_F(CommandLineTest, ACallThatCannotBeMadeIsToldInJsonWhenAsked) {
  const Finished unknown = world_.run({"call", "--json", "no-such-tool", "{}"});
  EXPECT_EQ(unknown.code(), 2);
  EXPECT_EQ(unknown.err, "");
  EXPECT_THAT(json::parse(unknown.out).at("error").as_string().c_str(), HasSubstr("no-such-tool"));
  EXPECT_THAT(world_.run({"call", "no-such-tool", "{}"}).err, HasSubstr("no-such-tool"));
}

// A person types Ctrl-C: the terminal sends the signal, and nothing is left.
TEST_F(CommandLineTest, CtrlCEndsTheCommandAndLeavesNothing) {
  Program program(on_terminal(world_, "trap : INT; " + World::talaria() +
                                          " exec 'echo $$ > ../pid; sleep 300'; echo ended $?"));
  const ProcessName shell = process_in("pid");
  program.write("\x03");
  EXPECT_TRUE(program.read_until_contains("ended 130")) << program.out();
  EXPECT_FALSE(is_alive(shell));
  EXPECT_TRUE(program.wait());
}

}  // namespace
}  // namespace talaria::test
