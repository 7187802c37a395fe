// Questions in the queue, programs that decide in place of a person, and how they meet the rest.
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "policy/approval/approvals.h"
#include "testing/fake_environment.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::policy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

guard::Judgement always_dangerous(const JudgedCommand& judged) {
  if (judged.command == "ls") return {};
  return {.answer = guard::Answer::ask,
          .concerns = {{.key = "recursive delete", .description = "recursive delete"}}};
}

class ApprovalQueueTest : public testing::Test {
 protected:
  struct Program {
    Program(const std::string& home, std::vector<std::string> variables)
        : host(make_host(home, std::move(variables))),
          approvals(host.settings, host.environments, host.journal.ledger(), host.interaction,
                    always_dangerous) {}

    static host::Host make_host(const std::string& home, std::vector<std::string> variables) {
      host::Caller caller{.variables = std::move(variables), .cwd = "/here"};
      caller.variables.push_back("HOME=/home/me");
      caller.variables.push_back("TALARIA_HOME=" + home);
      Result<host::Config> config = read_config(caller);
      return host::Host(std::move(caller), std::move(config),
                        {test::fake_backend(std::make_shared<test::FakeTarget>())});
    }

    host::Host host;
    Approvals approvals;
  };

  std::unique_ptr<Program> program(const std::string& yaml,
                                   std::vector<std::string> variables = {"HERMES_EXEC_ASK=1"}) {
    home_.write("config.yaml", yaml);
    return std::make_unique<Program>(home_.path(), std::move(variables));
  }

  static Task<Decision> asked(Program& program, std::string command = "rm -rf x",
                              std::string cwd = "/here", std::string session = "s") {
    const CommandQuestion question{.command = std::move(command),
                                   .task = "t",
                                   .config = program.host.settings.of("t").value(),
                                   .session_key = std::move(session),
                                   .target = "local",
                                   .cwd = std::move(cwd)};
    co_return co_await program.approvals.decide(question, CancelToken());
  }

  Decision decide(Program& program, const std::string& command = "rm -rf x",
                  const std::string& cwd = "/here", const std::string& session = "s") {
    return test::run_to_end(loop_, asked(program, command, cwd, session));
  }

  // What another program does once there is a question.
  void when_asked(Program& asking, const std::function<void(const std::string& id)>& then) {
    asking.host.interaction.hooks.approval_requested.emplace_back(
        [this, then](const ApprovalRequest& request) {
          asio::post(loop_, [then, id = request.id] { then(id); });
        });
  }

  bool bells_are_gone() {
    loop_.restart();
    loop_.poll();  // the watchers of it end
    std::error_code error;
    return std::filesystem::is_empty(home_.path("talaria/approvals"), error);
  }

  std::string script(const std::string& name, const std::string& text) {
    const std::string path = home_.write(name, "#!/bin/sh\n" + text);
    ::chmod(path.c_str(), 0700);
    return path;
  }

  test::TemporaryDirectory home_;
  asio::io_context loop_{1};
};

TEST_F(ApprovalQueueTest, AnotherProgramSeesTheQuestionAndAnswersIt) {
  const auto asking = program("");
  const auto answering = program("");
  when_asked(*asking, [&](const std::string& id) {
    const auto open = answering->approvals.approvers().queue().list();
    ASSERT_TRUE(open);
    ASSERT_THAT(*open, SizeIs(1));
    EXPECT_EQ(open->front().question.id, id);
    EXPECT_EQ(open->front().question.command, "rm -rf x");
    EXPECT_EQ(open->front().question.session_key, "s");
    EXPECT_TRUE(open->front().waited_for);
    EXPECT_FALSE(open->front().asker_gone);
    EXPECT_TRUE(answering->approvals.approvers().queue().answer(id, {.word = "once"}, "me"));
  });
  const auto start = std::chrono::steady_clock::now();
  const Decision decision = decide(*asking);
  EXPECT_TRUE(decision.approved);
  EXPECT_EQ(decision.choice, "once");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8)) << "it rang";
  EXPECT_THAT(asking->approvals.approvers().queue().list().value(), IsEmpty());
  EXPECT_TRUE(bells_are_gone());
}

TEST_F(ApprovalQueueTest, OfTwoAnswersTheFirstCounts) {
  const auto asking = program("");
  const auto first = program("");
  const auto second = program("");
  Result<host::StoredApproval> late = fail(ErrorKind::system, "not tried");
  when_asked(*asking, [&](const std::string& id) {
    EXPECT_TRUE(first->approvals.approvers().queue().answer(id, {.word = "deny"}, "the first"));
    late = second->approvals.approvers().queue().answer(id, {.word = "always"}, "the second");
  });
  const Decision decision = decide(*asking);
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.outcome, "denied");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind(), ErrorKind::denied);
  EXPECT_THAT(late.error().message(), HasSubstr("was already denied (by the first)"));
}

