// `talaria config`, and what the four places a value can stand in mean to a call.
#include <fstream>
#include <set>
#include <sstream>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ConfigTest : public TalariaTest {
 protected:
  ConfigTest() { world_.set("TERMINAL_CWD", ""); }  // which says nothing

  // A file of the configuration.
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(home());
    std::ofstream(home() + "/" + name) << text;
  }
  std::string home() const { return world_.path("home"); }

  json::object config(const std::vector<std::string>& words = {}) {
    std::vector<std::string> all{"config", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    return json::parse(world_.run(all).out).as_object();
  }
  // "value origin where" of a setting.
  std::string setting(const std::string& name, const std::vector<std::string>& words = {}) {
    for (const json::value& row : config(words).at("settings").as_array()) {
      const json::object& one = row.as_object();
      if (one.at("name").as_string() != name) continue;
      std::string text =
          json::serialize(one.at("value")) + " " + std::string(one.at("origin").as_string());
      if (const json::value* where = one.if_contains("where")) {
        text += " " + std::string(where->as_string());
      }
      return text;
    }
    return "no such setting";
  }
};

TEST_F(ConfigTest, OnlyWhatWasChangedIsShownIfAsked) {
  const auto names = [&](const std::vector<std::string>& words) {
    std::set<std::string> found;
    for (const json::value& row : config(words).at("settings").as_array()) {
      found.emplace(row.at("name").as_string());
    }
    return found;
  };
  const std::set<std::string> all = names({});
  const std::set<std::string> before = names({"--changed"});
  EXPECT_LT(before.size(), all.size() / 2) << "most have their defaults";
  EXPECT_TRUE(all.contains("TERMINAL_TIMEOUT") && all.contains("TERMINAL_LIFETIME_SECONDS"));
  EXPECT_FALSE(before.contains("TERMINAL_TIMEOUT"));
  write("config.yaml", "terminal:\n  timeout: 4\n");
  std::set<std::string> expected = before;
  expected.insert("TERMINAL_TIMEOUT");
  EXPECT_EQ(names({"--changed"}), expected);
  EXPECT_EQ(names({}), all);
  const std::string table = world_.run({"config", "--changed"}).out;
  EXPECT_THAT(table, HasSubstr("TERMINAL_TIMEOUT"));
  EXPECT_THAT(table, Not(HasSubstr("TERMINAL_LIFETIME_SECONDS")));
}

TEST_F(ConfigTest, FlagsThenEnvironmentThenEnvFileThenYaml) {
  EXPECT_EQ(setting("TERMINAL_TIMEOUT"), "180 default");
  write("config.yaml", "terminal:\n  timeout: 4\n");
  EXPECT_EQ(setting("TERMINAL_TIMEOUT"), "4 config.yaml " + home() + "/config.yaml, line 2");
  write(".env", "TERMINAL_TIMEOUT=3\n");
  EXPECT_EQ(setting("TERMINAL_TIMEOUT"), "3 .env file " + home() + "/.env, line 1");
  world_.set("TERMINAL_TIMEOUT", "2");
  EXPECT_EQ(setting("TERMINAL_TIMEOUT"), "2 environment TERMINAL_TIMEOUT");
  EXPECT_EQ(setting("TERMINAL_TIMEOUT", {"--timeout", "1"}), "1 flag --timeout");
}

TEST_F(ConfigTest, EveryPlaceReachesACall) {
  const auto seconds = [&](std::vector<std::string> flags) {
    std::vector<std::string> words{"call"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"terminal", R"({"command":"sleep 60"})"});
    return std::string(json::parse(world_.run(words).out).at("output").as_string());
  };
  write("config.yaml", "terminal:\n  timeout: 1\n");
  EXPECT_EQ(seconds({}), "[Command timed out after 1s]");
  write("config.yaml", "terminal:\n  timeout: 50\n");
  write(".env", "export TERMINAL_TIMEOUT='1'  # short\n");
  EXPECT_EQ(seconds({}), "[Command timed out after 1s]");
  write(".env", "TERMINAL_TIMEOUT=50\n");
  EXPECT_EQ(seconds({"--timeout", "1"}), "[Command timed out after 1s]");
}

