// Events of processes in the background, through the built program: what is announced, to whom, and
// that none is missed.
#include <fstream>
#include <map>
#include <set>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "support/process_tool_test.h"

namespace talaria::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

class EventsTest : public ProcessToolTest {
 protected:
  static constexpr milliseconds kQuiet{400};  // if nothing came until then, nothing will

  static void subscribe(LinesClient& agent, json::object params = {}) {
    const json::object answer = agent.ask("events.subscribe", std::move(params));
    ASSERT_TRUE(answer.contains("consumer")) << json::serialize(answer);
  }
  void go() { std::ofstream(world_.path("go")) << "go"; }

  static constexpr const char* kUntilGo = "until [ -e ../go ]; do sleep 0.01; done; ";
};

TEST_F(EventsTest, AnEndBeforeTheToolReturnsIsStillAnnounced) {
  LinesClient agent(world_);
  subscribe(agent);
  const json::object started = agent.start("true", {{"notify_on_complete", true}});
  EXPECT_EQ(started.at("notify_on_complete"), true);
  EXPECT_FALSE(started.contains("hint"));
  const json::object event = agent.event();
  EXPECT_EQ(text(event, "type"), "completion");
  EXPECT_EQ(event.at("session_id"), started.at("session_id"));
  EXPECT_EQ(code_of(event), 0);
  EXPECT_EQ(text(event, "completion_reason"), "exited");
  EXPECT_EQ(text(event, "command"), "true");
  EXPECT_THAT(text(event, "text"), HasSubstr("completed normally (exit code 0)"));
  EXPECT_TRUE(agent.events_within(kQuiet).empty());
}

TEST_F(EventsTest, WhoSubscribesLaterHearsOfWhatEndedBefore) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("echo out; exit 3", {{"notify_on_complete", true}});
  ASSERT_TRUE(eventually([&] {
    return agent.process({{"action", "list"}})
        .at("processes")
        .as_array()[0]
        .as_object()
        .contains("exit_code");
  }));
  subscribe(agent);
  const json::object event = agent.event();
  EXPECT_EQ(text(event, "session_id"), id);
  EXPECT_EQ(code_of(event), 3);
  EXPECT_EQ(text(event, "output"), "out\n");
}

TEST_F(EventsTest, ASilentProcessIsNotAnnounced) {
  LinesClient agent(world_);
  subscribe(agent);
  agent.start_process("true");
  EXPECT_TRUE(agent.events_within(kQuiet).empty());
}

TEST_F(EventsTest, AnEndThatWasReadIsNotAnnounced) {
  LinesClient agent(world_);
  for (const char* action : {"wait", "poll", "log"}) {
    SCOPED_TRACE(action);
    const std::string id = agent.start_process("true", {{"notify_on_complete", true}});
    ASSERT_TRUE(eventually([&] {
      return text(agent.process({{"action", action}, {"session_id", id}}), "status") == "exited";
    }));
  }
  const std::string polled =
      agent.start_process(std::string(kUntilGo) + "true", {{"notify_on_complete", true}});
  EXPECT_EQ(text(poll(agent, polled), "status"), "running");  // that is no report of its end
  subscribe(agent);
  EXPECT_TRUE(agent.events_within(kQuiet).empty());
  go();
  EXPECT_EQ(text(agent.event(), "session_id"), polled);
}

TEST_F(EventsTest, AWaitThatIsUnderWayReportsTheEndInstead) {
  LinesClient agent(world_);
  subscribe(agent);
  for (int i = 0; i < 10; ++i) {
    const std::string id = agent.start_process("sleep 0.05", {{"notify_on_complete", true}});
    EXPECT_EQ(text(wait(agent, id), "status"), "exited");
  }
  EXPECT_TRUE(agent.events_within(kQuiet).empty());
}

TEST_F(EventsTest, AKillIsAnnouncedOnceAndAsAKill) {
  LinesClient agent(world_);
  subscribe(agent);
  const std::string id =
      agent.start_process("trap 'exit 143' TERM; sleep 100", {{"notify_on_complete", true}});
  kill(agent, id);
  const json::object event = agent.event();
  EXPECT_EQ(text(event, "session_id"), id);
  EXPECT_EQ(code_of(event), -15);
  EXPECT_EQ(text(event, "completion_reason"), "killed");
  EXPECT_EQ(text(event, "termination_source"), "process.kill");
  EXPECT_TRUE(agent.events_within(kQuiet).empty());
}

