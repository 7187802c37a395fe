#include <array>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/rule_check.h"

namespace talaria::guard {
namespace {

TEST(GuardRulesTest, HoldForTheirExamples) { EXPECT_THAT(rule_flaws(), testing::IsEmpty()); }

TEST(GuardRulesTest, HardlineStaysShort) { EXPECT_LE(hardline_rules().size(), 20u); }

TEST(GuardRulesTest, OldAllowlistsAreUnderstood) {
  // The old word for both, which granted both.
  EXPECT_EQ(legacy_keys("find -delete"), std::vector<std::string>{"find"});
  EXPECT_EQ(legacy_keys("find -exec/-execdir rm").front(), "find");
  EXPECT_TRUE(legacy_keys("no such rule").empty());
}

// The first searches of a process look through all rules, the later ones use an index. (Each test
// is a process of its own.)
TEST(GuardRulesTest, TheSameRulesAreFoundWithAndWithoutAnIndex) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"rm", "mkfs.ext4", "git", "true", "kubectl", "", "mkfs.*", "no-such-program"});
  std::vector<std::vector<const Rule*>> searched;
  for (const std::string_view name : kNames) searched.push_back(rules_for(name));
  EXPECT_GT(searched[0].size(), searched[3].size());  // those for all, and its own
  EXPECT_GT(searched[1].size(), searched[3].size());
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      EXPECT_EQ(rules_for(kNames[i]), searched[i]) << kNames[i];
    }
  }
}

}  // namespace
}  // namespace talaria::guard