TEST_F(ConfigTest, TheOutputLimitAndTheFirstDirectoryAreUsed) {
  write("config.yaml", "tool_output:\n  max_bytes: 100\nterminal:\n  cwd: /usr\n");
  const auto called = [&](const std::vector<std::string>& words) {
    return std::string(json::parse(world_.run(words).out).at("output").as_string());
  };
  EXPECT_THAT(called({"call", "terminal", R"({"command":"seq 1000"})"}),
              HasSubstr("[OUTPUT TRUNCATED - 3793 chars omitted out of 3893 total]"));
  EXPECT_EQ(called({"call", "--task", "a", "terminal", R"({"command":"pwd"})"}), "/usr");
  EXPECT_EQ(called({"call", "--task", "b", "--cwd", "/", "terminal", R"({"command":"pwd"})"}), "/");
}

TEST_F(ConfigTest, ATargetByFlag) {
  world_.set("TERMINAL_ENV", "docker");
  EXPECT_EQ(world_.run({"exec", "--target", "local", "echo here"}).out, "here\n");
  const Finished unknown = world_.run({"exec", "--target", "moon", "true"});
  EXPECT_EQ(unknown.code(), 125);
  EXPECT_TRUE(unknown.err.starts_with("talaria: --target: expected one of local, docker, "))
      << unknown.err;
}

TEST_F(ConfigTest, SecretsAreMaskedEverywhere) {
  write(".env", "TAVILY_API_KEY=hush-hush\nSUDO_PASSWORD=hush-hush\nhush-hush\n");
  write("config.yaml", "terminal:\n  docker_env: {A: hush-hush}\n");
  world_.set("DAYTONA_API_KEY", "hush-hush");
  world_.set("TERMINAL_DOCKER_ENV", "hush-hush");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"config"},
                                                {"config", "--all"},
                                                {"config", "--json"},
                                                {"config", "--target", "docker"},
                                                {"config", "--target", "docker", "--json"},
                                                {"exec", "--target", "docker", "true"}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    const Finished shown = world_.run(words);
    EXPECT_THAT(shown.out + shown.err, Not(HasSubstr("hush-hush")));
  }
  EXPECT_EQ(setting("TAVILY_API_KEY"), "\"***\" .env file " + home() + "/.env, line 1");
  EXPECT_EQ(setting("DAYTONA_API_KEY"), "\"***\" environment DAYTONA_API_KEY");
  EXPECT_EQ(setting("EXA_API_KEY"), "\"\" default");
}

TEST_F(ConfigTest, NothingOfTheFilesReachesACommand) {
  write(".env", "SECRET_OF_MINE=hush\nTERMINAL_TIMEOUT=77\nLANG=xx\n");
  const std::string variables = world_.exec("env").out;
  EXPECT_THAT(variables, Not(HasSubstr("SECRET_OF_MINE")));
  EXPECT_THAT(variables, Not(HasSubstr("TERMINAL_TIMEOUT=77")));
  EXPECT_THAT(variables, Not(HasSubstr("LANG=xx")));
}

// What a file lists to pass it does, but for what no command may have.
TEST_F(ConfigTest, PassthroughTakesValuesFromTheEnvFileAndRefusesTheAgentsSecrets) {
  write(".env", "TENOR_API_KEY=tenor\nANTHROPIC_TOKEN=hush\nOTHER=hush\nOURS=file\n");
  write("config.yaml", "terminal:\n  env_passthrough: [TENOR_API_KEY, ANTHROPIC_TOKEN, OURS]\n");
  world_.set("OURS", "caller");
  EXPECT_EQ(world_.exec("echo $TENOR_API_KEY $OURS; env | grep hush").out, "tenor caller\n");
  EXPECT_THAT(world_.run({"config"}).err,
              HasSubstr("terminal.env_passthrough: ANTHROPIC_TOKEN is a secret of the agent and "
                        "is not passed"));
}

