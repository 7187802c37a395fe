// What a runner tells of processes in the background without being asked at that moment.
#include "link/runner_event.h"
#include "support/process_test.h"

namespace talaria::test {
namespace {

using Kind = link::RunnerEvent::Kind;

class ProcessEventsTest : public ProcessTest {
 protected:
  // All that are there.
  std::vector<link::RunnerEvent> events(std::uint64_t after = 0) {
    std::vector<link::RunnerEvent> found;
    link::LinkCall call;
    call.on_note = [&](std::string_view note) {
      found.push_back(*link::decode<link::RunnerEvent>(note));
    };
    last_ = wire_->ask<link::EventsReport>(link::Events{.after = after}, std::move(call)).last;
    return found;
  }
  void acknowledge(std::uint64_t up_to) {
    EXPECT_TRUE(wire_->try_ask(link::Acknowledge{.up_to = up_to}));
  }
  std::vector<link::RunnerEvent> wait_for_events(std::size_t count) {
    std::vector<link::RunnerEvent> found;
    EXPECT_TRUE(eventually([&] { return (found = events()).size() >= count; }));
    found.resize(count);
    return found;
  }

  std::uint64_t last_ = 0;
};

TEST_F(ProcessEventsTest, AnEndIsToldWithAllThatIsKnown) {
  link::Start asked = background("p1", "echo bye; exit 3");
  asked.owner = "somebody";
  asked.session = "s";
  asked.notify = true;
  start(asked);
  wait("p1");
  const auto told = events();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].number, 1u);
  EXPECT_EQ(told[0].kind, Kind::exit);
  EXPECT_EQ(told[0].process, "p1");
  EXPECT_EQ(told[0].session, "s");
  EXPECT_EQ(told[0].owner, "somebody");
  EXPECT_EQ(told[0].command, "echo bye; exit 3");
  EXPECT_TRUE(told[0].announced);
  EXPECT_EQ(told[0].ended, link::Ended::exited);
  EXPECT_EQ(told[0].code, 3);
  EXPECT_EQ(told[0].output, "bye\n");
  EXPECT_EQ(told[0].time_ms, entry("p1").ended_ms);
  EXPECT_EQ(last_, 1u);
}

TEST_F(ProcessEventsTest, AnEndBeforeTheStartIsAnsweredIsToldToo) {
  for (int i = 0; i < 20; ++i) start("p" + std::to_string(i), "true");
  EXPECT_EQ(wait_for_events(20).size(), 20u);
}

TEST_F(ProcessEventsTest, AKillIsOneEventWithItsSource) {
  start("p1", "trap 'exit 0' TERM; echo on; while :; do sleep 0.01; done");
  ASSERT_TRUE(prints("p1", "on"));
  kill("p1", "process.kill");
  kill("p1", "process.kill");
  const auto told = events();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].ended, link::Ended::killed);
  EXPECT_EQ(told[0].source, "process.kill");
  EXPECT_FALSE(told[0].announced);
}

TEST_F(ProcessEventsTest, CommandsInTheForegroundAreNoEvents) {
  EXPECT_EQ(world_.exec("true").code(), 0);
  EXPECT_TRUE(events().empty());
}

TEST_F(ProcessEventsTest, ACommandThatWasHandedOverIs) {
  link::Start asked = background("p1", "sleep 300");
  asked.lifetime = link::ProcessLifetime::foreground;
  asked.detached = false;
  asked.hand_over = true;
  asked.notify = true;
  asked.timeout_ms = 100;
  EXPECT_EQ(wire_->ask<link::ExitReport>(asked).ended, link::Ended::handed_over);
  EXPECT_TRUE(events().empty());
  kill("p1");
  ASSERT_EQ(events().size(), 1u);
  EXPECT_TRUE(events()[0].announced);
}

TEST_F(ProcessEventsTest, WhatIsAcknowledgedIsNotToldAgain) {
  for (const char* id : {"p1", "p2", "p3"}) {
    start(id, "true");
    wait(id);
  }
  acknowledge(2);
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0].process, "p3");
  EXPECT_TRUE(events(3).empty());
  EXPECT_EQ(last_, 3u);
}