TEST_F(EventsTest, AMatchIsAnnouncedAsItIsPrinted) {
  LinesClient agent(world_);
  subscribe(agent);
  const json::object started = agent.start(
      "echo starting; sleep 0.1; echo 'Listening on 80'; echo 'Listening again'; sleep 100",
      {{"watch_patterns", {"Listening"}}});
  EXPECT_EQ(json::serialize(started.at("watch_patterns")), R"(["Listening"])");
  const json::object event = agent.event();
  EXPECT_EQ(text(event, "type"), "watch_match");
  EXPECT_EQ(text(event, "pattern"), "Listening");
  EXPECT_THAT(text(event, "output"), HasSubstr("Listening on 80"));
  EXPECT_EQ(event.at("suppressed").as_int64(), 0);
  EXPECT_TRUE(agent.events_within(kQuiet).empty());  // the next window is a while away
  kill(agent, text(started, "session_id"));
}

TEST_F(EventsTest, ManyMatchesAtOnceMuteThemAll) {
  LinesClient agent(world_);
  subscribe(agent);
  std::vector<std::string> ids;
  for (int i = 0; i < 18; ++i) {
    ids.push_back(agent.start_process(std::string(kUntilGo) + "echo hit; sleep 100",
                                      {{"watch_patterns", {"hit"}}}));
  }
  go();
  std::map<std::string, int> types;
  for (int i = 0; i < 16; ++i) ++types[text(agent.event(), "type")];
  EXPECT_EQ(types["watch_match"], 15);
  EXPECT_EQ(types["watch_overflow_tripped"], 1);
  EXPECT_TRUE(agent.events_within(kQuiet).empty());
  for (const std::string& id : ids) kill(agent, id);
}

TEST_F(EventsTest, AnEventOfAnotherSessionIsForThatSessionWhileItIsThere) {
  LinesClient agent(world_);
  subscribe(agent, {{"consumer", "a"}, {"session_key", "a"}});
  subscribe(agent, {{"consumer", "b"}, {"session_key", "b"}});
  const auto run_as = [&](const std::string& key) {
    agent.result(agent.send(
        "terminal", {{"command", "true"}, {"background", true}, {"notify_on_complete", true}}, "t",
        key));
  };
  run_as("a");
  EXPECT_EQ(text(agent.event(), "session_key"), "a");
  EXPECT_TRUE(agent.events_within(kQuiet).empty());  // b was not told
  run_as("gone");                                    // nobody is there for it: anybody's
  EXPECT_EQ(text(agent.event(), "session_key"), "gone");
  EXPECT_EQ(text(agent.event(), "session_key"), "gone");
}

TEST_F(EventsTest, WhatEndedWhileNobodyWasThereIsToldToTheNextController) {
  std::string id;
  {
    LinesClient agent(world_);
    subscribe(agent);
    id = agent.start_process(std::string(kUntilGo) + "echo late; exit 4",
                             {{"notify_on_complete", true}});
    agent.program().kill(SIGKILL);
  }
  go();
  LinesClient next(world_);
  subscribe(next);
  const json::object event = next.event();
  EXPECT_EQ(text(event, "session_id"), id);
  EXPECT_EQ(code_of(event), 4);
  EXPECT_EQ(text(event, "output"), "late\n");
  EXPECT_EQ(next.end(), 0);
  LinesClient last(world_);
  subscribe(last);
  EXPECT_TRUE(last.events_within(kQuiet).empty());  // told once
}

TEST_F(EventsTest, WhatAConsumerDidNotAcknowledgeIsToldAgain) {
  std::int64_t number = 0;
  {
    LinesClient agent(world_);
    subscribe(agent, {{"consumer", "careful"}, {"ack", "manual"}});
    agent.start_process("exit 1", {{"notify_on_complete", true}});
    agent.event();
    agent.program().kill(SIGKILL);
  }
  {
    LinesClient next(world_);
    subscribe(next, {{"consumer", "careful"}, {"ack", "manual"}});
    const json::object again = next.event();
    EXPECT_EQ(code_of(again), 1);
    number = again.at("id").as_int64();
    EXPECT_TRUE(next.ask("events.ack", {{"consumer", "careful"}, {"id", number}}).empty());
  }
  LinesClient last(world_);
  subscribe(last, {{"consumer", "careful"}, {"ack", "manual"}});
  EXPECT_TRUE(last.events_within(kQuiet).empty());
}

TEST_F(EventsTest, EveryConsumerHasItsOwnCursor) {
  LinesClient agent(world_);
  agent.start_process("true", {{"notify_on_complete", true}});
  subscribe(agent, {{"consumer", "one"}});
  agent.event();
  subscribe(agent, {{"consumer", "two"}});
  agent.event();
  subscribe(agent, {{"consumer", "three"}, {"from", "now"}});
  EXPECT_TRUE(agent.events_within(kQuiet).empty());
}