TEST_F(ApprovalQueueTest, AWordThatIsNoAnswerIsNone) {
  const auto asking = program("approvals: {gateway_timeout: 1}");
  when_asked(*asking, [&](const std::string& id) {
    for (const char* word : {"", "yes", "ONCE", "once ", "null"}) {
      const auto answered = asking->approvals.approvers().queue().answer(id, {.word = word}, "");
      ASSERT_FALSE(answered) << word;
      EXPECT_EQ(answered.error().kind(), ErrorKind::bad_request);
    }
  });
  EXPECT_EQ(decide(*asking).outcome, "timeout");
}

TEST_F(ApprovalQueueTest, WhatNobodyAnswersExpires) {
  const auto asking = program("approvals: {gateway_timeout: 0}");
  const Decision decision = decide(*asking);
  EXPECT_EQ(decision.outcome, "timeout");
  EXPECT_THAT(decision.message, HasSubstr("Silence is not consent"));
  const auto answered =
      asking->approvals.approvers().queue().answer(decision.id, {.word = "once"}, "me");
  ASSERT_FALSE(answered);
  EXPECT_THAT(answered.error().message(), HasSubstr("has expired"));
  EXPECT_TRUE(bells_are_gone());
}

// A question that a killed program leaves: it is there, and its bell has no owner.
TEST_F(ApprovalQueueTest, OneWithoutAnybodyWhoWaitsIsShownAsSuchAndTheNextProgramUsesItsAnswer) {
  const auto someone = program("");
  auto& queue = someone->approvals.approvers().queue();
  ASSERT_TRUE(queue.put({.id = "appr_000000000001",
                         .session_key = "of a client that is gone",
                         .task = "t",
                         .command = "rm -rf x",
                         .target = "local",
                         .cwd = "/here",
                         .expires = std::chrono::system_clock::now() + std::chrono::hours(1),
                         .digest = digest_of({.command = "rm -rf x"}, {})},
                        true));
  const auto listed = queue.list().value();
  ASSERT_THAT(listed, SizeIs(1));
  EXPECT_FALSE(listed[0].waited_for);
  EXPECT_TRUE(listed[0].asker_gone);
  ASSERT_TRUE(queue.answer("appr_000000000001", {.word = "once"}, "me"));
  const auto later = program("approvals: {gateway_timeout: 0}");
  EXPECT_FALSE(decide(*later, "rm -rf y").approved) << "another command";
  EXPECT_FALSE(decide(*later, "rm -rf x", "/elsewhere").approved) << "another directory";
  const Decision decision = decide(*later);
  EXPECT_TRUE(decision.approved);
  EXPECT_EQ(decision.id, "appr_000000000001");
  EXPECT_FALSE(decide(*later).approved) << "once";
  EXPECT_EQ(queue.answer("appr_ffffffffffff", {.word = "once"}, "").error().kind(),
            ErrorKind::not_found);
}

TEST_F(ApprovalQueueTest, AProgramTakesOverTheQuestionThatAKilledOneHasLeft) {
  const auto someone = program("");
  ASSERT_TRUE(someone->approvals.approvers().queue().put(
      {.id = "appr_000000000002",
       .task = "t",
       .command = "rm -rf x",
       .target = "local",
       .cwd = "/here",
       .expires = std::chrono::system_clock::now() + std::chrono::hours(1),
       .digest = digest_of({.command = "rm -rf x"}, {})},
      true));
  const auto asking = program("");
  when_asked(*asking, [&](const std::string& id) {
    EXPECT_EQ(id, "appr_000000000002") << "under its old id";
    const auto listed = someone->approvals.approvers().queue().list().value();
    ASSERT_THAT(listed, SizeIs(1));
    EXPECT_TRUE(listed[0].waited_for);
    EXPECT_TRUE(someone->approvals.approvers().queue().answer(id, {.word = "once"}, "me"));
  });
  EXPECT_TRUE(decide(*asking).approved);
}

TEST_F(ApprovalQueueTest, AnAnswerCoversWhatWasOffered) {
  const auto asking = program("approvals: {wait: false}");
  auto& queue = asking->approvals.approvers().queue();
  const Decision pending = decide(*asking);
  for (const ApprovalAnswer& flawed :
       {ApprovalAnswer{.word = "always", .covers = "everything"},
        ApprovalAnswer{.word = "once", .covers = "task"},
        ApprovalAnswer{.word = "once", .lasts = std::chrono::seconds(1)}}) {
    EXPECT_EQ(queue.answer(pending.id, flawed, "").error().kind(), ErrorKind::bad_request);
  }
  ASSERT_TRUE(queue.answer(pending.id, {.word = "session", .covers = "task"}, "me"));
  EXPECT_TRUE(decide(*asking).approved);
  EXPECT_TRUE(decide(*asking, "rm -rf y", "/elsewhere").approved) << "the rule, in this task";
  EXPECT_EQ(decide(*asking, "rm -rf y", "/here", "another session").reason, Reason::pending);
}

