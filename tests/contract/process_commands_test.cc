// The commands about processes, through the built program: start, ps, logs, wait, kill, events.
#include <signal.h>

#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "support/talaria_test.h"
#include "support/terminal.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class ProcessCommandsTest : public TalariaTest {
 protected:
  std::string start(std::vector<std::string> words) {
    words.insert(words.begin(), "start");
    const Finished started = world_.run(words);
    EXPECT_EQ(started.code(), 0) << started.err;
    EXPECT_THAT(started.out, MatchesRegex("proc_[0-9a-f]{12}\n"));
    return trim_end(started.out);
  }
  json::object json_of(const std::vector<std::string>& words) {
    return json::parse(world_.run(words).out).as_object();
  }
  std::vector<json::object> lines_of(const std::vector<std::string>& words) {
    std::vector<json::object> lines;
    std::istringstream text(world_.run(words).out);
    for (std::string line; std::getline(text, line);) {
      lines.push_back(json::parse(line).as_object());
    }
    return lines;
  }
  void go() { std::ofstream(world_.path("go")) << "go"; }

  const std::string until_go_ = "until [ -e ../go ]; do sleep 0.01; done; ";
};

TEST_F(ProcessCommandsTest, NothingIsStartedToSeeThatNothingRuns) {
  EXPECT_EQ(world_.run({"ps"}).out, "No process is running.\n");
  EXPECT_EQ(world_.run({"ps", "--all", "--json"}).out, "{\"processes\":[]}\n");
  EXPECT_EQ(world_.run({"kill", "--all"}).out, "No process is running.\n");
  EXPECT_FALSE(std::filesystem::exists(world_.path("home")));
}

TEST_F(ProcessCommandsTest, AMaximumAgeEndsAProcess) {
  const std::string id = start({"--max-age", "1", "sleep 100"});
  EXPECT_EQ(world_.run({"wait", id}).code(), 128 + SIGTERM);
  EXPECT_THAT(world_.run({"ps", "--all"}).out, HasSubstr(id));
}

TEST_F(ProcessCommandsTest, PsShowsWhatRunsAndWithAllWhatEnded) {
  const std::string server = start({"--task", "blog", "sleep 100"});
  const std::string failed = start({"exit 3"});
  EXPECT_EQ(world_.run({"wait", failed}).code(), 3);
  const std::string running = world_.run({"ps"}).out;
  EXPECT_THAT(running, StartsWith("ID                 STATUS   AGE  TASK  TARGET  COMMAND\n"));
  EXPECT_THAT(running, HasSubstr(server + "  running  "));
  EXPECT_THAT(running, HasSubstr("blog  local   sleep 100\n"));
  EXPECT_THAT(running, Not(HasSubstr(failed)));
  const std::string all = world_.run({"ps", "--all"}).out;
  EXPECT_THAT(all, HasSubstr(failed + "  exited 3  0s ago  default  local   exit 3\n"));

  const json::array list = json_of({"ps", "--all", "--json"}).at("processes").as_array();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].at("id").as_string(), server);
  EXPECT_EQ(list[0].at("status"), "running");
  EXPECT_EQ(list[0].at("target"), "local");
  EXPECT_EQ(list[1].at("exit_code"), 3);
  EXPECT_EQ(list[1].at("completion_reason"), "exited");

  EXPECT_EQ(world_.run({"kill", server}).out, "killed " + server + "\n");
  EXPECT_EQ(world_.run({"ps"}).out,
            "No process is running. Use --all to list those that have ended (2).\n");
  EXPECT_THAT(world_.run({"ps", "--all"}).out, HasSubstr(server + "  killed "));
}

