#include "environment/lease.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

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

TEST_F(LeasesTest, WhatIsNoLeaseIsPassedOver) {
  ASSERT_TRUE(Lease::take(home_, facts_));
  std::filesystem::create_directory(home_ + "/talaria/leases/directory");
  const std::ofstream empty(home_ + "/talaria/leases/empty");
  EXPECT_EQ(known_leases(home_).size(), 1u);
}

}  // namespace
}  // namespace talaria::environment