TEST_F(ApprovalQueueTest, WithoutWaitingTheAnswerCountsOnceForTheSameCommandInTheSamePlace) {
  const std::string yaml = "approvals: {wait: false}";
  const auto asking = program(yaml);
  const Decision pending = decide(*asking);
  EXPECT_FALSE(pending.approved);
  EXPECT_EQ(pending.reason, Reason::pending);
  EXPECT_EQ(pending.message,
            "⚠️ recursive delete. Asking the user for approval.\n```\nrm -rf x\n```");
  ASSERT_TRUE(
      program(yaml)->approvals.approvers().queue().answer(pending.id, {.word = "once"}, "me"));
  EXPECT_FALSE(decide(*asking, "rm -rf y").approved) << "another command";
  EXPECT_FALSE(decide(*asking, "rm -rf x", "/elsewhere").approved) << "another place";
  EXPECT_TRUE(decide(*asking).approved);
  EXPECT_FALSE(decide(*asking).approved) << "once";
}

TEST_F(ApprovalQueueTest, WithoutWaitingTheSameQuestionIsPutOnce) {
  const auto asking = program("approvals: {wait: false}");
  const Decision first = decide(*asking);
  EXPECT_EQ(decide(*asking).id, first.id);
  EXPECT_NE(decide(*asking, "rm -rf y").id, first.id);
  EXPECT_THAT(asking->approvals.approvers().queue().list().value(), SizeIs(2));
}

TEST_F(ApprovalQueueTest, TheQueueHasAnEnd) {
  const auto asking = program("approvals: {wait: false}");
  for (std::size_t at = 0; at < kMaxWaitingQuestions; ++at) {
    const std::string session = "s" + std::to_string(at / kMaxQuestionsOfOne);
    const Decision put = decide(*asking, "rm -rf " + std::to_string(at), "/here", session);
    ASSERT_EQ(put.reason, Reason::pending);
  }
  const Decision beyond = decide(*asking, "rm -rf beyond");
  EXPECT_EQ(beyond.outcome, "notify_failed");
  EXPECT_THAT(beyond.message, HasSubstr("talaria deny --all"));
}

TEST_F(ApprovalQueueTest, OneSessionDoesNotCloseTheQueueForOthers) {
  const auto asking = program("approvals: {wait: false}");
  for (std::size_t at = 0; at < kMaxQuestionsOfOne; ++at) {
    ASSERT_EQ(decide(*asking, "rm -rf " + std::to_string(at)).reason, Reason::pending);
  }
  const Decision beyond = decide(*asking, "rm -rf beyond");
  EXPECT_EQ(beyond.outcome, "notify_failed");
  EXPECT_THAT(beyond.message, HasSubstr("commands of this session"));
  EXPECT_EQ(decide(*asking, "rm -rf beyond", "/here", "other").reason, Reason::pending);
}

TEST_F(ApprovalQueueTest, ADenialNobodyWaitedForIsOne) {
  const auto asking = program("approvals: {wait: false}");
  const Decision pending = decide(*asking);
  ASSERT_TRUE(asking->approvals.approvers().queue().answer(pending.id, {.word = "deny"}, "me"));
  EXPECT_EQ(decide(*asking).outcome, "denied");
}

