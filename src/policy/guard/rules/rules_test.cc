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

}  // namespace
}  // namespace talaria::guard
