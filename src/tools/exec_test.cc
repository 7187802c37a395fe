#include "tools/exec.h"

#include <memory>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_environment.h"
#include "testing/open_policy.h"
#include "testing/run_to_end.h"

namespace talaria::tool {
namespace {

environment::CommandSpec asked_by(Command command, std::vector<std::string> variables = {}) {
  const auto fake = std::make_shared<test::FakeTarget>();
  host::Host host = fake_host(fake, std::move(variables));
  test::OpenPolicy policy(host);
  test::run_to_end(exec(test::services(host, policy), std::move(command), CancelToken()));
  return fake->asked.at(0);
}

TEST(Exec, WithoutATaskRunsInTheCallersDirectoryAndKeepsNoState) {
  const environment::CommandSpec spec = asked_by({.text = "ls"}, {"TERMINAL_CWD=/elsewhere"});
  EXPECT_EQ(spec.session, "");
  EXPECT_EQ(spec.first_cwd, "/here");
  EXPECT_FALSE(spec.workdir);
}

TEST(Exec, WithATaskResumesItsSession) {
  const environment::CommandSpec spec = asked_by({.text = "ls", .task = "t"});
  EXPECT_EQ(spec.session, "t");
  EXPECT_EQ(spec.first_cwd, "/here");
}

TEST(Exec, ATaskWithAnOverrideStartsWhereThatSays) {
  const auto fake = std::make_shared<test::FakeTarget>();
  host::Host host = fake_host(fake);
  test::OpenPolicy policy(host);
  for (const char* task : {"t", "default"}) {
    ASSERT_TRUE(host.settings.override_task(task, {{"cwd", "/over"}}));
  }
  test::run_to_end(exec(test::services(host, policy), {.text = "ls", .task = "t"}, CancelToken()));
  test::run_to_end(exec(test::services(host, policy), {.text = "ls"}, CancelToken()));
  ASSERT_EQ(fake->asked.size(), 2u);
  EXPECT_EQ(fake->asked[0].first_cwd, "/over");
  EXPECT_EQ(fake->asked[1].first_cwd, "/here");
}

TEST(Exec, ARelativeWorkdirIsTheCallersUnlessThereIsASession) {
  EXPECT_EQ(asked_by({.text = "ls", .workdir = "sub"}).workdir, "/here/sub");
  EXPECT_EQ(asked_by({.text = "ls", .workdir = "/abs"}).workdir, "/abs");
  EXPECT_EQ(asked_by({.text = "ls", .task = "t", .workdir = "sub"}).workdir, "sub");
}

TEST(Exec, HasNoTimeoutUnlessOneIsGiven) {
  EXPECT_EQ(asked_by({.text = "ls"}).timeout.count(), 0);
  const std::chrono::milliseconds hour(3'600'000);
  EXPECT_EQ(asked_by({.text = "ls", .timeout = hour}).timeout, hour);
}

TEST(Exec, LiveOutputIsNeitherCarriedNorSpilled) {
  const environment::CommandSpec live =
      asked_by({.text = "ls", .on_output = [](std::string_view) {}});
  EXPECT_EQ(live.head_limit + live.tail_limit, 0u);
  EXPECT_EQ(live.spill_quota, 0u);
  const environment::CommandSpec collected = asked_by({.text = "ls"});
  EXPECT_GT(collected.head_limit, 0u);
  EXPECT_GT(collected.spill_quota, 0u);
}

TEST(Exec, DoesNotRunATargetItCannotServe) {
  const auto fake = std::make_shared<test::FakeTarget>();
  host::Host host = fake_host(fake, {"TERMINAL_ENV=ssh"});
  test::OpenPolicy policy(host);
  const CommandRun run =
      test::run_to_end(exec(test::services(host, policy), {.text = "ls"}, CancelToken()));
  ASSERT_FALSE(run.outcome);
  EXPECT_EQ(run.outcome.error().kind(), ErrorKind::bad_request);
  EXPECT_TRUE(fake->asked.empty());
}

TEST(Exec, IsDescribedInTheShapeOfTheTool) {
  const auto fake = std::make_shared<test::FakeTarget>();
  fake->reply = [](const environment::CommandSpec&) {
    return test::FakeReply{test::printed("hi\n", Exited{3})};
  };
  host::Host host = fake_host(fake);
  test::OpenPolicy policy(host);
  const CommandRun run =
      test::run_to_end(exec(test::services(host, policy), {.text = "ls"}, CancelToken()));
  EXPECT_EQ(json::serialize(describe_exec(run, "ls", host.settings, {})),
            R"({"output":"hi","exit_code":3,"error":null,"target":"local","transport":"link",)"
            R"("duration_ms":7})");

  environment::CommandOutcome late = test::printed("");
  late.ended = CommandEnd::timed_out;
  const CommandRun timed_out{.outcome = late};
  EXPECT_EQ(
      describe_exec(timed_out, "ls", host.settings, std::chrono::milliseconds(1500)).at("output"),
      "[Command timed out after 1.5s]");
}

TEST(ResultCode, SaysHowACommandEnded) {
  const struct {
    const char* name;
    environment::CommandOutcome outcome;
    int expected;
  } cases[] = {
      {"its own", test::printed("", Exited{7}), 7},
      {"signal 9", test::printed("", Signaled{9}), -9},
      {"timed out", {.ended = CommandEnd::timed_out, .status = Signaled{9}}, 124},
      {"interrupted", {.ended = CommandEnd::interrupted, .status = Signaled{15}}, 130},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(result_code(c.outcome), c.expected);
  }
}

}  // namespace
}  // namespace talaria::tool
