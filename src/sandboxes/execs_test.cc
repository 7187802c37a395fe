#include "sandboxes/execs.h"

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/store/sandbox_store.h"
#include "sandboxes/exec_texts.h"
#include "sandboxes/sandboxes.h"
#include "testing/fake_environment.h"
#include "testing/run_to_end.h"

namespace talaria::sandboxes {
namespace {

using testing::HasSubstr;

guard::Judgement ask_about_all(const policy::JudgedCommand&) {
  return {.answer = guard::Answer::ask,
          .concerns = {{.rule_class = guard::RuleClass::dangerous,
                        .key = "test",
                        .description = "a test rule"}}};
}

Task<void> no_files(host::Config, std::string, std::string) { co_return; }

const std::string kSandbox = "sbx_1";

class ExecsTest : public testing::Test {
 protected:
  // A gateway that was stopped before it started these execs, in this order.
  void leave_queued(std::initializer_list<std::string> ids, const std::string& command) {
    std::filesystem::create_directories(test::fake_home() + "/talaria");
    host::SandboxStore store = host::SandboxStore::open(test::fake_home()).value();
    const auto now = std::chrono::system_clock::now();
    const SandboxInfo sandbox{.id = kSandbox, .owner = "owner", .target = "local", .created = now};
    ASSERT_TRUE(store.add({.info = sandbox}));
    ASSERT_TRUE(store.set_running(sandbox));
    for (const std::string& id : ids) {
      const ExecInfo info{.id = id, .process = "proc_" + id, .created = now};
      ASSERT_TRUE(store.add_exec(
          {.sandbox = kSandbox, .spec = {.id = id, .command = command}, .info = info}));
    }
  }

  ExecInfo find(std::string id, std::chrono::milliseconds wait = {}) {
    ExecName name{"owner", kSandbox, std::move(id)};
    return test::run_to_end(loop_, sandboxes_->execs()->find(name, wait, CancelToken())).value();
  }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  host::Host host_ = test::fake_host(fake_);
  policy::CommandPolicy policy_{host_.settings,    host_.environments, host_.journal,
                                host_.interaction, ask_about_all,      "test"};
  asio::io_context loop_{1};  // ends what still waits before the objects above
  std::shared_ptr<Sandboxes> sandboxes_ = std::make_shared<Sandboxes>(
      loop_.get_executor(),
      tool::Services{host_.settings, host_.environments, host_.journal, host_.interaction, policy_},
      nullptr, no_files);
};

// Approvals were matched to execs by the text of the command: with two of the same text, the first
// by name got the question of the first that asked.
TEST_F(ExecsTest, AnApprovalBelongsToItsExecEvenIfAnotherHasTheSameText) {
  std::map<std::string, std::string> questions;  // by call
  const auto listener = policy_.approvals().approvers().listen(
      "", policy::Approvers::Role::watches,
      [&](const ApprovalRequest& request) { questions[request.call] = request.id; });
  leave_queued({"b", "a"}, "same text");
  ASSERT_TRUE(sandboxes_->open());
  for (const std::string id : {"a", "b"}) {
    const ExecInfo waiting = find(id, std::chrono::milliseconds(50));
    ASSERT_NE(questions[id], "") << id;
    EXPECT_EQ(waiting.approval, questions[id]) << id;
    EXPECT_THAT(waiting.reason, HasSubstr("waits for approval (" + questions[id] + ")"));
  }

  ASSERT_TRUE(
      policy_.approvals().approvers().queue().answer(questions["b"], {.word = "once"}, "test"));
  // The fake target starts nothing, so an approved exec fails.
  EXPECT_EQ(find("b", std::chrono::seconds(20)).state, ExecState::failed);
  EXPECT_EQ(find("a").state, ExecState::queued);
  EXPECT_EQ(find("a").approval, questions["a"]);
  policy_.approvals().approvers().leave(listener);
}

// A large command was written to the database by the event loop, which others waited for.
TEST_F(ExecsTest, ALargeCommandIsReadFromItsFile) {
  std::filesystem::remove_all(test::fake_home() + "/talaria");  // of another test
  std::filesystem::create_directories(test::fake_home() + "/talaria");
  const std::string directory = exec_texts_directory(test::fake_home());
  const ExecSpec spec{.id = "a", .command = std::string(100u << 10, '#'), .stdin_data = "input"};
  ASSERT_TRUE(has_large_texts(spec));
  ASSERT_TRUE(write_exec_texts(directory, "proc_a", spec));
  ASSERT_TRUE(write_exec_texts(directory, "proc_gone", spec));
  {
    host::SandboxStore store = host::SandboxStore::open(test::fake_home()).value();
    const auto now = std::chrono::system_clock::now();
    const SandboxInfo sandbox{.id = kSandbox, .owner = "owner", .target = "local", .created = now};
    ASSERT_TRUE(store.add({.info = sandbox}));
    ASSERT_TRUE(store.set_running(sandbox));
    for (const std::string id : {"a", "lost"}) {
      host::StoredExec exec{.sandbox = kSandbox, .spec = spec, .texts_apart = true};
      exec.spec.id = id;
      exec.info = {.id = id, .process = "proc_" + id, .created = now};
      ASSERT_TRUE(store.add_exec(exec));
    }
    for (const host::StoredExec& exec : store.live_execs().value()) {
      EXPECT_TRUE(exec.texts_apart);
      EXPECT_EQ(exec.spec.command, "");  // not in the database
    }
  }
  ASSERT_TRUE(sandboxes_->open());
  EXPECT_EQ(find("lost").state, ExecState::failed);
  EXPECT_THAT(find("lost").reason, HasSubstr("the command could not be read"));
  const ExecInfo waiting = find("a", std::chrono::seconds(20));
  EXPECT_NE(waiting.approval, "") << waiting.reason;
  ExecSpec read{.stdin_data = ""};
  ASSERT_TRUE(read_exec_texts(directory, "proc_a", read));
  EXPECT_EQ(read.command, spec.command);
  EXPECT_EQ(read.stdin_data, spec.stdin_data);
  EXPECT_FALSE(std::filesystem::exists(directory + "/proc_gone.command"));  // nobody needed it
}

}  // namespace
}  // namespace talaria::sandboxes