// A stale variable for docker once kept local commands from running.
TEST_F(ConfigTest, JunkForAnotherTargetDoesNotMatter) {
  world_.set("TERMINAL_DOCKER_VOLUMES", "None");
  world_.set("TERMINAL_SSH_PORT", "ssh");
  EXPECT_EQ(world_.exec("echo fine").out, "fine\n");
  const Finished docker = world_.run({"exec", "--target", "docker", "true"});
  EXPECT_EQ(docker.code(), 125);
  EXPECT_EQ(docker.err,
            "talaria: Invalid value for TERMINAL_DOCKER_VOLUMES: 'None' (expected valid JSON). "
            "Check ~/.hermes/.env or environment variables.\n");
}

struct Junk {
  const char* name;
  const char* file;
  const char* text;
  const char* expected;  // HOME/ stands for the home
};

void PrintTo(const Junk& row, std::ostream* out) { *out << row.name; }

class InvalidConfig : public ConfigTest, public testing::WithParamInterface<Junk> {};

TEST_P(InvalidConfig, IsAnErrorOfEveryCall) {
  write(GetParam().file, GetParam().text);
  std::string expected = GetParam().expected;
  if (const auto at = expected.find("HOME/"); at != std::string::npos) {
    expected.replace(at, 4, home());
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"exec", "touch ran"}, {"config"}}) {
    const Finished failed = world_.run(words);
    EXPECT_EQ(failed.code(), words[0] == "exec" ? 125 : 1);
    EXPECT_EQ(failed.err, "talaria: " + expected + "\n");
  }
  const Finished called = world_.run({"call", "terminal", R"({"command":"touch ran"})"});
  EXPECT_EQ(called.code(), 1);
  EXPECT_THAT(json::parse(called.out).at("error").as_string().c_str(), HasSubstr(expected));
  EXPECT_FALSE(std::filesystem::exists(world_.path("work/ran")));
  const json::object shown = config();
  EXPECT_EQ(shown.at("errors").at(0).as_string(), expected);
}

const Junk kJunk[] = {
    {"ANumberInYaml", "config.yaml", "terminal:\n  timeout: soon\n",
     "Invalid value for terminal.timeout: 'soon' (expected integer, or a time such as 90s, 5m or "
     "2h). Check HOME/config.yaml, line "
     "2."},
    {"AnIntegerOutOfRange", "config.yaml", "tool_output:\n  max_bytes: 0\n",
     "Invalid value for tool_output.max_bytes: '0' (expected integer from 1 to 10000000). Check "
     "HOME/config.yaml, line 2."},
    {"AListInYaml", "config.yaml", "terminal:\n  shell_init_files: a\n",
     "Invalid value for terminal.shell_init_files: 'a' (expected a list). Check HOME/config.yaml, "
     "line 2."},
    {"ATextInYaml", "config.yaml", "terminal:\n  cwd: [a]\n",
     "Invalid value for terminal.cwd: '[\"a\"]' (expected text). Check HOME/config.yaml, line 2."},
    {"AChoiceInEnv", ".env", "\nTERMINAL_HOME_MODE=mine\n",
     "Invalid value for TERMINAL_HOME_MODE: 'mine' (expected 'auto', 'real' or 'profile'). Check "
     "~/.hermes/.env or environment variables. It is set in HOME/.env, line 2."},
    {"NotYaml", "config.yaml", "a: 1\nterminal: [\n",
     "HOME/config.yaml, line 3: invalid YAML: flow sequence without a closing bracket. Fix the "
     "file "
     "or move it away."},
    {"NoMapping", "config.yaml", "- a\n",
     "HOME/config.yaml, line 1: not a mapping of keys to values. Fix the file or move it away."},
    {"ARuleWithAnUnknownKey", "config.yaml", "approvals:\n  rules: [{foo: 1}]\n",
     "HOME/config.yaml, line 2: approvals.rules: rule 1 has the unknown key 'foo'; expected "
     "answer, "
     "argv, path or target"},
    {"NotText", "config.yaml", "a: \xFF\n",
     "HOME/config.yaml: not UTF-8. Fix the file or move it away."},
};