TEST_F(ProcessEventsTest, EveryFollowerHearsOfEachAtOnce) {
  struct Follower {
    explicit Follower(const std::string& directory) : wire(directory) {
      link::LinkCall call;
      call.on_note = [this](std::string_view note) {
        told.push_back(*link::decode<link::RunnerEvent>(note));
      };
      pending = *wire.driver().begin(link::Events{.follow = true}, std::move(call));
      wire.run_until([&] { return wire.driver().reached(); });
    }
    Wire wire;
    std::vector<link::RunnerEvent> told;
    std::shared_ptr<link::LinkDriver::Pending> pending;
  };
  Follower first(world_.runner_directory());
  Follower second(world_.runner_directory());
  for (int i = 0; i < 5; ++i) {
    start("p" + std::to_string(i), "true");
    wait("p" + std::to_string(i));
  }
  for (Follower* follower : {&first, &second}) {
    EXPECT_TRUE(follower->wire.run_until([&] { return follower->told.size() == 5; }));
    for (std::size_t i = 0; i < follower->told.size(); ++i) {
      EXPECT_EQ(follower->told[i].number, i + 1);
    }
  }
  second.wire.hang_up();
  start("p6", "true");
  EXPECT_TRUE(first.wire.run_until([&] { return first.told.size() == 6; }));
}

TEST_F(ProcessEventsTest, ManyEventsReachAFollowerThatReadsLate) {
  constexpr int kMany = 60;
  for (int i = 0; i < kMany; ++i) {
    start("p" + std::to_string(i), "head -c 20000 /dev/zero | tr '\\0' x");
    wait("p" + std::to_string(i));
  }
  const auto told = events();
  ASSERT_EQ(told.size(), static_cast<std::size_t>(kMany));
  for (const link::RunnerEvent& event : told) EXPECT_EQ(event.output, std::string(8000, 'x'));
}

TEST_F(ProcessEventsTest, LinesThatAreWatchedForAreTold) {
  link::Start asked = background("p1", "echo starting; echo 'ready at 80'; exec sleep 300");
  asked.watch = {"ready at"};
  start(asked);
  const auto told = wait_for_events(1);
  EXPECT_EQ(told[0].kind, Kind::watch_match);
  EXPECT_EQ(told[0].pattern, "ready at");
  EXPECT_EQ(told[0].output, "ready at 80");
  EXPECT_EQ(told[0].process, "p1");
}

// In one moment: the match must be told before the end, and nothing after it.
TEST_F(ProcessEventsTest, AMatchIsToldBeforeTheEndAndNeverAfter) {
  link::Start asked =
      background("p1", "(until [ -e go ]; do sleep 0.01; done; echo late hit) & echo hit");
  asked.watch = {"hit"};
  start(asked);
  wait("p1");
  auto told = wait_for_events(2);
  EXPECT_EQ(told[0].kind, Kind::watch_match);
  EXPECT_EQ(told[1].kind, Kind::exit);
  EXPECT_EQ(start("p2", "touch go").process, "p2");
  ASSERT_TRUE(prints("p1", "late hit"));
  for (const link::RunnerEvent& event : events(2)) EXPECT_EQ(event.process, "p2");
}

TEST_F(ProcessEventsTest, ABurstOfHitsMutesAll) {
  for (int i = 0; i < 18; ++i) {
    link::Start asked = background(
        "p" + std::to_string(i), "until [ -e go ]; do sleep 0.01; done; echo hit; exec sleep 300");
    asked.watch = {"hit"};
    start(asked);
  }
  world_.directory("work/go");
  for (int i = 0; i < 18; ++i) ASSERT_TRUE(prints("p" + std::to_string(i), "hit"));
  int matches = 0;
  int muted = 0;
  for (const link::RunnerEvent& event : events()) {
    matches += event.kind == Kind::watch_match ? 1 : 0;
    muted += event.kind == Kind::watch_muted ? 1 : 0;
  }
  EXPECT_EQ(matches, 15);
  EXPECT_EQ(muted, 1);
}

TEST_F(ProcessEventsTest, AfterTheRunnerStoppedTheNextOneKnows) {
  start("p1", "echo out; exit 4");
  wait("p1");
  start("p2", "echo on; exec sleep 300");
  ASSERT_TRUE(prints("p2", "on"));
  start("p3", "true");
  wait("p3");
  const auto before = events();
  ASSERT_EQ(before.size(), 2u);
  acknowledge(1);
  wire_.reset();
  ASSERT_TRUE(world_.stop_runner());
  EXPECT_EQ(world_.exec("true").code(), 0);
  wire_ = std::make_unique<Wire>(world_.runner_directory());

  EXPECT_EQ(entry("p1").code, 4);
  EXPECT_EQ(entry("p1").tail, "out\n");
  EXPECT_EQ(wait("p1").code, 4);
  EXPECT_TRUE(kill("p1").already_ended);
  EXPECT_EQ(wait("p2").ended, link::Ended::killed);
  EXPECT_EQ(wait("p2").source, "runner_stop");
  EXPECT_EQ(wait("p2").tail, "on\n");
  std::vector<std::string> told;
  for (const link::RunnerEvent& event : events()) told.push_back(event.process);
  EXPECT_EQ(told, (std::vector<std::string>{"p2", "p3"}));  // p1's end somebody has
}

}  // namespace
}  // namespace talaria::test
