// What depends on what the caller brings, and on a carrier that hangs. tests/targets has the rest.
#include "environment/plain/plain_environment.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment::plain {
namespace {

using std::chrono::milliseconds;

constexpr auto kForEver = std::chrono::hours(1);

class PlainEnvironmentTest : public testing::Test {
 protected:
  PlainEnvironmentTest() { ::signal(SIGPIPE, SIG_IGN); }
  ~PlainEnvironmentTest() override { environment_.reset(); }

  // `carrier`: shell words, before the program to run at the target.
  void use(const std::string& carrier, milliseconds patience = kForEver) {
    carrier::CarrierOptions options{.command = "env HOME=" + directory_ + " " + carrier,
                                    .patience = patience};
    environment_.emplace(loop_.get_executor(),
                         PlainOptions{.target = {.target = "here"},
                                      .why = "of a test",
                                      .carrier = std::make_shared<carrier::Carrier>(
                                          loop_.get_executor(), std::move(options))});
  }

  // Programs the script needs, and no bash.
  void use_sh() {
    const std::string programs = directory_ + "/programs";
    std::filesystem::create_directory(programs);
    for (const std::string name : {"mkdir", "chmod", "cat", "cmp", "dd", "wc", "grep", "sed", "mv",
                                   "rm", "rmdir", "sleep", "sh", "env"}) {
      const std::string place = std::filesystem::exists("/bin/" + name) ? "/bin/" : "/usr/bin/";
      std::filesystem::create_symlink(place + name, programs + "/" + name);
    }
    use("PATH=" + programs);
  }

  Result<CommandOutcome> run(CommandSpec spec, CancelToken cancel = {}) {
    return test::run_to_end(loop_, environment_->run(std::move(spec), std::move(cancel)));
  }
  // In one session, with what the caller brings.
  std::string output_of(const std::string& command, std::vector<std::string> carried) {
    const auto done = run({.command = command,
                           .session = "s",
                           .carried_env = std::move(carried),
                           .head_limit = 10'000,
                           .tail_limit = 10'000});
    return done ? done->head + done->tail : done.error().message();
  }

  void carried_variables_are_the_callers() {
    EXPECT_EQ(output_of("echo $TOKEN $TRACEPARENT; export A=1 MINE=session",
                        {"TOKEN=old", "MINE=caller", "TRACEPARENT=one", "GONE=x"}),
              "old one\n");
    // The first command's token stayed for ever, and so did who had asked.
    EXPECT_EQ(output_of("echo $TOKEN $A $MINE ${TRACEPARENT-none} ${GONE-gone}",
                        {"TOKEN=it's\nnew", "MINE=caller2"}),
              "it's new 1 session none gone\n");
    EXPECT_EQ(output_of("unset TOKEN; export TRACEPARENT=own HERMES_SESSION_KEY=own", {"TOKEN=x"}),
              "");
    EXPECT_EQ(output_of("echo ${TOKEN-unset} ${TRACEPARENT-none} ${HERMES_SESSION_KEY-none}",
                        {"TOKEN=y"}),
              "unset none none\n");
  }

  asio::io_context loop_{1};
  test::TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
  std::optional<PlainEnvironment> environment_;
};

TEST_F(PlainEnvironmentTest, BashLeavesToTheCallerWhatTheSessionDidNotChange) {
  use("");
  carried_variables_are_the_callers();
}

TEST_F(PlainEnvironmentTest, ShLeavesToTheCallerWhatTheSessionDidNotChange) {
  use_sh();
  carried_variables_are_the_callers();
}

// What looks like a line of `export -p` may be one of a value.
TEST_F(PlainEnvironmentTest, ShKeepsValuesThatLookLikeItsOwnLines) {
  use_sh();
  output_of("export A=\"1\nexport B='2'\nexport TOKEN=3\" l=4 t=5 IFS=,", {"TOKEN=x"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(output_of("echo \"$A/${B-none}/$TOKEN/$l$t$IFS\"", {"TOKEN=y"}),
              "1\nexport B='2'\nexport TOKEN=3/none/y/45,\n");
  }
}

TEST_F(PlainEnvironmentTest, ShKeepsTheOptionsItCanPrint) {
  use_sh();
  output_of("set -afC", {});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(output_of("echo *; B=exported; env | grep ^B=; : >f; (: >f) 2>/dev/null || echo no; "
                        "rm f; unset B; env | grep -c __talaria",
                        {}),
              "*\nB=exported\nno\n0\n");
  }
  output_of("set +afC", {});
  EXPECT_EQ(output_of("cd /; echo proc*; B=own; env | grep -c ^B=", {}), "proc\n0\n");
}

// Only the first run hangs: how it is ended goes through the same carrier.
constexpr const char* kFirstHangs =
    "sh -c 'if mkdir ~/first 2>/dev/null; then exec sleep 300; else exec \"$@\"; fi' -";

CommandSpec long_command() { return {.command = ": " + std::string(1'000'000, 'x')}; }

// While the command was on its way neither was looked at.
TEST_F(PlainEnvironmentTest, ATimeoutEndsACommandThatTheCarrierDoesNotTake) {
  use(kFirstHangs);
  CommandSpec spec = long_command();
  spec.timeout = milliseconds(100);
  const auto late = run(std::move(spec));
  ASSERT_TRUE(late) << late.error().message();
  EXPECT_EQ(late->ended, CommandEnd::timed_out);
}

TEST_F(PlainEnvironmentTest, ACancelEndsACommandThatTheCarrierDoesNotTake) {
  use(kFirstHangs);
  CancelToken cancel;
  asio::steady_timer soon(loop_, milliseconds(100));
  soon.async_wait([&](boost::system::error_code) { cancel.cancel(); });
  const auto given_up = run(long_command(), cancel);
  ASSERT_TRUE(given_up) << given_up.error().message();
  EXPECT_EQ(given_up->ended, CommandEnd::interrupted);
}

// Its input stayed open, and the answer was waited for without end.
TEST_F(PlainEnvironmentTest, ACarrierThatTakesNoMoreIsGivenUp) {
  use("sh -c 'exec sleep 300' -", milliseconds(100));
  const auto stalled = run(long_command());
  ASSERT_FALSE(stalled);
  EXPECT_EQ(stalled.error().kind(), ErrorKind::unavailable);
  EXPECT_NE(stalled.error().message().find("took no more of the command in 0.1 s"),
            std::string::npos)
      << stalled.error().message();
}

TEST_F(PlainEnvironmentTest, ACommandThatWasCutOffOnItsWayDoesNotRun) {
  use("sh -c 'until [ -e ~/go ]; do sleep 0.05; done; exec \"$@\"' -", milliseconds(100));
  asio::steady_timer later(loop_, milliseconds(1000));
  later.async_wait(
      [&](boost::system::error_code) { std::filesystem::create_directory(directory_ + "/go"); });
  CommandSpec spec = long_command();
  spec.command = "echo ran >~/ran; " + spec.command;
  const auto cut = run(std::move(spec));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind(), ErrorKind::unavailable);
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/ran"));
}

}  // namespace
}  // namespace talaria::environment::plain
