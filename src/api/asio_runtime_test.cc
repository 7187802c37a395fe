#include "api/asio_runtime.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/fake_runtime.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

class AsioRuntimeTest : public testing::Test {
 protected:
  Result<Outcome> run(Command command, const Cancel& cancel = {}) {
    return test::run_to_end(loop_, runtime_.run(std::move(command), cancel));
  }

  void answer(const test::FakeReply& reply) {
    fake_->reply = [reply](const environment::CommandSpec&) { return reply; };
  }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  asio::io_context loop_{1};
  AsioRuntime runtime_ = fake_runtime(loop_.get_executor(), fake_);
};

TEST_F(AsioRuntimeTest, AnOutcomeSaysHowTheCommandEnded) {
  environment::CommandOutcome found = test::printed("a\xFF", Signaled{9});
  found.cwd = "/there";
  found.notices = {"look out"};
  found.survivors = {{.pid = 7, .name = "d", .reason = "another user's"}};
  answer({.outcome = found});
  const Result<Outcome> outcome = run({.text = "x", .task = "t"});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ended, CommandEnd::exited);
  EXPECT_EQ(outcome->exit_code, -9);
  EXPECT_EQ(outcome->shell_exit_code(), 137);
  EXPECT_EQ(outcome->output, "a\xEF\xBF\xBD");
  EXPECT_FALSE(outcome->truncated);
  EXPECT_EQ(outcome->output_bytes, 2u);
  EXPECT_EQ(outcome->cwd, "/there");
  EXPECT_EQ(outcome->duration, std::chrono::milliseconds(7));
  EXPECT_EQ(outcome->notices, std::vector<std::string>{"look out"});
  EXPECT_EQ(outcome->survivors.at(0).pid, 7);
  EXPECT_EQ(outcome->target, "local");
  EXPECT_EQ(outcome->transport, "link");
}

TEST_F(AsioRuntimeTest, RefusesWhatNoTargetCouldRun) {
  using std::string_literals::operator""s;
  const struct {
    const char* name;
    Command command;
    ErrorKind kind;
    const char* reported;
  } cases[] = {
      {"NUL in the text",
       {.text = "a\0b"s},
       ErrorKind::bad_request,
       "text: a NUL byte at offset 1"},
      {"NUL in the workdir", {.text = "x", .workdir = "\0"s}, ErrorKind::bad_request, "workdir: "},
      {"an empty task", {.text = "x", .task = ""}, ErrorKind::bad_request, "task: empty"},
      {"a long task", {.text = "x", .task = std::string(257, 't')}, ErrorKind::limit, "is 256"},
      {"less than no time",
       {.text = "x", .timeout = std::chrono::milliseconds(-1)},
       ErrorKind::bad_request,
       "timeout: "},
      {"too much input",
       {.text = "x", .stdin_data = std::string((64u << 20) + 1, 'i')},
       ErrorKind::limit,
       "stdin_data: "},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<Outcome> outcome = run(c.command);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind(), c.kind);
    EXPECT_THAT(outcome.error().message(), HasSubstr(c.reported));
  }
  EXPECT_TRUE(fake_->asked.empty());
}

TEST_F(AsioRuntimeTest, RunAndDescribeReturnsTheOutcomeAndTheJsonOfTheTool) {
  answer({.outcome = test::printed("hi\n", Exited{3})});
  const auto described = test::run_to_end(loop_, runtime_.run_and_describe({.text = "x"}, {}));
  EXPECT_EQ(described.outcome->exit_code, 3);
  EXPECT_EQ(described.outcome->output, "hi\n");
  EXPECT_EQ(json::serialize(described.result),
            R"({"output":"hi","exit_code":3,"error":null,"target":"local","transport":"link",)"
            R"("duration_ms":7})");
}

TEST_F(AsioRuntimeTest, ACancelledOneStartsNothing) {
  const Cancel cancel;
  cancel.cancel();
  EXPECT_EQ(run({.text = "x"}, cancel)->ended, CommandEnd::interrupted);
  EXPECT_TRUE(fake_->asked.empty());
}

TEST_F(AsioRuntimeTest, AnotherThreadMayCancel) {
  answer({.hangs = true});
  const Cancel cancel;
  std::thread other;
  fake_->on_hang = [&] { other = std::thread([&] { cancel.cancel(); }); };
  EXPECT_EQ(run({.text = "x"}, cancel)->ended, CommandEnd::interrupted);
  other.join();
}

