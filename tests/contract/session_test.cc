// What a session keeps from one command to the next, over new controllers and a new runner.
#include <csignal>
#include <fstream>
#include <functional>

#include <boost/json/parse.hpp>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

struct Kept {
  const char* name;
  const char* change;  // the first command
  const char* look;    // a later one
  const char* seen;
};

void PrintTo(const Kept& row, std::ostream* out) { *out << row.name; }

constexpr Kept kKept[] = {
    {"Cwd", "cd /usr/lib", "pwd", "/usr/lib"},
    {"Export", "export A='x y'", "echo \"$A\"", "x y"},
    {"ExportOfNewline", "export A=$'one\\ntwo\\n'", "printf '%s|' \"$A\"", "one\ntwo\n|"},
    {"ExportOfQuotes", "export A=$'\\'\"$`\\\\'", "printf '%s|' \"$A\"", "'\"$`\\|"},
    {"ExportOfNothing", "export A=", "echo \"${A-unset}|\"", "|"},
    {"Unset", "unset INHERITED", "echo \"${INHERITED-unset}\"", "unset"},
    {"Function", "f() { echo \"f got $1\"; }", "f it", "f got it"},
    {"FunctionWithHereDocument", "f() { cat <<'E'\n  $a 'b'\nE\n}", "f | od -An -c | tr -d ' \\n'",
     "$a'b'\\n"},
    {"Alias", "shopt -s expand_aliases; alias hello='echo hi there'", "hello", "hi there"},
    {"Shopt", "shopt -s nullglob", "shopt -q nullglob && echo on", "on"},
    {"SetOption", "set -o noglob", "echo *", "*"},
    {"Umask", "umask 027", "umask", "0027"},
    {"FunctionThatNeedsAnOptionSinceSwitchedOff",
     "shopt -s extglob\nf() { if false; then echo !(x); fi; echo read; }\nshopt -u extglob",
     "f; shopt -q extglob || echo off", "read\noff"},
    {"ExportOfIfs", "export IFS=,", "a=1,2,3; set -- $a; echo $#", "3"},
    {"ExportOfPs4", "export PS4='> '", "{ set -x; :; } 2>&1", "> :"},
    {"ExportLargerThanAnArgument", "export BIG=$(head -c 300000 /dev/zero | tr '\\0' x)",
     "echo ${#BIG}", "300000"},
    {"ExportsThatFitNoExecTogether",
     "x=$(head -c 100000 /dev/zero | tr '\\0' x); for i in {1..60}; do export BIG$i=$x; done",
     "echo ${#BIG1} ${#BIG60}; (unset ${!BIG*}; /bin/echo ok)", "100000 100000\nok"},
    {"FunctionNamedCd", "cd() { echo fake; }", "cd / && builtin pwd | tail -c 5", "fake\nwork"},
    {"FunctionNamedPrintf", "printf() { echo fake; }", "printf x", "fake"},
    {"DirectoryWithSpaces", "mkdir -p ' a b '; cd ' a b '", "printf '<%s>' \"${PWD##*/}\"",
     "< a b >"},
    {"DirectoryWithNewline", "mkdir -p $'n\\nl'; cd $'n\\nl'", "printf '%s|' \"${PWD##*/}\"",
     "n\nl|"},
    {"DirectoryWithDash", "mkdir -p -- -demo; cd -- -demo", "echo \"${PWD##*/}\"", "-demo"},
};

class KeptBySession : public TalariaTest, public testing::WithParamInterface<Kept> {
 protected:
  void SetUp() override { world_.set("INHERITED", "yes"); }
};

TEST_P(KeptBySession, FromCommandToCommand) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run(GetParam().change)), 0);
  // Twice: the second finds what the first wrote back.
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(output_of(agent.run(GetParam().look)), trim_end(GetParam().seen));
  EXPECT_EQ(agent.end(), 0);
}