// Those at another target than the configured one were only mentioned, and kill did not find them.
TEST_F(ProcessCommandsTest, ProcessesOfAllTargetsAreShownAndReached) {
  const std::string here = start({"echo hi; sleep 100"});
  world_.set("TERMINAL_CARRIER", "env HOME=" + world_.directory("there"));
  const std::string there = start({"--target", "carrier", "sleep 100"});
  for (const char* target : {"local", "carrier"}) {
    world_.set("TERMINAL_ENV", target);
    const Finished list = world_.run({"ps"});
    EXPECT_EQ(list.code(), 0);
    EXPECT_EQ(list.err, "");
    EXPECT_THAT(list.out, HasSubstr(here));
    EXPECT_THAT(list.out, HasSubstr(there));
  }
  EXPECT_EQ(world_.run({"logs", here}).out, "hi\n");
  EXPECT_EQ(world_.run({"kill", here}).out, "killed " + here + "\n");

  world_.set("TERMINAL_CARRIER", "env OTHER=1");
  world_.set("TERMINAL_ENV", "local");
  const Finished list = world_.run({"ps"});
  EXPECT_THAT(list.err, HasSubstr("at target carrier are not shown: it was started at another host "
                                  "or carrier"));
  EXPECT_THAT(world_.run({"kill", there}).err, HasSubstr("started at another host or carrier"));
  world_.set("TERMINAL_CARRIER", "env HOME=" + world_.path("there"));
  EXPECT_EQ(world_.run({"kill", there}).out, "killed " + there + "\n");
  const std::string end =
      "kill $(head -n 1 '" + world_.path("there/.talaria") + "'/run-*/runner-v1)";
  EXPECT_EQ(world_.run({"exec", "--target", "local", end}).code(), 0);
}

// "unknown process ..." was the answer, and "No process is running.".
TEST_F(ProcessCommandsTest, AnInvalidSettingIsTheReasonAndNotAMissingProcess) {
  const std::string id = start({"sleep 100"});
  world_.set("TERMINAL_TIMEOUT", "soon");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"kill", id},
                                                {"kill", "--all"},
                                                {"logs", id},
                                                {"wait", id},
                                                {"attach", id},
                                                {"ps"}}) {
    const Finished failed = world_.run(words);
    EXPECT_NE(failed.code(), 0) << words[0];
    EXPECT_THAT(failed.err, HasSubstr("Invalid value for TERMINAL_TIMEOUT: 'soon'")) << words[0];
    EXPECT_THAT(failed.out + failed.err, Not(HasSubstr("No process"))) << words[0];
  }
  world_.set("TERMINAL_TIMEOUT", "5m");
  EXPECT_EQ(world_.run({"kill", id}).code(), 0);
}

TEST_F(ProcessCommandsTest, TheBeginningOfAnIdIsEnough) {
  const std::string one = start({"echo one; sleep 100"});
  std::string other = start({"sleep 100"});
  while (other.substr(5, 1) == one.substr(5, 1)) other = start({"sleep 100"});
  EXPECT_EQ(world_.run({"logs", one.substr(0, 12)}).out, "one\n");
  EXPECT_EQ(world_.run({"logs", "-n", "1", one.substr(5, 6)}).out, "one\n");
  const Finished several = world_.run({"kill", "proc_"});
  EXPECT_EQ(several.code(), 1);
  EXPECT_THAT(several.err, HasSubstr("several processes begin with 'proc_': "));
  EXPECT_THAT(several.err, HasSubstr(one));
  EXPECT_THAT(several.err, HasSubstr(other));
  EXPECT_EQ(world_.run({"kill", one.substr(0, 12)}).out, "killed " + one + "\n");
  EXPECT_THAT(world_.run({"ps", "-a"}).out, HasSubstr(one + "  killed"));
  EXPECT_EQ(world_.run({"wait", one.substr(0, 12)}).code(), 128 + SIGTERM);
  EXPECT_THAT(world_.run({"logs", "proc_nothing"}).err,
              HasSubstr("unknown process 'proc_nothing'"));
  world_.run({"kill", "--all"});
}

