#include "host/config/resolve.h"

#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What is written where, for a caller in /here.
struct Written {
  std::vector<std::string> variables = {};
  std::string env_file = {};
  std::string yaml = {};
  std::vector<ConfigFlag> flags = {};
};

Resolution resolved(const Written& written) {
  Caller caller{.variables = written.variables, .cwd = "/here"};
  caller.variables.push_back("HOME=/home/me");
  ConfigSources sources{.home = "/h", .flags = written.flags};
  sources.env_file = parse_env_file(written.env_file);
  sources.yaml_file = parse_yaml_file(written.yaml, "/h/config.yaml").value();
  return resolve(caller, sources);
}

// "value, origin, place" of a setting.
std::string shown(const Resolution& resolution, std::string_view name) {
  const ResolvedSetting& one = resolution.of(name);
  return json::serialize(one.value()) + ", " + std::string(origin_name(one.origin)) + ", " +
         one.place;
}

TEST(Resolve, FlagsThenEnvironmentThenEnvFileThenYaml) {
  Written written{.variables = {"TERMINAL_TIMEOUT=2"},
                  .env_file = "\nTERMINAL_TIMEOUT=3",
                  .yaml = "terminal:\n  timeout: 4\n",
                  .flags = {{"TERMINAL_TIMEOUT", "--timeout", "1"}}};
  EXPECT_EQ(shown(resolved(written), "TERMINAL_TIMEOUT"), "1, flag, --timeout");
  written.flags.clear();
  EXPECT_EQ(shown(resolved(written), "TERMINAL_TIMEOUT"), "2, environment, TERMINAL_TIMEOUT");
  written.variables = {"TERMINAL_TIMEOUT="};  // as if it was not there
  EXPECT_EQ(shown(resolved(written), "TERMINAL_TIMEOUT"), "3, .env file, /h/.env, line 2");
  written.env_file = "TERMINAL_TIMEOUT=''";
  EXPECT_EQ(shown(resolved(written), "TERMINAL_TIMEOUT"), "4, config.yaml, /h/config.yaml, line 2");
  written.yaml.clear();
  EXPECT_EQ(shown(resolved(written), "TERMINAL_TIMEOUT"), "180, default, ");
}

TEST(Resolve, OlderNamesCountIfTheNewOnesAreNotThere) {
  EXPECT_EQ(resolved({.yaml = "terminal:\n  env_type: ssh\n"}).target, "ssh");
  const Resolution both = resolved({.yaml = "terminal:\n  env_type: ssh\n  backend: docker\n"});
  EXPECT_EQ(both.target, "docker");
  EXPECT_EQ(both.target_name, "terminal.backend");
}