TEST_P(KeptBySession, OverANewControllerAndANewRunner) {
  EXPECT_EQ(world_.run({"exec", "--task", "t", GetParam().change}).code(), 0);
  const auto first = world_.runner();
  EXPECT_EQ(trim_end(world_.run({"exec", "--task", "t", GetParam().look}).out),
            trim_end(GetParam().seen));
  EXPECT_TRUE(world_.stop_runner());
  EXPECT_EQ(trim_end(world_.run({"exec", "--task", "t", GetParam().look}).out),
            trim_end(GetParam().seen));
  EXPECT_NE(world_.runner()->instance(), first->instance());
}

INSTANTIATE_TEST_SUITE_P(Session, KeptBySession, testing::ValuesIn(kKept),
                         [](const auto& info) { return std::string(info.param.name); });

struct NotKept {
  const char* name;
  const char* change;
  const char* look;
  const char* seen;
};

void PrintTo(const NotKept& row, std::ostream* out) { *out << row.name; }

constexpr NotKept kNotKept[] = {
    {"PlainVariable", "A=1", "echo \"${A-unset}\"", "unset"},
    {"ErrExit", "set -e", "false; echo on", "on"},
    {"NoUnset", "set -u", "echo \"$NOTHING|\"", "|"},
    {"XTrace", "set -x", "echo a", "a"},
    {"Verbose", "set -v", "echo a", "a"},
    {"NoExec", "set -n", "echo a", "a"},
    {"ExitTrap", "trap 'echo trap' EXIT", "echo a", "a"},
    {"Limit", "ulimit -n 20", "[ $(ulimit -n) -gt 20 ] && echo more", "more"},
};

class NotKeptBySession : public TalariaTest, public testing::WithParamInterface<NotKept> {};

TEST_P(NotKeptBySession, StartsAfreshInTheNextCommand) {
  LinesClient agent(world_);
  agent.run(GetParam().change);
  EXPECT_EQ(output_of(agent.run(GetParam().look)), GetParam().seen);
  EXPECT_EQ(agent.end(), 0);
}

INSTANTIATE_TEST_SUITE_P(Session, NotKeptBySession, testing::ValuesIn(kNotKept),
                         [](const auto& info) { return std::string(info.param.name); });

class SessionTest : public TalariaTest {};

TEST_F(SessionTest, CwdFollowsEvenWhenTheCommandFails) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("cd /usr; false")), 1);
  EXPECT_EQ(output_of(agent.run("pwd")), "/usr");
}

TEST_F(SessionTest, StateOfACommandThatExitsIsKept) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("export A=kept; cd /usr; exit 7")), 7);
  EXPECT_EQ(output_of(agent.run("echo $A; pwd")), "kept\n/usr");
}

TEST_F(SessionTest, TasksDoNotSeeEachOther) {
  LinesClient agent(world_);
  agent.run({.command = "export A=one; cd /usr", .task = "one"});
  agent.run({.command = "export A=two", .task = "two"});
  EXPECT_EQ(output_of(agent.run({.command = "echo $A; pwd", .task = "one"})), "one\n/usr");
  EXPECT_EQ(output_of(agent.run({.command = "echo $A", .task = "two"})), "two");
  EXPECT_EQ(output_of(agent.run({.command = "echo ${A-unset}", .task = ""})), "unset");
}

TEST_F(SessionTest, TasksWhoseNamesLookAlikeAreDifferent) {
  LinesClient agent(world_);
  agent.run({.command = "export A=slash", .task = "a/b"});
  EXPECT_EQ(output_of(agent.run({.command = "echo ${A-unset}", .task = "a_b"})), "unset");
  EXPECT_EQ(output_of(agent.run({.command = "echo ${A-unset}", .task = "a.b"})), "unset");
  EXPECT_EQ(output_of(agent.run({.command = "echo ${A-unset}", .task = "../a/b"})), "unset");
  EXPECT_EQ(output_of(agent.run({.command = "echo ${A-unset}", .task = "a/b"})), "slash");
}

