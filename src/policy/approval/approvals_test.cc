// What is decided about a command, and what was allowed before.
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/approval_test.h"
#include "testing/loop_gaps.h"

namespace talaria::policy {
namespace {

using test::ApprovalTest;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST_F(ApprovalTest, WhatIsHarmlessRunsAndAsksNobody) {
  answer_with("deny");
  const Decision decision = decide("ls");
  EXPECT_TRUE(decision.approved);
  EXPECT_EQ(decision.approval_text(), "");
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(ApprovalTest, TheFloorHoldsWhateverAnybodySays) {
  const struct {
    const char* name;
    Variables variables;
    const char* yaml;
    bool session_yolo;
    bool force;
  } cases[] = {
      {"plain", {}, " ", false, false},
      {"yolo", {"HERMES_YOLO_MODE=1"}, " ", false, false},
      {"session yolo", {}, " ", true, false},
      {"mode off", {}, "approvals: {mode: \"off\"}", false, false},
      {"cron approve", {"HERMES_CRON_SESSION=1"}, "approvals: {cron_mode: approve}", false, false},
      {"force", {}, " ", false, true},
      {"headless allow", {"TALARIA_APPROVALS_HEADLESS=allow"}, " ", false, false},
      {"allowlist", {}, "command_allowlist: [never that]", false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    make(c.variables, c.yaml);
    if (c.session_yolo) approvals_->set_yolo("s", true);
    force_ = c.force;
    const Decision decision = decide("hardline");
    EXPECT_FALSE(decision.approved);
    EXPECT_EQ(decision.reason, Reason::hardline);
    EXPECT_THAT(decision.message, StartsWith("BLOCKED (hardline): never that. "));
  }
  force_ = false;
  make({"TERMINAL_ENV=docker"}, " ");
  EXPECT_TRUE(decide("hardline").approved) << "what it breaks stays in the container";
}

TEST_F(ApprovalTest, APasswordIsNotGuessedUnlessOneIsSet) {
  make({"HERMES_YOLO_MODE=1"});
  const Decision decision = decide("sudo -S id");
  EXPECT_FALSE(decision.approved);
  EXPECT_NE(decision.reason, Reason::hardline);
  EXPECT_THAT(decision.message, StartsWith("BLOCKED: guessing. "));
  EXPECT_THAT(decision.message, HasSubstr("SUDO_PASSWORD"));
  make({"HERMES_YOLO_MODE=1", "SUDO_PASSWORD="});
  EXPECT_TRUE(decide("sudo -S id").approved) << "also an empty one is set";
}

TEST_F(ApprovalTest, YoloIsWhatItWasAtTheStart) {
  for (const char* value : {"1", "true", "YES", " on "}) {
    make({"HERMES_YOLO_MODE=" + std::string(value)});
    EXPECT_TRUE(decide(test::kDanger).approved) << value;
  }
  for (const char* value : {"false", "False", "0", "off", "no", ""}) {
    make({"HERMES_YOLO_MODE=" + std::string(value)});
    EXPECT_FALSE(decide(test::kDanger).approved) << value;
  }
  ::setenv("HERMES_YOLO_MODE", "1", 1);
  EXPECT_FALSE(decide(test::kDanger).approved) << "set later";
  ::unsetenv("HERMES_YOLO_MODE");
}

TEST_F(ApprovalTest, YoloOfASessionIsItsOwn) {
  answer_with("deny");
  approvals_->set_yolo("A", true);
  approvals_->set_yolo("", true);
  EXPECT_TRUE(decide(test::kDanger, "A").approved);
  EXPECT_FALSE(decide(test::kDanger, "B").approved);
  EXPECT_FALSE(decide(test::kDanger, "").approved);
  approvals_->clear_session("A");
  EXPECT_FALSE(decide(test::kDanger, "A").approved);
  EXPECT_EQ(requests_.size(), 3u);
}

TEST_F(ApprovalTest, ScheduledWorkIsRefusedAndNeverPending) {
  make({"HERMES_CRON_SESSION=1", "HERMES_SESSION_PLATFORM=telegram", "HERMES_GATEWAY_SESSION=1"},
       "approvals: {queue: true, wait: false}");
  const Decision decision = decide(test::kDanger);
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.reason, Reason::cron_mode);
  for (const char* part : {"BLOCKED", "recursive delete", "approvals.cron_mode: approve"}) {
    EXPECT_THAT(decision.message, HasSubstr(part));
  }
  EXPECT_THAT(approvals_->approvers().queue().list(true).value(), IsEmpty());
  make({"HERMES_CRON_SESSION=1"}, "approvals: {cron_mode: allow}");
  EXPECT_TRUE(decide(test::kDanger).approved);
  make({"HERMES_CRON_SESSION=1", "HERMES_YOLO_MODE=1"}, "approvals: {cron_mode: deny}");
  EXPECT_TRUE(decide(test::kDanger).approved);
}

TEST_F(ApprovalTest, CronModeIsApproveOnlyInSoManyWords) {
  for (const char* word : {"approve", "\"off\"", "allow", "\"yes\"", "APPROVE", "Allow"}) {
    make({"HERMES_CRON_SESSION=1"}, "approvals: {cron_mode: " + std::string(word) + "}");
    EXPECT_TRUE(decide(test::kDanger).approved) << word;
  }
  for (const char* word :
       {"deny", "false", "off", "no", "true", "yes", "whatever", "\"\"", "[a]"}) {
    make({"HERMES_CRON_SESSION=1"}, "approvals: {cron_mode: " + std::string(word) + "}");
    EXPECT_FALSE(decide(test::kDanger).approved) << word;
  }
}

TEST_F(ApprovalTest, BooleansOfYaml) {
  make({}, "approvals: {mode: false}");
  EXPECT_EQ(host_->settings.config()->approvals.mode, host::ApprovalMode::off);
  EXPECT_TRUE(decide(test::kDanger).approved);
  for (const char* word : {"true", "manual", "", "banana"}) {
    make({}, "approvals: {mode: " + std::string(word) + "}");
    EXPECT_EQ(host_->settings.config()->approvals.mode, host::ApprovalMode::manual) << word;
    EXPECT_FALSE(decide(test::kDanger).approved) << word;
  }
  make({}, "approvals: {cron_mode: false, timeout: soon, gateway_timeout: -3}");
  EXPECT_FALSE(host_->settings.config()->approvals.cron_approves);
  EXPECT_EQ(host_->settings.config()->approvals.timeout.count(), 60);
  EXPECT_EQ(host_->settings.config()->approvals.gateway_timeout.count(), 300);
}

TEST_F(ApprovalTest, WithoutAnybodyToAskItIsRefusedIfThatIsConfigured) {
  make({"TALARIA_APPROVALS_HEADLESS=deny"});
  const Decision decision = decide(test::kDanger);
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.reason, Reason::headless);
  for (const char* part : {"BLOCKED", "recursive delete", "NOT consented", "rephrase",
                           "different command", "approvals.headless: allow"}) {
    EXPECT_THAT(decision.message, HasSubstr(part));
  }
  make({"TALARIA_APPROVALS_HEADLESS=allow"});
  EXPECT_TRUE(decide(test::kDanger).approved);
  EXPECT_FALSE(decide("forbidden").approved);
}

TEST_F(ApprovalTest, APersonWhoCannotBeAskedIsNotPassedBy) {
  make({"HERMES_INTERACTIVE=1", "TALARIA_APPROVALS_HEADLESS=allow"});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(decide(test::kDanger).approved);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
}

TEST_F(ApprovalTest, ARuleOfTheOperatorsIsNotToBeLifted) {
  make({"HERMES_YOLO_MODE=1"});
  force_ = true;
  const Decision decision = decide("forbidden");
  EXPECT_FALSE(decision.approved);
  EXPECT_EQ(decision.reason, Reason::rule);
}

TEST_F(ApprovalTest, ForceLiftsWhatIsOnlyDangerous) {
  make();
  force_ = true;
  EXPECT_TRUE(decide(test::kDanger).approved);
}

TEST_F(ApprovalTest, OnlyTheExactWordsApprove) {
  for (const char* word : {"once", "session", "always"}) {
    make();
    answer_with(word);
    const Decision decision = decide("danger " + std::string(word));
    EXPECT_TRUE(decision.approved) << word;
    EXPECT_EQ(decision.approval_text(), "Command required approval (" + std::string(word) +
                                            ") and was approved by the user.");
  }
  for (const char* word : {"", "null", "DENY", "foo", "ONCE", "once ", " once", "yes", "true", "1",
                           "approve", "deny", "o", "Session"}) {
    make();
    answer_with(word);
    const Decision decision = decide("danger of words");
    EXPECT_FALSE(decision.approved) << '"' << word << '"';
    EXPECT_EQ(decision.outcome, "denied") << '"' << word << '"';
    EXPECT_THAT(decision.message, HasSubstr("denied by user"));
    EXPECT_THAT(decision.message, Not(HasSubstr("Silence")));
  }
}

TEST_F(ApprovalTest, GrantsAreBoundAsTheyWereGiven) {
  answer_with("once");
  EXPECT_TRUE(decide(test::kDanger).approved);
  answer_with("deny");
  EXPECT_FALSE(decide(test::kDanger).approved) << "once was once";

  answer_with("session");
  EXPECT_TRUE(decide(test::kDanger).approved);
  answer_with("deny");
  EXPECT_TRUE(decide(test::kDanger).approved) << "the same session and rule";
  EXPECT_FALSE(decide(test::kDanger, "another").approved);
  EXPECT_FALSE(decide("danger other rule").approved);
  approvals_->clear_session("s");
  EXPECT_FALSE(decide(test::kDanger).approved);

  answer_with("always");
  EXPECT_TRUE(decide(test::kDanger).approved);
  answer_with("deny");
  EXPECT_TRUE(decide(test::kDanger, "another").approved);
  make();
  EXPECT_TRUE(decide(test::kDanger).approved)
      << "in the next program, too, and nobody need be there";
  EXPECT_EQ(decide(test::kDanger).reason, Reason::granted);
}

// `always` for one program let every other one run that the same rule matches.
TEST_F(ApprovalTest, AGrantIsForTheCommandThatWasShown) {
  answer_with("always");
  EXPECT_TRUE(decide("two data").approved);
  ASSERT_FALSE(requests_.back().offers.empty());
  EXPECT_EQ(requests_.back().offers[0].sentence,
            "exactly the command 'two data' in /here, in task 't', at target 'local'");
  answer_with("deny");
  EXPECT_TRUE(decide("two data").approved) << "both rules, for this command";
  EXPECT_FALSE(decide("two others").approved);
  EXPECT_FALSE(decide("two data; two others").approved);
  cwd_ = "/elsewhere";
  EXPECT_FALSE(decide("two data").approved);
  cwd_ = "/here";
  task_ = "u";
  EXPECT_FALSE(decide("two data").approved);
  task_ = "t";
  EXPECT_TRUE(decide("two data").approved);
}

TEST_F(ApprovalTest, APersonMayWidenItAndEndIt) {
  make();
  host_->interaction.hooks.ask = [](const ApprovalRequest&, const ApprovalReply& reply) {
    reply(ApprovalAnswer{.word = "always", .covers = "task"});
  };
  EXPECT_TRUE(decide(test::kDanger).approved);
  answer_with("deny");
  cwd_ = "/elsewhere";
  EXPECT_TRUE(decide(test::kDanger).approved);
  EXPECT_FALSE(decide("danger other rule").approved);
  task_ = "u";
  EXPECT_FALSE(decide(test::kDanger).approved);

  host_->interaction.hooks.ask = [](const ApprovalRequest&, const ApprovalReply& reply) {
    reply(ApprovalAnswer{.word = "always", .lasts = std::chrono::seconds(1)});
  };
  EXPECT_TRUE(decide("danger for a second").approved);
  answer_with("deny");
  EXPECT_TRUE(decide("danger for a second").approved);
  host::GrantStore grants(host_->journal.ledger().database());
  for (host::StoredGrant grant : grants.list().value()) {  // the second has passed
    if (!grant.until) continue;
    grant.until = std::chrono::system_clock::now();
    ASSERT_TRUE(grants.confirm(grant));
  }
  EXPECT_FALSE(decide("danger for a second").approved);
}

TEST_F(ApprovalTest, AGrantOfAnEarlierVersionIsMentionedOnceAndCountsWhenItIsConfirmed) {
  make({"TALARIA_APPROVALS_HEADLESS=deny"});
  host::GrantStore grants(host_->journal.ledger().database());
  ASSERT_TRUE(grants.add(
      {.id = "grant_old", .rule = "recursive delete", .target = "local", .confirmed = false}));
  const Decision refused = decide(test::kDanger);
  EXPECT_FALSE(refused.approved);
  EXPECT_THAT(refused.message, HasSubstr("talaria grants confirm grant_old"));
  answer_with("deny");
  EXPECT_FALSE(decide(test::kDanger).approved);
  EXPECT_THAT(requests_.back().notices, IsEmpty()) << "it was shown before";
  ASSERT_TRUE(grants.confirm(*grants.find("grant_old").value()));
  EXPECT_TRUE(decide(test::kDanger).approved);
}

TEST_F(ApprovalTest, WhereTheDirectoryIsNotKnownAnAnswerIsForThisCall) {
  make({"TERMINAL_ENV=ssh"});
  answer_with("always");
  cwd_ = "";
  const Decision decision = decide(test::kDanger);
  EXPECT_TRUE(decision.approved);
  EXPECT_THAT(decision.notices, ElementsAre(HasSubstr("covers this call only")));
  answer_with("deny");
  EXPECT_FALSE(decide(test::kDanger).approved);
}

TEST_F(ApprovalTest, ANamedSessionsGrantsCountInTheNextProgramANamelessOnesDoNot) {
  answer_with("session");
  EXPECT_TRUE(decide(test::kDanger, "chat 7").approved);
  EXPECT_TRUE(decide(test::kDanger, "").approved);
  make();
  EXPECT_TRUE(decide(test::kDanger, "chat 7").approved);
  EXPECT_FALSE(decide(test::kDanger, "").approved);
}

TEST_F(ApprovalTest, AGrantForOneTargetIsNoneForAnother) {
  answer_with("always");
  EXPECT_TRUE(decide(test::kDanger).approved);
  make({"TERMINAL_ENV=ssh"});
  EXPECT_FALSE(decide(test::kDanger).approved);
}

TEST_F(ApprovalTest, AnOldNameOfSeveralRulesAllowsThemAllANewOneOnlyItself) {
  answer_with("session");
  EXPECT_TRUE(decide("danger find -exec/-execdir rm").approved);
  answer_with("deny");
  EXPECT_TRUE(decide("danger find -exec/-execdir rm").approved);
  EXPECT_FALSE(decide("danger find -delete").approved);
  make({}, "command_allowlist: [find]");
  EXPECT_TRUE(decide("danger find -exec/-execdir rm").approved);
  EXPECT_TRUE(decide("danger find -delete").approved);
  EXPECT_FALSE(decide(test::kDanger).approved);
}

TEST_F(ApprovalTest, AllButOneRuleGrantedIsNotEnough) {
  make({}, "command_allowlist: [first]");
  answer_with("once");
  EXPECT_TRUE(decide("two").approved);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_THAT(requests_[0].pattern_keys, ElementsAre("second")) << "what is granted is not asked";
}

TEST_F(ApprovalTest, WhatIsUnclearIsAllowedAsThisVeryCommandOnly) {
  for (const char* word : {"session", "always"}) {
    make();
    answer_with(word);
    requests_.clear();
    const std::string one = std::string("unclear $x of ") + word;
    EXPECT_TRUE(decide(one).approved);
    EXPECT_TRUE(decide(one).approved);
    EXPECT_EQ(requests_.size(), 1u) << "the same again";
    answer_with("deny");
    EXPECT_FALSE(decide(one + "x").approved) << "it may be anything";
    EXPECT_EQ(requests_.back().pattern_key, "who knows");
  }
}

TEST_F(ApprovalTest, TheOperatorMayAllowWhatIsUnclearByName) {
  make({}, "command_allowlist: [who knows]");
  EXPECT_TRUE(decide("unclear $x").approved);
}

// The judge of these tests takes as long as the guard does with megabytes.
TEST_F(ApprovalTest, ALongTextIsJudgedBesideTheLoop) {
  constexpr auto kLong = std::chrono::milliseconds(500);
  make();
  approvals_.emplace(host_->settings, host_->environments, host_->journal.ledger(),
                     host_->interaction, [&](const JudgedCommand& judged) {
                       std::this_thread::sleep_for(kLong);
                       return test::made_up(judged);
                     });
  const test::LoopGaps gaps(loop_.get_executor());
  EXPECT_TRUE(decide("echo " + std::string(100'000, 'x')).approved);
  EXPECT_LT(gaps.longest(), kLong / 2);
}

}  // namespace
}  // namespace talaria::policy