// A start that was judged without what its session defines, and then again, left a row without an
// id: nobody could read, wait for or kill it, and it counted as lost later.
TEST_F(ProcessCommandsTest, AStartThatIsJudgedTwiceIsOneProcess) {
  ASSERT_EQ(world_
                .run({"exec", "--task", "t",
                      "shopt -s expand_aliases; alias greet='echo hi'; f() { greet; }; "
                      "export A=there"})
                .code(),
            0);
  const std::string id = start({"--task", "t", "f; greet; echo $A"});  // a program that knows none
  EXPECT_EQ(world_.run({"wait", id}).code(), 0);
  EXPECT_THAT(world_.run({"logs", id}).out, HasSubstr("hi\nthere\n"));
  Program rows({.argv = {"/usr/bin/python3", "-c",
                         "import sqlite3, sys; print([row[0] for row in sqlite3.connect("
                         "sys.argv[1]).execute('SELECT id FROM processes')])",
                         world_.path("home/talaria/talaria.db")},
                .env = world_.env()});
  ASSERT_TRUE(rows.wait());
  EXPECT_EQ(rows.out(), "['" + id + "']\n") << rows.err();
  ASSERT_TRUE(world_.stop_runner());
  EXPECT_EQ(world_.exec("true").code(), 0);
  EXPECT_THAT(world_.run({"events", "--all"}).out, Not(HasSubstr("lost")));
  EXPECT_EQ(json_of({"ps", "--all", "--json"}).at("processes").as_array().size(), 1u);
}

TEST_F(ProcessCommandsTest, LogsAreByteForByte) {
  const std::string id = start({R"(printf 'a\377\000b\r\n\033[31mred'; seq 1000)"});
  ASSERT_EQ(world_.run({"wait", id}).code(), 0);
  const std::string all = world_.run({"logs", id}).out;
  EXPECT_THAT(all, StartsWith(std::string("a\xFF\0b\r\n\x1b[31mred1\n2\n", 18)));
  EXPECT_TRUE(all.ends_with("\n999\n1000\n"));
  EXPECT_EQ(world_.run({"logs", "-f", id}).out, all);
  EXPECT_EQ(world_.run({"logs", "--tail", "2", id}).out, "999\n1000\n");
  EXPECT_EQ(world_.run({"logs", "-n", "1", id}).out, "1000\n");
  EXPECT_EQ(world_.run({"logs", "-n", "3", id}).out, "998\n999\n1000\n");
  EXPECT_EQ(world_.run({"logs", "--tail", "0", id}).out, "");
  EXPECT_EQ(world_.run({"logs", "--tail", "100000", id}).out, all);
  EXPECT_EQ(world_.run({"logs", "--from", "5", id}).out, all.substr(5));
  EXPECT_EQ(world_.run({"logs", "--from", std::to_string(all.size()), id}).out, "");
}

TEST_F(ProcessCommandsTest, LogsOnATerminalLeaveOutWhatWouldUpsetIt) {
  const std::string id = start({R"(printf '\033[2J\033[31mred\033[?1049h\n')"});
  ASSERT_EQ(world_.run({"wait", id}).code(), 0);
  const std::string logs = World::talaria() + " logs ";
  EXPECT_EQ(shown_on_terminal(world_, logs + id), "\x1b[31mred\r\n\x1b[0m");
  EXPECT_EQ(shown_on_terminal(world_, logs + "--raw " + id), "\x1b[2J\x1b[31mred\x1b[?1049h\r\n");
}

TEST_F(ProcessCommandsTest, LogsFollowUntilTheOutputEnds) {
  const std::string id = start({"echo one; " + until_go_ + "echo two"});
  const auto logs = world_.start({"logs", "-f", id});
  ASSERT_TRUE(logs->read_until_contains("one\n"));
  EXPECT_TRUE(logs->running());
  go();
  const auto status = logs->wait();
  ASSERT_TRUE(status);
  EXPECT_EQ(exit_code_of(*status), 0);
  EXPECT_EQ(logs->out(), "one\ntwo\n");
}

TEST_F(ProcessCommandsTest, CtrlCEndsTheLookAndNotTheProcess) {
  const std::string id = start({"echo one; sleep 100"});
  const auto logs = world_.start({"logs", "-f", id});
  ASSERT_TRUE(logs->read_until_contains("one"));
  logs->kill(SIGINT);
  const auto left = logs->wait();
  ASSERT_TRUE(left);
  EXPECT_EQ(exit_code_of(*left), 130);
  EXPECT_THAT(world_.run({"ps"}).out, HasSubstr(id));
  EXPECT_EQ(world_.run({"kill", id}).code(), 0);
}

