// The link under everything that can go wrong: see simulator/world.h. The properties, checked byte
// by byte in every run:
//   - each byte of output reaches each surviving reader once and in order;
//   - each byte of input is applied once;
//   - each start runs at most once, and exactly once if neither side died;
//   - everything that was asked comes to its end: when nothing moves, nothing is open;
//   - what a connection holds stays within limits.h.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "link/simulator/world.h"

namespace talaria::test {
namespace {

using simulator::Blow;
using simulator::Job;
using simulator::Mutation;
using simulator::World;
using simulator::WorldOptions;

std::string joined(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += fault + "\n";
  return text;
}

std::vector<Job> few_jobs() {
  return {
      {.start_id = "prints", .out = 150},
      {.start_id = "reads", .out = 20, .in = 100},
      {.start_id = "stubborn", .out = 90, .window = 25, .resumes = false},
      {.start_id = "quiet"},
  };
}

std::vector<Job> random_jobs(simulator::Dice& dice) {
  std::vector<Job> jobs;
  const std::uint64_t count = 1 + dice.below(5);
  for (std::uint64_t i = 0; i < count; ++i) {
    jobs.push_back({.start_id = "job" + std::to_string(i),
                    .out = dice.one_in(8) ? dice.below(300000) : dice.below(400),
                    .in = dice.one_in(3) ? 1 + dice.below(300) : 0,
                    .padding = dice.one_in(6) ? dice.below(400000) : dice.below(50),
                    .window = dice.one_in(2) ? 1 + dice.below(100) : 1 + dice.below(400000),
                    .resumes = !dice.one_in(3),
                    .inlines = dice.one_in(2),
                    .slow = dice.one_in(4)});
    // A tiny window on a large output would only make the run long.
    if (jobs.back().out > 1000) jobs.back().window += 50000;
  }
  return jobs;
}

simulator::WorldOptions random_options(std::uint64_t seed, simulator::Dice& dice) {
  simulator::WorldOptions options{.seed = seed};
  options.cuts = static_cast<int>(dice.below(5));
  options.abandons = static_cast<int>(dice.below(4));
  options.replays = static_cast<int>(dice.below(4));
  if (dice.one_in(3)) options.runner_kills = static_cast<int>(dice.below(3));
  if (dice.one_in(3)) options.client_kills = static_cast<int>(dice.below(3));
  // An eager request names no runner, so a copy of it may run at the next one.
  options.eager = (options.replays == 0 || options.runner_kills == 0) && dice.one_in(3);
  if (dice.one_in(3)) options.limits = link::kLeastLimits;
  if (dice.one_in(4)) options.max_starts = 1 + dice.below(3);
  return options;
}

std::vector<std::string> run_random(std::uint64_t seed,
                                    simulator::Mutation mutation = simulator::Mutation::none) {
  simulator::Dice dice(seed * 7919);
  simulator::WorldOptions options = random_options(seed, dice);
  options.mutation = mutation;
  return simulator::World(options, random_jobs(dice)).run();
}

TEST(Simulator, NothingGoesWrong) {
  simulator::World world({.orderly = true}, few_jobs());
  EXPECT_EQ(joined(world.run()), "");
  for (const Job& job : world.jobs()) EXPECT_EQ(job.failure, "");
}

// In parts, so that each stays short also under a sanitizer.
class RandomWorlds : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWorlds, KeepEveryProperty) {
  constexpr std::uint64_t kPart = 1000;
  const std::uint64_t first = GetParam() * kPart;
  for (std::uint64_t seed = first + 1; seed <= first + kPart; ++seed) {
    ASSERT_EQ(joined(run_random(seed)), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Simulator, RandomWorlds, testing::Range<std::uint64_t>(0, 4));

// A connection cut behind every single byte, which includes every boundary of a frame.
TEST(Simulator, CutBehindEveryByte) {
  simulator::World whole({.orderly = true}, few_jobs());
  ASSERT_EQ(joined(whole.run()), "");
  for (const bool upstream : {true, false}) {
    const std::uint64_t total = upstream ? whole.delivered_up() : whole.delivered_down();
    ASSERT_GT(total, 500u);
    for (std::uint64_t bytes = 1; bytes <= total; ++bytes) {
      simulator::World world({.seed = bytes, .orderly = true}, few_jobs());
      world.plan({simulator::Blow::cut, upstream, bytes});
      ASSERT_EQ(joined(world.run()), "") << (upstream ? "up " : "down ") << bytes;
      for (const Job& job : world.jobs()) {
        ASSERT_EQ(job.failure, "") << (upstream ? "up " : "down ") << bytes;
      }
    }
  }
}

TEST(Simulator, EitherSideKilledBehindEveryFrame) {
  simulator::World whole({.orderly = true}, few_jobs());
  ASSERT_EQ(joined(whole.run()), "");
  for (const bool upstream : {true, false}) {
    ASSERT_GT(whole.frame_ends(upstream).size(), 20u);
    for (const std::uint64_t end : whole.frame_ends(upstream)) {
      for (const simulator::Blow blow :
           {simulator::Blow::kill_runner, simulator::Blow::kill_client}) {
        simulator::World world({.seed = end, .orderly = true}, few_jobs());
        world.plan({blow, upstream, end});
        ASSERT_EQ(joined(world.run()), "")
            << (upstream ? "up " : "down ") << end << " blow " << static_cast<int>(blow);
      }
    }
  }
}

// A carrier that can only call and wait (an HTTP gateway) has no way to send credit back in time:
// input goes inside the requests, and output window by window.
TEST(Simulator, BatchesBringEverythingToItsEnd) {
  std::vector<Job> jobs = few_jobs();
  for (Job& job : jobs) job.inlines = true;
  simulator::World world({}, jobs);
  EXPECT_EQ(joined(world.run_in_batches()), "");
  for (const Job& job : world.jobs()) EXPECT_EQ(job.failure, "");
}

// The checks above are worth something only if a broken runner fails them.
TEST(Simulator, NoticesABrokenRunner) {
  const struct {
    const char* name;
    simulator::Mutation mutation;
    const char* expected;
  } cases[] = {
      {"runs a start twice", simulator::Mutation::forgets_starts, "ran 2 times"},
      {"serves a link of another instance", simulator::Mutation::admits_anyone, "ran 2 times"},
      {"loses a byte", simulator::Mutation::skips_a_byte, "output skipped or repeated"},
      {"applies input twice", simulator::Mutation::applies_twice, "input was applied twice"},
      {"stops sending", simulator::Mutation::starves_readers, "never came to its end"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    bool noticed = false;
    for (std::uint64_t seed = 1; seed <= 300 && !noticed; ++seed) {
      noticed = joined(run_random(seed, c.mutation)).find(c.expected) != std::string::npos;
    }
    EXPECT_TRUE(noticed);
  }
}

}  // namespace
}  // namespace talaria::test
