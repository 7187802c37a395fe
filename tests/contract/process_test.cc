// Processes in the background, as the runner has them.
#include "support/process_test.h"

#include <chrono>

namespace talaria::test {
namespace {

using std::chrono::steady_clock;

TEST_F(ProcessTest, ADetachedStartIsAnsweredWhileTheCommandRuns) {
  const link::Started started = start("p1", "pwd; exec sleep 300");
  EXPECT_EQ(started.process, "p1");
  EXPECT_EQ(started.cwd, world_.path("work"));
  ASSERT_TRUE(name_process(static_cast<pid_t>(started.pid)));
  ASSERT_TRUE(prints("p1", world_.path("work")));
  const link::ProcessEntry now = entry("p1");
  EXPECT_TRUE(now.running);
  EXPECT_EQ(now.pid, started.pid);
  EXPECT_EQ(now.cwd, world_.path("work"));
  EXPECT_EQ(now.command, "pwd; exec sleep 300");
  EXPECT_NEAR(static_cast<double>(now.started_ms), static_cast<double>(::time(nullptr)) * 1000,
              60'000);
  EXPECT_EQ(now.ended_ms, 0u);
  EXPECT_EQ(now.lifetime, link::ProcessLifetime::session);
  kill("p1", "process.kill");
  const link::ProcessEntry then = entry("p1");
  EXPECT_FALSE(then.running);
  EXPECT_EQ(then.ended, link::Ended::killed);
  EXPECT_EQ(then.source, "process.kill");
  EXPECT_GE(then.ended_ms, now.started_ms);
}

TEST_F(ProcessTest, WhatAStartSaysIsInTheList) {
  link::Start asked = background("p1", "sleep 300");
  asked.owner = "somebody";
  asked.notify = true;
  asked.max_age_ms = 1'000'000;
  asked.watch = {"a", "b"};
  start(asked);
  const link::ProcessEntry now = entry("p1");
  EXPECT_EQ(now.owner, "somebody");
  EXPECT_TRUE(now.notify);
  EXPECT_EQ(now.max_age_ms, 1'000'000u);
  EXPECT_EQ(now.watch, (std::vector<std::string>{"a", "b"}));
}

TEST_F(ProcessTest, WhatIsWatchedForHasABound) {
  link::Start asked = background("p1", "sleep 300");
  asked.watch.assign(65, "pattern");
  const Result<std::string> many = wire_->try_ask(asked);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().kind(), ErrorKind::bad_request);
  EXPECT_EQ(many.error().message(), "watch: 65 patterns; at most 64");
  link::Start fewer = background("p1", "sleep 300");
  fewer.watch.assign(64, "pattern");
  start(fewer);
  EXPECT_TRUE(entry("p1").running);
}

TEST_F(ProcessTest, AListCanLeaveTheForegroundOut) {
  start("p1", "sleep 300");
  EXPECT_EQ(world_.exec("true").code(), 0);
  const auto all = wire_->ask<link::ListReport>(link::List{});
  const auto background = wire_->ask<link::ListReport>(link::List{.background = true});
  EXPECT_GT(all.processes.size(), 1u);
  ASSERT_EQ(background.processes.size(), 1u);
  EXPECT_EQ(background.processes[0].process, "p1");
  EXPECT_TRUE(wire_->ask<link::ListReport>(link::List{.process = "nobody"}).processes.empty());
}

TEST_F(ProcessTest, AStartSentAgainFindsTheProcess) {
  const link::Start asked = background("p1", "echo once; exec sleep 300");
  const link::Started first = start(asked);
  const link::Started second = start(asked);
  EXPECT_FALSE(first.known);
  EXPECT_TRUE(second.known);
  EXPECT_EQ(second.pid, first.pid);
}

TEST_F(ProcessTest, ALongCommandIsListedInFull) {
  const std::string command = "sleep 300 # " + std::string(5000, 'x');
  start("p1", command);
  EXPECT_EQ(entry("p1").command, command);
  const auto long_one = "sleep 300 # " + std::string(100'000, 'x');
  start("p2", long_one);
  EXPECT_EQ(entry("p2").command, long_one.substr(0, 16384));
}

TEST_F(ProcessTest, ACodeIsReportedAndNoSource) {
  start("p1", "exit 3");
  const link::ExitReport end = wait("p1");
  EXPECT_EQ(end.ended, link::Ended::exited);
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.source, "");
}

TEST_F(ProcessTest, WhatHoldsTheOutputOpenHoldsNobodyUp) {
  const auto before = steady_clock::now();
  start("p1", "(sleep 300 &) ; exit 5");
  const link::ExitReport end = wait("p1");
  EXPECT_EQ(end.code, 5);
  EXPECT_EQ(entry("p1").background_children, 1u);
  EXPECT_LT(steady_clock::now() - before, std::chrono::seconds(2));
  kill("p1");
  EXPECT_EQ(entry("p1").background_children, 0u);
  EXPECT_EQ(entry("p1").ended, link::Ended::exited);  // it had, before
}

TEST_F(ProcessTest, KillEndsWhatIgnoresTerm) {
  start("p1", "trap '' TERM; echo on; while :; do sleep 300; done");
  ASSERT_TRUE(prints("p1", "on"));
  const auto before = steady_clock::now();
  EXPECT_TRUE(kill("p1").survivors.empty());
  EXPECT_LT(steady_clock::now() - before, std::chrono::seconds(3));
  EXPECT_EQ(wait("p1").ended, link::Ended::killed);
}

// A kill that was asked for again before it was done, as every new connection of a link does, gave
// the process another second to end by itself, for ever.
TEST_F(ProcessTest, AKillThatIsAskedForAgainAndAgainIsDoneInTime) {
  start("p1", "trap 'echo term' TERM; echo on; while :; do sleep 0.01; done");
  ASSERT_TRUE(prints("p1", "on"));
  const auto before = steady_clock::now();
  while (entry("p1").running && steady_clock::now() - before < std::chrono::seconds(10)) {
    ASSERT_TRUE(wire_->driver().begin(link::Kill{.process = "p1", .source = "test"}));
    EXPECT_FALSE(wire_->run_until([] { return false; }, std::chrono::milliseconds(200)));
  }
  EXPECT_LT(steady_clock::now() - before, std::chrono::seconds(4));
  const link::ProcessEntry ended = entry("p1");
  EXPECT_EQ(ended.ended, link::Ended::killed);
  EXPECT_EQ(ended.tail.find("term\n"), ended.tail.rfind("term\n"));  // it was told once
}

// The command ends itself when it gets the signal: it was killed all the same.
TEST_F(ProcessTest, AKillIsNeverReportedAsAnExit) {
  start("p1", "trap 'exit 0' TERM; echo on; while :; do sleep 0.01; done");
  ASSERT_TRUE(prints("p1", "on"));
  kill("p1", "process.kill");
  const link::ExitReport end = wait("p1");
  EXPECT_EQ(end.ended, link::Ended::killed);
  EXPECT_EQ(end.source, "process.kill");
}

TEST_F(ProcessTest, KillingWhatHasEndedSaysSo) {
  start("p1", "exit 7");
  EXPECT_EQ(wait("p1").code, 7);
  EXPECT_TRUE(kill("p1").already_ended);
  EXPECT_EQ(entry("p1").code, 7);
  EXPECT_EQ(wire_->kind_of(link::Kill{.process = "nobody"}), "not_found");
}

TEST_F(ProcessTest, OfTheFinishedTheOldestStartGoesFirst) {
  for (int i = 0; i < 4; ++i) {
    link::Start asked = background("p" + std::to_string(i), "true");
    asked.limits.finished = 4;
    start(asked);
    wait("p" + std::to_string(i));
  }
  EXPECT_EQ(wire_->ask<link::ListReport>(link::List{.background = true}).processes.size(), 4u);
  link::Start asked = background("p4", "sleep 300");
  asked.limits.finished = 4;
  start(asked);
  EXPECT_EQ(wire_->ask<link::ListReport>(link::List{.background = true}).processes.size(), 4u);
  EXPECT_EQ(wire_->kind_of(link::Wait{.process = "p0"}), "not_found");
  EXPECT_EQ(wait("p1").code, 0);
}

TEST_F(ProcessTest, RetentionCountsFromTheEnd) {
  link::Start asked = background("p1", "sleep 2");
  asked.limits.retention_ms = 1500;
  start(asked);
  wait("p1");  // it ran longer than it is kept
  EXPECT_EQ(entry("p1").process, "p1");
  EXPECT_TRUE(eventually([&] { return entry("p1").process.empty(); }));
}

TEST_F(ProcessTest, AFloodOfCommandsDoesNotPushOutAFinishedProcess) {
  start("p1", "exit 9");
  wait("p1");
  for (int i = 0; i < 100; ++i) {
    wire_->ask<link::ExitReport>(link::Start{.start_id = "f" + std::to_string(i),
                                             .sequence = wire_->next_sequence(),
                                             .command = "true"});
  }
  EXPECT_EQ(entry("p1").code, 9);
  EXPECT_EQ(wire_->kind_of(link::Wait{.process = "f0"}), "not_found");
}

TEST_F(ProcessTest, TooManyAreRefusedInWords) {
  for (const char* id : {"p1", "p2"}) start(id, "sleep 300");
  link::Start third = background("p3", "sleep 300");
  third.limits.running = 2;
  const auto refused = wire_->try_ask(third);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::limit);
  EXPECT_TRUE(refused.error().message().contains("2 background processes"));
  EXPECT_TRUE(refused.error().message().contains("terminal.max_processes"));
  kill("p1");
  third.start_id = "p4";
  third.sequence = wire_->next_sequence();
  EXPECT_EQ(wire_->kind_of(third), "");
}

TEST_F(ProcessTest, AProcessDoesNotLiveLongerThanItMay) {
  link::Start asked = background("p1", "sleep 300");
  asked.max_age_ms = 100;
  start(asked);
  const link::ExitReport end = wait("p1");
  EXPECT_EQ(end.ended, link::Ended::killed);
  EXPECT_EQ(end.source, "max_age");
}

TEST_F(ProcessTest, ItsSessionIsNotChangedByWhatRunsBehindIt) {
  link::Start asked = background("p1", "cd / ; export A=1");
  asked.session = "s";
  start(asked);
  wait("p1");
  link::Start look = background("p2", "echo $A; pwd");
  look.session = "s";
  start(look);
  EXPECT_EQ(wait("p2").tail, "\n" + world_.path("work") + "\n");
}

TEST_F(ProcessTest, ACommandIsHandedOverAtItsTimeout) {
  link::Start asked =
      background("p1", "echo begun; until [ -e go ]; do sleep 0.01; done; echo done");
  asked.lifetime = link::ProcessLifetime::foreground;
  asked.session = "s";
  asked.detached = false;
  asked.hand_over = true;
  asked.timeout_ms = 300;
  asked.head_limit = 100;
  const auto first = wire_->ask<link::ExitReport>(asked);
  EXPECT_EQ(first.ended, link::Ended::handed_over);
  EXPECT_EQ(first.head, "begun\n");
  EXPECT_EQ(first.process, "p1");
  EXPECT_GE(first.duration_us, 300'000u);
  EXPECT_EQ(wire_->ask<link::ExitReport>(asked).ended, link::Ended::handed_over);
  EXPECT_TRUE(entry("p1").running);
  EXPECT_EQ(entry("p1").lifetime, link::ProcessLifetime::session);
  link::Start other = background("p2", "touch go");
  other.session = "s";
  start(other);
  const link::ExitReport end = wait("p1");
  EXPECT_EQ(end.ended, link::Ended::exited);
  EXPECT_EQ(end.tail, "begun\ndone\n");
  EXPECT_EQ(wire_->ask<link::ListReport>(link::List{.process = "p1", .background = true})
                .processes.size(),
            1u);
}

TEST_F(ProcessTest, WithoutRoomInTheBackgroundATimeoutEndsTheCommand) {
  link::Start first = background("p1", "sleep 300");
  first.limits.running = 1;
  start(first);
  link::Start asked = background("p2", "sleep 300");
  asked.lifetime = link::ProcessLifetime::foreground;
  asked.detached = false;
  asked.hand_over = true;
  asked.timeout_ms = 300;
  asked.limits.running = 1;
  const auto report = wire_->ask<link::ExitReport>(asked);
  EXPECT_EQ(report.ended, link::Ended::timed_out);
  ASSERT_EQ(report.notices.size(), 1u);
  EXPECT_TRUE(report.notices[0].contains("terminal.max_processes")) << report.notices[0];
  EXPECT_FALSE(entry("p2").running);
  EXPECT_TRUE(entry("p1").running);
}

TEST_F(ProcessTest, WhatIsTooOldForAProcessIsNotHandedOver) {
  link::Start asked = background("p1", "sleep 300");
  asked.lifetime = link::ProcessLifetime::foreground;
  asked.detached = false;
  asked.hand_over = true;
  asked.timeout_ms = 400;
  asked.max_age_ms = 100;
  const auto report = wire_->ask<link::ExitReport>(asked);
  EXPECT_EQ(report.ended, link::Ended::timed_out);
  EXPECT_GE(report.duration_us, 400'000u);
  ASSERT_EQ(report.notices.size(), 1u);
  EXPECT_TRUE(report.notices[0].contains("max_age")) << report.notices[0];
}

TEST_F(ProcessTest, AHandOverDoesNotMakeAProcessYounger) {
  link::Start asked = background("p1", "sleep 300");
  asked.lifetime = link::ProcessLifetime::foreground;
  asked.detached = false;
  asked.hand_over = true;
  asked.timeout_ms = 300;
  asked.max_age_ms = 1500;
  const auto begun = steady_clock::now();
  EXPECT_EQ(wire_->ask<link::ExitReport>(asked).ended, link::Ended::handed_over);
  const link::ExitReport end = wait("p1");
  EXPECT_EQ(end.ended, link::Ended::killed);
  EXPECT_EQ(end.source, "max_age");
  EXPECT_GE(steady_clock::now() - begun, std::chrono::milliseconds(1500));
}

TEST_F(ProcessTest, AStartThatNamesNoLimitsLeavesThemAsTheyAre) {
  link::Start first = background("p1", "sleep 300");
  first.limits.running = 1;
  start(first);
  link::Start handed = background("p2", "true");
  handed.lifetime = link::ProcessLifetime::foreground;
  handed.detached = false;
  handed.hand_over = true;
  handed.timeout_ms = 60'000;
  EXPECT_EQ(wire_->ask<link::ExitReport>(handed).ended, link::Ended::exited);
  EXPECT_EQ(wire_->kind_of(background("p3", "sleep 300")), "limit");
}

TEST_F(ProcessTest, AnOpenWaitIsToldOfTheHandOver) {
  link::Start asked = background("p1", "sleep 300");
  asked.lifetime = link::ProcessLifetime::foreground;
  asked.hand_over = true;
  asked.timeout_ms = 500;
  start(asked);
  EXPECT_EQ(wait("p1").ended, link::Ended::handed_over);
  kill("p1", "me");
  EXPECT_EQ(wait("p1").ended, link::Ended::killed);
}

TEST_F(ProcessTest, AServerThatPrintsForDaysKeepsItsNewestOutput) {
  link::Start asked = background("p1", "seq 1 200000; exec sleep 300");
  asked.spill_quota = 256 << 10;
  start(asked);
  ASSERT_TRUE(prints("p1", "\n200000\n"));
  const std::uint64_t total = entry("p1").total;
  std::string newest;
  link::LinkCall call;
  call.request.data_limit = 1 << 20;
  call.on_data = [&](std::string_view bytes) { newest += bytes; };
  const auto report = wire_->ask<link::ReadReport>(
      link::Read{.process = "p1", .from = total - (256 << 10)}, std::move(call));
  EXPECT_EQ(report.lost, 0u);
  EXPECT_EQ(newest.size(), 256u << 10);
  EXPECT_TRUE(newest.ends_with("199999\n200000\n"));
  struct stat file{};
  ASSERT_EQ(::stat((world_.runner_directory() + "/spill/p1").c_str(), &file), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(file.st_size), total);
  EXPECT_LT(file.st_blocks * 512, 512 << 10);
}

}  // namespace
}  // namespace talaria::test
