#include "sandboxes/exec_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::sandboxes {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

ExecInfo result_of(const ProcessInfo& process) {
  ExecInfo exec{.reason = "waited"};
  set_ended(exec, process);
  return exec;
}

TEST(ExecResult, EveryExitIsCompletedWithItsOwnCode) {
  const ExecInfo exec = result_of({.ended = ProcessEnd::exited, .exit_code = 7, .output_bytes = 3});
  EXPECT_EQ(exec.state, ExecState::completed);
  EXPECT_EQ(exec.returncode, 7);
  EXPECT_EQ(exec.output_bytes, 3u);
  EXPECT_EQ(exec.reason, "");
}

TEST(ExecResult, WhatWasKilledIsATimeoutOrACancel) {
  const ExecInfo late = result_of({.ended = ProcessEnd::killed, .source = "max_age"});
  EXPECT_EQ(late.state, ExecState::timeout);
  EXPECT_EQ(late.returncode, 124);
  for (const std::string source : {"gateway.cancel", "process.kill", "kill_all"}) {
    const ExecInfo exec = result_of({.ended = ProcessEnd::killed, .source = source});
    EXPECT_EQ(exec.state, ExecState::cancelled) << source;
    EXPECT_EQ(exec.returncode, 130) << source;
  }
}

TEST(ExecResult, WhatIsLostHasFailedAndSaysSoBehindItsOutput) {
  ExecInfo exec = result_of({.ended = ProcessEnd::lost, .exit_code = -1});
  EXPECT_EQ(exec.state, ExecState::failed);
  EXPECT_NE(exec.returncode, 0);
  set_output(exec, "", "some", 0);
  EXPECT_EQ(exec.output, "some\n" + exec.reason);
}

TEST(ExecResult, OutputWithoutItsMiddleSaysHowMuchIsMissing) {
  ExecInfo exec{.state = ExecState::completed};
  set_output(exec, "head", "tail\nmarker\n", 1004);
  EXPECT_TRUE(exec.truncated);
  EXPECT_TRUE(exec.output.starts_with("head\n"));
  EXPECT_THAT(exec.output, HasSubstr("1000 bytes of output left out"));
  EXPECT_THAT(exec.output, EndsWith("tail\nmarker\n"));
}

TEST(ExecResult, CharactersThatWereCutInTwoAreLeftOut) {
  ExecInfo exec{.state = ExecState::completed};
  set_output(exec, "a\xC3",
             "\xBC"
             "b",
             100);
  EXPECT_TRUE(exec.output.starts_with("a\n"));
  EXPECT_THAT(exec.output, EndsWith("]\nb"));
}

}  // namespace
}  // namespace talaria::sandboxes
