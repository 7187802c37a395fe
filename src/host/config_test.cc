#include "host/config.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::host {
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
      caller_with({"TERMINAL_ENV=docker", "TERMINAL_TIMEOUT= 900 ", "TERMINAL_CWD=/srv/x",
                   "TERMINAL_MAX_FOREGROUND_TIMEOUT=60", "TERMINAL_LIFETIME_SECONDS=12"}),
      kCommandLineLifetime);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->target, "docker");
  EXPECT_EQ(config->timeout.count(), 900);
  EXPECT_EQ(config->cwd, "/srv/x");
  EXPECT_EQ(config->max_foreground_timeout.count(), 60);
  EXPECT_EQ(config->lifetime.count(), 12);
}

TEST(Config, ALifetimeOfNothingIsTheShortestThereIs) {
  EXPECT_EQ(read_config(caller_with({"TERMINAL_LIFETIME_SECONDS=0"}))->lifetime.count(), 1);
}

TEST(Config, CommandLinesKeepTheirRunnerForADayUnlessToldOtherwise) {
  EXPECT_EQ(read_config(caller_with({}), kCommandLineLifetime)->lifetime, kCommandLineLifetime);
}

TEST(Config, KnowsWhereEachProgramHasAnEnvironmentOfItsOwn) {
  const auto shares = [](std::vector<std::string> variables) {
    return shares_environments(*read_config(caller_with(std::move(variables))));
  };
  const std::string own_container = "TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES=false";
  const std::string lost_files = "TERMINAL_CONTAINER_PERSISTENT=false";
  EXPECT_TRUE(shares({own_container, lost_files}));  // target local
  EXPECT_TRUE(shares({"TERMINAL_ENV=docker", lost_files}));
  EXPECT_FALSE(shares({"TERMINAL_ENV=docker", own_container}));
  EXPECT_TRUE(shares({"TERMINAL_ENV=singularity", own_container}));
  EXPECT_FALSE(shares({"TERMINAL_ENV=singularity", lost_files}));
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
       "Invalid value for TERMINAL_TIMEOUT: 'soon' (expected integer, or a time such as 90s, 5m or "
       "2h)." +
           hint},
      {"trailing text", "TERMINAL_LIFETIME_SECONDS=5x",
       "Invalid value for TERMINAL_LIFETIME_SECONDS: '5x' (expected integer, or a time such as "
       "90s, 5m or 2h)." +
           hint},
      {"a fraction", "TERMINAL_TIMEOUT=1.5",
       "Invalid value for TERMINAL_TIMEOUT: '1.5' (expected integer, or a time such as 90s, 5m or "
       "2h)." +
           hint},
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

class ConfigFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(home_ + "/" + name) << text;
  }
  Result<Config> read(std::vector<std::string> variables = {}, std::vector<ConfigFlag> flags = {}) {
    variables.push_back("TALARIA_HOME=" + home_);
    return read_config(caller_with(std::move(variables)), kAgentLifetime, std::move(flags));
  }

  const test::TemporaryDirectory temporary_;
  const std::string home_ = temporary_.path();
};

TEST_F(ConfigFiles, AreReadAndTyped) {
  write(".env", "TERMINAL_LIFETIME_SECONDS=7\n");
  write("config.yaml",
        "terminal:\n  backend: carrier\n  carrier: ssh host\n  carrier_mode: batch\n"
        "  timeout: '30'\n  max_foreground_timeout: 40\n  home_mode: isolated\n"
        "  shell_init_files: [~/.a, ' b ']\n  auto_source_bashrc: no\n"
        "  env_passthrough: [A, OPENAI_API_KEY, B]\n"
        "tool_output:\n  max_bytes: 1000\n");
  const Result<Config> config = read();
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->home, home_);
  EXPECT_EQ(config->target, "carrier");
  EXPECT_EQ(config->carrier.command, "ssh host");
  EXPECT_TRUE(config->carrier.joins_arguments);
  EXPECT_TRUE(config->carrier.batches);
  EXPECT_EQ(config->lifetime.count(), 7);
  EXPECT_EQ(config->timeout.count(), 30);
  EXPECT_EQ(config->max_foreground_timeout.count(), 40);
  EXPECT_EQ(config->home_mode, HomeMode::profile);
  EXPECT_THAT(config->shell_init_files, testing::ElementsAre("~/.a", "b"));
  EXPECT_FALSE(config->auto_source_bashrc);
  EXPECT_EQ(config->max_output_chars, 1000u);
  EXPECT_THAT(config->env_passthrough.names(), testing::ElementsAre("A", "B"));
  EXPECT_THAT(config->notices,
              testing::ElementsAre("terminal.env_passthrough: OPENAI_API_KEY is a secret of the "
                                   "agent and is not passed; if commands need such a value, store "
                                   "it under another name and pass that"));
}