TEST_F(EventsTest, WhoSubscribesAnewIsToldAgain) {
  LinesClient agent(world_);
  for (int round = 0; round < 3; ++round) {
    subscribe(agent);
    const std::string id = agent.start_process("true", {{"notify_on_complete", true}});
    EXPECT_EQ(text(agent.event(), "session_id"), id);
    EXPECT_TRUE(agent.ask("events.unsubscribe").empty());
  }
}

TEST_F(EventsTest, SecretsAreMaskedUnlessTheConfigurationWantsThem) {
  const std::string command = "echo API_TOKEN=abcdefgh";
  {
    LinesClient agent(world_);
    subscribe(agent);
    agent.start_process(command, {{"notify_on_complete", true}});
    EXPECT_THAT(json::serialize(agent.event()), testing::Not(HasSubstr("abcdefgh")));
  }
  world_.set("HERMES_REDACT_SECRETS", "false");
  LinesClient agent(world_);
  subscribe(agent);
  agent.start_process(command, {{"notify_on_complete", true}});
  EXPECT_THAT(json::serialize(agent.event()), HasSubstr("abcdefgh"));
}

TEST_F(EventsTest, OddSubscriptionsAreRefusedInWords) {
  LinesClient agent(world_);
  const auto refused = [&](const char* method, json::object params) {
    return text(agent.ask(method, std::move(params)), "message");
  };
  EXPECT_THAT(refused("events.subscribe", {{"consumer", 7}}), HasSubstr("params.consumer"));
  EXPECT_THAT(refused("events.subscribe", {{"consumer", ""}}), HasSubstr("expected a name"));
  EXPECT_THAT(refused("events.subscribe", {{"from", "then"}}), HasSubstr("one of 'kept', 'now'"));
  EXPECT_THAT(refused("events.subscribe", {{"ack", "maybe"}}),
              HasSubstr("one of 'auto', 'manual'"));
  subscribe(agent);
  EXPECT_THAT(refused("events.subscribe", {}), HasSubstr("has subscribed already"));
  EXPECT_TRUE(agent.ask("events.unsubscribe").empty());
  EXPECT_THAT(refused("events.unsubscribe", {}), HasSubstr("has not subscribed"));
  EXPECT_THAT(refused("events.ack", {{"id", "x"}}), HasSubstr("params.id"));
  EXPECT_THAT(refused("events.dance", {}), HasSubstr("events.subscribe"));
  subscribe(agent);  // again, under the same name
}

TEST_F(EventsTest, WhatWasLostWithItsRunnerIsToldAsLost) {
  world_.expect_spilled_output();
  LinesClient agent(world_);
  subscribe(agent);
  const std::string id =
      agent.start_process("echo before; sleep 100", {{"notify_on_complete", true}});
  ASSERT_TRUE(shows(agent, id, "before"));
  world_.runner()->kill(SIGKILL);
  std::map<std::string, json::object> told;
  while (!told.contains("completion") || !told.contains("target_lost")) {
    const json::object event = agent.event();
    told[text(event, "type")] = event;
  }
  EXPECT_THAT(text(told.at("target_lost"), "message"), HasSubstr("The runner of target local"));
  const json::object& lost = told.at("completion");
  EXPECT_EQ(text(lost, "session_id"), id);
  EXPECT_EQ(code_of(lost), -1);
  EXPECT_EQ(text(lost, "completion_reason"), "lost");
  EXPECT_EQ(text(lost, "termination_source"), "backend_lost");
  const json::object polled = poll(agent, id);
  EXPECT_EQ(text(polled, "completion_reason"), "lost");
  EXPECT_EQ(text(polled, "output_preview"), "before\n");
}

TEST_F(EventsTest, AProcessKeepsItsRunnerAndItsEndLetsItGo) {
  world_.set("TERMINAL_LIFETIME_SECONDS", "1");
  std::string id;
  {
    LinesClient agent(world_);
    id = agent.start_process(std::string(kUntilGo) + "exit 5", {{"notify_on_complete", true}});
  }
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const auto runner = world_.runner();
  ASSERT_TRUE(runner && runner->alive());
  go();
  EXPECT_TRUE(runner->wait_gone());
  LinesClient next(world_);  // another runner, which knows what the first one had to tell
  subscribe(next);
  const json::object event = next.event();
  EXPECT_EQ(text(event, "session_id"), id);
  EXPECT_EQ(code_of(event), 5);
  EXPECT_EQ(code_of(poll(next, id)), 5);
}

}  // namespace
}  // namespace talaria::test