TEST(Resolve, AnErrorNamesTheSettingTheValueTheExpectationAndThePlace) {
  const std::string check = " Check ~/.hermes/.env or environment variables.";
  const struct {
    const char* name;
    Written written;
    std::string expected;
  } cases[] = {
      {"environment",
       {.variables = {"TERMINAL_TIMEOUT=soon"}},
       "Invalid value for TERMINAL_TIMEOUT: 'soon' (expected integer, or a time such as 90s, 5m or "
       "2h)." +
           check},
      {".env file",
       {.env_file = "#\nTERMINAL_TIMEOUT=soon"},
       "Invalid value for TERMINAL_TIMEOUT: 'soon' (expected integer, or a time such as 90s, 5m or "
       "2h)." +
           check + " It is set in /h/.env, line 2."},
      {"config.yaml",
       {.yaml = "terminal:\n  timeout: soon\n"},
       "Invalid value for terminal.timeout: 'soon' (expected integer, or a time such as 90s, 5m or "
       "2h). Check /h/config.yaml, "
       "line 2."},
      {"flag",
       {.flags = {{"TERMINAL_TIMEOUT", "--timeout", "soon"}}},
       "Invalid value for --timeout: 'soon' (expected integer, or a time such as 90s, 5m or 2h)."},
      {"an empty flag",
       {.flags = {{"TERMINAL_TIMEOUT", "--timeout", ""}}},
       "Invalid value for --timeout: '' (expected integer, or a time such as 90s, 5m or 2h)."},
      {"choice",
       {.variables = {"TERMINAL_HOME_MODE=mine"}},
       "Invalid value for TERMINAL_HOME_MODE: 'mine' (expected 'auto', 'real' or 'profile')." +
           check},
      {"a list where a text belongs",
       {.yaml = "terminal:\n  cwd: [a]\n"},
       "Invalid value for terminal.cwd: '[\"a\"]' (expected text). Check /h/config.yaml, line 2."},
      {"a text where a list belongs",
       {.variables = {"TERMINAL_ENV=docker"}, .yaml = "terminal:\n  docker_volumes: a\n"},
       "Invalid value for terminal.docker_volumes: 'a' (expected a list). Check /h/config.yaml, "
       "line 2."},
      {"a list where a mapping belongs, and secret",
       {.variables = {"TERMINAL_ENV=docker"}, .yaml = "terminal:\n  docker_env: [a]\n"},
       "Invalid value for terminal.docker_env: '***' (expected a mapping). Check /h/config.yaml, "
       "line 2."},
      {"broken text",
       {.variables = {"TERMINAL_TIMEOUT=\xFF"}},
       "Invalid value for TERMINAL_TIMEOUT: '\uFFFD' (expected integer, or a time such as 90s, 5m "
       "or 2h)." +
           check},
      {"long text",
       {.variables = {"TERMINAL_TIMEOUT=" + std::string(1000, 'x')}},
       "Invalid value for TERMINAL_TIMEOUT: '" + std::string(200, 'x') +
           "...' (expected integer, or a time such as 90s, 5m or 2h)." + check},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(resolved(c.written).errors(), ElementsAre(c.expected));
  }
}

// A stale variable for docker once kept local commands from running.
TEST(Resolve, JunkForAnotherTargetIsOnlyNoted) {
  const std::string junk = "TERMINAL_DOCKER_VOLUMES=None";
  const std::string complaint =
      "Invalid value for TERMINAL_DOCKER_VOLUMES: 'None' (expected valid JSON). Check "
      "~/.hermes/.env or environment variables.";
  for (const std::string target : {"local", "ssh", "carrier"}) {
    SCOPED_TRACE(target);
    const Resolution resolution = resolved({.variables = {"TERMINAL_ENV=" + target, junk}});
    EXPECT_THAT(resolution.errors(), IsEmpty());
    EXPECT_THAT(resolution.notices, ElementsAre(complaint + " The target does not use it."));
  }
  for (const std::string target : {"docker", "podman"}) {
    SCOPED_TRACE(target);
    EXPECT_THAT(resolved({.variables = {"TERMINAL_ENV=" + target, junk}}).errors(),
                ElementsAre(complaint));
  }
}

TEST(Resolve, NotesWhatIsLeftOut) {
  const struct {
    const char* name;
    Written written;
    std::string expected;
  } cases[] = {
      {"a line of .env",
       {.env_file = "A=1\nhello\n"},
       "/h/.env, line 2: expected NAME=value; the line is ignored"},
      {"home in .env",
       {.env_file = "HERMES_HOME=/x"},
       "/h/.env, line 1: HERMES_HOME is read only from the environment"},
      {"a slip of the pen in the environment",
       {.variables = {"TERMINAL_TIEMOUT=5"}},
       "the environment: unknown setting TERMINAL_TIEMOUT; it is ignored"},
      {"in .env",
       {.env_file = "TERMINAL_TIEMOUT=5"},
       "/h/.env, line 1: unknown setting TERMINAL_TIEMOUT; it is ignored"},
      {"in config.yaml",
       {.yaml = "terminal:\n  tiemout: 5\n"},
       "/h/config.yaml, line 2: unknown setting terminal.tiemout; it is ignored"},
      {"a key that is called like the variable",
       {.yaml = "terminal:\n  env: docker\n"},
       "/h/config.yaml, line 2: unknown setting terminal.env; it is ignored. Did you mean "
       "terminal.backend?"},
      {"a section that is none",
       {.yaml = "terminal: 5\n"},
       "/h/config.yaml, line 1: terminal must be a mapping of settings; it is ignored"},
      {"a truth that is none",
       {.yaml = "terminal:\n  auto_source_bashrc: on\n"},
       "/h/config.yaml, line 2: terminal.auto_source_bashrc is 'on', which means false; only "
       "true, 1 and yes are true"},
      {"a value for what is not there yet",
       {.variables = {"PARALLEL_SEARCH_MODE=ftp"}},
       "Invalid value for PARALLEL_SEARCH_MODE: 'ftp' (expected 'agentic', 'fast' or 'one-shot'). "
       "Check "
       "~/.hermes/.env or environment variables. The target does not use it."},
      {"a value for who is asked",
       {.yaml = "approvals:\n  timeout: soon\n"},
       "Invalid value for approvals.timeout: 'soon' (expected integer, or a time such as 90s, 5m "
       "or 2h). Check /h/config.yaml, line "
       "2. The default is used."},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Resolution resolution = resolved(c.written);
    EXPECT_THAT(resolution.notices, ElementsAre(c.expected));
    EXPECT_THAT(resolution.errors(), IsEmpty());
  }
  EXPECT_THAT(resolved({.yaml = "model: x\nagent: {turns: 3}\nterminal:\n"}).notices, IsEmpty());
}