TEST_F(SessionTest, ConcurrentCommandsOfOneSessionMerge) {
  LinesClient agent(world_);
  const std::string all_here =
      "touch here-$A; until [ -e here-1 ] && [ -e here-2 ] && [ -e here-3 ]; do sleep 0.01; done";
  std::vector<int> ids;
  for (const char* n : {"1", "2", "3"}) {
    const std::string number(n);
    ids.push_back(agent.send({.command = "export A=" + number + " V" + number + "=set; f" + number +
                                         "() { echo f; }; " + all_here}));
  }
  for (const int id : ids) EXPECT_EQ(code_of(agent.result(id)), 0);
  EXPECT_EQ(output_of(agent.run("echo $V1 $V2 $V3; f1; f2; f3")), "set set set\nf\nf\nf");
}

TEST_F(SessionTest, ConcurrentCommandThatChangesNothingErasesNothing) {
  LinesClient agent(world_);
  agent.run("export A=old");
  const int slow = agent.send({.command = "touch slow; until [ -e go ]; do sleep 0.01; done"});
  ASSERT_TRUE(eventually([&] { return ::access(world_.path("work/slow").c_str(), F_OK) == 0; }));
  agent.run("export A=new; cd /usr; unset B; umask 077");
  agent.run({.command = "touch go", .workdir = world_.path("work")});
  EXPECT_EQ(code_of(agent.result(slow)), 0);
  EXPECT_EQ(output_of(agent.run("echo $A; pwd; umask")), "new\n/usr\n0077");
}

// A session with a large exported variable under many commands at once lost it for good when its
// state was rewritten in place.
TEST_F(SessionTest, ManyCommandsAtOnceKeepABigVariable) {
  LinesClient agent(world_);
  agent.run("export KEEP=yes BIG=$(head -c 60000 /dev/zero | tr '\\0' x)");
  std::vector<int> ids;
  for (int i = 0; i < 40; ++i) {
    ids.push_back(
        agent.send({.command = "echo $KEEP ${#BIG}; export N" + std::to_string(i) + "=1"}));
  }
  for (const int id : ids) EXPECT_EQ(output_of(agent.result(id)), "yes 60000");
  EXPECT_EQ(output_of(agent.run("compgen -e | grep -c '^N[0-9]'")), "40");
}

TEST_F(SessionTest, TheCallersSessionIdentityAlwaysComesFromTheCaller) {
  world_.set("HERMES_SESSION_KEY", "first");
  EXPECT_EQ(world_
                .run({"exec", "--task", "t",
                      "export HERMES_SESSION_KEY; export A=1; echo $HERMES_SESSION_KEY"})
                .out,
            "first\n");
  world_.set("HERMES_SESSION_KEY", "second");
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo $HERMES_SESSION_KEY $A"}).out, "second 1\n");
}

TEST_F(SessionTest, WhatTheCallerChangesIsSeenWhatTheSessionChangedWins) {
  world_.set("CALLER", "one");
  world_.set("BOTH", "one");
  world_.run({"exec", "--task", "t", "export BOTH=session"});
  world_.set("CALLER", "two");
  world_.set("BOTH", "two");
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo $CALLER $BOTH"}).out, "two session\n");
}

