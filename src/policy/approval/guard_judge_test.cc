#include "policy/approval/guard_judge.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "os/file.h"
#include "testing/temporary_directory.h"

namespace talaria::policy {
namespace {

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

TEST(GuardJudge, LinksOfThisMachineAreFollowed) {
  const test::TemporaryDirectory directory;
  const std::string project = directory.path() + "/p";
  std::filesystem::create_directory(project);
  std::filesystem::create_symlink("/etc", project + "/e");
  const auto answer = [&](std::string target) {
    const host::Config config{.home = "/h", .target = std::move(target)};
    const shell::SessionDefinitions session{.directory = os::without_links(project)};
    return guard_judge()({"rm -rf e/*", {}, {}, config, {}, session}).answer;
  };
  EXPECT_EQ(answer("local"), guard::Answer::deny);
  EXPECT_EQ(answer("ssh"), guard::Answer::ask) << "the links there are not known";
}

}  // namespace
}  // namespace talaria::policy
