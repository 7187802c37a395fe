#include "runner/event_log.h"

#include <gtest/gtest.h>

namespace talaria::runner {
namespace {

using Kind = link::RunnerEvent::Kind;

link::RunnerEvent event(Kind kind, const std::string& process) {
  return {.kind = kind, .process = process};
}

// "number process dropped" of each.
std::vector<std::string> all_of(const EventLog& log, std::uint64_t after = 0) {
  std::vector<std::string> found;
  while (const link::RunnerEvent* next = log.first_after(after)) {
    after = next->number;
    found.push_back(std::to_string(next->number) + " " + next->process + " " +
                    std::to_string(next->dropped));
  }
  return found;
}

using Lines = std::vector<std::string>;

TEST(EventLog, NumbersEventsFromOne) {
  EventLog log;
  EXPECT_EQ(log.last(), 0u);
  log.add(event(Kind::exit, "a"));
  log.add(event(Kind::watch_match, "b"));
  EXPECT_EQ(all_of(log), (Lines{"1 a 0", "2 b 0"}));
  EXPECT_EQ(all_of(log, 1), (Lines{"2 b 0"}));
  EXPECT_EQ(log.last(), 2u);
}

TEST(EventLog, WhatIsAcknowledgedIsGoneAndItsNumberIsNotUsedAgain) {
  EventLog log;
  log.add(event(Kind::exit, "a"));
  log.add(event(Kind::watch_match, "b"));
  log.add(event(Kind::exit, "c"));
  EXPECT_EQ(log.acknowledge(2), (Lines{"a"}));
  EXPECT_EQ(all_of(log), (Lines{"3 c 0"}));
  EXPECT_EQ(log.acknowledge(1000), (Lines{"c"}));
  log.add(event(Kind::exit, "d"));
  EXPECT_EQ(all_of(log), (Lines{"4 d 0"}));
}

TEST(EventLog, WithoutRoomHitsGoBeforeEndsAndTheGapIsTold) {
  EventLog log(3);
  log.add(event(Kind::exit, "a"));
  log.add(event(Kind::watch_match, "b"));
  log.add(event(Kind::watch_match, "c"));
  log.add(event(Kind::exit, "d"));
  EXPECT_EQ(all_of(log), (Lines{"1 a 0", "3 c 1", "4 d 0"}));
  log.add(event(Kind::exit, "e"));
  EXPECT_EQ(all_of(log), (Lines{"1 a 0", "4 d 2", "5 e 0"}));
  log.add(event(Kind::exit, "f"));  // only ends are left
  EXPECT_EQ(all_of(log), (Lines{"4 d 3", "5 e 0", "6 f 0"}));
}

TEST(EventLog, AHitThatFindsOnlyEndsIsTheOneToGo) {
  EventLog log(2);
  log.add(event(Kind::exit, "a"));
  log.add(event(Kind::exit, "b"));
  log.add(event(Kind::watch_match, "c"));
  EXPECT_EQ(all_of(log), (Lines{"1 a 0", "2 b 0"}));
  log.acknowledge(1);
  log.add(event(Kind::exit, "d"));
  EXPECT_EQ(all_of(log), (Lines{"2 b 0", "4 d 1"}));
}

TEST(EventLog, BytesAreBounded) {
  EventLog log(1000, 100'000);
  link::RunnerEvent large = event(Kind::exit, "a");
  large.output = std::string(8000, 'x');
  for (int i = 0; i < 100; ++i) log.add(large);
  EXPECT_LE(all_of(log).size(), 12u);
  EXPECT_GE(all_of(log).size(), 8u);
}

TEST(EventLog, FollowersAreToldAndMayLeaveMeanwhile) {
  struct Follower : EventFollower {
    void event_added() override {
      ++notified;
      if (leaves != nullptr) log->unfollow(*leaves);
    }
    EventLog* log = nullptr;
    EventFollower* leaves = nullptr;
    int notified = 0;
  };
  EventLog log;
  Follower first;
  Follower second;
  first.log = &log;
  log.follow(first);
  log.follow(first);
  log.follow(second);
  log.add(event(Kind::exit, "a"));
  EXPECT_EQ(first.notified, 1);
  EXPECT_EQ(second.notified, 1);
  first.leaves = &second;
  log.add(event(Kind::exit, "b"));
  EXPECT_EQ(first.notified, 2);
  EXPECT_EQ(second.notified, 1);
}

}  // namespace
}  // namespace talaria::runner
