#include "front/cli/config_text.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::front::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// With an empty home, and nothing set but these.
Configuration with(std::vector<GivenSetting> settings) {
  ::setenv("TALARIA_HOME", "/nowhere", 1);
  return read_configuration({.settings = std::move(settings)}).value();
}

const json::object& row(const json::object& all, std::string_view name) {
  for (const json::value& one : all.at("settings").as_array()) {
    if (one.at("name").as_string() == name) return one.as_object();
  }
  throw std::logic_error("no such row");
}

TEST(ConfigTable, HasWhatCountsAndWhatWasSet) {
  const std::string table = config_table(with({{"TERMINAL_SSH_HOST", "h"}}), false, {});
  EXPECT_THAT(table, HasSubstr("TERMINAL_TIMEOUT "));
  EXPECT_THAT(table, HasSubstr("TERMINAL_SSH_HOST "));
  EXPECT_THAT(table, HasSubstr("(for ssh only)"));
  EXPECT_THAT(table, Not(HasSubstr("TERMINAL_SSH_USER")));
  EXPECT_THAT(config_table(with({}), true, {}), HasSubstr("TERMINAL_SSH_USER"));
}

TEST(ConfigTable, IsColouredWhenAsked) {
  const Configuration configuration = with({{"TERMINAL_TIMEOUT", "x"}, {"TERMINAL_CWD", "/srv"}});
  EXPECT_THAT(config_table(configuration, false, {}), Not(HasSubstr("\x1b")));
  const std::string table = config_table(configuration, false, {.colour = true});
  EXPECT_THAT(table, HasSubstr("\x1b[1mSETTING"));
  EXPECT_THAT(table, HasSubstr("\x1b[31mTERMINAL_TIMEOUT"));
  EXPECT_THAT(table, HasSubstr("\nTERMINAL_CWD"));
  EXPECT_THAT(table, HasSubstr("\x1b[2mTERMINAL_ENV"));
}

TEST(ConfigJson, HasTypesAndMasksSecrets) {
  Configuration configuration = with({{"TERMINAL_ENV", "docker"},
                                      {"TERMINAL_DOCKER_VOLUMES", "[\"a\"]"},
                                      {"TERMINAL_DOCKER_ENV", "{}"},
                                      {"SUDO_PASSWORD", ""},
                                      {"TERMINAL_CONTAINER_CPU", "many"}});
  configuration.notices = {"a notice"};
  const json::object all = config_json(configuration);
  EXPECT_EQ(all.at("target"), "docker");
  EXPECT_EQ(row(all, "TERMINAL_TIMEOUT").at("value"), 180);
  EXPECT_EQ(row(all, "TERMINAL_DOCKER_VOLUMES").at("value"), json::array{"a"});
  EXPECT_EQ(row(all, "TERMINAL_DOCKER_ENV").at("value"), "***");
  EXPECT_EQ(row(all, "SUDO_PASSWORD").at("value"), "***");
  EXPECT_EQ(row(all, "MODAL_TOKEN_ID").at("value"), "");
  EXPECT_EQ(row(all, "TERMINAL_CONTAINER_CPU").at("value"), nullptr);
  EXPECT_TRUE(row(all, "TERMINAL_CONTAINER_CPU").contains("invalid"));
  EXPECT_EQ(all.at("errors").as_array().size(), 1u);
  EXPECT_EQ(all.at("notices"), json::array{"a notice"});
}

}  // namespace
}  // namespace talaria::front::cli
