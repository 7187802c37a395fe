// Processes in the background elsewhere: all that holds on this machine holds at every target,
// whatever carries the link.
#include <fstream>
#include <map>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "carriers/carrier_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class CarriedProcessTest : public CarrierTest {
 protected:
  static json::object type(LinesClient& agent, const char* action, const std::string& id,
                           const std::string& data) {
    return agent.process({{"action", action}, {"session_id", id}, {"data", data}});
  }
  static bool screen_shows(LinesClient& agent, const std::string& id, const std::string& what) {
    return eventually([&] {
      return json::serialize(agent.process({{"action", "screen"}, {"session_id", id}}))
          .contains(what);
    });
  }
  static void subscribe(LinesClient& agent) {
    const json::object answer = agent.ask("events.subscribe");
    ASSERT_TRUE(answer.contains("consumer")) << json::serialize(answer);
  }
};

TEST_P(CarriedProcessTest, ItIsStartedPolledAndWaitedFor) {
  LinesClient agent(world_);
  const json::object started =
      agent.start("echo on; read line; echo got $line; exit 3", {{"stdin", true}});
  ASSERT_TRUE(started.contains("session_id")) << json::serialize(started);
  EXPECT_EQ(text(started, "transport"), GetParam().batches ? "batch" : "link");
  const std::string id = text(started, "session_id");
  EXPECT_TRUE(shows(agent, id, "on"));
  EXPECT_EQ(text(poll(agent, id), "status"), "running");
  const int waiting = agent.send("process", {{"action", "wait"}, {"session_id", id}});
  EXPECT_EQ(text(type(agent, "submit", id, "it"), "status"), "ok");  // the wait holds nobody up
  const json::object ended = agent.result(waiting);
  EXPECT_EQ(code_of(ended), 3);
  EXPECT_EQ(text(ended, "output"), "on\ngot it\n");
  EXPECT_EQ(code_of(poll(agent, id)), 3);
}

TEST_P(CarriedProcessTest, ItsInputIsWrittenAndClosed) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("wc -c", {{"stdin", true}});
  EXPECT_EQ(text(type(agent, "write", id, "four"), "status"), "ok");
  EXPECT_EQ(text(type(agent, "submit", id, "more"), "status"), "ok");
  EXPECT_EQ(text(agent.process({{"action", "close"}, {"session_id", id}}), "status"), "ok");
  const json::object ended = wait(agent, id);
  EXPECT_EQ(code_of(ended), 0);
  EXPECT_EQ(text(ended, "output"), "9\n");
}

TEST_P(CarriedProcessTest, ATerminalIsTypedAtInterruptedResizedAndSeen) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("python3 -q", {{"pty", true}});
  ASSERT_TRUE(screen_shows(agent, id, ">>>"));
  type(agent, "submit", id, "import time; print('slee' + 'ping'); time.sleep(1000)");
  ASSERT_TRUE(screen_shows(agent, id, "sleeping"));
  type(agent, "write", id, "\x03");
  ASSERT_TRUE(screen_shows(agent, id, "KeyboardInterrupt"));
  EXPECT_EQ(
      text(agent.process({{"action", "resize"}, {"session_id", id}, {"rows", 41}, {"cols", 133}}),
           "status"),
      "ok");
  type(agent, "submit", id, "import os; os.system('stty size')");
  EXPECT_TRUE(screen_shows(agent, id, "41 133"));
  type(agent, "submit", id, "exit(5)");
  EXPECT_EQ(code_of(wait(agent, id)), 5);
}

TEST_P(CarriedProcessTest, AKillEndsTheTreeThere) {
  LinesClient agent(world_);
  const std::string id = agent.start_process(
      "(setsid sleep 4323.5 &); trap '' TERM; echo on; sleep 4323.5; sleep 4323.5");
  ASSERT_TRUE(shows(agent, id, "on"));
  EXPECT_EQ(text(kill(agent, id), "status"), "killed");
  EXPECT_EQ(output_of(agent.run("grep -slz 4323[.]5 /proc/[0-9]*/cmdline | wc -l")), "0");
  EXPECT_EQ(code_of(poll(agent, id)), -15);
}

TEST_P(CarriedProcessTest, EventsArriveWithoutBeingAskedFor) {
  LinesClient agent(world_);
  subscribe(agent);
  const std::string ends =
      agent.start_process("read line; exit 6", {{"stdin", true}, {"notify_on_complete", true}});
  const std::string watched =
      agent.start_process("read line; echo Listening on 80; sleep 1000",
                          {{"stdin", true}, {"watch_patterns", {"Listening"}}});
  type(agent, "submit", ends, "");
  type(agent, "submit", watched, "");
  std::map<std::string, json::object> told;
  for (int i = 0; i < 2; ++i) {
    const json::object event = agent.event();
    told[text(event, "type")] = event;
  }
  ASSERT_TRUE(told.contains("completion") && told.contains("watch_match"));
  EXPECT_EQ(text(told["completion"], "session_id"), ends);
  EXPECT_EQ(code_of(told["completion"]), 6);
  EXPECT_EQ(text(told["watch_match"], "session_id"), watched);
  EXPECT_THAT(text(told["watch_match"], "output"), HasSubstr("Listening on 80"));
  kill(agent, watched);
}