// What counts only when a program starts: a waiting shell that has another is not taken.
TEST_F(SessionTest, ACallersOwnEnvironmentReachesItsCommandsAndNobodyElses) {
  struct Row {
    const char* name;
    const char* value;
    const char* look;
    const char* with;
    const char* without;
  };
  const Row rows[] = {
      {"SHELLOPTS", "braceexpand:hashall:errexit", "false; echo on", "", "on"},
      {"SHELLOPTS", "braceexpand:hashall:xtrace", "echo x", "+ echo x\nx", "x"},
      {"BASHOPTS", "nullglob", "echo no-such*", "", "no-such*"},
      {"BASH_FUNC_greet%%", "() { echo hello; }", "greet 2>/dev/null || echo none", "hello",
       "none"},
      {"dotted.name", "one", "env | grep dotted || echo none", "dotted.name=one", "none"},
      {"LD_BIND_NOW", "1", "echo ${LD_BIND_NOW-none}", "1", "none"},
  };
  for (const Row& row : rows) {
    for (int round = 0; round < 4; ++round) {
      ProgramSpec spec = world_.spec({"exec", row.look});
      spec.env.push_back(std::string(row.name) + "=" + row.value);
      Program with(spec);
      ASSERT_TRUE(with.wait());
      EXPECT_EQ(trim_end(with.err() + with.out()), row.with) << row.name << " " << row.value;
      EXPECT_EQ(trim_end(world_.exec(row.look).out), row.without) << row.name << " " << row.value;
    }
  }
}

TEST_F(SessionTest, FunctionsOfTheCallerStayTheCallers) {
  const auto run = [&](const std::string& body) {
    ProgramSpec spec = world_.spec({"exec", "--task", "t", "greet; export A=1"});
    if (!body.empty()) spec.env.push_back("BASH_FUNC_greet%%=() { echo " + body + "; }");
    Program program(spec);
    EXPECT_TRUE(program.wait());
    return trim_end(program.out() + program.err());
  };
  EXPECT_EQ(run("one"), "one");
  EXPECT_EQ(run("two"), "two");
  EXPECT_NE(run("").find("not found"), std::string::npos);
}

TEST_F(SessionTest, ItsFirstDirectoryAndUmaskAreItsOwnAlsoAfterTheRunnerIsKilled) {
  ProgramSpec first = world_.spec({"exec", "--task", "t", "true"});
  first.argv = {"sh", "-c", "cd /usr; umask 027; exec \"$0\" exec --task t true", World::talaria()};
  Program program(first);
  ASSERT_TRUE(program.wait());
  world_.runner()->kill(SIGKILL);
  ASSERT_TRUE(world_.runner()->wait_gone());
  EXPECT_EQ(world_.run({"exec", "--task", "t", "pwd; umask"}).out, "/usr\n0027\n");
}

TEST_F(SessionTest, ADirectoryTooLongToNameIsLeftWithANotice) {
  LinesClient agent(world_);
  const json::object result = agent.run(
      "d=$(printf 'x%.0s' {1..200}); for i in {1..90}; do mkdir $d; cd $d; done; echo ran");
  EXPECT_EQ(output_of(result), "ran") << error_of(result);
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
  EXPECT_EQ(code_of(agent.run("cd ../..; chmod -R u+w " + world_.path("work") + "; rm -rf " +
                              world_.path("work/x") + "*")),
            0);
}

TEST_F(SessionTest, AWorkdirMayBeginWithATilde) {
  LinesClient agent(world_);
  agent.run("mkdir -p ~/'my repo'");
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = "~/my repo"})),
            output_of(agent.run("echo ~/'my repo'")));
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = "~"})),
            output_of(agent.run("cd; pwd; cd - >/dev/null")));
  EXPECT_EQ(output_of(agent.run("export HOME=/usr; mkdir -p '~'")), "");
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = "~/lib"})), "/usr/lib");
}

// The notice said that it ran elsewhere.
TEST_F(SessionTest, ACommandWhoseWorkdirIsMissingIsNotSaidToHaveRun) {
  world_.set("TERMINAL_CWD", world_.path("gone"));
  LinesClient agent(world_);
  const json::object result = agent.run({.command = "echo ran", .workdir = world_.path("gone")});
  EXPECT_EQ(code_of(result), 126);
  EXPECT_EQ(notices_of(result).find("ran in"), std::string::npos) << notices_of(result);
}

