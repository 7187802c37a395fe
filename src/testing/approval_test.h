// What tests of approvals share: a program with a configuration of its own, whose commands say
// themselves what is against them, and somebody who answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "policy/approval/approvals.h"
#include "testing/fake_environment.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::test {

inline guard::Judgement concern(guard::RuleClass rule_class, const std::string& key) {
  const bool never =
      rule_class == guard::RuleClass::hardline || rule_class == guard::RuleClass::sudo_stdin;
  return {.answer = never ? guard::Answer::deny : guard::Answer::ask,
          .concerns = {{.rule_class = rule_class, .key = key, .description = key}}};
}

// Commands of these tests say themselves what is against them.
inline guard::Judgement made_up(const policy::JudgedCommand& judged) {
  const std::string& command = judged.command;
  if (command.starts_with("hardline")) return concern(guard::RuleClass::hardline, "never that");
  if (command.starts_with("sudo -S")) return concern(guard::RuleClass::sudo_stdin, "guessing");
  if (command.starts_with("forbidden")) {
    return {
        .answer = guard::Answer::deny,
        .concerns = {{.rule_class = guard::RuleClass::user, .key = "mine", .description = "mine"}}};
  }
  if (command.starts_with("unclear")) return concern(guard::RuleClass::unclear, "who knows");
  if (command.starts_with("two")) {
    guard::Judgement both = concern(guard::RuleClass::dangerous, "first");
    both.concerns.push_back(concern(guard::RuleClass::dangerous, "second").concerns[0]);
    return both;
  }
  if (command.starts_with("danger "))
    return concern(guard::RuleClass::dangerous, command.substr(7));
  return {};
}

inline constexpr const char* kDanger = "danger recursive delete";

class ApprovalTest : public testing::Test {
 protected:
  using Variables = std::vector<std::string>;

  // A program of its own, with a configuration in its home.
  void make(Variables variables = {}, const std::string& yaml = "") {
    if (!yaml.empty()) home_.write("config.yaml", yaml);
    host::Caller caller{.variables = std::move(variables), .cwd = "/here"};
    caller.variables.push_back("HOME=/home/me");
    caller.variables.push_back("TALARIA_HOME=" + home_.path());
    Result<host::Config> config = read_config(caller);
    approvals_.reset();
    host_.emplace(std::move(caller), std::move(config),
                  std::vector<host::Backend>{fake_backend(fake_), fake_backend(fake_, "docker")});
    approvals_.emplace(host_->settings, host_->environments, host_->journal.ledger(),
                       host_->interaction, made_up);
  }

  Task<policy::Decision> asked(std::string command, std::string session = "s") {
    if (!approvals_) make();
    host::ConfigPtr config = host_->settings.of(task_).value();
    policy::CommandQuestion question{.command = std::move(command),
                                     .task = task_,
                                     .config = config,
                                     .session_key = std::move(session),
                                     .target = config->target,
                                     .cwd = cwd_,
                                     .force = force_};
    co_return co_await approvals_->decide(std::move(question), cancel_);
  }

  policy::Decision decide(const std::string& command, const std::string& session = "s") {
    if (!approvals_) make();
    return run_to_end(loop_, asked(command, session));
  }

  // Lets one be decided beside others, on the loop.
  void start(const std::string& command) { spawn(loop_.get_executor(), note(command)); }
  Task<void> note(std::string command) {
    if ((co_await asked(command)).approved) approved_.push_back(command);
  }

  // The person who is asked gives this answer.
  void answer_with(std::string word) {
    if (!approvals_) make();
    host_->interaction.hooks.ask = [this, word = std::move(word)](const ApprovalRequest& request,
                                                                  const ApprovalReply& reply) {
      requests_.push_back(request);
      reply(word);
    };
  }
  // The person who is asked does not answer yet.
  void keep_replies() {
    if (!approvals_) make();
    host_->interaction.hooks.ask = [this](const ApprovalRequest& request,
                                          const ApprovalReply& reply) {
      requests_.push_back(request);
      replies_.push_back(reply);
      if (on_asked_) asio::post(loop_, on_asked_);
    };
  }
  void watch_hooks() {
    host_->interaction.hooks.approval_requested.emplace_back(
        [this](const ApprovalRequest& request) { seen_.push_back("asks " + request.pattern_key); });
    host_->interaction.hooks.approval_answered.emplace_back(
        [this](const ApprovalRequest&, std::string_view choice) { seen_.emplace_back(choice); });
  }

  TemporaryDirectory home_;
  asio::io_context loop_{1};
  std::shared_ptr<FakeTarget> fake_ = std::make_shared<FakeTarget>();
  std::optional<host::Host> host_;
  std::optional<policy::Approvals> approvals_;
  CancelToken cancel_;
  bool force_ = false;
  std::string task_ = "t";
  std::string cwd_ = "/here";
  std::vector<ApprovalRequest> requests_;
  std::vector<ApprovalReply> replies_;
  std::function<void()> on_asked_;
  std::vector<std::string> seen_;
  std::vector<std::string> approved_;
};

}  // namespace talaria::test
