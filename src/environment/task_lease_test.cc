#include "environment/task_lease.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment {
namespace {

class TaskLeaseTest : public testing::Test {
 protected:
  // A lease that no program holds, last used so long ago.
  void add(const LeaseFacts& facts, std::chrono::minutes age) {
    auto lease = Lease::take(home_.path(), facts);
    ASSERT_TRUE(lease) << lease.error().message();
    for (const auto& file : std::filesystem::directory_iterator(home_.path("talaria/leases"))) {
      if (!aged_.insert(file.path()).second) continue;
      std::filesystem::last_write_time(file.path(),
                                       std::filesystem::file_time_type::clock::now() - age);
    }
  }
  std::vector<std::string> found(const LeaseFacts& like) {
    std::vector<std::string> ids;
    for (const KnownLease& lease : leases_like(home_.path(), like)) ids.push_back(lease.facts.id);
    return ids;
  }

  static LeaseFacts facts(const std::string& id) {
    return {.kind = "container",
            .id = id,
            .target = "docker",
            .engine = "e",
            .profile = "p",
            .task = "t"};
  }

  test::TemporaryDirectory home_;
  std::set<std::filesystem::path> aged_;
};

TEST_F(TaskLeaseTest, FindsThoseOfTheTaskTheLastUsedFirst) {
  add(facts("old"), std::chrono::minutes(30));
  add(facts("new"), std::chrono::minutes(10));
  add(facts("older"), std::chrono::minutes(50));
  const struct {
    const char* name;
    std::string LeaseFacts::* member;
  } others[] = {{"kind", &LeaseFacts::kind},
                {"target", &LeaseFacts::target},
                {"engine", &LeaseFacts::engine},
                {"profile", &LeaseFacts::profile},
                {"task", &LeaseFacts::task}};
  for (const auto& c : others) {
    LeaseFacts other = facts(std::string("other-") + c.name);
    other.*c.member = "other";
    add(other, std::chrono::minutes(1));
  }
  EXPECT_THAT(found(facts("")), testing::ElementsAre("new", "old", "older"));
  EXPECT_EQ(newest_lease(home_.path(), facts(""))->facts.id, "new");
  LeaseFacts none = facts("");
  none.task = "none";
  EXPECT_FALSE(newest_lease(home_.path(), none));
}

TEST_F(TaskLeaseTest, OneProgramAtATimeMakesWhatServesATask) {
  const auto turn = [&](const LeaseFacts& like) {
    return test::run_to_end(turn_to_make(home_.path(), like, {}, std::chrono::milliseconds(0)));
  };
  const auto first = turn(facts(""));
  ASSERT_TRUE(first) << first.error().message();
  const auto second = turn(facts(""));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::unavailable);
  EXPECT_THAT(second.error().message(),
              testing::StartsWith("another program makes the container of this task: "));
  LeaseFacts other = facts("");
  other.profile = "q";
  EXPECT_TRUE(turn(other));
}

}  // namespace
}  // namespace talaria::environment
