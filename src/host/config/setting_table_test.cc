#include "host/config/setting_table.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "host/config/value.h"
#include "host/withheld.h"

namespace talaria::host {
namespace {

TEST(Settings, EveryNameStandsForOneSetting) {
  std::set<std::string_view> names;
  for (const Setting& row : all_settings()) {
    SCOPED_TRACE(row.name());
    for (const std::string_view name :
         {row.variable, row.key, row.details.older_variable, row.details.older_key}) {
      if (!name.empty()) EXPECT_TRUE(names.insert(name).second) << name;
    }
    EXPECT_EQ(&setting(row.name()), &row);
  }
}

TEST(Settings, EveryRowIsComplete) {
  for (const Setting& row : all_settings()) {
    SCOPED_TRACE(row.name());
    EXPECT_FALSE(row.name().empty());
    EXPECT_FALSE(row.meaning.empty());
    EXPECT_EQ(row.type == SettingType::choice, !row.details.choices.empty());
    EXPECT_FALSE(row.meaning.contains('|')) << "it would end a column of the documentation";
    if (row.default_text.empty() && row.type != SettingType::flag) {
      EXPECT_TRUE(row.type == SettingType::path || row.type == SettingType::text);
    } else {
      EXPECT_TRUE(parse_value(row, {std::string(row.default_text)})) << "its default is invalid";
    }
  }
}

TEST(Settings, NoCommandInheritsASecret) {
  for (const Setting& row : all_settings()) {
    if (!row.details.secret || row.type != SettingType::text) continue;
    EXPECT_TRUE(is_of_the_agent(row.variable)) << row.variable;
  }
}

TEST(Settings, CountForTheirTargetsOnly) {
  EXPECT_TRUE(setting("TERMINAL_TIMEOUT").counts_for("local"));
  EXPECT_TRUE(setting("TERMINAL_TIMEOUT").counts_for("no such target"));
  EXPECT_TRUE(setting("TERMINAL_DOCKER_VOLUMES").counts_for("docker"));
  EXPECT_TRUE(setting("TERMINAL_DOCKER_VOLUMES").counts_for("podman"));
  EXPECT_FALSE(setting("TERMINAL_DOCKER_VOLUMES").counts_for("local"));
  EXPECT_FALSE(setting("TERMINAL_DOCKER_VOLUMES").counts_for("dock"));
  EXPECT_FALSE(setting("web.xai.timeout").counts_for("local")) << "that is not there yet";
}

}  // namespace
}  // namespace talaria::host
