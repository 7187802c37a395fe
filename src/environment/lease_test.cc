#include "environment/lease.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "environment/lease_index.h"
#include "testing/temporary_directory.h"

namespace talaria::environment {
namespace {

class LeasesTest : public testing::Test {
 protected:
  test::TemporaryDirectory temporary_;
  const std::string home_ = temporary_.path();
  const LeaseFacts facts_{.kind = "container",
                          .id = "0123abcd",
                          .name = "hermes-1",
                          .target = "docker",
                          .engine = "/usr/bin/docker",
                          .task = "two\nlines \\ and a stroke",
                          .keep = false};
};

TEST_F(LeasesTest, IsHeldAsLongAsSomebodyHasIt) {
  {
    const auto one = Lease::take(home_, facts_);
    const auto two = Lease::take(home_, facts_);
    ASSERT_TRUE(one && two);
    EXPECT_TRUE(find_lease(home_, "container", "0123abcd")->held);
  }
  const auto left = find_lease(home_, "container", "0123abcd");
  ASSERT_TRUE(left);
  EXPECT_FALSE(left->held);
  EXPECT_EQ(left->facts, facts_);
}

TEST_F(LeasesTest, TheFirstToTakeItSaysWhatItIs) {
  LeaseFacts other = facts_;
  other.task = "another";
  ASSERT_TRUE(Lease::take(home_, facts_));
  const auto second = Lease::take(home_, other);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->facts().task, facts_.task);
}

TEST_F(LeasesTest, OneThatIsForgottenIsGone) {
  auto lease = Lease::take(home_, facts_);
  ASSERT_TRUE(lease);
  lease->forget();
  EXPECT_FALSE(find_lease(home_, "container", "0123abcd"));
  EXPECT_TRUE(known_leases(home_).empty());
}

// A new task read the leases of all others.
TEST_F(LeasesTest, AreFoundByTaskWithoutTheOthers) {
  LeaseFacts other = facts_;
  other.id = "other";
  other.task = "another";
  ASSERT_TRUE(Lease::take(home_, facts_));
  ASSERT_TRUE(Lease::take(home_, other));
  EXPECT_EQ(LeaseIndex(home_ + "/talaria/leases").of_task(facts_.task).size(), 1u);
  const auto found = leases_of_task(home_, facts_.task);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().facts, facts_);
  EXPECT_TRUE(leases_of_task(home_, "nobody").empty());
}

TEST_F(LeasesTest, OfAnEarlierVersionAreFoundToo) {
  ASSERT_TRUE(Lease::take(home_, facts_));
  std::filesystem::remove_all(home_ + "/talaria/leases/index");
  EXPECT_EQ(leases_of_task(home_, facts_.task).size(), 1u);
}

TEST_F(LeasesTest, LeaveNothingInTheIndex) {
  const std::string index = home_ + "/talaria/leases/index";
  auto lease = Lease::take(home_, facts_);
  ASSERT_TRUE(lease);
  EXPECT_FALSE(std::filesystem::is_empty(index));
  lease->forget();
  EXPECT_TRUE(std::filesystem::is_empty(index));
  // A killed program leaves a name without a lease; a young one may get its lease any moment.
  ASSERT_TRUE(Lease::take(home_, facts_));
  for (const auto& one : std::filesystem::directory_iterator(home_ + "/talaria/leases")) {
    if (one.is_regular_file()) std::filesystem::remove(one);
  }
  clean_lease_index(home_);
  EXPECT_FALSE(std::filesystem::is_empty(index));
  for (const auto& one : std::filesystem::recursive_directory_iterator(index)) {
    if (!one.is_regular_file()) continue;
    std::filesystem::last_write_time(
        one, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  }
  clean_lease_index(home_);
  EXPECT_TRUE(std::filesystem::is_empty(index));
}

TEST_F(LeasesTest, OneThatWaitsIsClaimedOnce) {
  LeaseFacts waits = facts_;
  waits.task = {};
  waits.pool = "key";
  ASSERT_TRUE(Lease::take(home_, waits));
  LeaseFacts first = waits;
  first.task = "first";
  LeaseFacts second = waits;
  second.task = "second";
  EXPECT_EQ(claim_lease(home_, first), true);
  EXPECT_EQ(claim_lease(home_, second), false);
  EXPECT_EQ(find_lease(home_, "container", waits.id)->facts, first);
  const auto held = Lease::take(home_, waits);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->facts(), first);
  EXPECT_EQ(claim_lease(home_, second), false) << "it does not wait for one that is used";
}

TEST_F(LeasesTest, OneOfATaskOrOneThatIsGoneCannotBeClaimed) {
  LeaseFacts mine = facts_;
  mine.task = "mine";
  EXPECT_EQ(claim_lease(home_, mine), false);
  ASSERT_TRUE(Lease::take(home_, facts_));
  EXPECT_EQ(claim_lease(home_, mine), false);
  EXPECT_EQ(find_lease(home_, "container", facts_.id)->facts, facts_);
}

TEST_F(LeasesTest, WhatIsNoLeaseIsPassedOver) {
  ASSERT_TRUE(Lease::take(home_, facts_));
  std::filesystem::create_directory(home_ + "/talaria/leases/directory");
  const std::ofstream empty(home_ + "/talaria/leases/empty");
  EXPECT_EQ(known_leases(home_).size(), 1u);
}

}  // namespace
}  // namespace talaria::environment
