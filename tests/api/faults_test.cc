// What embedding programs stumbled over, each once.
#include <sys/wait.h>
#include <talaria/talaria.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/own_environment.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::chrono::seconds kPatience{60};

using FaultsTest = ApiTest;

// TALARIA_HOME among the settings was ignored, a directory that does not exist became "/", and
// variables without '=' or name vanished.
TEST_F(FaultsTest, OptionsThatAreWrongAreNamed) {
  const struct {
    const char* name;
    Options options;
    ErrorReason reason;
    const char* text;
  } cases[] = {
      {"home as a setting",
       {.settings = {{"TALARIA_HOME", "/tmp"}}},
       ErrorReason::setting,
       "Options::home"},
      {"no home", {.home = ""}, ErrorReason::option, "Options::home"},
      {"no such directory",
       {.cwd = "/nonexistent"},
       ErrorReason::option,
       "Options::cwd: '/nonexistent': "},
      {"a file", {.cwd = "/etc/passwd"}, ErrorReason::option, "not a directory"},
      {"no equals sign", {.variables = {"A=1", "NOEQ"}}, ErrorReason::option, "'NOEQ' has no '='"},
      {"no name", {.variables = {"=x"}}, ErrorReason::option, "'=x' has no name"},
      {"no such setting",
       {.settings = {{"TERMINAL_TIMEOT", "5"}}},
       ErrorReason::setting,
       "TERMINAL_TIMEOT"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<Runtime> runtime = Runtime::make(c.options);
    ASSERT_FALSE(runtime);
    EXPECT_EQ(runtime.error().kind(), ErrorKind::bad_request);
    EXPECT_EQ(runtime.error().reason(), c.reason);
    EXPECT_THAT(runtime.error().message(), HasSubstr(c.text));
  }
  Runtime runtime = make();
  EXPECT_THAT(runtime.run({.text = "true", .variables = {"NOEQ"}}).error().message(),
              HasSubstr("'NOEQ' has no '='"));
}

TEST_F(FaultsTest, AHomeOfItsOwnIsUsed) {
  const std::string home = world_.directory("other");
  const Result<Configuration> found = read_configuration({.home = home});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->home, home);
  world_.use_home("other");
  Runtime runtime = make({.home = home});
  EXPECT_TRUE(runtime.run({.text = "true", .task = "t"}));
  EXPECT_TRUE(std::filesystem::exists(home + "/talaria"));
  EXPECT_EQ(Home(home).runner_ids().size(), 1u);
}

// A second program saw the directory and the variables of the first one.
TEST_F(FaultsTest, CallsWithoutATaskHaveTheSessionOfTheirRuntime) {
  Runtime first = make();
  Runtime second = make();
  EXPECT_THAT(first.call("terminal", R"({"command":"cd /usr; export WHO=me"})"),
              HasSubstr(R"("exit_code":0)"));
  EXPECT_THAT(first.call("terminal", R"({"command":"echo $WHO in $PWD"})"),
              HasSubstr("me in /usr"));
  EXPECT_THAT(second.call("terminal", R"({"command":"echo [$WHO] in $PWD"})"),
              testing::AllOf(HasSubstr("[] in "), Not(HasSubstr("[] in /usr"))));
}

// The error said that 0.95 s were given.
TEST_F(FaultsTest, ANegativeTimeoutIsNamedAsItIs) {
  Runtime runtime = make();
  const auto outcome = runtime.run({.text = "true", .timeout = std::chrono::milliseconds(-5)});
  EXPECT_THAT(outcome.error().message(), HasSubstr("got -0.005"));
}

// The model read that the user had denied the command.
TEST_F(FaultsTest, AHookThatDropsItsReplyIsNoPersonWhoDenies) {
  Options options;
  options.hooks.ask = [](const ApprovalRequest&, const ApprovalReply&) {};
  Runtime runtime = make(std::move(options));
  const std::string text = "rm -rf " + world_.directory("precious");
  const auto outcome = runtime.run({.text = text});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind(), ErrorKind::denied);
  EXPECT_EQ(outcome.error().reason(), ErrorReason::not_asked);
  EXPECT_THAT(outcome.error().message(), HasSubstr("without an answer"));
  EXPECT_THAT(outcome.error().message(), Not(HasSubstr("denied by user")));
  EXPECT_THAT(runtime.call("terminal", R"({"command":")" + text + "\"}"),
              testing::AllOf(HasSubstr("without an answer"), Not(HasSubstr("denied by user"))));
}

