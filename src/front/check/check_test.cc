// That the kit can fail: every case does where nothing is done, and a case that is given up, throws
// or is not meant for a transport is reported as such.
#include <map>
#include <set>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/check/run_cases.h"
#include "testing/fake_runtime.h"
#include "testing/run_to_end.h"

namespace talaria::front::check {
namespace {

using testing::HasSubstr;

class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    // Only the first command of a run is answered as it should be: it makes the directory.
    fake_->reply = [](const environment::CommandSpec& spec) {
      return test::FakeReply{spec.command.contains("pwd -P && mkdir")
                                 ? test::printed("bash\n/scratch\n")
                                 : environment::CommandOutcome{}};
    };
  }

  CheckReport run(std::vector<CheckCase> cases, std::chrono::seconds limit = kLong) {
    CheckPlan plan{.target = "local",
                   .cases = std::move(cases),
                   .at_once = 16,
                   .limit = limit,
                   .patience = std::chrono::milliseconds(1)};
    plan.make_runtime = [this] { return fake_runtime(loop_.get_executor(), fake_); };
    auto report = test::run_to_end(loop_, run_cases(std::move(plan), cancel_));
    EXPECT_TRUE(report) << report.error().message();
    return report ? *report : CheckReport{};
  }

  static constexpr std::chrono::seconds kLong{60};

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  asio::io_context loop_{1};
  Cancel cancel_;
};

TEST_F(CheckTest, NoCasePassesWhereNothingIsDone) {
  const CheckReport report = run(all_cases());
  for (const CaseReport& one : report.cases) {
    if (one.group == "end") continue;
    EXPECT_EQ(case_end_name(one.end), "FAILED") << one.group << "/" << one.name;
    EXPECT_FALSE(one.mismatches.empty());
  }
}

TEST_F(CheckTest, NoCasePassesAtATargetThatRefusesEverything) {
  fake_->reply = [](const environment::CommandSpec& spec) {
    if (spec.command.contains("pwd -P && mkdir"))
      return test::FakeReply{test::printed("bash\n/scratch\n")};
    return test::FakeReply{fail(ErrorKind::unavailable, "gone")};
  };
  fake_->processes.start_answer = fail(ErrorKind::unavailable, "gone");
  for (const CaseReport& one : run(all_cases()).cases) {
    EXPECT_EQ(case_end_name(one.end), "FAILED") << one.group << "/" << one.name;
  }
}

TEST_F(CheckTest, ThereAreManyCasesAndEachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const CheckCase& one : all_cases()) {
    EXPECT_TRUE(names.insert(one.full_name()).second) << one.full_name();
    EXPECT_EQ(one.full_name().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-/"),
              std::string::npos)
        << one.full_name();
  }
  EXPECT_GE(names.size(), 150u);
}

TEST_F(CheckTest, ACaseThatThrowsHasFailed) {
  const CheckReport report = run({{"group", "throws", Ability::commands, [](Trial&) -> Task<void> {
                                     throw std::runtime_error("oh no");
                                     co_return;
                                   }}});
  EXPECT_EQ(report.cases[0].end, CaseEnd::failed);
  EXPECT_THAT(report.cases[0].mismatches.at(0).got, HasSubstr("oh no"));
  EXPECT_FALSE(report.all_well());
}

TEST_F(CheckTest, ACaseThatTakesTooLongIsGivenUp) {
  const CheckReport report = run({{"group", "waits", Ability::commands,
                                   [](Trial& trial) -> Task<void> {
                                     while (!trial.cancel().cancelled()) {
                                       co_await pause(std::chrono::milliseconds(5));
                                     }
                                   }}},
                                 std::chrono::seconds(1));
  EXPECT_EQ(report.cases[0].end, CaseEnd::failed);
  EXPECT_EQ(report.cases[0].mismatches.at(0).what, "its time");
}

TEST_F(CheckTest, WhatATransportDoesNotClaimIsAbsentWithTheReason) {
  fake_->transport = "plain";
  std::map<CaseEnd, int> ends;
  for (const CaseReport& one : run(terminal_cases()).cases) {
    ++ends[one.end];
    if (one.group == "end") continue;
    EXPECT_THAT(one.reason, HasSubstr("no terminals")) << one.name;
  }
  EXPECT_EQ(ends[CaseEnd::failed], 0);
  EXPECT_GE(ends[CaseEnd::absent], 5);
}

TEST_F(CheckTest, WhatNeedsBashIsAbsentWithoutIt) {
  fake_->reply = [](const environment::CommandSpec& spec) {
    return test::FakeReply{spec.command.contains("pwd -P && mkdir")
                               ? test::printed("sh\n/scratch\n")
                               : environment::CommandOutcome{}};
  };
  std::map<CaseEnd, int> ends;
  for (const CaseReport& one : run(all_cases()).cases) {
    ++ends[one.end];
    if (one.end == CaseEnd::absent) EXPECT_EQ(one.reason, "this target has no bash");
  }
  EXPECT_GE(ends[CaseEnd::absent], 10);
  EXPECT_LE(ends[CaseEnd::absent], 30);
}

TEST_F(CheckTest, TransportsWithARunnerLackNothing) {
  for (const char* transport : {"link", "batch"}) {
    for (const CheckCase& one : all_cases()) {
      EXPECT_FALSE(absent_because(one.needs, transport)) << one.full_name();
    }
  }
}

TEST_F(CheckTest, WhatHasNotBegunWhenItIsCancelledIsNotRun) {
  const Cancel cancel = cancel_;
  std::vector<CheckCase> cases;
  cases.push_back({"group", "cancels", Ability::commands, [cancel](Trial&) -> Task<void> {
                     cancel.cancel();
                     return pause(std::chrono::milliseconds(1));
                   }});
  for (int i = 0; i < 30; ++i) {
    cases.push_back({"group", "late-" + std::to_string(i), Ability::commands,
                     [](Trial&) { return pause(std::chrono::milliseconds(1)); }});
  }
  const CheckReport report = run(std::move(cases));
  EXPECT_GE(report.count(CaseEnd::not_run), 4u);
  EXPECT_FALSE(report.all_well());
}

TEST_F(CheckTest, ATargetThatCannotBeHadIsAnError) {
  fake_->reply = [](const environment::CommandSpec&) {
    return test::FakeReply{fail(ErrorKind::unavailable, "no way")};
  };
  CheckPlan plan{.target = "local", .cases = all_cases()};
  plan.make_runtime = [this] { return fake_runtime(loop_.get_executor(), fake_); };
  const auto report = test::run_to_end(loop_, run_cases(std::move(plan), {}));
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(), HasSubstr("no way"));
}

TEST_F(CheckTest, APatternIsAPartOfTheNameOrAllOfItWithStars) {
  const CheckCase one{"kill", "timeout-ends-nohup", Ability::trees, {}};
  for (const char* pattern :
       {"", "kill", "nohup", "kill/timeout", "kill/*", "*nohup", "k*p", "*"}) {
    EXPECT_TRUE(matches(one, pattern)) << pattern;
  }
  for (const char* pattern : {"session", "kill/*x", "*timeout", "nohup*"}) {
    EXPECT_FALSE(matches(one, pattern)) << pattern;
  }
}

}  // namespace
}  // namespace talaria::front::check
