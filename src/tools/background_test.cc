#include "tools/background.h"

#include <memory>
#include <string>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_environment.h"
#include "testing/open_policy.h"
#include "testing/run_to_end.h"
#include "tools/terminal.h"

namespace talaria::tool {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

class BackgroundTest : public testing::Test {
 protected:
  json::object start(json::object arguments, std::vector<std::string> variables = {}) {
    arguments["background"] = true;
    if (!arguments.contains("command")) arguments["command"] = "serve";
    host::Host host = fake_host(fake_, std::move(variables));
    test::OpenPolicy policy(host);
    return test::run_to_end(
        terminal(test::tool_call(host, policy, std::move(arguments), {.session_key = "chat"})));
  }
  const test::FakeProcesses::Started& started() const { return fake_->processes.started.at(0); }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
};

TEST_F(BackgroundTest, IsAnsweredWithWhereToFindIt) {
  const json::object result = start({});
  EXPECT_EQ(result.at("output"), "Background process started");
  EXPECT_EQ(result.at("session_id"), "proc_000000000001");
  EXPECT_EQ(result.at("pid"), 42);
  EXPECT_EQ(result.at("exit_code"), 0);
  EXPECT_TRUE(result.at("error").is_null());
  EXPECT_FALSE(result.contains("notices"));
}

TEST_F(BackgroundTest, HasTheConfiguredLimits) {
  start({}, {"TERMINAL_MAX_PROCESSES=7", "TERMINAL_MAX_TERMINALS=6",
             "TERMINAL_MAX_FINISHED_PROCESSES=5", "TERMINAL_PROCESS_RETENTION_SECONDS=4",
             "TERMINAL_PROCESS_MAX_AGE_SECONDS=3", "TERMINAL_SPILL_QUOTA_MB=2"});
  const environment::ProcessSpec& spec = started().spec;
  EXPECT_EQ(spec.caps.running, 7u);
  EXPECT_EQ(spec.caps.terminals, 6u);
  EXPECT_EQ(spec.caps.finished, 5u);
  EXPECT_EQ(spec.caps.retention, std::chrono::seconds(4));
  EXPECT_EQ(spec.max_age, std::chrono::seconds(3));
  EXPECT_EQ(started().command.spill_quota, 2u << 20);
}

TEST_F(BackgroundTest, SoHasWhatMayBeHandedOver) {
  host::Host host =
      fake_host(fake_, {"TERMINAL_MAX_PROCESSES=7", "TERMINAL_PROCESS_MAX_AGE_SECONDS=3"});
  test::OpenPolicy policy(host);
  const json::object arguments{{"command", "make"},
                               {"on_timeout", "background"},
                               {"pty", true},
                               {"lifetime", "keep"},
                               {"notify_on_complete", true}};
  test::run_to_end(terminal(test::tool_call(host, policy, arguments, {.session_key = "chat"})));
  ASSERT_EQ(fake_->asked.size(), 1u);
  const auto& spec = fake_->asked[0].if_handed_over;
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->caps.running, 7u);
  EXPECT_EQ(spec->max_age, std::chrono::seconds(3));
  EXPECT_EQ(spec->session_key, "chat");
  EXPECT_TRUE(spec->notify);
  EXPECT_FALSE(spec->terminal);
  EXPECT_EQ(spec->lifespan, Lifespan::session);
}

TEST_F(BackgroundTest, WhatTheCallSaysCounts) {
  start({{"pty", true},
         {"stdin", true},
         {"lifetime", "keep"},
         {"workdir", "/srv"},
         {"notify_on_complete", true}});
  const environment::ProcessSpec& spec = started().spec;
  EXPECT_EQ(spec.terminal, (ScreenSize{.rows = 30, .cols = 120}));
  EXPECT_TRUE(spec.takes_input);
  EXPECT_EQ(spec.lifespan, Lifespan::keep);
  EXPECT_EQ(spec.max_age, std::chrono::seconds(0));  // one that is kept has no age
  EXPECT_TRUE(spec.notify);
  EXPECT_EQ(spec.session_key, "chat");
  EXPECT_EQ(started().command.workdir, "/srv");
  EXPECT_EQ(started().command.timeout, std::chrono::seconds(0));
}

TEST_F(BackgroundTest, AHintSaysThatASilentOneIsSilent) {
  EXPECT_THAT(std::string(start({}).at("hint").as_string()),
              StartsWith("background=true without notify_on_complete=true means this process runs "
                         "SILENTLY"));
  EXPECT_FALSE(start({{"notify_on_complete", true}}).contains("hint"));
  EXPECT_FALSE(start({{"watch_patterns", {"ready"}}}).contains("hint"));
  const json::object poller =
      start({{"command", "while :; do gh pr checks 1 --json x | jq .; done"},
             {"notify_on_complete", true}});
  EXPECT_THAT(std::string(poller.at("hint").as_string()), HasSubstr("green-ci-policy"));
}

TEST_F(BackgroundTest, WithBothFlagsThePatternsAreDroppedAndThatIsSaid) {
  const json::object both = start({{"notify_on_complete", true}, {"watch_patterns", {"ready"}}});
  EXPECT_EQ(both.at("watch_patterns_ignored"),
            "watch_patterns ignored because notify_on_complete=True; these two flags produce "
            "duplicate notifications when combined");
  EXPECT_FALSE(both.contains("watch_patterns"));
  EXPECT_EQ(both.at("notify_on_complete"), true);
  EXPECT_TRUE(started().spec.watch_patterns.empty());
}

TEST_F(BackgroundTest, EmptyPatternsAreNone) {
  const json::object result = start({{"watch_patterns", {"", "ready"}}});
  EXPECT_EQ(json::serialize(result.at("watch_patterns")), R"(["ready"])");
  EXPECT_THAT(started().spec.watch_patterns, testing::ElementsAre("ready"));
  EXPECT_TRUE(start({{"watch_patterns", {""}}}).contains("hint"));
}

TEST_F(BackgroundTest, ACheckIntervalOfOldIsTakenAndItsMinimumTold) {
  EXPECT_EQ(start({{"check_interval", 5}}).at("check_interval_note"),
            "Requested 5s raised to minimum 30s");
  EXPECT_FALSE(start({{"check_interval", 60}}).contains("check_interval_note"));
}

TEST_F(BackgroundTest, AStartThatFailsIsAnErrorAndNotAStart) {
  fake_->processes.start_answer = fail(ErrorKind::limit, "no room");
  const json::object result = start({});
  EXPECT_EQ(result.at("exit_code"), -1);
  EXPECT_EQ(result.at("error"), "Failed to start background process: no room");
  EXPECT_FALSE(result.contains("session_id"));
}

}  // namespace
}  // namespace talaria::tool
