#include "tools/run_command.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/override_store.h"
#include "testing/fake_environment.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"
#include "tools/call_tool.h"
#include "tools/tool_table.h"

namespace talaria::tool {
namespace {

// A program whose looks at the file of stored overrides are counted, and which sees what policy
// and the environment see of the configuration.
class RunCommand : public testing::Test {
 protected:
  RunCommand() {
    fake_->reply = [this](const environment::CommandSpec&) {
      copies_ = std::max(copies_, sharers() - sharers_before_);
      return test::FakeReply{};
    };
  }

  // Every copy of a Config shares what it was read from.
  long sharers() const { return settings_.config()->sources.use_count(); }

  guard::Judgement judge(const policy::JudgedCommand& judged) {
    judged_.push_back(&judged.config);
    copies_ = std::max(copies_, sharers() - sharers_before_);
    return judgement_;
  }

  json::object terminal(const std::string& task) {
    sharers_before_ = sharers();
    ToolCall call = begin_call(services_, {.task = task}, CancelToken());
    call.arguments = {{"command", "true"}};
    return test::run_to_end(call_tool(*find_tool("terminal"), std::move(call)));
  }

  test::TemporaryDirectory home_;
  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  std::size_t looks_ = 0;
  long sharers_before_ = 0;
  long copies_ = 0;
  std::vector<const host::Config*> judged_;
  guard::Judgement judgement_;  // of every command

  const host::Caller caller_{.variables = {"HOME=/home/me", "TALARIA_HOME=" + home_.path()},
                             .cwd = "/here"};
  host::Settings settings_{caller_, read_config(caller_), [this](const std::string& path) {
                             ++looks_;
                             return host::OverrideStore::by_path(path);
                           }};
  host::Interaction people_;
  host::Journal journal_{home_.path()};
  host::Environments environments_{
      settings_, journal_, people_.hooks,
      std::vector<host::Backend>{test::fake_backend(fake_), test::fake_backend(fake_, "docker")}};
  policy::CommandPolicy policy_{
      settings_,
      environments_,
      journal_,
      people_,
      [this](const policy::JudgedCommand& judged) { return judge(judged); },
      "test"};
  Services services_{settings_, environments_, journal_, people_, policy_};
};

TEST_F(RunCommand, APlainCommandLooksAtStoredOverridesOnceAndCopiesNoConfiguration) {
  (void)terminal("t");  // makes the environment, which has a configuration of its own
  const auto config = settings_.of("t");
  ASSERT_TRUE(config);
  looks_ = 0;
  judged_.clear();
  copies_ = 0;
  EXPECT_EQ(terminal("t").at("exit_code"), 0);
  EXPECT_EQ(looks_, 1u);
  EXPECT_EQ(copies_, 0);
  EXPECT_EQ(judged_, std::vector<const host::Config*>{config->get()});
  ASSERT_EQ(fake_->asked.size(), 2u);
}

TEST_F(RunCommand, TheConfigurationOfATaskWithAnOverrideIsMadeOnce) {
  ASSERT_TRUE(settings_.override_task("t", {{"cwd", "/over"}}));
  (void)terminal("t");
  const auto config = settings_.of("t");
  ASSERT_TRUE(config);
  EXPECT_EQ((*config)->cwd, "/over");
  looks_ = 0;
  judged_.clear();
  (void)terminal("t");
  EXPECT_EQ(looks_, 1u);
  EXPECT_EQ(judged_, std::vector<const host::Config*>{config->get()});
}

TEST_F(RunCommand, AnOverrideThatAnotherProgramStoresCountsForTheNextCommand) {
  (void)terminal("t");
  ASSERT_TRUE(host::OverrideStore(home_.path()).set("t", {{"cwd", "/stored"}}));
  (void)terminal("t");
  EXPECT_EQ(fake_->asked.back().move_to, "/stored");
}

// A person took their time, and meanwhile another program moved the task.
TEST_F(RunCommand, ADecisionAboutOneTargetDoesNotCountForAnother) {
  judgement_ = {.answer = guard::Answer::ask, .concerns = {{.key = "k", .description = "d"}}};
  people_.hooks.ask = [this](const ApprovalRequest&, const ApprovalReply& reply) {
    ASSERT_TRUE(host::OverrideStore(home_.path()).set("t", {{"env_type", "docker"}}));
    reply("once");
  };
  const json::object result = terminal("t");
  EXPECT_THAT(std::string(result.at("error").as_string()),
              testing::HasSubstr("the task was moved to target 'docker'"));
  EXPECT_TRUE(fake_->asked.empty());
}

}  // namespace
}  // namespace talaria::tool