TEST_F(ApprovalQueueTest, ACommandTooLongToReadIsNotAsked) {
  const auto asking = program("");
  const Decision decision = decide(*asking, "rm -rf " + std::string(300'000, 'x'));
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.outcome, "notify_failed");
}

TEST_F(ApprovalQueueTest, AStoreThatCannotBeWrittenMeansNo) {
  home_.write("talaria", "a file in its place");
  const auto asking = program("");
  const Decision decision = decide(*asking);
  EXPECT_FALSE(decision.approved);
  EXPECT_THAT(decision.message, HasSubstr("Failed to send approval request"));
  EXPECT_TRUE(decide(*asking, "ls").approved);
}

TEST_F(ApprovalQueueTest, AListenerIsToldAndTheQueueIsAskedForItsSession) {
  const auto asking = program("", {"TALARIA_APPROVALS_HEADLESS=deny"});
  EXPECT_EQ(decide(*asking).reason, Reason::headless);
  std::vector<std::string> reported;
  const auto id = asking->approvals.approvers().listen(
      "s", Approvers::Role::answers, [&](const ApprovalRequest& request) {
        reported.push_back(request.command);
        EXPECT_TRUE(
            asking->approvals.approvers().queue().answer(request.id, {.word = "once"}, "listener"));
      });
  EXPECT_TRUE(decide(*asking).approved);
  EXPECT_THAT(reported, ElementsAre("rm -rf x"));
  asking->approvals.approvers().leave(id);
  EXPECT_EQ(decide(*asking).reason, Reason::headless);
}

TEST_F(ApprovalQueueTest, WithoutAnybodyToAskTheQuestionIsLeftInTheQueue) {
  const auto asking = program("", {});
  const Decision pending = decide(*asking);
  EXPECT_FALSE(pending.approved);
  EXPECT_EQ(pending.reason, Reason::pending);
  host::ApprovalQueue& queue = asking->approvals.approvers().queue();
  ASSERT_EQ(queue.list()->size(), 1u);
  EXPECT_EQ(decide(*asking).id, pending.id) << "the same question again";
  ASSERT_TRUE(queue.answer(pending.id, {.word = "once"}, "test"));
  EXPECT_TRUE(decide(*asking).approved);
  EXPECT_EQ(decide(*asking).reason, Reason::pending) << "it covered one call";
}

// One that only watches cannot answer, but sees that a call waits.
TEST_F(ApprovalQueueTest, ACallWaitsInTheQueueWhileSomebodyWatches) {
  const auto asking = program("", {});
  Approvers& approvers = asking->approvals.approvers();
  const auto id =
      approvers.listen("", Approvers::Role::watches, [&](const ApprovalRequest& request) {
        EXPECT_TRUE(approvers.queue().answer(request.id, {.word = "once"}, "test"));
      });
  EXPECT_TRUE(decide(*asking).approved);
  approvers.leave(id);
}

TEST_F(ApprovalQueueTest, WhatWaitsForAListenerThatLeavesIsDenied) {
  const auto asking = program("", {"TALARIA_APPROVALS_HEADLESS=deny"});
  std::uint64_t id = 0;
  id = asking->approvals.approvers().listen(
      "", Approvers::Role::answers, [&](const ApprovalRequest&) {
        asio::post(loop_, [&] { asking->approvals.approvers().leave(id); });
      });
  const Decision decision = decide(*asking);
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.outcome, "denied");
  EXPECT_EQ(decision.choice, "timeout");
}

TEST_F(ApprovalQueueTest, AProgramDecidesInPlaceOfAPersonIfItIsExact) {
  const auto smart = [&](const std::string& answer) {
    return "approvals:\n  mode: smart\n  gateway_timeout: 0\n  smart_program: " +
           script("smart", "echo '{\"answer\":\"" + answer + "\"}'") + "\n";
  };
  auto asking = program(smart(" approve "));
  Decision decision = decide(*asking);
  EXPECT_TRUE(decision.approved);
  EXPECT_EQ(decision.approval_text(),
            "Command was flagged (recursive delete) and auto-approved by smart approval.");
  asking->approvals.clear_session("s");

  asking = program(smart("DENY"));
  decision = decide(*asking);
  EXPECT_FALSE(decision.approved);
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.reason, Reason::smart);
  EXPECT_TRUE(decision.message.starts_with("BLOCKED by smart approval: recursive delete"));

  asking = program(smart("APPROVE."));
  EXPECT_EQ(decide(*asking).outcome, "timeout") << "the person was asked";
}

TEST_F(ApprovalQueueTest, WhatAScannerFindsIsNotAllowedForGood) {
  const std::string yaml =
      "security:\n  tirith_enabled: true\n  tirith_path: " +
      script("scan", "echo '{\"findings\":[{\"rule_id\":\"r\",\"title\":\"T\"}]}'; exit 2") + "\n";
  auto asking = program(yaml);
  std::vector<ApprovalRequest> requests;
  const auto answer_always = [&] {
    asking->host.interaction.hooks.ask = [&](const ApprovalRequest& request,
                                             const ApprovalReply& reply) {
      requests.push_back(request);
      reply("always");
    };
  };
  answer_always();
  EXPECT_TRUE(decide(*asking).approved);
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_FALSE(requests[0].allow_permanent);
  EXPECT_EQ(requests[0].pattern_key, "tirith:r");
  EXPECT_EQ(requests[0].description, "Security scan — T; recursive delete");
  EXPECT_TRUE(decide(*asking).approved);
  EXPECT_THAT(requests, SizeIs(1)) << "both are granted in this session";
  EXPECT_TRUE(decide(*asking, "ls").approved);
  EXPECT_THAT(requests, SizeIs(2)) << "the scanner's finding is about one command";

  asking->approvals.clear_session("s");
  answer_always();
  EXPECT_TRUE(decide(*asking).approved);
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_THAT(requests[2].pattern_keys, ElementsAre("tirith:r")) << "the rule was allowed for good";
}

}  // namespace
}  // namespace talaria::policy
