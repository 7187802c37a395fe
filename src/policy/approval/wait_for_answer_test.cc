// How an answer is waited for, and what may come instead of one.
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/approval_test.h"

namespace talaria::policy {
namespace {

using test::ApprovalTest;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

TEST_F(ApprovalTest, SilenceIsNotConsent) {
  make({"HERMES_GATEWAY_SESSION=1"}, "approvals: {gateway_timeout: 0}");
  keep_replies();
  watch_hooks();
  const Decision decision = decide(test::kDanger);
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.outcome, "timeout");
  EXPECT_NE(decision.outcome, "");
  for (const char* part : {"BLOCKED", "NOT consented", "rephrase", "different command",
                           "timed out without user response"}) {
    EXPECT_THAT(decision.message, HasSubstr(part));
  }
  EXPECT_TRUE(decision.message.ends_with("Silence is not consent."));
  EXPECT_THAT(seen_, ElementsAre("asks recursive delete", "timeout"));
  EXPECT_FALSE(replies_.at(0).wanted());
  replies_.at(0)("once");  // too late
  EXPECT_FALSE(decide(test::kDanger).approved);
}

TEST_F(ApprovalTest, ATimeoutTakesItsTimeAndTheActivityIsTold) {
  make({"HERMES_EXEC_ASK=1"}, "approvals: {gateway_timeout: 1}");
  keep_replies();
  std::vector<std::string> reported;
  host_->interaction.hooks.activity_interval = std::chrono::milliseconds(200);
  host_->interaction.hooks.activity = [&](std::string_view text) { reported.emplace_back(text); };
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(decide(test::kDanger).outcome, "timeout");
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  ASSERT_FALSE(reported.empty());
  EXPECT_EQ(reported[0], "waiting for user approval (0s elapsed)");
}

TEST_F(ApprovalTest, ThreeWaitAndOneAnswerReleasesAll) {
  keep_replies();
  std::size_t resolved = 0;
  on_asked_ = [&] {
    if (replies_.size() == 3)
      resolved += approvals_->approvers().resolve("s", {.word = "session"}, true);
  };
  for (const char* command : {"danger a", "danger b", "danger c"}) start(command);
  loop_.run();
  EXPECT_EQ(resolved, 3u);
  EXPECT_THAT(approved_, SizeIs(3));
  EXPECT_EQ(approvals_->approvers().resolve("s", {.word = "deny"}, true), 0u) << "none waits";
}

TEST_F(ApprovalTest, OnceThenDenyBlocksExactlyOne) {
  keep_replies();
  bool answered = false;
  on_asked_ = [&] {
    if (replies_.size() != 2 || std::exchange(answered, true)) return;
    EXPECT_EQ(approvals_->approvers().resolve("another", {.word = "once"}, true), 0u);
    EXPECT_EQ(approvals_->approvers().resolve("s", {.word = "once"}, false), 1u);
    EXPECT_EQ(approvals_->approvers().resolve("s", {.word = "deny"}, false), 1u);
    EXPECT_EQ(approvals_->approvers().resolve("s", {.word = "deny"}, false), 0u);
  };
  for (const char* command : {"danger a", "danger b"}) start(command);
  loop_.run();
  EXPECT_THAT(approved_, ElementsAre("danger a")) << "the one that was asked first";
}

TEST_F(ApprovalTest, ASessionGrantDoesNotReleaseThoseThatWaitAlready) {
  keep_replies();
  on_asked_ = [&] {
    if (replies_.size() != 2) return;
    replies_[0]("session");
    asio::post(loop_, [&] { replies_[1]("deny"); });
  };
  for (int count = 0; count < 2; ++count) start(test::kDanger);
  loop_.run();
  EXPECT_THAT(approved_, SizeIs(1));
}

TEST_F(ApprovalTest, WhoeverCannotAskBlocks) {
  make({"HERMES_GATEWAY_SESSION=1"});
  host_->interaction.hooks.ask = [](const ApprovalRequest&, const ApprovalReply&) {
    throw std::runtime_error("no connection");
  };
  const Decision decision = decide(test::kDanger);
  EXPECT_FALSE(decision.approved);
  EXPECT_THAT(decision.message,
              StartsWith("BLOCKED: Failed to send approval request to user. Do NOT retry."));
  EXPECT_EQ(approvals_->approvers().resolve("s", {.word = "deny"}, true), 0u) << "none waits";
  make();
  host_->interaction.hooks.ask = [](const ApprovalRequest&, const ApprovalReply&) { throw 1; };
  EXPECT_EQ(decide(test::kDanger).outcome, "denied") << "at a terminal it is a denial";
}

TEST_F(ApprovalTest, WhenNobodyIsLeftToAnswerItIsDenied) {
  make({"HERMES_GATEWAY_SESSION=1"});
  keep_replies();
  watch_hooks();
  on_asked_ = [&] { replies_.clear(); };
  const Decision decision = decide(test::kDanger);
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.outcome, "denied");
  EXPECT_EQ(decision.reason, Reason::not_asked);
  EXPECT_THAT(decision.message, testing::HasSubstr("without an answer"));
  EXPECT_THAT(decision.message, testing::Not(testing::HasSubstr("denied by user")));
  EXPECT_THAT(seen_, ElementsAre("asks recursive delete", "timeout"));
}

