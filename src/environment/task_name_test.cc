#include "environment/task_name.h"

#include <set>

#include <gtest/gtest.h>

namespace talaria::environment {
namespace {

TEST(TaskName, AnOrdinaryIdIsItsOwnName) {
  EXPECT_EQ(task_name("default"), "default");
  EXPECT_EQ(task_name("swe-bench_42.1"), "swe-bench_42.1");
}

TEST(TaskName, AnyIdIsOneNameAndNoPath) {
  for (const std::string task : {"../../etc", "a/b", "..", ".", "", "/", "x\ny", "a:b"}) {
    const std::string name = task_name(task);
    EXPECT_EQ(name.find_first_of("/:\n"), std::string::npos) << name;
    EXPECT_NE(name, "..");
    EXPECT_NE(name, ".");
    EXPECT_FALSE(name.empty());
  }
}

TEST(TaskName, TwoIdsNeverHaveOneName) {
  const std::string long_one(200, 'a');
  const std::set<std::string> names{task_name("a/b"),          task_name("a_b"),
                                    task_name("a:b"),          task_name(long_one),
                                    task_name(long_one + "b"), task_name("a b")};
  EXPECT_EQ(names.size(), 6u);
}

}  // namespace
}  // namespace talaria::environment
