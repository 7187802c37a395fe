// The text that starts a script, in a shell of whatever habits its session left it.
#include "tools/script/script_command.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "environment/ask_program.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::tool {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ScriptCommandTest : public testing::Test {
 protected:
  ScriptCommandTest() {
    fs::create_directories(place());
    std::ofstream(place() + "/script.py") << "import os, sys\n"
                                             "for name in sorted(os.environ):\n"
                                             "    print(name + '=' + os.environ[name])\n"
                                             "print('path', sys.path[0])\n";
  }

  std::string place() const { return directory_.path() + "/place"; }

  // What it prints, behind `habits` of a shell with these variables.
  std::string run(const std::string& shell, const std::string& habits,
                  const ScriptCommand& script = {}) {
    environment::ProgramCall call{
        .argv = {"/usr/bin/env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/h",
                 "MY_TOKEN=hidden1", "MINE=hidden2", "XDG_DATA_HOME=/x",
                 "TALARIA_SCRIPT=" + place(), "HERMES_RPC_SOCKET=/its.socket", shell, "-c",
                 habits + "\n" + script_command(script)},
        .patience = std::chrono::seconds(30)};
    const auto said = test::run_to_end(environment::ask_program(std::move(call)));
    return said ? said->output + said->complaint : said.error().message();
  }

  std::string errors() const {
    std::ifstream file(place() + "/errors");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  test::TemporaryDirectory directory_;
};

constexpr const char* kAliases =
    "shopt -s expand_aliases\nalias printf=: export=: declare=: compgen=: read=: unset=: set=: "
    "if=while case=: unalias=: exec=:";
constexpr const char* kFunctions =
    "function printf() { :; }; function read() { return 1; }; function compgen() { :; }\n"
    "function declare() { :; }; function unset() { :; }; function unalias() { :; }\n"
    "function export() { :; }; function exec() { :; }; function set() { :; }\n"
    "function [() { return 1; }; function builtin() { :; }; function command() { :; }";
constexpr const char* kHabits[] = {
    "",
    "set -o noclobber",
    "set -a",
    "set -k",
    "set -f",
    "set -o posix",
    "export place=/p python=/q endpoint=/e name=n one=1 base=b known=k",
    "export _talaria_place=/p _talaria_python=/q _talaria_name=n _talaria_all=a",
    kAliases,
    kFunctions,
    "function secret_one() { :; }; export -f secret_one",
    "shopt -s nocasematch nullglob failglob",
    "IFS=_; export IFS",
};

TEST_F(ScriptCommandTest, NothingIsPassedOnThatIsNotForScriptsWhateverTheSessionIsLike) {
  for (const char* habits : kHabits) {
    SCOPED_TRACE(habits);
    for (int time = 0; time < 2; ++time) {  // its files may be there from the time before
      const std::string said = run("bash", habits);
      EXPECT_THAT(said, AllOf(HasSubstr("XDG_DATA_HOME=/x\n"), HasSubstr("HOME=/h\n"),
                              HasSubstr("HERMES_RPC_SOCKET=/its.socket\n"),
                              HasSubstr("path " + place() + "\n")));
      EXPECT_THAT(said, AllOf(Not(HasSubstr("hidden")), Not(HasSubstr("secret_one")),
                              Not(HasSubstr("_talaria_")), Not(HasSubstr("python=")),
                              Not(HasSubstr("POSIXLY"))));
      EXPECT_EQ(errors(), "");
    }
  }
}

TEST_F(ScriptCommandTest, AnotherShellDoesTheSame) {
  for (const char* habits : {"", "set -C", "set -a", "alias printf=: read=: unset=:"}) {
    SCOPED_TRACE(habits);
    const std::string said = run("sh", habits);
    EXPECT_THAT(said, AllOf(HasSubstr("XDG_DATA_HOME=/x\n"), Not(HasSubstr("hidden"))));
  }
}

TEST_F(ScriptCommandTest, WhatIsPassedThroughIsThereWhateverItIsCalled) {
  const ScriptCommand script{.passed = {"MY_TOKEN", "python"}};
  const std::string said = run("bash", "export python=mine", script);
  EXPECT_THAT(said, AllOf(HasSubstr("MY_TOKEN=hidden1\n"), HasSubstr("python=mine\n"),
                          Not(HasSubstr("hidden2"))));
}

// An empty list of names means that they could not be written, not that there are none.
TEST_F(ScriptCommandTest, WithoutTheListOfNamesItDoesNotRun) {
  fs::create_directory(place() + "/names");
  const std::string said = run("bash", "");
  EXPECT_THAT(said, Not(HasSubstr("hidden")));
  EXPECT_THAT(said, Not(HasSubstr("path ")));
  EXPECT_EQ(errors(), "talaria: the environment cannot be cleared\n");
}

}  // namespace
}  // namespace talaria::tool