TEST_F(AsioRuntimeTest, OneCancelEndsAllCallsItWasGivenTo) {
  answer({.hangs = true});
  const Cancel cancel;
  int hanging = 0;
  int interrupted = 0;
  fake_->on_hang = [&] {
    if (++hanging == 2) cancel.cancel();
  };
  for (int i = 0; i < 2; ++i) {
    asio::co_spawn(loop_, runtime_.run({.text = "x"}, cancel),
                   [&](const std::exception_ptr&, const Result<Outcome>& outcome) {
                     if (outcome->ended == CommandEnd::interrupted) ++interrupted;
                     if (interrupted == 2) loop_.stop();
                   });
  }
  loop_.run();
  EXPECT_EQ(interrupted, 2);
}

TEST_F(AsioRuntimeTest, DestroyingItCancelsWhatRunsAndLeavesTheLoopEmpty) {
  answer({.hangs = true});
  std::optional<Result<Outcome>> outcome;
  fake_->on_hang = [&] { AsioRuntime gone = std::move(runtime_); };
  asio::co_spawn(loop_, runtime_.run({.text = "x"}),
                 [&](const std::exception_ptr&, const Result<Outcome>& found) { outcome = found; });
  loop_.run();
  ASSERT_TRUE(outcome && *outcome);
  EXPECT_EQ((*outcome)->ended, CommandEnd::interrupted);
}

TEST_F(AsioRuntimeTest, OutputThatIsNotWantedCancelsTheCommandAndIsTold) {
  answer({.live = {"a", "b"}, .hangs = true});
  int pieces = 0;
  const Result<Outcome> outcome = run({.text = "x", .on_output = [&](std::string_view) {
                                         ++pieces;
                                         throw std::runtime_error("enough");
                                       }});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message(), "on_output threw: enough; the command was cancelled");
  EXPECT_EQ(pieces, 1);
}

TEST_F(AsioRuntimeTest, ABugIsAnErrorOfItsCall) {
  fake_->reply = [](const environment::CommandSpec&) -> test::FakeReply {
    throw std::runtime_error("oops");
  };
  EXPECT_EQ(run({.text = "x"}).error().message(), "internal error in run: oops (a bug in Talaria)");
  const auto called = test::run_to_end(
      loop_, runtime_.call("terminal", {{"command", "x"}}, CallContext{}, Cancel()));
  EXPECT_EQ(called.error().message(), "internal error in tool 'terminal': oops (a bug in Talaria)");
}

TEST_F(AsioRuntimeTest, ACallCarriesItsContext) {
  const CallContext context{.task = "t", .session_key = "k"};
  const auto called =
      test::run_to_end(loop_, runtime_.call("terminal", {{"command", "x"}}, context, Cancel()));
  ASSERT_TRUE(called);
  EXPECT_EQ(fake_->asked.at(0).session, "t");
  EXPECT_THAT(fake_->asked.at(0).env.get(), testing::Contains("HERMES_SESSION_KEY=k"));
  const CallContext wrong{.task = std::string(257, 't')};
  EXPECT_FALSE(test::run_to_end(loop_, runtime_.call("terminal", {}, wrong, Cancel())));
}

TEST_F(AsioRuntimeTest, EnvironmentsAreThoseThatWereMade) {
  EXPECT_TRUE(runtime_.environments().empty());
  EXPECT_TRUE(run({.text = "x"}));
  ASSERT_EQ(runtime_.environments().size(), 1u);
  EXPECT_EQ(runtime_.environments()[0].target, "local");
}

TEST(Tools, EveryOneIsDescribed) {
  for (const ToolInfo& tool : tools()) {
    SCOPED_TRACE(tool.name);
    EXPECT_FALSE(tool.description.empty());
    EXPECT_THAT(std::string(tool.schema), HasSubstr(R"("properties")"));
  }
  EXPECT_EQ(tools().at(0).name, "terminal");
}

TEST(QuoteWords, EachWordArrivesAsItIs) {
  const struct {
    const char* name;
    std::vector<std::string> words;
    std::string expected;
  } cases[] = {
      {"plain words", {"ls", "-la", "/tmp"}, "ls -la /tmp"},
      {"special characters", {"echo", "$HOME", "a b"}, "echo '$HOME' 'a b'"},
      {"one word", {"a b"}, "'a b'"},
      {"a quote", {"echo", "it's"}, R"(echo 'it'\''s')"},
      {"an empty word", {"printf", "%s", ""}, "printf %s ''"},
      {"empty words only", {"", ""}, "'' ''"},
      {"none", {}, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(quote_arguments(c.words), c.expected);
  }
}

}  // namespace
}  // namespace talaria