TEST(Resolve, AnEmptyPasswordIsOne) {
  EXPECT_EQ(resolved({.variables = {"SUDO_PASSWORD="}}).of("SUDO_PASSWORD").origin,
            Origin::environment);
  EXPECT_EQ(resolved({}).of("SUDO_PASSWORD").origin, Origin::standard);
}

TEST(Resolve, WhereASessionStarts) {
  const struct {
    const char* name;
    std::vector<std::string> variables;
    std::string expected;
  } cases[] = {
      {"the caller's directory", {}, "/here"},
      {"said", {"TERMINAL_CWD=/srv"}, "/srv"},
      {"below the person's home", {"TERMINAL_CWD=~/x"}, "/home/me/x"},
      {"relative", {"TERMINAL_CWD=x"}, "/here/x"},
      {"a dot", {"TERMINAL_CWD=."}, "/here"},
      {"auto", {"TERMINAL_CWD=auto"}, "/here"},
      {"ssh keeps a path",
       {"TERMINAL_ENV=ssh", "TERMINAL_CWD=/home/remote/work"},
       "/home/remote/work"},
      {"ssh keeps the tilde", {"TERMINAL_ENV=ssh", "TERMINAL_CWD=~/x"}, "~/x"},
      {"ssh otherwise", {"TERMINAL_ENV=ssh"}, "~"},
      {"a path of this machine is none of modal's",
       {"TERMINAL_ENV=modal", "TERMINAL_CWD=/home/remote/work"},
       "/root"},
      {"a relative path neither", {"TERMINAL_ENV=modal", "TERMINAL_CWD=x"}, "/root"},
      {"a path of the target's", {"TERMINAL_ENV=modal", "TERMINAL_CWD=/srv/x"}, "/srv/x"},
      {"modal otherwise", {"TERMINAL_ENV=modal"}, "/root"},
      {"daytona otherwise: the home there", {"TERMINAL_ENV=daytona"}, "~"},
      {"nor a relative path", {"TERMINAL_ENV=daytona", "TERMINAL_CWD=x"}, "~"},
      {"nor somebody's home here", {"TERMINAL_ENV=daytona", "TERMINAL_CWD=/home/me/x"}, "~"},
      {"the usual home of Daytona's images",
       {"TERMINAL_ENV=daytona", "TERMINAL_CWD=/home/daytona"},
       "~"},
      {"below it", {"TERMINAL_ENV=daytona", "TERMINAL_CWD=/home/daytona/x"}, "/home/daytona/x"},
      {"below the home there", {"TERMINAL_ENV=daytona", "TERMINAL_CWD=~/x"}, "~/x"},
      {"another place there", {"TERMINAL_ENV=daytona", "TERMINAL_CWD=/srv/x"}, "/srv/x"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(resolved({.variables = c.variables}).of("TERMINAL_CWD").value().as_string(),
              c.expected);
  }
}

}  // namespace
}  // namespace talaria::host
