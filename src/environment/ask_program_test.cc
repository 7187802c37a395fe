#include "environment/ask_program.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include <gtest/gtest.h>

#include "base/time_limit.h"
#include "os/file.h"
#include "os/proc.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Result<ProgramAnswer> ask(std::string script, std::vector<std::string> added = {},
                          milliseconds patience = milliseconds(10'000)) {
  return test::run_to_end(ask_program(
      {.argv = {"sh", "-c", std::move(script)}, .added = std::move(added), .patience = patience}));
}

TEST(AskProgramTest, TellsOutputComplaintAndCodeApart) {
  const auto answer = ask("echo out; echo err >&2; echo >&2; exit 3");
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->code, 3);
  EXPECT_EQ(answer->output, "out\n");
  EXPECT_EQ(answer->complaint, "err");
}

TEST(AskProgramTest, ASignalIsACode) { EXPECT_EQ(ask("kill -TERM $$")->code, 128 + SIGTERM); }

TEST(AskProgramTest, VariablesReplaceThoseOfOurs) {
  const auto answer = ask("env | grep -c ^PATH=; echo $PATH $X", {"PATH=/usr/bin:/bin", "X=y"});
  EXPECT_EQ(answer->output, "1\n/usr/bin:/bin y\n");
}

TEST(AskProgramTest, OneThatIsNotThereIsAnErrorThatNamesIt) {
  const auto answer = test::run_to_end(ask_program({.argv = {"/nowhere/apptainer"}}));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message().find("/nowhere/apptainer"), std::string::npos);
}

// Whether it has ended, also if nobody has reaped it yet; waits a moment for that.
bool has_ended(pid_t pid) {
  for (int tries = 0; tries < 200; ++tries) {
    const auto stat = os::read_process_stat(pid);
    if (!stat || stat->state == 'Z') return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

// One that makes something elsewhere was killed half-way, and what it had made was left there.
TEST(AskProgramTest, OneThatCleansUpIsToldToEndAndLetGo) {
  const test::TemporaryDirectory directory;
  const std::string mark = directory.path("mark");
  const std::string script =
      "trap 'echo cleaned >" + mark + "; exit' TERM; while :; do sleep 0.05; done";
  const auto answer = test::run_to_end(ask_program(
      {.argv = {"sh", "-c", script}, .patience = milliseconds(2000), .cleans_up = true}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::timed_out);
  for (int tries = 0; tries < 1000 && directory.read("mark") != "cleaned\n"; ++tries) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(directory.read("mark"), "cleaned\n");
}

TEST(AskProgramTest, OneThatHangsIsKilledWithItsChildren) {
  const auto pipe = os::make_pipe();
  // The only way out of it that is still there when it is killed: our own end of a pipe.
  const std::string way =
      "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(pipe->writer.get());
  const auto answer = ask("sleep 300 & echo $! >$WAY; wait", {"WAY=" + way}, milliseconds(500));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::timed_out);
  EXPECT_EQ(answer.error().message(), "sh did not finish in 0.5 s");
  EXPECT_TRUE(has_ended(std::stoi(os::read_line(pipe->reader.get()))));
}

// It held the descriptors, and a pipe would only have ended with it.
TEST(AskProgramTest, DoesNotWaitAfterItWasCancelled) {
  const auto begun = steady_clock::now();
  const auto outer = test::run_to_end(
      within(milliseconds(200),
             ask_program({.argv = {"sleep", "60"}, .patience = std::chrono::minutes(5)})));
  EXPECT_FALSE(outer);
  EXPECT_LT(steady_clock::now() - begun, std::chrono::seconds(30));
}

TEST(AskProgramTest, WhatItLeavesRunningIsNotWaitedFor) {
  const auto begun = steady_clock::now();
  const auto answer = ask("setsid sleep 60 & echo $!");
  ASSERT_TRUE(answer);
  EXPECT_LT(steady_clock::now() - begun, std::chrono::seconds(30));
  const pid_t left = std::stoi(answer->output);
  EXPECT_EQ(::kill(left, SIGKILL), 0);
}

}  // namespace
}  // namespace talaria::environment