TEST_F(SessionTest, AWorkdirDoesNotMoveTheSessionButCdDoes) {
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = "/usr"})), "/usr");
  EXPECT_EQ(output_of(agent.run("pwd")), world_.path("work"));
  agent.run({.command = "cd lib", .workdir = "/usr"});
  EXPECT_EQ(output_of(agent.run("pwd")), "/usr/lib");
}

TEST_F(SessionTest, WhereNoParentIsLeftTheRootIsUsed) {
  world_.set("TERMINAL_CWD", "/no-such-directory/deep");
  const json::object first = LinesClient(world_).run("pwd");
  EXPECT_EQ(output_of(first), "/");
  EXPECT_NE(notices_of(first).find("/no-such-directory/deep"), std::string::npos);
}

TEST_F(SessionTest, ACdIsFollowedWithoutSayingTheFirstDirectoryAgain) {
  LinesClient agent(world_);
  agent.run("mkdir sub; cd sub");
  EXPECT_EQ(output_of(agent.run("pwd")), world_.path("work/sub"));
  EXPECT_EQ(agent.end(), 0);
  world_.set("TERMINAL_CWD", "/usr");  // for new sessions, which this one is not
  EXPECT_EQ(output_of(LinesClient(world_).run("pwd")), world_.path("work/sub"));
  EXPECT_EQ(world_.run({"exec", "--task", "t", "pwd"}).out, world_.path("work/sub") + "\n");
}

// What is stored for a task counts for whoever serves it, and for sessions that live already.
TEST_F(SessionTest, AStoredOverrideMovesALiveSessionOnceAndAWorkdirStillWins) {
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("pwd")), world_.path("work"));
  std::ofstream(world_.path("home/talaria/overrides.json"))
      << R"({"t":{"id":"a","moved":false,"overrides":{"cwd":"/usr"}},)"
         R"("new":{"id":"b","moved":false,"overrides":{"cwd":"/var"}}})";
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .workdir = "/etc"})), "/etc");
  EXPECT_EQ(output_of(agent.run("pwd; cd lib")), "/usr");
  EXPECT_EQ(output_of(agent.run("pwd")), "/usr/lib");
  EXPECT_EQ(world_.run({"exec", "--task", "t", "pwd"}).out, "/usr/lib\n");
  EXPECT_EQ(world_.run({"exec", "--task", "new", "pwd; cd /"}).out, "/var\n");
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .task = "new"})), "/");
  EXPECT_EQ(output_of(agent.run({.command = "pwd", .task = "another"})), world_.path("work"));
}

// The directory we were started in may be gone.
TEST_F(SessionTest, WithoutADirectoryOfItsOwnACallStartsWhereItIsToldElseAtHome) {
  const auto first_directory = [&](const std::string& task) {
    ProgramSpec spec = world_.spec({"call", "terminal", R"({"command":"pwd"})", "--task", task});
    spec.cwd = world_.directory("gone");
    const std::vector<std::string> in_no_directory{"sh", "-c", "rmdir ../gone; exec \"$@\"", "sh"};
    spec.argv.insert(spec.argv.begin(), in_no_directory.begin(), in_no_directory.end());
    Program program(spec);
    program.wait();
    return output_of(json::parse(program.out()).as_object());
  };
  EXPECT_EQ(first_directory("told"), world_.path("work"));
  world_.set("TERMINAL_CWD", "");
  EXPECT_EQ(first_directory("not told"), world_.path("user"));
}

TEST_F(SessionTest, ADirectoryThatWasDeletedMeanwhileIsReplacedByItsParentWithANotice) {
  LinesClient agent(world_);
  agent.run("mkdir -p gone/deep; cd gone/deep");
  std::filesystem::remove_all(world_.path("work/gone"));
  const json::object next = agent.run("pwd");
  EXPECT_EQ(output_of(next), world_.path("work"));
  EXPECT_NE(notices_of(next).find("gone/deep"), std::string::npos) << notices_of(next);
  // Said once: the session has a directory again.
  EXPECT_EQ(notices_of(agent.run("pwd")), "");
}

