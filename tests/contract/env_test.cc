// `talaria env` and `talaria stop`: environments that other processes made.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "support/talaria_test.h"
#include "support/terminal.h"

namespace talaria::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

class EnvTest : public TalariaTest {
 protected:
  json::object json_of(std::vector<std::string> words) {
    words.emplace_back("--json");
    return json::parse(world_.run(words).out).as_object();
  }
  json::object only_environment() {
    const json::array list = json_of({"env", "list"}).at("environments").as_array();
    return list.size() == 1 ? list[0].as_object() : json::object();
  }
  // A command that runs until it is killed, and says when it does.
  std::unique_ptr<Program> start_sleeper() {
    auto sleeper = world_.start({"exec", "--task", "busy", "echo $$ > ../pid; sleep 300"});
    shell_ = process_in("pid");
    return sleeper;
  }

  ProcessName shell_;
};

TEST_F(EnvTest, ListSeesWhatOthersStartedAndStartsNothing) {
  EXPECT_EQ(world_.run({"env", "list"}).out, "No environments.\n");
  EXPECT_TRUE(json_of({"env", "list"}).at("environments").as_array().empty());
  EXPECT_FALSE(std::filesystem::exists(world_.path("home")));

  world_.run({"exec", "--task", "a", "cd /usr"});
  world_.run({"exec", "--task", "b", "true"});
  const json::object running = only_environment();
  EXPECT_EQ(running.at("id"), "local");
  EXPECT_EQ(running.at("state"), "running");
  EXPECT_EQ(running.at("pid").as_int64(), world_.runner()->pid());
  EXPECT_EQ(running.at("sessions").as_int64(), 2);
  EXPECT_EQ(running.at("commands").as_int64(), 0);
  EXPECT_EQ(running.at("links").as_int64(), 0);
  const std::string table = world_.run({"env", "list"}).out;
  EXPECT_THAT(table, StartsWith("ID "));
  EXPECT_THAT(table, HasSubstr("\nlocal  running  " + std::to_string(world_.runner()->pid())));

  world_.stop_runner();
  const json::object stopped = only_environment();
  EXPECT_EQ(stopped.at("state"), "stopped");
  EXPECT_EQ(stopped.at("sessions").as_int64(), 2);
  EXPECT_FALSE(stopped.contains("pid"));
  EXPECT_FALSE(world_.runner()->alive());
}

TEST_F(EnvTest, ShowHasSessionsWithTheirDirectoriesAndCommands) {
  world_.run({"exec", "--task", "tidy", "cd /usr/bin"});
  const auto sleeper = start_sleeper();
  const json::object shown = json_of({"env", "show", "local"});
  EXPECT_EQ(shown.at("links").as_int64(), 1);
  const json::array& commands = shown.at("commands").as_array();
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_EQ(commands[0].at("session"), "busy");
  EXPECT_THAT(commands[0].at("command").as_string().c_str(), HasSubstr("sleep 300"));
  const json::array& sessions = shown.at("sessions").as_array();
  ASSERT_EQ(sessions.size(), 1u);  // the other has not ended a command yet
  EXPECT_EQ(sessions[0].at("session"), "tidy");
  EXPECT_EQ(sessions[0].at("cwd"), "/usr/bin");
  const std::string text = world_.run({"env", "show", "local"}).out;
  EXPECT_THAT(text, HasSubstr("\ntidy     /usr/bin"));
  EXPECT_THAT(text, HasSubstr("sleep 300"));

  const Finished unknown = world_.run({"env", "show", "moon"});
  EXPECT_EQ(unknown.code(), 1);
  EXPECT_THAT(unknown.err, HasSubstr("unknown environment 'moon'"));
  EXPECT_THAT(unknown.err, HasSubstr("`talaria env list` lists all environments."));
  EXPECT_THAT(json_of({"env", "show", "moon"}).at("error").as_string().c_str(), HasSubstr("moon"));
}

