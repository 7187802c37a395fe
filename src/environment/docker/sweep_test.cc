#include "environment/docker/sweep.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment::docker {
namespace {

using testing::HasSubstr;
using Clock = std::chrono::system_clock;
using std::chrono::minutes;

const Clock::time_point kNow = *parse_engine_time("2026-05-30T12:00:00Z");

std::string reason(const InspectedContainer& container, const std::optional<KnownLease>& lease = {},
                   bool running = false) {
  return reason_to_remove(container, lease,
                          {.home_mark = "ours",
                           .lifetime = std::chrono::seconds(600),
                           .max_age = std::chrono::seconds(600),
                           .running = running},
                          kNow)
      .value_or("");
}

KnownLease lease(minutes age, bool held) { return {.last_use = kNow - age, .held = held}; }

TEST(EngineTime, IsReadAsEnginesWriteIt) {
  EXPECT_EQ(parse_engine_time("2026-05-30T12:00:00.123456789Z"), kNow);
  EXPECT_EQ(parse_engine_time("2026-05-30T14:00:00+02:00"), kNow);
  EXPECT_EQ(parse_engine_time("2026-05-30T10:30:00.5-01:30"), kNow);
  EXPECT_EQ(parse_engine_time("2026-05-30 12:00:00.5 +0000 UTC"), kNow);
  for (const char* none : {"", "0001-01-01T00:00:00Z", "soon", "2026-13-01T00:00:00Z",
                           "2026-05-30T12:00:00", "2026-05-30T12:00:00+2:00", "2026-05-30T12"}) {
    EXPECT_FALSE(parse_engine_time(none)) << none;
  }
}

TEST(Sweep, OneThatEndedLongAgoGoes) {
  EXPECT_THAT(reason({.state = "exited", .finished_at = "2026-05-30T11:00:00Z"}),
              HasSubstr("it ended 60 min ago"));
  EXPECT_EQ(reason({.state = "exited", .finished_at = "2026-05-30T11:55:00Z"}), "");
  EXPECT_EQ(reason({.state = "exited", .finished_at = "0001-01-01T00:00:00Z"}), "");
}

// One that was made for a pool, half an hour ago.
std::string pool_reason(const std::optional<KnownLease>& lease, bool wanted) {
  return reason_to_remove({.state = "running",
                           .created = "2026-05-30T11:30:00Z",
                           .keep = "no",
                           .home = "ours",
                           .pool = "key"},
                          lease,
                          {.home_mark = "ours",
                           .lifetime = std::chrono::hours(24),
                           .max_age = std::chrono::hours(48)},
                          kNow, wanted)
      .value_or("");
}

TEST(Sweep, OneThatWaitsStaysWhileAProgramFillsItsPool) {
  KnownLease waits = lease(minutes(30), false);
  waits.facts.pool = "key";
  EXPECT_EQ(pool_reason(waits, true), "");
  EXPECT_THAT(pool_reason(waits, false), HasSubstr("no program uses its pool"));
  waits.last_use = kNow - minutes(5);
  EXPECT_EQ(pool_reason(waits, false), "");
}

TEST(Sweep, OneOfAPoolWithoutALeaseGoes) {
  EXPECT_THAT(pool_reason({}, true), HasSubstr("30 min ago"));
}

TEST(Sweep, OneThatATaskHasGotStaysAsItsLeaseSays) {
  KnownLease taken = lease(minutes(30), false);
  taken.facts.pool = "key";
  taken.facts.task = "t";
  EXPECT_EQ(pool_reason(taken, false), "");
  taken.last_use = kNow - minutes(60 * 25);
  EXPECT_EQ(pool_reason(taken, false), "");
  taken.facts.keep = false;
  EXPECT_THAT(pool_reason(taken, false), HasSubstr("the program that made it is gone"));
}

TEST(Sweep, OneThatWasNeverStartedGoes) {
  EXPECT_THAT(reason({.state = "created", .created = "2026-05-30T08:00:00Z"}),
              HasSubstr("4 h ago"));
  EXPECT_EQ(reason({.state = "created", .created = "2026-05-30T11:59:00Z"}), "");
}

TEST(Sweep, OneThatRunsStaysUnlessItIsAskedFor) {
  const InspectedContainer persist{.state = "running", .created = "2026-05-29T12:00:00Z"};
  EXPECT_EQ(reason(persist), "");
  EXPECT_EQ(reason(persist, lease(minutes(90), false)), "");
  EXPECT_NE(reason(persist, lease(minutes(90), false), true), "");
  EXPECT_EQ(reason(persist, lease(minutes(90), true), true), "");
  EXPECT_EQ(reason(persist, lease(minutes(5), false), true), "");
}

TEST(Sweep, OneThatWasMadeForAProgramThatIsGoneGoesByTheTimeOfItsLastUse) {
  const InspectedContainer own{.state = "running", .created = "2026-05-29T12:00:00Z", .keep = "no"};
  EXPECT_NE(reason(own, lease(minutes(90), false)), "");
  EXPECT_EQ(reason(own, lease(minutes(90), true)), "");
  EXPECT_EQ(reason(own, lease(minutes(5), false)), "");
  EXPECT_NE(reason(own), "");
}

// Two minutes were the least, whatever the lifetime.
TEST(Sweep, OneThatWasMadeForAProgramThatIsGoneHasTheLifetimeOfTheConfiguration) {
  const InspectedContainer own{.state = "running", .keep = "no"};
  const SweepSpec sweep{.lifetime = std::chrono::seconds(5)};
  EXPECT_TRUE(reason_to_remove(own, lease(minutes(1), false), sweep, kNow));
}

TEST(Sweep, ARunningOneOfAnotherHomeStays) {
  InspectedContainer own{
      .state = "running", .created = "2026-05-29T12:00:00Z", .keep = "no", .home = "theirs"};
  EXPECT_EQ(reason(own, {}, true), "");
  own.home = "ours";
  EXPECT_NE(reason(own, {}, true), "");
}

// One that could not be removed once ended the whole sweep.
TEST(Sweep, OneThatCannotBeRemovedDoesNotStopTheRest) {
  const test::TemporaryDirectory directory;
  const std::string program = directory.path("docker");
  const std::string one =
      R"({"Id":"%s","State":{"Status":"exited","FinishedAt":"2020-01-01T00:00:00Z"}})";
  ASSERT_TRUE(os::replace_file(
      program,
      "#!/bin/sh\ncase $1 in ps) printf 'a\\texited\\nb\\texited\\nc\\texited\\n';; "
      "container) printf '[" +
          one + "," + one + "," + one +
          "]' a b c;; "
          "rm) [ $3 != b ] || { echo busy >&2; exit 1; };; esac\n"));
  ::chmod(program.c_str(), 0755);
  const auto swept = test::run_to_end(
      sweep_containers({.binary = program}, {.target = "docker", .home = directory.path()}));
  ASSERT_TRUE(swept) << swept.error().message();
  ASSERT_EQ(swept->size(), 3u);
  EXPECT_EQ(std::ranges::count(*swept, true, &Swept::removed), 2);
  EXPECT_THAT((*swept)[1].error->message(), HasSubstr("busy"));
}

}  // namespace
}  // namespace talaria::environment::docker
