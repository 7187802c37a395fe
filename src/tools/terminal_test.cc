#include "tools/terminal.h"

#include <memory>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_environment.h"
#include "testing/open_policy.h"
#include "testing/run_to_end.h"

namespace talaria::tool {
namespace {

using namespace std::string_literals;

class Terminal : public testing::Test {
 protected:
  json::object call(json::object arguments, std::vector<std::string> variables = {}) {
    host::Host host = fake_host(fake_, std::move(variables));
    test::OpenPolicy policy(host);
    return test::run_to_end(
        terminal(test::tool_call(host, policy, std::move(arguments), {.task = task_}, cancel_)));
  }

  json::object call_that_ends(const environment::CommandOutcome& outcome,
                              json::object arguments = {{"command", "x"}}) {
    fake_->reply = [outcome](const environment::CommandSpec&) { return test::FakeReply{outcome}; };
    return call(std::move(arguments));
  }

  const environment::CommandSpec& asked() const { return fake_->asked.at(0); }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  std::string task_ = "default";
  CancelToken cancel_;
};

TEST_F(Terminal, TellsOutputExitCodeAndWhereItRan) {
  EXPECT_EQ(json::serialize(call_that_ends(test::printed("hello\n"))),
            R"({"output":"hello","exit_code":0,"error":null,"target":"local","transport":"link",)"
            R"("duration_ms":7})");
}

TEST_F(Terminal, AFailingCommandIsNotAnError) {
  const struct {
    const char* name;
    ExitStatus status;
    int expected;
  } cases[] = {
      {"exit 3", Exited{3}, 3},
      {"not found", Exited{127}, 127},
      {"killed by signal 9", Signaled{9}, -9},
      {"killed by signal 15", Signaled{15}, -15},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const json::object result = call_that_ends(test::printed("", c.status));
    EXPECT_EQ(result.at("exit_code"), c.expected);
    EXPECT_TRUE(result.at("error").is_null());
  }
}

TEST_F(Terminal, HandsTheCommandToTheSessionOfItsTask) {
  task_ = "t1";
  call({{"command", "ls"}, {"workdir", "/srv"}, {"timeout", 5}},
       {"PATH=/bin", "OPENAI_API_KEY=sk-1", "TERMINAL_CWD=/start"});
  EXPECT_EQ(asked().command, "ls");
  EXPECT_EQ(asked().session, "t1");
  EXPECT_EQ(asked().workdir, "/srv");
  EXPECT_EQ(asked().first_cwd, "/start");
  EXPECT_EQ(asked().timeout, std::chrono::seconds(5));
  EXPECT_THAT(asked().env.get(), testing::IsSupersetOf({"TERMINAL_CWD=/start", "HOME=/home/me"}));
  EXPECT_EQ(asked().head_limit, 80'000u);
  EXPECT_EQ(asked().tail_limit, 120'000u);
  EXPECT_FALSE(asked().stdin_data);
}

TEST_F(Terminal, AnOverridesDirectoryIsWhereTheTaskStartsAndAWorkdirStillWins) {
  host::Host host = fake_host(fake_, {"TERMINAL_CWD=/start"});
  test::OpenPolicy policy(host);
  ASSERT_TRUE(host.settings.override_task("t", {{"cwd", "/over"}}));
  test::run_to_end(terminal(
      test::tool_call(host, policy, {{"command", "x"}, {"workdir", "/srv"}}, {.task = "t"})));
  test::run_to_end(
      terminal(test::tool_call(host, policy, {{"command", "x"}}, {.task = "another"})));
  ASSERT_EQ(fake_->asked.size(), 2u);
  EXPECT_EQ(asked().first_cwd, "/over");
  EXPECT_EQ(asked().workdir, "/srv");
  EXPECT_EQ(fake_->asked[1].first_cwd, "/start");
  EXPECT_EQ(fake_->made, 1);
}

TEST_F(Terminal, AnOverrideTakesALiveSessionAlongOnce) {
  host::Host host = fake_host(fake_);
  test::OpenPolicy policy(host);
  const auto moves_to = [&](const Result<environment::CommandOutcome>& outcome) {
    fake_->reply = [outcome](const environment::CommandSpec&) { return test::FakeReply{outcome}; };
    test::run_to_end(terminal(test::tool_call(host, policy, {{"command", "x"}}, {.task = "t"})));
    return fake_->asked.back().move_to;
  };
  environment::CommandOutcome ran = test::printed("");
  ran.cwd = "/over";
  EXPECT_EQ(moves_to(ran), "");
  ASSERT_TRUE(host.settings.override_task("t", {{"cwd", "/over"}}));
  // It is not gone before a command has run.
  EXPECT_EQ(moves_to(fail(ErrorKind::unavailable, "no runner")), "/over");
  EXPECT_EQ(moves_to(ran), "/over");
  EXPECT_EQ(moves_to(ran), "");
  ASSERT_TRUE(host.settings.override_task("t", {{"cwd", "/over"}}));
  EXPECT_EQ(moves_to(ran), "/over");
  EXPECT_EQ(moves_to(ran), "");
}

TEST_F(Terminal, ATargetOfAnOverrideThatCannotBeServedIsNamed) {
  host::Host host = fake_host(fake_);
  test::OpenPolicy policy(host);
  ASSERT_TRUE(host.settings.override_task("t", {{"env_type", "docker"}}));
  const json::object result =
      test::run_to_end(terminal(test::tool_call(host, policy, {{"command", "x"}}, {.task = "t"})));
  EXPECT_EQ(result.at("error"),
            "Failed to execute command: task 't', with its overrides: env_type is 'docker', which "
            "this Talaria cannot serve yet. Use one of: local.");
  EXPECT_EQ(result.at("target"), "docker");
}

// Given no output before a timeout, the message has no leading newline.
TEST_F(Terminal, TimeoutWithNoOutputHasNoLeadingNewline) {
  environment::CommandOutcome outcome = test::printed("", Signaled{9});
  outcome.ended = CommandEnd::timed_out;
  const json::object result = call_that_ends(outcome, {{"command", "x"}, {"timeout", 5}});
  EXPECT_EQ(result.at("output"), "[Command timed out after 5s]");
  EXPECT_EQ(result.at("exit_code"), 124);
  EXPECT_TRUE(result.at("error").is_null());
}

TEST_F(Terminal, TimeoutKeepsPartialOutput) {
  environment::CommandOutcome outcome = test::printed("half", Signaled{9});
  outcome.ended = CommandEnd::timed_out;
  EXPECT_EQ(call_that_ends(outcome).at("output"), "half\n[Command timed out after 180s]");
}

TEST_F(Terminal, InterruptKeepsPartialOutput) {
  fake_->reply = [](const environment::CommandSpec&) {
    return test::FakeReply{test::printed("half"), {}, true};
  };
  fake_->on_hang = [this] { cancel_.cancel(); };
  host::Host host = fake_host(fake_);
  test::OpenPolicy policy(host);
  const json::object result = test::run_to_end(
      terminal(test::tool_call(host, policy, {{"command", "x"}}, {.task = task_}, cancel_)));
  EXPECT_EQ(result.at("output"), "half\n[Command interrupted]");
  EXPECT_EQ(result.at("exit_code"), 130);
}

TEST_F(Terminal, ACallCancelledBeforeItStartsRunsNothing) {
  cancel_.cancel();
  const json::object result = call({{"command", "x"}});
  EXPECT_EQ(result.at("output"), "[Command interrupted]");
  EXPECT_EQ(result.at("exit_code"), 130);
  EXPECT_TRUE(fake_->asked.empty());
}

TEST_F(Terminal, AConnectionGivenUpIsAnInterruptToo) {
  fake_->reply = [](const environment::CommandSpec&) {
    return test::FakeReply{fail(ErrorKind::interrupted, "gave up")};
  };
  EXPECT_EQ(call({{"command", "x"}}).at("exit_code"), 130);
}

TEST_F(Terminal, RefusesACommandThatIsNoString) {
  const struct {
    const char* arguments;
    const char* type;
  } cases[] = {
      {R"({})", "nothing"},
      {R"({"command":null})", "null"},
      {R"({"command":7})", "int"},
      {R"({"command":18446744073709551615})", "int"},
      {R"({"command":7.5})", "float"},
      {R"({"command":true})", "bool"},
      {R"({"command":["ls"]})", "list"},
      {R"({"command":{}})", "dict"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.arguments);
    EXPECT_EQ(json::serialize(call(json::parse(c.arguments).as_object())),
              R"({"output":"","exit_code":-1,"error":"Invalid command: expected string, got )"s +
                  c.type +
                  R"(","target":"local","transport":null,"duration_ms":0,"status":"error"})");
  }
  EXPECT_EQ(fake_->made, 0);
}

TEST_F(Terminal, RefusesWhatNoShellCanBeGiven) {
  const struct {
    const char* name;
    json::object arguments;
    const char* expected;
  } cases[] = {
      {"NUL in the command",
       {{"command", "a\0b"s}},
       "Invalid command: it contains a NUL byte at offset 1, which no shell command can hold. "
       "Write it as an escape, for example with printf."},
      {"a surrogate in the command",
       {{"command", "a\xED\xA0\x80"}},
       "Invalid command: it is not valid Unicode text (an unpaired surrogate or stray byte)"},
      {"NUL in the workdir",
       {{"command", "a"}, {"workdir", "/\0"s}},
       "Invalid workdir: it contains a NUL byte at offset 1, which no shell command can hold. "
       "Write it as an escape, for example with printf."},
      {"a workdir of the wrong type",
       {{"command", "a"}, {"workdir", 7}},
       "Invalid workdir: expected string, got int"},
      {"patterns that are not a list",
       {{"command", "a"}, {"background", true}, {"watch_patterns", "ready"}},
       "Invalid watch_patterns: expected a list of texts, got str"},
      {"a pattern that is not text",
       {{"command", "a"}, {"background", true}, {"watch_patterns", {"a", 1}}},
       "Invalid watch_patterns: expected a list of texts, with int in it"},
      {"a lifetime there is not",
       {{"command", "a"}, {"background", true}, {"lifetime", "for ever"}},
       "Invalid lifetime: expected 'call', 'session' or 'keep'"},
      {"less than no age",
       {{"command", "a"}, {"background", true}, {"max_age", -1}},
       "Invalid max_age: expected a whole number of seconds or a time such as 2h, 0 for no limit"},
      {"an end there is not",
       {{"command", "a"}, {"on_timeout", "explode"}},
       "Invalid on_timeout: expected 'kill' or 'background'"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const json::object result = call(c.arguments);
    EXPECT_EQ(result.at("error"), c.expected);
    EXPECT_EQ(result.at("status"), "error");
    EXPECT_EQ(result.at("exit_code"), -1);
  }
  EXPECT_TRUE(fake_->asked.empty());
}

TEST_F(Terminal, TimeoutIsTheOneGivenOrTheConfiguredOne) {
  const struct {
    const char* name;
    const char* arguments;
    const char* variable;
    int expected;
  } cases[] = {
      {"absent", R"({"command":"x"})", "", 180},
      {"null", R"({"command":"x","timeout":null})", "", 180},
      {"zero", R"({"command":"x","timeout":0})", "", 180},
      {"given", R"({"command":"x","timeout":5})", "", 5},
      {"a whole float", R"({"command":"x","timeout":5.0})", "", 5},
      {"a text", R"({"command":"x","timeout":"30"})", "", 30},
      {"a unit", R"({"command":"x","timeout":"2m"})", "", 120},
      {"as large as the cap", R"({"command":"x","timeout":600})", "", 600},
      {"a larger default is fine", R"({"command":"x"})", "TERMINAL_TIMEOUT=900", 900},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    fake_->asked.clear();
    call(json::parse(c.arguments).as_object(), {c.variable});
    ASSERT_EQ(fake_->asked.size(), 1u);
    EXPECT_EQ(asked().timeout, std::chrono::seconds(c.expected));
  }
}

TEST_F(Terminal, ATimeoutOverTheCapIsAnErrorAndNothingElse) {
  EXPECT_EQ(json::serialize(call({{"command", "x"}, {"timeout", 601}})),
            R"({"error":"Foreground timeout 601s exceeds the maximum of 600s. Use background=true )"
            R"(with notify_on_complete=true for long-running commands."})");
  EXPECT_EQ(fake_->made, 0);
}

TEST_F(Terminal, ATimeoutOverTheCapIsNotWhatABackgroundCallIsRefusedFor) {
  const json::object result = call({{"command", "x"}, {"background", true}, {"timeout", 9999}});
  EXPECT_TRUE(result.at("error").is_null());
  EXPECT_EQ(result.at("session_id"), "proc_000000000001");
}

TEST_F(Terminal, RefusesATimeoutThatIsNoNumberOfSeconds) {
  const struct {
    const char* value;
    const char* got;
  } cases[] = {
      {"-1", "-1"},     {"1.5", "float"},     {"-1.0", "float"}, {"1e30", "float"},
      {"true", "bool"}, {R"("soon")", "str"}, {"[30]", "list"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.value);
    const json::object result = call({{"command", "x"}, {"timeout", json::parse(c.value)}});
    EXPECT_EQ(result.at("error").as_string(),
              "Invalid timeout: expected a whole number of seconds, at least 1, got "s + c.got);
  }
  EXPECT_TRUE(fake_->asked.empty());
}

TEST_F(Terminal, SaysWhyThereIsNoEnvironment) {
  const json::object unknown = call({{"command", "x"}}, {"TERMINAL_ENV=docker"});
  EXPECT_EQ(unknown.at("error"),
            "Failed to execute command: TERMINAL_ENV is 'docker', which this Talaria cannot serve "
            "yet. Use one of: local.");
  EXPECT_EQ(unknown.at("status"), "error");
  EXPECT_EQ(unknown.at("target"), "docker");
  EXPECT_TRUE(unknown.at("transport").is_null());

  const json::object broken = call({{"command", "x"}}, {"TERMINAL_TIMEOUT=soon"});
  EXPECT_EQ(broken.at("error"),
            "Failed to execute command: Invalid value for TERMINAL_TIMEOUT: 'soon' (expected "
            "integer, or a time such as 90s, 5m or 2h). Check ~/.hermes/.env or environment "
            "variables.");
  EXPECT_TRUE(fake_->asked.empty());
}

TEST_F(Terminal, IsDisabledWhenItsTargetCannotBeHad) {
  const host::Caller caller{.variables = {"HOME=/home/me", "TALARIA_AUDIT=0"}, .cwd = "/here"};
  host::Host host(
      caller, read_config(caller),
      {host::Backend{
          "local",
          [](const host::EnvironmentRequest&) -> Result<std::unique_ptr<environment::Environment>> {
            return fail(ErrorKind::unavailable, "no bash here");
          }}});
  test::OpenPolicy policy(host);
  const json::object result =
      test::run_to_end(terminal(test::tool_call(host, policy, {{"command", "x"}})));
  EXPECT_EQ(result.at("error"),
            "Terminal tool disabled: environment creation failed (no bash here)");
  EXPECT_EQ(result.at("status"), "disabled");
}

TEST_F(Terminal, AnErrorOfTheRunnerKeepsItsKindAndIsNotRetried) {
  fake_->reply = [](const environment::CommandSpec&) {
    return test::FakeReply{
        fail(ErrorKind::runner_lost, "the runner died; the command may have run")};
  };
  const json::object result = call({{"command", "x"}});
  EXPECT_EQ(result.at("error"),
            "Command execution failed: runner_lost: the runner died; the command may have run");
  EXPECT_EQ(result.at("exit_code"), -1);
  EXPECT_EQ(result.at("transport"), "link");
  EXPECT_FALSE(result.contains("status"));
  EXPECT_EQ(fake_->asked.size(), 1u);
}

// Whether a command that did not start may be tried again only the environment knows, and it does
// so by itself; the tool never sends one twice.
TEST_F(Terminal, NoErrorOfAnyKindIsRetriedByTheTool) {
  for (const ErrorKind kind :
       {ErrorKind::bad_request, ErrorKind::not_found, ErrorKind::denied, ErrorKind::timed_out,
        ErrorKind::unavailable, ErrorKind::runner_lost, ErrorKind::limit, ErrorKind::system}) {
    SCOPED_TRACE(kind_name(kind));
    fake_->asked.clear();
    fake_->reply = [kind](const environment::CommandSpec&) {
      return test::FakeReply{fail(kind, "why")};
    };
    EXPECT_EQ(call({{"command", "x"}}).at("error").as_string(),
              "Command execution failed: " + std::string(kind_name(kind)) + ": why");
    EXPECT_EQ(fake_->asked.size(), 1u);
  }
}

TEST_F(Terminal, SaysWhereTheWholeOutputIsWhenItWasCut) {
  environment::CommandOutcome outcome = test::printed(std::string(100, 'a'));
  outcome.total = 1'000'000;
  outcome.spill_path = "/run/out";
  outcome.spill_to = 1'000'000;
  const json::object result = call_that_ends(outcome);
  EXPECT_EQ(result.at("output_total_bytes"), 1'000'000);
  EXPECT_EQ(result.at("full_output_path"), "/run/out");
  EXPECT_FALSE(result.contains("notices"));

  outcome.spill_from = 10;
  EXPECT_EQ(json::serialize(call_that_ends(outcome).at("notices")),
            R"(["The file with the full output reached its quota: it holds bytes 10 to 1000000 of )"
            R"(1000000."])");

  outcome.spill_path.clear();
  const json::object lost = call_that_ends(outcome);
  EXPECT_FALSE(lost.contains("full_output_path"));
  EXPECT_EQ(json::serialize(lost.at("notices")),
            R"(["The omitted output was not kept: there is no file with the full output."])");
}

