#include "shell/name_patterns.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace talaria::shell {
namespace {

TEST(NamePatterns, TheFirstThatMatchesDecides) {
  const std::vector<std::string> patterns{"OPENAI_API_KEY", "SLACK_*", "!OPENAI_API_KEY",
                                          "!MY_TOKEN",      "!AWS_*",  "<secret>"};
  const struct {
    const char* name;
    bool listed;
  } cases[] = {
      {"OPENAI_API_KEY", true},
      {"SLACK_CHANNEL", true},
      {"MY_TOKEN", false},
      {"AWS_SECRET_ACCESS_KEY", false},
      {"OTHER_TOKEN", true},
      {"db_password", true},
      {"PATH", false},
      {"SLACK", false},
      {"", false},
  };
  for (const auto& c : cases) EXPECT_EQ(lists_name(patterns, c.name), c.listed) << c.name;
  EXPECT_FALSE(lists_name({}, "MY_TOKEN"));
}

}  // namespace
}  // namespace talaria::shell
