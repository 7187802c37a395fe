// The public interface as a program uses it: a Runtime in this process, a real runner, real
// commands.
#include <signal.h>
#include <stdlib.h>
#include <talaria/talaria.h>

#include <atomic>
#include <fstream>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/own_environment.h"

namespace talaria::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

using RuntimeTest = ApiTest;

TEST_F(RuntimeTest, ASessionRemembersAndAnOutcomeTells) {
  Runtime runtime = make();
  const Result<Outcome> first =
      runtime.run({.text = "cd /usr; export WHO=me; exit 3", .task = "t"});
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(first->exit_code, 3);
  EXPECT_EQ(first->cwd, "/usr");
  const Result<Outcome> second = runtime.run({.text = "echo $WHO in $PWD", .task = "t"});
  EXPECT_EQ(second->output, "me in /usr\n");
  EXPECT_EQ(second->ended, CommandEnd::exited);
  EXPECT_EQ(second->target, "local");
  EXPECT_GT(second->duration.count(), 0);
}

TEST_F(RuntimeTest, SessionsOutliveTheRuntime) {
  EXPECT_TRUE(make().run({.text = "export KEPT=yes", .task = "t"}));
  EXPECT_EQ(make().run({.text = "echo $KEPT", .task = "t"})->output, "yes\n");
}

TEST_F(RuntimeTest, InputWorkdirTimeoutAndLiveOutput) {
  Runtime runtime = make({.cwd = "/usr"});
  EXPECT_EQ(runtime.run({.text = "pwd"})->output, "/usr\n");
  EXPECT_EQ(runtime.run({.text = "pwd", .workdir = "share"})->output, "/usr/share\n");
  EXPECT_EQ(runtime.run({.text = "cat", .stdin_data = "given"})->output, "given");
  const auto late = runtime.run({.text = "sleep 60", .timeout = std::chrono::milliseconds(100)});
  EXPECT_EQ(late->ended, CommandEnd::timed_out);
  EXPECT_EQ(late->exit_code, 124);

  std::string live;
  const auto streamed =
      runtime.run({.text = "printf 'a\\xffb'", .on_output = [&](auto bytes) { live += bytes; }});
  EXPECT_EQ(live,
            "a\xff"
            "b");
  EXPECT_EQ(streamed->output, "");
  EXPECT_FALSE(streamed->truncated);
  EXPECT_EQ(streamed->output_bytes, 3u);
}