TEST_F(ProcessCommandsTest, AMarkRemembersHowFarOneHasRead) {
  const std::string id = start({"echo one; " + until_go_ + "echo two"});
  ASSERT_TRUE(eventually([&] { return world_.run({"logs", id}).out == "one\n"; }));
  EXPECT_EQ(world_.run({"logs", "--since", "me", id}).out, "one\n");
  EXPECT_EQ(world_.run({"logs", "--since", "me", id}).out, "");
  go();
  ASSERT_EQ(world_.run({"wait", id}).code(), 0);
  EXPECT_EQ(world_.run({"logs", "--since", "me", id}).out, "two\n");
  EXPECT_EQ(world_.run({"logs", "--since", "other", id}).out, "one\ntwo\n");
}

TEST_F(ProcessCommandsTest, LogsSayWhatIsNoLongerKept) {
  world_.set("TERMINAL_SPILL_QUOTA_MB", "1");
  const std::string id = start({"head -c 8000000 /dev/zero | tr '\\0' x; echo; echo end"});
  ASSERT_EQ(world_.run({"wait", id}).code(), 0);
  const Finished logs = world_.run({"logs", id});
  EXPECT_EQ(logs.code(), 0);
  EXPECT_TRUE(logs.out.ends_with("x\nend\n"));
  ASSERT_LT(logs.out.size(), 8'000'005u);
  EXPECT_THAT(logs.err, HasSubstr(std::to_string(8'000'005 - logs.out.size()) +
                                  " bytes of older output are no longer stored"));
}

TEST_F(ProcessCommandsTest, WaitExitsAsTheLastOneDid) {
  const std::string good = start({"true"});
  const std::string bad = start({"exit 9"});
  const std::string shot = start({"kill -SEGV $$"});
  const Finished waited = world_.run({"wait", good, shot, bad});
  EXPECT_EQ(waited.code(), 9);
  EXPECT_EQ(waited.out, good + " exited with code 0\n" + shot + " was killed by SIGSEGV\n" + bad +
                            " exited with code 9\n");
  EXPECT_EQ(world_.run({"wait", bad, shot}).code(), 128 + SIGSEGV);

  const std::string slow = start({"sleep 100"});
  const Finished late = world_.run({"wait", good, slow, "--timeout", "0.2"});
  EXPECT_EQ(late.code(), 124);
  EXPECT_THAT(late.err, HasSubstr("timed out after 0.2s; still running: " + slow));
  const json::object told = json_of({"wait", "--json", good, slow, "--timeout", "0.1"});
  EXPECT_EQ(told.at("timed_out"), true);
  EXPECT_EQ(told.at("processes").as_array().size(), 1u);
  EXPECT_EQ(world_.run({"wait", "proc_ffffffffffff"}).code(), 125);
  EXPECT_EQ(world_.run({"kill", slow}).code(), 0);
  EXPECT_EQ(world_.run({"wait", slow}).code(), 128 + SIGTERM);
}

TEST_F(ProcessCommandsTest, KillEndsWholeTreesAndOnlyThoseMeant) {
  const std::string one = start({"--task", "a", "echo $$ > ../pid; sleep 100 & sleep 100"});
  const std::string two = start({"--task", "b", "sleep 100"});
  const ProcessName shell = process_in("pid");
  EXPECT_EQ(world_.run({"kill", "--all", "--task", "a"}).out, "killed " + one + "\n");
  EXPECT_FALSE(is_alive(shell));
  EXPECT_THAT(world_.run({"ps"}).out, HasSubstr(two));
  const json::array told =
      json_of({"kill", "--json", one, two, "proc_ffffffffffff"}).at("processes").as_array();
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].at("status"), "already_exited");
  EXPECT_EQ(told[1].at("status"), "killed");
  EXPECT_EQ(told[2].at("status"), "not_found");
  EXPECT_EQ(world_.run({"kill", one, "proc_ffffffffffff"}).code(), 1);
  EXPECT_EQ(world_.run({"kill", one}).code(), 0);
}