TEST_F(ApprovalTest, ClearingASessionDeniesWhatItWaitsFor) {
  keep_replies();
  watch_hooks();
  on_asked_ = [&] {
    approvals_->clear_session("");
    approvals_->clear_session("s");
  };
  const Decision decision = decide(test::kDanger);
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.outcome, "denied");
  EXPECT_THAT(seen_, ElementsAre("asks recursive delete", "deny"));
}

TEST_F(ApprovalTest, AnAnswerMayComeFromAnyThread) {
  std::thread other;
  if (!approvals_) make();
  host_->interaction.hooks.ask = [&](const ApprovalRequest&, const ApprovalReply& reply) {
    other = std::thread([reply] { reply("once"); });
  };
  EXPECT_TRUE(decide(test::kDanger).approved);
  other.join();
}

TEST_F(ApprovalTest, ACallThatIsGivenUpIsNotApproved) {
  keep_replies();
  bool gone = false;
  on_asked_ = [&] {
    replies_[0].on_unwanted([&] { gone = true; });
    cancel_.cancel();
    replies_[0]("once");
  };
  const Decision decision = decide(test::kDanger);
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.reason, Reason::interrupted);
  EXPECT_TRUE(gone);
}

TEST_F(ApprovalTest, ObserversThatThrowChangeNothing) {
  for (const char* word : {"once", "deny"}) {
    make();
    answer_with(word);
    host_->interaction.hooks.approval_requested.emplace_back(
        [](const ApprovalRequest&) { throw std::runtime_error("x"); });
    host_->interaction.hooks.approval_answered.emplace_back(
        [](const ApprovalRequest&, std::string_view) { throw 42; });
    EXPECT_EQ(decide(test::kDanger).approved, std::string(word) == "once");
  }
}

TEST_F(ApprovalTest, WhatIsAskedHoldsAllThereIsToKnow) {
  answer_with("once");
  decide("two");
  ASSERT_EQ(requests_.size(), 1u);
  const ApprovalRequest& request = requests_[0];
  EXPECT_EQ(request.command, "two");
  EXPECT_EQ(request.description, "first; second");
  EXPECT_EQ(request.pattern_key, "first");
  EXPECT_THAT(request.pattern_keys, ElementsAre("first", "second"));
  EXPECT_EQ(request.session_key, "s");
  EXPECT_EQ(request.surface, "cli");
  EXPECT_EQ(request.timeout.count(), 60);
  EXPECT_TRUE(request.allow_permanent);
  make({"HERMES_SESSION_PLATFORM=chat", "HERMES_SESSION_KEY=of the process"});
  answer_with("once");
  decide(test::kDanger, "");
  EXPECT_EQ(requests_.back().surface, "gateway");
  EXPECT_EQ(requests_.back().session_key, "of the process");
  EXPECT_EQ(requests_.back().timeout.count(), 300);
}

}  // namespace
}  // namespace talaria::policy