TEST_F(FaultsTest, ADenialSaysWhoAndByWhichRule) {
  Options options;
  options.hooks.ask = [](const ApprovalRequest&, const ApprovalReply& reply) {
    reply(Answer::deny);
  };
  Runtime runtime = make(std::move(options));
  const auto outcome = runtime.run({.text = "rm -rf " + world_.directory("precious")});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().reason(), ErrorReason::declined);
  const Denial* const denial = outcome.error().denial();
  ASSERT_TRUE(denial);
  EXPECT_EQ(denial->by, Denial::By::person);
  EXPECT_FALSE(denial->rule.empty());
  EXPECT_THAT(denial->rules, testing::Contains(denial->rule));
  EXPECT_THAT(denial->approval, testing::StartsWith("appr_"));
  EXPECT_FALSE(make().run({.text = "exit 1"}).value().exit_code == 0) << "an outcome is no denial";
}

// A slow on_output of one command held the others for as long as it took.
TEST_F(FaultsTest, ASlowReaderHoldsUpItsOwnCommandOnly) {
  Runtime runtime = make();
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  std::promise<void> reading;
  std::promise<Result<Outcome>> slow;
  std::size_t slow_bytes = 0;
  bool first = true;
  runtime.run({.text = "head -c 20000000 /dev/zero; echo done >" + world_.path("printed"),
               .on_output =
                   [&](std::string_view bytes) {
                     if (std::exchange(first, false)) {
                       reading.set_value();
                       released.wait();
                     }
                     slow_bytes += bytes.size();
                   }},
              {}, [&](Result<Outcome> outcome) { slow.set_value(std::move(outcome)); });
  ASSERT_EQ(reading.get_future().wait_for(kPatience), std::future_status::ready);
  std::string seen;
  const auto other = std::async(std::launch::async, [&] {
                       const std::thread::id here = std::this_thread::get_id();
                       bool on_this_thread = true;
                       const auto outcome =
                           runtime.run({.text = "echo one; echo two", .on_output = [&](auto bytes) {
                                          on_this_thread &= std::this_thread::get_id() == here;
                                          seen += bytes;
                                        }});
                       EXPECT_TRUE(on_this_thread);
                       EXPECT_EQ(outcome->exit_code, 0);
                       EXPECT_EQ(runtime.run({.text = "echo more"})->output, "more\n");
                     }).wait_for(kPatience);
  EXPECT_EQ(world_.read("printed"), "") << "what is not read stays with the command";
  release.set_value();
  EXPECT_EQ(other, std::future_status::ready);
  EXPECT_EQ(seen, "one\ntwo\n");
  EXPECT_EQ(slow.get_future().get()->output_bytes, 20'000'000u);
  EXPECT_EQ(slow_bytes, 20'000'000u) << "all of it was read before the call was answered";
}

TEST_F(FaultsTest, AnExceptionOfAReaderIsTheAnswer) {
  Runtime runtime = make();
  const auto outcome = runtime.run({.text = "echo one; sleep 600", .on_output = [](auto) {
                                      throw std::runtime_error("no more room");
                                    }});
  EXPECT_THAT(outcome.error().message(), HasSubstr("on_output threw: no more room"));
}

// A child that was forked waited for a thread that it does not have.
TEST_F(FaultsTest, AForkedChildFailsAtOnce) {
  Runtime runtime = make();
  ASSERT_TRUE(runtime.run({.text = "true", .task = "t"}));
  const pid_t child = ::fork();
  if (child == 0) {
    const auto outcome = runtime.run({.text = "true"});
    const bool right = !outcome && outcome.error().reason() == ErrorReason::forked;
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(runtime.run({.text = "true", .task = "t"})) << "the parent goes on";
}

TEST_F(FaultsTest, HeadersAndLibraryAgree) {
  EXPECT_EQ(library_version_number(), unsigned{TALARIA_VERSION_NUMBER});
  EXPECT_EQ(kVersion, std::to_string(TALARIA_VERSION_MAJOR) + "." +
                          std::to_string(TALARIA_VERSION_MINOR) + "." +
                          std::to_string(TALARIA_VERSION_PATCH));
  EXPECT_TRUE(is_compatible(100, 103));
  EXPECT_FALSE(is_compatible(100, 200));
}

}  // namespace
}  // namespace talaria::test
