#include "host/config.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace talaria {
namespace {

Caller caller_with(std::vector<std::string> variables) {
  Caller caller{.variables = std::move(variables), .cwd = "/here"};
  caller.variables.push_back("HOME=/home/me");
  return caller;
}

TEST(Config, DefaultsWhenNothingIsSet) {
  const Result<Config> config = read_config(caller_with({}));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->target, "local");
  EXPECT_EQ(config->home, "/home/me/.hermes");
  EXPECT_EQ(config->cwd, "/here");
  EXPECT_EQ(config->timeout.count(), 180);
  EXPECT_EQ(config->max_foreground_timeout.count(), 600);
  EXPECT_EQ(config->lifetime, kAgentLifetime);
  EXPECT_EQ(config->max_output_chars, 50'000u);
}

TEST(Config, ReadsWhatIsSet) {
  const Result<Config> config = read_config(
      caller_with({"TERMINAL_ENV=docker", "TERMINAL_TIMEOUT= 900 ", "TERMINAL_CWD=~/src",
                   "TERMINAL_MAX_FOREGROUND_TIMEOUT=60", "TERMINAL_LIFETIME_SECONDS=12"}),
      kCommandLineLifetime);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->target, "docker");
  EXPECT_EQ(config->timeout.count(), 900);
  EXPECT_EQ(config->cwd, "/home/me/src");
  EXPECT_EQ(config->max_foreground_timeout.count(), 60);
  EXPECT_EQ(config->lifetime.count(), 12);
}

TEST(Config, CommandLinesKeepTheirRunnerForADayUnlessToldOtherwise) {
  EXPECT_EQ(read_config(caller_with({}), kCommandLineLifetime)->lifetime, kCommandLineLifetime);
}

// An empty value once made every call fail.
TEST(Config, AnEmptyNumberIsItsDefault) {
  const Result<Config> config = read_config(caller_with({"TERMINAL_TIMEOUT="}));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->timeout.count(), 180);
}

TEST(Config, ABadNumberIsAnErrorThatNamesVariableValueAndExpectation) {
  const std::string hint = " Check ~/.hermes/.env or environment variables.";
  const struct {
    const char* name;
    std::string variable;
    std::string expected;
  } cases[] = {
      {"a word", "TERMINAL_TIMEOUT=soon",
       "Invalid value for TERMINAL_TIMEOUT: 'soon' (expected integer)." + hint},
      {"trailing text", "TERMINAL_LIFETIME_SECONDS=5m",
       "Invalid value for TERMINAL_LIFETIME_SECONDS: '5m' (expected integer)." + hint},
      {"a fraction", "TERMINAL_TIMEOUT=1.5",
       "Invalid value for TERMINAL_TIMEOUT: '1.5' (expected integer)." + hint},
      {"zero", "TERMINAL_TIMEOUT=0",
       "Invalid value for TERMINAL_TIMEOUT: '0' (expected integer from 1 to 1000000000)." + hint},
      {"negative", "TERMINAL_MAX_FOREGROUND_TIMEOUT=-1",
       "Invalid value for TERMINAL_MAX_FOREGROUND_TIMEOUT: '-1' (expected integer from 1 to "
       "1000000000)." +
           hint},
      {"too large for any integer", "TERMINAL_TIMEOUT=99999999999999999999",
       "Invalid value for TERMINAL_TIMEOUT: '99999999999999999999' (expected integer from 1 to "
       "1000000000)." +
           hint},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<Config> config = read_config(caller_with({c.variable}));
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().kind(), ErrorKind::bad_request);
    EXPECT_EQ(config.error().message(), c.expected);
  }
}

TEST(Config, HomeIsTalariaHomeThenHermesHomeThenDotHermes) {
  const struct {
    const char* name;
    std::vector<std::string> variables;
    std::string expected;
  } cases[] = {
      {"both", {"TALARIA_HOME=/t", "HERMES_HOME=/h"}, "/t"},
      {"the older one", {"HERMES_HOME=/h"}, "/h"},
      {"empty counts as unset", {"TALARIA_HOME=", "HERMES_HOME=/h"}, "/h"},
      {"below the person's home", {"TALARIA_HOME=~/t"}, "/home/me/t"},
      {"relative", {"TALARIA_HOME=t"}, "/here/t"},
      {"none", {}, "/home/me/.hermes"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read_config(caller_with(c.variables))->home, c.expected);
  }
}

TEST(Config, ADeletedDirectoryFallsBackToTerminalCwdThenHome) {
  Caller caller = caller_with({});
  caller.cwd.reset();
  EXPECT_EQ(read_config(caller)->cwd, "/home/me");
  caller.variables.push_back("TERMINAL_CWD=/srv");
  EXPECT_EQ(read_config(caller)->cwd, "/srv");
}

}  // namespace
}  // namespace talaria