TEST_F(Terminal, TellsOfProcessesThatAreStillThereAndOfNotices) {
  environment::CommandOutcome outcome = test::printed("ok");
  outcome.survivors = {{.pid = 42, .name = "stuck\xFF", .reason = "another user's"}};
  outcome.background_children = 2;
  outcome.notices = {"the directory was gone"};
  const json::object result = call_that_ends(outcome);
  EXPECT_EQ(json::serialize(result.at("survivors")),
            "[{\"pid\":42,\"name\":\"stuck\uFFFD\",\"reason\":\"another user's\"}]");
  EXPECT_EQ(result.at("background_children"), 2);
  EXPECT_EQ(json::serialize(result.at("notices")), R"(["the directory was gone"])");
}

TEST_F(Terminal, SaysWhatAnExitCodeMeans) {
  const json::object none = call_that_ends(test::printed("", Exited{1}), {{"command", "grep x f"}});
  EXPECT_EQ(none.at("exit_code_meaning"), "No matches found (not an error)");
  EXPECT_TRUE(none.at("error").is_null());
  EXPECT_FALSE(call_that_ends(test::printed("", Exited{2}), {{"command", "grep x f"}})
                   .contains("exit_code_meaning"));
  environment::CommandOutcome late = test::printed("", Exited{1});
  late.ended = CommandEnd::timed_out;
  EXPECT_FALSE(call_that_ends(late, {{"command", "grep x f"}}).contains("exit_code_meaning"));
}