TEST_F(RuntimeTest, LongOutputIsCutAndKept) {
  Runtime runtime = make({.settings = {{"tool_output.max_bytes", "1000"}}});
  const auto outcome = runtime.run({.text = "seq 20000", .task = "t"});
  EXPECT_TRUE(outcome->truncated);
  EXPECT_LT(outcome->output.size(), 2000u);
  EXPECT_EQ(outcome->output_bytes, 108'894u);
  EXPECT_EQ(std::filesystem::file_size(outcome->full_output_path), 108'894u);
}

TEST_F(RuntimeTest, AnyThreadMayCancelAndTheWholeTreeIsGone) {
  Runtime runtime = make();
  const Cancel cancel;
  std::future<Result<Outcome>> running = std::async(std::launch::async, [&] {
    return runtime.run(
        {.text = "setsid sleep 600 & echo $! >" + world_.path("pid") + "; wait", .task = "t"},
        cancel);
  });
  const ProcessName orphan = process_in("pid");
  EXPECT_TRUE(is_alive(orphan));
  cancel.cancel();
  const Result<Outcome> outcome = running.get();
  EXPECT_EQ(outcome->ended, CommandEnd::interrupted);
  EXPECT_EQ(outcome->exit_code, 130);
  EXPECT_TRUE(eventually([&] { return !is_alive(orphan); }));
}

TEST_F(RuntimeTest, ManyThreadsCallAtOnce) {
  Runtime runtime = make();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int id = 0; id < 8; ++id) {
    threads.emplace_back([&, id] {
      const std::string task = "task" + std::to_string(id);
      EXPECT_TRUE(runtime.run({.text = "export ID=" + std::to_string(id), .task = task}));
      for (int round = 0; round < 5; ++round) {
        const json::value answer =
            json::parse(runtime.call("terminal", R"({"command":"echo $ID"})", {.task = task}));
        if (answer.at("output").as_string() == std::to_string(id)) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 40);
}

TEST_F(RuntimeTest, RedactionCannotBeSwitchedOffLater) {
  Runtime runtime = make();
  ::setenv("HERMES_REDACT_SECRETS", "false", 1);
  const json::value answer = json::parse(runtime.call(
      "terminal", R"({"command":"export HERMES_REDACT_SECRETS=false; echo A_TOKEN=42"})"));
  EXPECT_EQ(answer.at("output").as_string(), "A_TOKEN=***");
  EXPECT_EQ(make().run({.text = "echo A_TOKEN=42"})->output, "A_TOKEN=42\n") << "for no model";
}

TEST_F(RuntimeTest, CallsAnswerWhatAModelGets) {
  Runtime runtime = make();
  const struct {
    const char* name;
    const char* tool;
    const char* arguments;
    const char* answer;
  } cases[] = {
      {"an answer", "terminal", R"({"command":"echo hi"})", R"("output":"hi","exit_code":0)"},
      {"a refusal", "terminal", R"({"command":7})", "expected string, got int"},
      {"no such tool", "teleport", "{}",
       R"({"error":"unknown tool 'teleport'. Use one of: terminal, process, read_file, )"
       R"(write_file, search_files, patch, execute_code, web_search, web_extract"})"},
      {"no JSON", "terminal", "ls",
       R"({"error":"the arguments of the tool are not valid JSON (syntax error))"},
      {"no object", "terminal", "[]", "expected a JSON object, got an array"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(runtime.call(c.tool, c.arguments), HasSubstr(c.answer));
  }
}

TEST_F(RuntimeTest, EnvironmentsAreListedRemovedAndOverridden) {
  Runtime runtime = make();
  EXPECT_TRUE(runtime.requirements());
  EXPECT_TRUE(runtime.environments().empty());
  ASSERT_TRUE(runtime.run({.text = "true", .task = "t"}));
  const std::vector<EnvironmentInfo> there = runtime.environments();
  ASSERT_EQ(there.size(), 1u);
  EXPECT_EQ(there[0].target, "local");
  EXPECT_THAT(there[0].tasks, testing::ElementsAre("t"));
  EXPECT_TRUE(runtime.remove_environment(there[0].id));
  EXPECT_EQ(runtime.remove_environment(there[0].id).error().kind(), ErrorKind::not_found);

  EXPECT_THAT(runtime.override_task("u", {.cwd = "usr\n"}).error().message(), HasSubstr("cwd"));
  EXPECT_TRUE(runtime.override_task("u", {.target = Target::local, .cwd = "/usr"}));
  EXPECT_THAT(runtime.call("terminal", R"({"command":"pwd"})", {.task = "u"}), HasSubstr("/usr"));
  EXPECT_TRUE(runtime.clear_override("u"));
  EXPECT_THAT(runtime.call("terminal", R"({"command":"true"})", {.task = "u"}),
              HasSubstr(R"("exit_code":0)"));
}

TEST_F(RuntimeTest, CallbacksComeOnAThreadOfTheRuntimesAndMayStartMore) {
  Runtime runtime = make();
  std::promise<std::string> answered;
  std::thread::id thread;
  runtime.run({.text = "echo one"}, {}, [&](const Result<Outcome>& outcome) {
    thread = std::this_thread::get_id();
    const std::string command = R"({"command":"echo after )" + outcome->output.substr(0, 3) + "\"}";
    runtime.call("terminal", command, {}, {},
                 [&](std::string answer) { answered.set_value(std::move(answer)); });
  });
  EXPECT_THAT(answered.get_future().get(), HasSubstr(R"("output":"after one")"));
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(RuntimeTest, ACallbackThatWouldWaitForItselfIsToldSo) {
  Runtime runtime = make();
  std::promise<std::pair<std::string, std::string>> told;
  runtime.run({.text = "true"}, {}, [&](const Result<Outcome>&) {
    told.set_value(
        {runtime.run({.text = "true"}).error().message(), runtime.call("terminal", "{}")});
  });
  const auto [from_run, from_call] = told.get_future().get();
  EXPECT_THAT(from_run, HasSubstr("called from a callback"));
  EXPECT_THAT(from_call, HasSubstr("called from a callback"));
}

TEST_F(RuntimeTest, DestroyingItEndsWhatRunsAndAnswersEveryone) {
  std::optional<Runtime> runtime(make());
  std::promise<Result<Outcome>> called_back;
  runtime->run({.text = "echo $$ >" + world_.path("first") + "; sleep 600", .task = "a"}, {},
               [&](Result<Outcome> outcome) { called_back.set_value(std::move(outcome)); });
  std::thread waiting([&, &running = *runtime] {
    const auto outcome =
        running.run({.text = "echo $$ >" + world_.path("second") + "; sleep 600", .task = "b"});
    EXPECT_EQ(outcome->ended, CommandEnd::interrupted);
  });
  const ProcessName first = process_in("first");
  const ProcessName second = process_in("second");
  EXPECT_TRUE(is_alive(first) && is_alive(second));
  runtime.reset();
  waiting.join();
  EXPECT_EQ(called_back.get_future().get()->ended, CommandEnd::interrupted);
  EXPECT_FALSE(is_alive(first));
  EXPECT_FALSE(is_alive(second));
}

TEST_F(RuntimeTest, ACallMadeByACallbackWhileItIsBeingDestroyedIsAnswered) {
  std::optional<Runtime> runtime(make());
  Runtime* const borrowed = &*runtime;
  std::promise<std::string> answered;
  runtime->run({.text = "echo $$ >" + world_.path("first") + "; sleep 600", .task = "a"}, {},
               [&](const Result<Outcome>&) {
                 borrowed->run({.text = "true"}, {}, [&](const Result<Outcome>& again) {
                   answered.set_value(again ? "it ran" : again.error().message());
                 });
               });
  process_in("first");
  runtime.reset();
  EXPECT_EQ(answered.get_future().get(), "the runtime is being destroyed");
}

TEST_F(RuntimeTest, ACallbackMayAskWhileItIsBeingDestroyed) {
  std::optional<Runtime> runtime(make());
  Runtime* const borrowed = &*runtime;
  std::promise<std::string> asked;
  runtime->run({.text = "echo $$ >" + world_.path("first") + "; sleep 600", .task = "a"}, {},
               [&](const Result<Outcome>&) {
                 EXPECT_TRUE(borrowed->environments().empty());
                 const Result<void> answer = borrowed->requirements();
                 asked.set_value(answer ? "" : answer.error().message());
               });
  process_in("first");
  runtime.reset();
  EXPECT_EQ(asked.get_future().get(), "the runtime is being destroyed");
}

TEST_F(RuntimeTest, HooksSeeAndChangeAndMayThrow) {
  std::vector<std::string> seen;
  Options options;
  options.hooks.observers.emplace_back([&](const ObservedCall& call) {
    seen.push_back(std::string(call.tool) + (call.result ? " ended" : " began"));
    throw std::runtime_error("nobody is harmed");
  });
  options.hooks.transform_output.emplace_back(
      [](const FinishedCommand&) -> std::optional<std::string> { throw 42; });
  options.hooks.transform_output.emplace_back(
      [](const FinishedCommand& command) -> std::optional<std::string> {
        return "[" + std::string(command.output.substr(0, 2)) + "]";
      });
  Runtime runtime = make(std::move(options));
  EXPECT_THAT(runtime.call("terminal", R"({"command":"echo hi"})"),
              HasSubstr(R"("output":"[hi]")"));
  EXPECT_THAT(seen, testing::ElementsAre("terminal began", "terminal ended"));
}

TEST_F(RuntimeTest, ItsOwnVariablesReachCommandsButNoSecretUnlessForced) {
  Runtime runtime = make(
      {.variables = {"GREETING=hello", "OPENAI_API_KEY=a", "_HERMES_FORCE_ANTHROPIC_API_KEY=b"}});
  const auto outcome = runtime.run({.text = "echo $GREETING,$OPENAI_API_KEY,$ANTHROPIC_API_KEY"});
  EXPECT_EQ(outcome->output, "hello,,b\n");
}

TEST_F(RuntimeTest, RegistersWhatTargetsGetAndNamesWhatItRefuses) {
  std::ofstream(world_.directory("home") + "/token.json") << "t";
  Runtime runtime = make();
  EXPECT_TRUE(runtime.pass_through("TENOR_API_KEY"));
  EXPECT_FALSE(runtime.pass_through("ANTHROPIC_TOKEN"));
  const std::vector<RefusedFile> refused =
      runtime.share_files({"token.json", "../../.ssh/id_rsa", "gone"});
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].path, "../../.ssh/id_rsa");
  EXPECT_THAT(refused[0].reason, HasSubstr("leads out of"));
  EXPECT_EQ(refused[1].path, "gone");
}

TEST_F(RuntimeTest, NamesItPassesThroughComeFromTheEnvFileButNoSecret) {
  std::ofstream(world_.directory("home") + "/.env") << "MY_TOKEN=t1\nOTHER_TOKEN=t2\n";
  Runtime runtime = make({.pass_through = {"MY_TOKEN"}});
  EXPECT_EQ(runtime.run({.text = "echo $MY_TOKEN,$OTHER_TOKEN"})->output, "t1,\n");
  const Result<Runtime> refused = Runtime::make({.pass_through = {"OPENAI_API_KEY"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("OPENAI_API_KEY"));
}

TEST_F(RuntimeTest, BadSettingsAreNamed) {
  const struct {
    const char* name;
    GivenSetting setting;
    const char* answer;
  } cases[] = {
      {"a value", {"TERMINAL_TIMEOUT", "soon"}, "Invalid value for TERMINAL_TIMEOUT: 'soon'"},
      {"a value said elsewhere", {"TERMINAL_TIMEOUT", "soon", "--wait"}, "for --wait: 'soon'"},
      {"a name", {"TERMINAL_TIMEOT", "5"}, "unknown setting 'TERMINAL_TIMEOT'"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<Runtime> runtime = Runtime::make({.settings = {c.setting}});
    ASSERT_FALSE(runtime);
    EXPECT_EQ(runtime.error().kind(), ErrorKind::bad_request);
    EXPECT_THAT(runtime.error().message(), HasSubstr(c.answer));
  }
  Runtime unserved = make({.settings = {{"TERMINAL_ENV", "teleporter"}}});
  EXPECT_THAT(unserved.run({.text = "true"}).error().message(), HasSubstr("'teleporter'"));
}

TEST_F(RuntimeTest, TheConfigurationCanBeLookedAt) {
  ::setenv("TERMINAL_TIMEOUT", "soon", 1);
  ::setenv("MODAL_TOKEN_SECRET", "hidden", 1);
  const Result<Configuration> found =
      read_configuration({.settings = {{"tool_output.max_bytes", "1000", "--most"}}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->home, ::getenv("TALARIA_HOME"));
  EXPECT_EQ(found->target, "local");
  ASSERT_EQ(found->errors.size(), 1u);
  EXPECT_THAT(found->errors[0], HasSubstr("TERMINAL_TIMEOUT"));
  std::size_t looked_at = 0;
  for (const SettingValue& one : found->settings) {
    EXPECT_THAT(one.value, testing::Not(HasSubstr("hidden"))) << one.setting.name;
    if (one.setting.name == "TERMINAL_TIMEOUT") {
      ++looked_at;
      EXPECT_EQ(one.value, "null");
      EXPECT_EQ(one.origin, "environment");
      EXPECT_EQ(one.flaw, found->errors[0]);
    } else if (one.setting.name == "tool_output.max_bytes") {
      ++looked_at;
      EXPECT_EQ(one.value, "1000");
      EXPECT_EQ(one.place, "--most");
      EXPECT_TRUE(one.counts && one.setting.standing == Standing::works);
    }
  }
  EXPECT_EQ(looked_at, 2u);
}

// A setting an option gave must outlive the options: an override has the configuration read again.
TEST_F(RuntimeTest, AnOverrideKeepsTheSettingsOfTheOptions) {
  Runtime runtime = make({.settings = {{"TERMINAL_TIMEOUT", "1", "the long name of some flag"}}});
  ASSERT_TRUE(runtime.override_task("t", {.cwd = "/usr"}));
  const std::string answer =
      runtime.call("terminal", R"({"command":"pwd; sleep 60"})", {.task = "t"});
  EXPECT_THAT(answer, HasSubstr("/usr\\n\\n[Command timed out after 1s]"));
}

// A program's signal handlers must not run on a thread it does not know, nor a lost runner end it.
TEST_F(RuntimeTest, ItsThreadHearsNoSignalAndABrokenLinkIsNoSigpipe) {
  ASSERT_EQ(::signal(SIGPIPE, SIG_DFL), SIG_DFL);
  Runtime runtime = make();
  ASSERT_TRUE(runtime.run({.text = "true", .task = "t"}));
  ASSERT_TRUE(world_.stop_runner());
  EXPECT_EQ(runtime.run({.text = "echo back", .task = "t"})->output, "back\n");

  static std::atomic<pthread_t> handled;
  ::signal(SIGUSR1, [](int) { handled = ::pthread_self(); });
  ::kill(::getpid(), SIGUSR1);
  EXPECT_EQ(handled, ::pthread_self());
}

TEST_F(RuntimeTest, MovesAndReplaces) {
  Runtime runtime = make();
  EXPECT_TRUE(runtime.run({.text = "export A=1", .task = "t"}));
  runtime = make();
  Runtime moved = std::move(runtime);
  EXPECT_EQ(moved.run({.text = "echo $A", .task = "t"})->output, "1\n");
}

}  // namespace
}  // namespace talaria::test
