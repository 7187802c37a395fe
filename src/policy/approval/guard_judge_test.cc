#include "policy/approval/guard_judge.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

guard::Answer answer_to(const Judge& judge, const std::string& command) {
  const guard::StartInput input;
  const std::vector<std::string> variables;
  const host::Config config{.home = "/h", .target = "local"};
  const host::Caller caller;
  const shell::SessionDefinitions session;
  return judge({command, input, variables, config, caller, session}).answer;
}

TEST(GuardJudge, RulesThatHoldForTheirExamplesAreTrusted) {
  const Judge judge = checked_guard_judge();
  for (int look = 0; look < 20; ++look) {
    EXPECT_EQ(answer_to(judge, "ls"), guard::Answer::allow);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(answer_to(judge, "rm -rf /"), guard::Answer::deny);
}

TEST(GuardJudge, TheConfigurationChoosesTheRules) {
  const guard::StartInput input;
  const std::vector<std::string> variables;
  host::Config config{.home = "/h", .target = "local"};
  const host::Caller caller;
  const shell::SessionDefinitions session{.directory = "/home/alice/project"};
  const auto answer = [&](const std::string& command) {
    return guard_judge()({command, input, variables, config, caller, session}).answer;
  };
  EXPECT_EQ(answer("rm -rf build"), guard::Answer::allow);
  EXPECT_EQ(answer("kubectl delete ns prod"), guard::Answer::ask);
  config.approvals.hermes_rules = true;
  EXPECT_EQ(answer("rm -rf build"), guard::Answer::ask) << "Hermes asks for every recursive delete";
  EXPECT_EQ(answer("kubectl delete ns prod"), guard::Answer::allow) << "and knows no clusters";
}

TEST(GuardJudge, WithARuleThatDoesNotNothingIsHarmless) {
  const Judge judge =
      checked_guard_judge([] { return std::vector<std::string>{"delete: rm -rf x"}; });
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (answer_to(judge, "ls") == guard::Answer::allow &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(answer_to(judge, "ls"), guard::Answer::ask);
  EXPECT_EQ(answer_to(judge, "rm -rf /"), guard::Answer::deny) << "what is worse stays so";
}

}  // namespace
}  // namespace talaria::policy