TEST_F(ConfigFiles, SayWhoSearchesTheWebAndWhatIsNotFetched) {
  write(".env", "BRAVE_SEARCH_API_KEY=key\n");
  write("config.yaml",
        "web:\n  search_backend: Brave-Free\n"
        "browser:\n  allow_private_urls: true\n"
        "security:\n  website_blocklist:\n    enabled: true\n    domains: [a.com, ' b.com ']\n");
  const WebConfig web = read()->web;
  EXPECT_EQ(web.search_backend, "brave-free");
  EXPECT_EQ(web.brave_key.view(), "key");
  EXPECT_TRUE(web.allow_private_urls);
  EXPECT_TRUE(web.blocklist.enabled);
  EXPECT_THAT(web.blocklist.domains, testing::ElementsAre("a.com", "b.com"));
  EXPECT_FALSE(read({"HERMES_ALLOW_PRIVATE_URLS=0"})->web.allow_private_urls);

  write("config.yaml",
        "security:\n  allow_private_urls: 'false'\n  website_blocklist: {domains: 7}\n");
  const Result<Config> broken = read();
  ASSERT_TRUE(broken) << broken.error().message();
  EXPECT_FALSE(broken->web.allow_private_urls);
  EXPECT_FALSE(broken->web.blocklist.enabled);
  EXPECT_EQ(broken->notices.size(), 1u);
}

TEST_F(ConfigFiles, AnInvalidRuleIsNamedWithItsPlace) {
  const struct {
    const char* rules;
    const char* expected;
  } cases[] = {
      {"[1]", "rule 1 must be a mapping, such as {answer: deny, argv: [git, push], target: local}"},
      {"[{match: x}]", "rule 1 has the unknown key 'match'; expected answer, argv, path or target"},
      {"[{argv: x}]", "rule 1 must have a list as argv, such as [git, push]"},
      {"[{argv: [a], answer: 1}]", "rule 1 must have a string as answer"},
  };
  for (const auto& c : cases) {
    write("config.yaml", "approvals:\n  rules: " + std::string(c.rules) + "\n");
    const Result<Config> config = read();
    ASSERT_FALSE(config) << c.rules;
    EXPECT_EQ(config.error().message(),
              home_ + "/config.yaml, line 2: approvals.rules: " + c.expected);
  }
}

TEST_F(ConfigFiles, AFlagWins) {
  write("config.yaml", "terminal:\n  backend: docker\n");
  const Result<Config> config = read({"TERMINAL_ENV=ssh"}, {{"TERMINAL_ENV", "--target", "local"}});
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->target, "local");
  EXPECT_EQ(config->target_name, "--target");
}

TEST_F(ConfigFiles, OneThatCannotBeReadIsAnError) {
  const std::string todo = ". Fix the file or move it away.";
  std::filesystem::create_directory(home_ + "/config.yaml");
  EXPECT_EQ(read().error().message(), home_ + "/config.yaml: not a regular file" + todo);
  std::filesystem::remove(home_ + "/config.yaml");

  write("config.yaml", "a: [\n");
  EXPECT_THAT(read().error().message(), testing::StartsWith(home_ + "/config.yaml, line 2: "));
  write("config.yaml", std::string(2u << 20, '#'));
  EXPECT_EQ(read().error().message(), home_ + "/config.yaml: over 1048576 bytes" + todo);
  std::filesystem::remove(home_ + "/config.yaml");

  ASSERT_EQ(::mkfifo((home_ + "/.env").c_str(), 0600), 0);  // reading it would wait forever
  EXPECT_EQ(read().error().message(), home_ + "/.env: not a regular file" + todo);
}

}  // namespace
}  // namespace talaria::host