TEST_P(CarriedProcessTest, AKilledControllerLosesNeitherTheProcessNorItsEnd) {
  std::string id;
  {
    LinesClient agent(world_);
    subscribe(agent);
    id = agent.start_process("echo before; read line; echo after; exit 4",
                             {{"stdin", true}, {"notify_on_complete", true}});
    ASSERT_TRUE(shows(agent, id, "before"));
    agent.program().kill(SIGKILL);
  }
  LinesClient next(world_);
  EXPECT_EQ(text(poll(next, id), "status"), "running");
  subscribe(next);
  type(next, "submit", id, "go");
  const json::object event = next.event();
  EXPECT_EQ(text(event, "session_id"), id);
  EXPECT_EQ(code_of(event), 4);
  EXPECT_EQ(text(event, "output"), "before\nafter\n");
}

// The first process of the container is a sleep, which reaps nobody.
TEST_P(CarriedProcessTest, AnExitIsNoticedAndNoZombieStaysWhereNobodyReaps) {
  LinesClient agent(world_);
  const std::string id = agent.start_process(
      "for i in 1 2 3 4 5; do (setsid sh -c 'sleep 0.1; exit 1' &); done; exit 7");
  EXPECT_EQ(code_of(wait(agent, id)), 7);
  if (!GetParam().docker) return;  // where there are others than ours
  EXPECT_TRUE(eventually([&] {
    // "exe" is what docker itself starts in the container, until it is our program.
    const std::string look =
        "grep -sl '^State:.Z' /proc/[0-9]*/status | xargs -r grep -sL '^Name:.exe' | wc -l";
    return trim_end(shell("docker exec " + container_ + " sh -c \"" + look + "\"").out) == "0";
  })) << shell("docker exec " + container_ + " sh -c 'grep -s . /proc/[0-9]*/stat'").out;
}

INSTANTIATE_TEST_SUITE_P(Ways, CarriedProcessTest, testing::ValuesIn(kWays), way_name);

using CarriedBatchTest = CarrierBase;

// Following events leaves a batch with nothing to bring: it has to wait there, not here.
TEST_F(CarriedBatchTest, FollowingEventsOverBatchesIsNoBusyLoop) {
  use_docker("talaria-test", kHardened);
  if (IsSkipped()) return;
  std::ofstream(world_.path("carrier"))
      << "echo >> '" << world_.path("runs") << "'\nexec docker exec -i " << container_ << " \"$@\"";
  world_.set("TERMINAL_CARRIER", "sh " + world_.path("carrier"));
  world_.set("TERMINAL_CARRIER_MODE", "batch");
  LinesClient agent(world_);
  const std::string id = agent.start_process("sleep 1000", {{"notify_on_complete", true}});
  ASSERT_TRUE(agent.ask("events.subscribe").contains("consumer"));
  agent.events_within(std::chrono::seconds(1));
  const std::size_t before = world_.read("runs").size();
  EXPECT_TRUE(agent.events_within(std::chrono::seconds(5)).empty());
  EXPECT_LE(world_.read("runs").size() - before, 4u);  // one in two seconds
  EXPECT_EQ(text(kill(agent, id), "status"), "killed");
}

// Every batch brought again that the script had begun, and ended with that: a search, which began
// anew with each batch, took as long as it needed luck.
TEST_F(CarriedBatchTest, AScriptOverBatchesIsNoBusyLoop) {
  const std::string there = world_.directory("there");
  std::ofstream(there + "/f") << "needle\n";
  std::ofstream(world_.path("carrier"))
      << "echo >> '" << world_.path("runs") << "'\nexec env HOME='" << there << "' \"$@\"";
  world_.set("TERMINAL_CARRIER", "sh " + world_.path("carrier"));
  world_.set("TERMINAL_CARRIER_MODE", "batch");
  world_.set("TERMINAL_CWD", there);
  LinesClient agent(world_);
  agent.run("true");
  const std::size_t before = world_.read("runs").size();
  const json::object result = agent.call(
      "execute_code", {{"code",
                        "import time\nfrom hermes_tools import search_files\ntime.sleep(3)\n"
                        "print([len(search_files('needle')['matches']) for _ in range(3)])"}});
  EXPECT_EQ(text(result, "output"), "[1, 1, 1]\n");
  EXPECT_LE(world_.read("runs").size() - before, 40u);
  EXPECT_EQ(agent.end(), 0);
  const auto runner = Runner::in(directory_below(there + "/.talaria", "run-"));
  ASSERT_TRUE(runner);
  runner->kill(SIGTERM);
  EXPECT_TRUE(runner->wait_gone());
}

}  // namespace
}  // namespace talaria::test
