#include <signal.h>

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/cli/fronts.h"
#include "testing/fake_environment.h"
#include "testing/fake_runtime.h"
#include "testing/pipe.h"
#include "testing/run_to_end.h"

namespace talaria::front::cli {
namespace {

using testing::HasSubstr;

class ExecFront : public testing::Test {
 protected:
  ExecFront() { ::signal(SIGPIPE, SIG_IGN); }

  int exec(ExecOptions options, std::vector<std::string> variables = {}) {
    if (options.arguments.empty()) options.arguments = {"x"};
    asio::io_context loop(1);
    AsioRuntime runtime = fake_runtime(loop.get_executor(), fake_, std::move(variables));
    return test::run_to_end(loop, run_command(runtime, std::move(options),
                                              {in_.reader(), out_.writer(), err_.writer()}));
  }

  void answer(const test::FakeReply& reply) {
    fake_->reply = [reply](const environment::CommandSpec&) { return reply; };
  }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  test::Pipe in_, out_, err_;
};

TEST_F(ExecFront, ShowsOutputAsItComesByteForByte) {
  answer({.outcome = test::printed(""), .live = {"a\xFF", "\n\n", "b"}});
  EXPECT_EQ(exec({}), 0);
  EXPECT_EQ(out_.read_available(), "a\xFF\n\nb");
  EXPECT_EQ(err_.read_available(), "");
}

TEST_F(ExecFront, OneWordIsShellTextAndSeveralArriveAsWords) {
  exec({.arguments = {"echo $HOME | wc"}});
  EXPECT_EQ(fake_->asked.at(0).command, "echo $HOME | wc");
  exec({.arguments = {"echo", "$HOME", "a b"}});
  EXPECT_EQ(fake_->asked.at(1).command, "echo '$HOME' 'a b'");
}

TEST_F(ExecFront, ExitsAsTheCommandDid) {
  const struct {
    const char* name;
    Result<environment::CommandOutcome> outcome;
    int expected;
    std::string message;
  } cases[] = {
      {"its own code", test::printed("", Exited{3}), 3, ""},
      {"a signal", test::printed("", Signaled{11}), 139, ""},
      {"a timeout", environment::CommandOutcome{.ended = CommandEnd::timed_out}, 124,
       "talaria: timed out after 2s; the command was killed\n"},
      {"an interrupt", environment::CommandOutcome{.ended = CommandEnd::interrupted}, 130, ""},
      {"no way to the target", fail(ErrorKind::unavailable, "no runner"), 125,
       "talaria: no runner\n"},
      {"a lost runner", fail(ErrorKind::runner_lost, "it died"), 125, "talaria: it died\n"},
      {"policy", fail(ErrorKind::denied, "not allowed"), 126, "talaria: not allowed\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    answer({.outcome = c.outcome});
    EXPECT_EQ(exec({.timeout = std::chrono::seconds(2)}), c.expected);
    EXPECT_EQ(err_.read_available(), c.message);
  }
}

TEST_F(ExecFront, FailsWithTheReasonWhenTheTargetCannotBeServed) {
  EXPECT_EQ(exec({}, {"TERMINAL_ENV=ssh"}), 125);
  EXPECT_THAT(err_.read_available(), HasSubstr("TERMINAL_ENV is 'ssh'"));
  EXPECT_EQ(exec({}, {"TERMINAL_TIMEOUT=soon"}), 125);
  EXPECT_THAT(err_.read_available(), HasSubstr("TERMINAL_TIMEOUT"));
  EXPECT_TRUE(fake_->asked.empty());
}

TEST_F(ExecFront, TellsNoticesAndSurvivorsBesideTheOutput) {
  environment::CommandOutcome outcome = test::printed("");
  outcome.notices = {"the directory was gone"};
  outcome.survivors = {{.pid = 7, .name = "d", .reason = "another user's"}};
  answer({.outcome = outcome});
  exec({});
  EXPECT_EQ(err_.read_available(),
            "talaria: the directory was gone\n"
            "talaria: process 7 (d) could not be ended: another user's\n");
}

TEST_F(ExecFront, WithJsonPrintsTheResultAndNothingElse) {
  answer({.outcome = test::printed("hi\n", Exited{3}), .live = {"hi\n"}});
  EXPECT_EQ(exec({.json = true}), 3);
  EXPECT_EQ(out_.read_available(),
            R"({"output":"hi","exit_code":3,"error":null,"target":"local","transport":"link",)"
            "\"duration_ms\":7}\n");
  answer({.outcome = fail(ErrorKind::unavailable, "no runner")});
  EXPECT_EQ(exec({.json = true}), 125);
  EXPECT_THAT(out_.read_available(), HasSubstr(R"("error":"no runner")"));
  EXPECT_EQ(err_.read_available(), "");
}

TEST_F(ExecFront, PassesStandardInputOnlyWhenAsked) {
  in_.write("data");
  in_.close_writer();
  exec({});
  EXPECT_FALSE(fake_->asked.at(0).stdin_data);
  exec({.pass_stdin = true});
  EXPECT_EQ(fake_->asked.at(1).stdin_data, "data");
  EXPECT_FALSE(fake_->asked.at(1).stdin_fd) << "it has ended";
}

TEST_F(ExecFront, InputThatGoesOnIsPassedOnWithoutWaitingForItsEnd) {
  in_.write("first");
  exec({.pass_stdin = true});
  EXPECT_EQ(fake_->asked.at(0).stdin_data, "first");
  EXPECT_EQ(fake_->asked.at(0).stdin_fd, in_.reader());
}

TEST_F(ExecFront, ErrorsAreApartUnlessBothLeadToOnePlace) {
  exec({});
  EXPECT_TRUE(fake_->asked.at(0).on_errors);
  exec({.json = true});
  EXPECT_FALSE(fake_->asked.at(1).on_errors);
  asio::io_context loop(1);
  AsioRuntime runtime = fake_runtime(loop.get_executor(), fake_, {});
  test::run_to_end(loop, run_command(runtime, ExecOptions{.arguments = {"x"}},
                                     {in_.reader(), out_.writer(), out_.writer()}));
  EXPECT_FALSE(fake_->asked.at(2).on_errors);
}

TEST_F(ExecFront, AStopSignalCancelsTheCommand) {
  answer({.outcome = test::printed(""), .hangs = true});
  fake_->on_hang = [] { ::raise(SIGINT); };
  EXPECT_EQ(exec({}), 130);
}

TEST_F(ExecFront, AReaderThatWentAwayCancelsTheCommand) {
  out_.close_reader();
  answer({.outcome = test::printed(""), .live = {"y\n"}, .hangs = true});
  EXPECT_EQ(exec({}), 128 + SIGPIPE);
}

}  // namespace
}  // namespace talaria::front::cli