TEST_F(EnvTest, RemoveKeepsTheEndsOfProcesses) {
  const std::string ended = trim_end(world_.run({"start", "true"}).out);
  EXPECT_EQ(world_.run({"wait", ended}).out, ended + " exited with code 0\n");
  const std::string running = trim_end(world_.run({"start", "sleep 300"}).out);
  EXPECT_EQ(world_.run({"env", "rm", "--force", "--yes", "local"}).code(), 0);
  const std::string events = world_.run({"events"}).out;
  EXPECT_THAT(events, HasSubstr(ended + "  exited with code 0: true"));
  EXPECT_THAT(events, HasSubstr(running + "  was lost with its runner; its exit code is unknown"));
  const Finished waited = world_.run({"wait", ended});
  EXPECT_EQ(waited.code(), 0);
  EXPECT_EQ(waited.out, ended + " exited with code 0\n");
  EXPECT_EQ(world_.run({"kill", running}).out,
            running + " was lost with its runner; its exit code is unknown\n");
}

TEST_F(EnvTest, RemoveWantsConsentAndRefusesWhileCommandsRun) {
  world_.run({"exec", "--task", "t", "export A=1"});
  const auto sleeper = start_sleeper();
  const Finished unasked = world_.run({"env", "rm", "local"});
  EXPECT_EQ(unasked.code(), 1);
  EXPECT_THAT(unasked.err, HasSubstr("nothing was removed. Use --yes to remove '"));
  const Finished busy = world_.run({"env", "rm", "--yes", "local"});
  EXPECT_EQ(busy.code(), 1);
  EXPECT_EQ(
      busy.err,
      "talaria: 1 command, or a process that it started, is still running. Wait until it ends, "
      "or use --force to kill it.\n");
  EXPECT_TRUE(is_alive(shell_));
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo $A"}).out, "1\n");

  const auto runner = world_.runner();
  const Finished removed = world_.run({"env", "rm", "--yes", "--force", "local"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_EQ(removed.out, "removed local with 1 session\n");
  EXPECT_TRUE(runner->wait_gone());
  EXPECT_TRUE(eventually([&] { return !is_alive(shell_); }));
  EXPECT_FALSE(std::filesystem::exists(world_.runner_directory()));
  EXPECT_TRUE(sleeper->wait());
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo ${A-none}"}).out, "none\n");
}

TEST_F(EnvTest, RemoveOfAllCountsThem) {
  EXPECT_EQ(world_.run({"env", "rm", "--all"}).out, "No environments.\n");
  world_.run({"exec", "--task", "t", "cd /usr"});
  const json::object listed = json_of({"env", "list"});
  EXPECT_EQ(listed.at("count").as_int64(), 1);
  EXPECT_EQ(listed.at("workdirs").at("t").as_string(), "/usr");
  EXPECT_EQ(world_.run({"env", "rm", "--all"}).code(), 1);  // nobody said yes
  const Finished removed = world_.run({"env", "rm", "--all", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_EQ(removed.out, "removed local with 1 session\n");
  EXPECT_EQ(json_of({"env", "list"}).at("count").as_int64(), 0);
}

TEST_F(EnvTest, RemoveAsksOnATerminal) {
  world_.run({"exec", "--task", "t", "true"});
  for (const char* answer : {"n\n", "yesyes\n", "Y\n"}) {
    Program program(on_terminal(world_, World::talaria() + " env rm local; echo code $?"));
    EXPECT_TRUE(program.read_until_contains("1 session? [y/N] ")) << program.out();
    program.write(answer);
    EXPECT_TRUE(program.wait());
    const bool yes = answer[0] == 'Y';
    EXPECT_THAT(program.out(), HasSubstr(yes ? "removed local" : "nothing was removed"));
    EXPECT_THAT(program.out(), HasSubstr(yes ? "code 0" : "code 1"));
    EXPECT_EQ(std::filesystem::exists(world_.runner_directory()), !yes);
  }
}

TEST_F(EnvTest, OverridesOutliveTheProcessAndReachEveryCall) {
  const std::string site = world_.directory("site");
  EXPECT_EQ(world_.run({"env", "override", "blog", "cwd=" + site}).code(), 0);
  EXPECT_EQ(json_of({"env", "override", "blog"}).at("overrides").at("cwd"), json::value(site));
  const auto pwd = [&](const std::string& task) {
    const Finished called =
        world_.run({"call", "--task", task, "terminal", R"({"command":"pwd"})"});
    return std::string(json::parse(called.out).at("output").as_string());
  };
  EXPECT_EQ(pwd("blog"), site);
  EXPECT_EQ(pwd("other"), world_.path("work"));

  const Finished unknown = world_.run({"env", "override", "blog", "env_type=moon"});
  EXPECT_EQ(unknown.code(), 1);
  EXPECT_THAT(unknown.err, HasSubstr("override 'env_type': expected one of local, docker, "));
  std::ofstream(world_.path("home/talaria/overrides.json"))  // of an earlier version
      << R"({"blog":{"id":"1","moved":false,"overrides":{"env_type":"moon"}}})";
  const Finished called =
      world_.run({"call", "--task", "blog", "terminal", "{\"command\":\"pwd\"}"});
  EXPECT_EQ(called.code(), 1);
  EXPECT_THAT(called.out, HasSubstr("task 'blog', with its overrides: Unknown env_type 'moon'. "));
  EXPECT_THAT(called.out,
              HasSubstr("Remove the overrides with 'talaria env override blog --clear'."));
  EXPECT_EQ(world_.run({"env", "override", "blog", "--clear"}).out,
            "The task has no overrides now.\n");
  EXPECT_TRUE(json_of({"env", "override", "blog"}).at("overrides").as_object().empty());
}

TEST_F(EnvTest, AnOverrideThatMakesNoSenseIsRefused) {
  const Finished unknown = world_.run({"env", "override", "t", "image=x"});
  EXPECT_EQ(unknown.code(), 1);
  EXPECT_THAT(unknown.err, HasSubstr("unknown override 'image'. Use one of: docker_image"));
  EXPECT_THAT(json_of({"env", "override", "t", "image=x"}).at("error").as_string().c_str(),
              HasSubstr("unknown override 'image'"));
  EXPECT_EQ(world_.run({"env", "override", "t", "cwd"}).code(), 2);
  EXPECT_EQ(world_.run({"env", "override", "t", "cwd=/x", "--clear"}).code(), 2);
  EXPECT_EQ(world_.run({"env", "override"}).code(), 2);
}

TEST_F(EnvTest, AnOverrideNeedsAPathThatMeansTheSameEverywhere) {
  const Finished relative = world_.run({"env", "override", "t", "cwd=sub"});
  EXPECT_EQ(relative.code(), 1);
  EXPECT_THAT(relative.err,
              HasSubstr("override 'cwd': expected an absolute path or one below ~, got 'sub'"));
}

TEST_F(EnvTest, AnOverrideToADirectoryThatIsNotThereRunsNothing) {
  world_.run({"exec", "--task", "t", "true"});
  EXPECT_EQ(world_.run({"env", "override", "t", "cwd=" + world_.path("later")}).code(), 0);
  for (int i = 0; i < 2; ++i) {
    const Finished ended = world_.run({"exec", "--task", "t", "touch ran"});
    EXPECT_EQ(ended.code(), 126);
    EXPECT_THAT(ended.err, HasSubstr("cd: " + world_.path("later") + ": No such file"));
  }
  EXPECT_FALSE(std::filesystem::exists(world_.path("work/ran")));
  world_.directory("later");
  EXPECT_EQ(world_.run({"exec", "--task", "t", "pwd"}).out, world_.path("later") + "\n");
}

TEST_F(EnvTest, AnOverrideThatCouldNotBeReadBackIsRefused) {
  for (const std::string& words : {std::string("\xff"), std::string(5000, 'x')}) {
    EXPECT_EQ(world_.run({"env", "override", words, "cwd=/tmp"}).code() == 0, false);
    EXPECT_EQ(world_.run({"env", "override", "t", "cwd=/" + words}).code(), 1);
  }
  EXPECT_EQ(world_.exec("echo ok").out, "ok\n");
}

TEST_F(EnvTest, AFifoInPlaceOfTheOverridesIsAnError) {
  EXPECT_EQ(world_.exec("true").code(), 0);
  ASSERT_EQ(::mkfifo(world_.path("home/talaria/overrides.json").c_str(), 0600), 0);
  const Finished ended = world_.exec("true");
  EXPECT_EQ(ended.code(), 125);
  EXPECT_THAT(ended.err, HasSubstr("overrides.json is not a regular file"));
  ASSERT_EQ(::unlink(world_.path("home/talaria/overrides.json").c_str()), 0);
}

TEST_F(EnvTest, RemoveDeletesNothingThatDoesNotNameIt) {
  const std::string victim = world_.directory("victim");
  const std::string place = world_.directory("home/talaria/run/other");
  std::ofstream(place + "/moved-to") << victim;
  std::filesystem::create_symlink(victim, world_.path("home/talaria/run/link"));
  EXPECT_EQ(world_.run({"env", "rm", "--yes", "other"}).code(), 0);
  EXPECT_EQ(world_.run({"env", "rm", "--yes", "link"}).code(), 1);
  EXPECT_TRUE(std::filesystem::exists(victim));
  std::filesystem::remove(world_.path("home/talaria/run/link"));
}

TEST_F(EnvTest, StopEndsEveryRunnerAndKeepsTheSessions) {
  EXPECT_EQ(world_.run({"stop", "--all"}).out, "No runner was running.\n");
  world_.run({"exec", "--task", "t", "export A=kept"});
  const auto runner = world_.runner();
  const Finished stopped = world_.run({"stop", "--all"});
  EXPECT_EQ(stopped.code(), 0);
  EXPECT_EQ(stopped.out,
            "stopped the runner of local (PID " + std::to_string(runner->pid()) + ")\n");
  EXPECT_FALSE(runner->alive());
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo $A"}).out, "kept\n");
}

TEST_F(EnvTest, StopLeavesCommandsAloneUnlessForced) {
  const auto sleeper = start_sleeper();
  const auto runner = world_.runner();
  const Finished refused = world_.run({"stop", "--all"});
  EXPECT_EQ(refused.code(), 1);
  EXPECT_EQ(
      refused.err,
      "talaria: local: 1 command, or a process that it started, is still running. Wait until it "
      "ends, or use --force to kill it.\n");
  EXPECT_TRUE(is_alive(shell_));
  const json::object told = json_of({"stop", "--all"});
  EXPECT_EQ(told.at("refused").at(0).at("id"), "local");
  EXPECT_TRUE(told.at("stopped").as_array().empty());

  const json::object forced = json_of({"stop", "--all", "--force"});
  EXPECT_EQ(forced.at("stopped").at(0).at("commands").as_int64(), 1);
  EXPECT_FALSE(runner->alive());
  EXPECT_TRUE(eventually([&] { return !is_alive(shell_); }));
  EXPECT_TRUE(sleeper->wait());
  EXPECT_EQ(world_.run({"stop"}).code(), 2);
}

// A runner that was stopped by a signal has the place and says nothing.
TEST_F(EnvTest, ARunnerThatDoesNotAnswerIsNamed) {
  world_.exec("true");
  const auto runner = world_.runner();
  runner->kill(SIGSTOP);
  const json::object silent = only_environment();
  EXPECT_EQ(silent.at("state"), "silent");
  EXPECT_THAT(silent.at("trouble").as_string().c_str(),
              HasSubstr("pid " + std::to_string(runner->pid())));
  const Finished refused = world_.run({"stop", "--all", "--force"});
  EXPECT_EQ(refused.code(), 1);
  EXPECT_THAT(refused.err, HasSubstr("does not answer"));
  runner->kill(SIGCONT);
  EXPECT_EQ(world_.run({"stop", "--all"}).code(), 0);
}

}  // namespace
}  // namespace talaria::test