INSTANTIATE_TEST_SUITE_P(Config, InvalidConfig, testing::ValuesIn(kJunk),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(ConfigTest, AnInvalidValueThatIsIgnoredIsReportedByEveryRun) {
  write("config.yaml", "approvals:\n  mode: sometimes\nterminal: 5\n");
  const Finished ran = world_.exec("echo fine");
  EXPECT_EQ(ran.code(), 0);
  EXPECT_EQ(ran.out, "fine\n");
  const std::string mode =
      "talaria: Invalid value for approvals.mode: 'sometimes' (expected 'manual', 'smart' or "
      "'off'). Check " +
      home() + "/config.yaml, line 2. The default is used.\n";
  const std::string section = "talaria: " + home() +
                              "/config.yaml, line 3: terminal must be a mapping of settings; it "
                              "is ignored\n";
  EXPECT_THAT(ran.err, HasSubstr(mode));
  EXPECT_THAT(ran.err, HasSubstr(section));
  EXPECT_THAT(world_.run({"config"}).err, testing::AllOf(HasSubstr(mode), HasSubstr(section)));
  EXPECT_EQ(world_.run({"ps"}).err, "");
}

TEST_F(ConfigTest, ABadLineIsANoticeOfConfigAlone) {
  write(".env", "what is this\nTERMINAL_TIMEOUT=9\n");
  EXPECT_EQ(world_.exec("echo fine").err, "");
  const Finished shown = world_.run({"config"});
  EXPECT_EQ(shown.code(), 0);
  EXPECT_EQ(shown.err,
            "talaria: " + home() + "/.env, line 1: expected NAME=value; the line is ignored\n");
  EXPECT_EQ(setting("TERMINAL_TIMEOUT"), "9 .env file " + home() + "/.env, line 2");
}

TEST_F(ConfigTest, TheTableIsAlignedAndPlain) {
  write("config.yaml", "terminal:\n  timeout: 4\n  docker_volumes: [a]\n");
  const Finished shown = world_.run({"config"});
  EXPECT_EQ(shown.code(), 0);
  EXPECT_EQ(shown.err, "");
  EXPECT_THAT(shown.out, StartsWith("SETTING "));
  EXPECT_THAT(shown.out, Not(HasSubstr("\x1b")));
  const std::size_t column = shown.out.find("ORIGIN");
  std::istringstream lines(shown.out);
  for (std::string line; std::getline(lines, line);) {
    SCOPED_TRACE(line);
    ASSERT_GT(line.size(), column);
    EXPECT_EQ(line[column - 1], ' ');
    EXPECT_NE(line[column], ' ');
  }
  EXPECT_THAT(shown.out, HasSubstr("TERMINAL_DOCKER_VOLUMES "));
  EXPECT_THAT(shown.out, HasSubstr("(for docker podman only)"));
  EXPECT_THAT(shown.out, Not(HasSubstr("TERMINAL_SSH_PORT")));
  EXPECT_THAT(world_.run({"config", "--all"}).out, HasSubstr("TERMINAL_SSH_PORT"));
}

TEST_F(ConfigTest, TheDocumentationHasTheTable) {
  const std::string table = world_.run({"config", "--doc"}).out;
  EXPECT_THAT(table, HasSubstr("| `terminal.timeout` | `TERMINAL_TIMEOUT` | time | `180` |"));
  std::ostringstream document;
  document << std::ifstream(TALARIA_CONFIGURATION_DOCUMENT).rdbuf();
  EXPECT_THAT(document.str(), HasSubstr("\n## Settings\n\n" + table + "\n"))
      << "put what `talaria config --doc` prints into docs/reference/configuration.md";
}

TEST_F(ConfigTest, ATargetThatCannotBeHadIsAnError) {
  world_.set("TERMINAL_ENV", "teleport");
  const Finished ended = world_.run({"config"});
  EXPECT_EQ(ended.code(), 1);
  EXPECT_NE(ended.err.find("Unknown TERMINAL_ENV 'teleport'"), std::string::npos) << ended.err;
  world_.set("TERMINAL_ENV", "modal");
  EXPECT_EQ(world_.run({"config", "--json"}).code(), 1);
}

}  // namespace
}  // namespace talaria::test