TEST_F(ProcessCommandsTest, ASignalIsOnlySent) {
  const std::string id =
      start({"trap 'echo hup' HUP; echo ready; while true; do sleep 0.05; done"});
  ASSERT_TRUE(eventually([&] { return world_.run({"logs", id}).out == "ready\n"; }));
  const Finished sent = world_.run({"kill", "--signal", "hup", id});
  EXPECT_EQ(sent.out, "sent SIGHUP to " + id + "\n");
  EXPECT_TRUE(eventually([&] { return world_.run({"logs", id}).out.contains("hup\n"); }));
  EXPECT_EQ(world_.run({"kill", id}).code(), 0);
  EXPECT_EQ(world_.run({"kill", "--signal", "HUP", id}).code(), 1);
}

TEST_F(ProcessCommandsTest, StartTellsProgramsWhatTheToolTells) {
  const json::object started = json_of({"start", "--json", "--notify", "true"});
  EXPECT_EQ(started.at("output"), "Background process started");
  EXPECT_EQ(started.at("notify_on_complete"), true);
  EXPECT_EQ(world_.run({"wait", std::string(started.at("session_id").as_string())}).code(), 0);
  const Finished refused = world_.run({"start", "--workdir", "a;b", "pwd"});
  EXPECT_NE(refused.code(), 0);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("Blocked: workdir contains disallowed character"));
}

TEST_F(ProcessCommandsTest, AMissingWorkdirStartsNothing) {
  const Finished refused = world_.run({"start", "--workdir", "/no/such", "pwd"});
  EXPECT_NE(refused.code(), 0);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("/no/such"));
  EXPECT_THAT(world_.run({"ps"}).out, Not(HasSubstr("proc_")));
  const std::string id = start({"--workdir", "/usr", "pwd; sleep 300"});
  EXPECT_TRUE(eventually([&] { return world_.run({"logs", id}).out == "/usr\n"; }));
  EXPECT_THAT(world_.run({"ps"}).out, HasSubstr(" pwd; sleep 300\n")) << "not the agent's command";
  EXPECT_EQ(world_.run({"kill", id}).code(), 0);
}

TEST_F(ProcessCommandsTest, TheHistoryOfEventsIsNobodys) {
  const std::string id = start({"--notify", "echo bye; exit 4"});
  ASSERT_EQ(world_.run({"wait", id}).code(), 4);
  const auto history = [&] { return lines_of({"events", "--json"}); };
  ASSERT_TRUE(eventually([&] { return history().size() == 1; }));
  const json::object event = history().at(0);
  EXPECT_EQ(event.at("type"), "completion");
  EXPECT_EQ(event.at("session_id").as_string(), id);
  EXPECT_EQ(event.at("exit_code"), 4);
  const std::string table = world_.run({"events"}).out;
  EXPECT_THAT(table, StartsWith("ID  TIME "));
  EXPECT_THAT(table, HasSubstr(id + "  exited with code 4: echo bye; exit 4\n"));
  EXPECT_EQ(world_.run({"events", "--since", "1"}).out, "No events.\n");

  // To wait for it and to look at the history took it from nobody.
  EXPECT_EQ(lines_of({"events", "--json", "--consumer", "me"}).size(), 1u);
  EXPECT_EQ(lines_of({"events", "--json", "--consumer", "me"}).size(), 0u);
  EXPECT_EQ(lines_of({"events", "--json", "--consumer", "other"}).size(), 1u);
}

TEST_F(ProcessCommandsTest, EventsAreFollowedAlsoWhenTheFirstProcessComesLater) {
  const auto followed = world_.start({"events", "--follow", "--json"});
  const auto consumer = world_.start({"events", "--follow", "--json", "--consumer", "me"});
  const std::string id = start({"--watch", "ERROR", until_go_ + "echo an ERROR here; sleep 100"});
  go();
  EXPECT_TRUE(followed->read_until_contains("watch_match")) << followed->err();
  EXPECT_TRUE(consumer->read_until_contains("watch_match")) << consumer->err();
  EXPECT_THAT(followed->out(), HasSubstr(id));
  EXPECT_EQ(world_.run({"kill", id}).code(), 0);
  for (const auto* one : {&followed, &consumer}) {
    (*one)->kill(SIGINT);
    const auto status = (*one)->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(exit_code_of(*status), 130);
  }
  EXPECT_EQ(lines_of({"events", "--json", "--consumer", "me"}).size(), 0u);
}

}  // namespace
}  // namespace talaria::test
