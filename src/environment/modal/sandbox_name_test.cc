#include "environment/modal/sandbox_name.h"

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "environment/home_mark.h"
#include "testing/temporary_directory.h"

namespace talaria::environment::modal {
namespace {

TEST(SandboxNameTest, IsOneModalTakesAndNobodyElses) {
  std::set<std::string> names;
  const std::string tasks[] = {
      "default", "a/b", "a_b", "a b\n", "", std::string(200, 'x'), std::string(201, 'x'),
      "\xc3\xbc"};
  for (const std::string& task : tasks) {
    for (const char* mark : {"1", "2"}) {
      const std::string name = sandbox_name(task, mark);
      EXPECT_TRUE(name.starts_with("hermes-")) << name;
      EXPECT_LT(name.size(), 64u) << name;
      EXPECT_TRUE(std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
      })) << name;
      names.insert(name);
    }
  }
  EXPECT_EQ(names.size(), 2 * std::size(tasks));
  EXPECT_TRUE(sandbox_name("default", "1").starts_with("hermes-default-"));
}

TEST(SandboxNameTest, AHomeKeepsItsMark) {
  const test::TemporaryDirectory one;
  const test::TemporaryDirectory other;
  const std::string mark = home_mark(one.path());
  EXPECT_EQ(mark.size(), 16u);
  EXPECT_EQ(home_mark(one.path()), mark);
  EXPECT_NE(home_mark(other.path()), mark);
  EXPECT_EQ(home_mark("/proc/nowhere"), "");
}

// Two programs that began at once had a mark each, and the first one's sandbox was found by nobody.
TEST(SandboxNameTest, ManyWhoAskAtOnceGetTheSameMark) {
  const test::TemporaryDirectory home;
  std::vector<std::string> marks(8);
  std::vector<std::thread> askers;
  for (std::string& mark : marks) {
    askers.emplace_back([&] { mark = home_mark(home.path()); });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(std::set<std::string>(marks.begin(), marks.end()).size(), 1u);
  EXPECT_EQ(marks.front().size(), 16u);
}

}  // namespace
}  // namespace talaria::environment::modal
