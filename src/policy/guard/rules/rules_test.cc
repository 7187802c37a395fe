#include <algorithm>

#include <gtest/gtest.h>

#include "policy/guard/guard.h"
#include "policy/guard/rules/rule.h"

namespace talaria {
namespace {

const GuardContext kContext{.home = "/home/alice", .hermes_home = "/home/alice/.hermes"};

bool fires(const Rule& rule, const char* command) {
  const Judgement judgement = judge(command, kContext);
  return std::ranges::any_of(judgement.concerns,
                             [&](const Concern& concern) { return concern.key == rule.key; });
}

TEST(GuardRulesTest, HoldForTheirExamples) {
  for (const Rule* rule : all_rules()) {
    SCOPED_TRACE(rule->key);
    EXPECT_NE(rule->yes[0], nullptr) << "a rule without an example";
    EXPECT_NE(rule->no[0], nullptr) << "a rule without a counter-example";
    for (const char* command : rule->yes) {
      if (command != nullptr) EXPECT_TRUE(fires(*rule, command)) << command;
    }
    for (const char* command : rule->no) {
      if (command != nullptr) EXPECT_FALSE(fires(*rule, command)) << command;
    }
  }
}

TEST(GuardRulesTest, HardlineStaysShort) { EXPECT_LE(hardline_rules().size(), 20u); }

TEST(GuardRulesTest, OldAllowlistsAreUnderstood) {
  // A12: the old word for both, which granted both.
  EXPECT_EQ(legacy_keys("find -delete"), std::vector<std::string>{"find"});
  EXPECT_EQ(legacy_keys("find -exec/-execdir rm").front(), "find");
  EXPECT_TRUE(legacy_keys("no such rule").empty());
}

}  // namespace
}  // namespace talaria