TEST_F(Terminal, ShowsNoEscapeSequences) {
  EXPECT_EQ(call_that_ends(test::printed("\033[31mred\033[0m \033]0;t\007done")).at("output"),
            "red done");
}

TEST_F(Terminal, RefusesWhatDoesNotBelongInTheForegroundBeforeAnythingIsMade) {
  const json::object result = call({{"command", "npm run dev"}});
  EXPECT_EQ(result.at("status"), "error");
  EXPECT_EQ(result.at("exit_code"), -1);
  EXPECT_NE(result.at("error").as_string().find("long-lived server"), std::string::npos);
  EXPECT_EQ(fake_->made, 0);
  call({{"command", "npm run dev --help"}});
  EXPECT_EQ(fake_->asked.size(), 1u);
  call({{"command", "npm run dev"}, {"force", true}});
  EXPECT_EQ(fake_->asked.size(), 2u);
}

TEST_F(Terminal, AWorkdirIsASimplePathOfAnyScript) {
  const struct {
    const char* workdir;
    const char* flaw;  // "" if it is fine
  } cases[] = {
      {"/tmp", ""},          {"~/my repo", ""},  {"sub/dir-1_2.3+4@5=6,7", ""},
      {"C:\\x", ""},         {"/ünï/日本", ""},  {"-demo", ""},
      {"/tmp\n", "'\\n'"},   {"/a\tb", "'\\t'"}, {"/a;b", "';'"},
      {"$HOME", "'$'"},      {"/a(b)", "'('"},   {"it's", "\"'\""},
      {"/a\x01", "'\\x01'"}, {"`x`", "'`'"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.workdir);
    const json::object result = call({{"command", "x"}, {"workdir", c.workdir}});
    if (*c.flaw == '\0') {
      EXPECT_TRUE(result.at("error").is_null());
      continue;
    }
    EXPECT_EQ(result.at("error").as_string(),
              "Blocked: workdir contains disallowed character "s + c.flaw +
                  ". Use a simple filesystem path without shell metacharacters.");
    EXPECT_EQ(result.at("status"), "blocked");
  }
}

TEST_F(Terminal, ACallsSessionKeyReachesTheCommand) {
  host::Host host = fake_host(fake_, {"HERMES_SESSION_KEY=of the process"});
  test::OpenPolicy policy(host);
  test::run_to_end(terminal(test::tool_call(
      host, policy, {{"command", "x"}}, {.task = task_, .session_key = "of the call"}, cancel_)));
  EXPECT_THAT(asked().env.get(), testing::Contains("HERMES_SESSION_KEY=of the call"));
  EXPECT_THAT(asked().env.get(),
              testing::Not(testing::Contains("HERMES_SESSION_KEY=of the process")));
}

}  // namespace
}  // namespace talaria::tool