// The session went back to where it was before, without a word.
TEST_F(SessionTest, ACommandThatDeletesItsDirectoryLeavesTheSessionInTheParentWithANotice) {
  LinesClient agent(world_);
  const json::object first = agent.run("mkdir -p stays/gone; cd stays/gone; rmdir ../gone");
  const json::object next = agent.run("pwd");
  EXPECT_EQ(output_of(next), world_.path("work/stays"));
  EXPECT_NE((notices_of(first) + notices_of(next)).find("stays/gone"), std::string::npos);
}

TEST_F(SessionTest, ACommandThatDeletesItsDirectoryPrintsNothingOfOurs) {
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("mkdir x; cd x; rmdir ../x; echo done")), "done");
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

// As somebody who is not root, to whom a closed directory is closed.
TEST_F(SessionTest, ADirectoryThatWasClosedMeanwhileIsReplacedByItsParentWithANotice) {
  const std::string user = "65534";
  if (::getuid() == 0) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(world_.path(""))) {
      ASSERT_EQ(::chown(entry.path().c_str(), 65534, 65534), 0);
    }
    ASSERT_EQ(::chown(world_.path("").c_str(), 65534, 65534), 0);
  }
  const auto run = [&](const std::string& command) {
    ProgramSpec as_user = world_.spec({"exec", "--task", "t", command});
    if (::getuid() == 0) {
      as_user.argv.insert(as_user.argv.begin(),
                          {"setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"});
    }
    Program program(as_user);
    EXPECT_TRUE(program.wait());
    return program.out() + program.err();
  };
  EXPECT_EQ(run("mkdir shut; cd shut"), "");
  EXPECT_EQ(run("chmod 0 ../shut").find("is gone"), std::string::npos);
  const std::string next = run("pwd");
  EXPECT_NE(next.find(world_.path("work") + "\n"), std::string::npos) << next;
  EXPECT_EQ(run("pwd"), world_.path("work") + "\n");
}

TEST_F(SessionTest, TextsForWaitingShellsThatSomebodyRemovedAreWrittenAgain) {
  LinesClient agent(world_);
  agent.run("f() { echo kept; }");
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(eventually([&] {  // the runner may be writing another one just then
      std::error_code error;
      std::filesystem::remove_all(world_.runner_directory() + "/prelude", error);
      return !error;
    }));
    EXPECT_EQ(output_of(agent.run("f")), "kept");
    EXPECT_EQ(
        output_of(agent.run({.command = "echo $(echo new)", .task = "u" + std::to_string(round)})),
        "new");
  }
}

TEST_F(SessionTest, DamagedStateIsSetAsideAndSaid) {
  world_.run({"exec", "--task", "t", "export A=1"});
  world_.stop_runner();
  std::string file;
  const std::string sessions = world_.runner_directory() + "/sessions";
  for (const auto& entry : std::filesystem::directory_iterator(sessions)) file = entry.path();
  ASSERT_FALSE(file.empty());
  std::filesystem::resize_file(file, 10);
  const Finished next = world_.run({"exec", "--task", "t", "echo ${A-unset}"});
  EXPECT_EQ(next.out, "unset\n");
  EXPECT_NE(next.err.find("damaged"), std::string::npos) << next.err;
  EXPECT_TRUE(std::filesystem::remove(file + ".damaged"));
}

TEST_F(SessionTest, StateFilesArePrivate) {
  world_.run({"exec", "--task", "t", "export SECRET=1"});
  namespace fs = std::filesystem;
  const fs::perms others = fs::perms::group_all | fs::perms::others_all;
  for (const auto& entry : fs::recursive_directory_iterator(world_.path("home/talaria"))) {
    if (entry.is_socket()) continue;  // behind a closed directory
    if (entry.path().parent_path().filename() == "bin") continue;
    EXPECT_EQ(entry.status().permissions() & others, fs::perms::none) << entry.path();
  }
}

}  // namespace
}  // namespace talaria::test
