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

// A call with `workdir` in another repository once made that the project.
TEST(GuardJudge, TheProjectIsWhereTheWorkBegan) {
  const test::TemporaryDirectory directory;
  const std::string home = os::without_links(directory.path()) + "/home";
  for (const char* const path :
       {"/app/.git", "/app/src", "/other/.git", "/other/build", "/notes"}) {
    std::filesystem::create_directories(home + path);
  }
  const auto answer = [&](const std::string& command, const std::string& starts_in,
                          const std::string& began = "/app", const std::string& program = "/") {
    const host::Config config{.home = "/h", .target = "local", .cwd = home + began};
    const host::Caller caller{.variables = {"HOME=" + home}, .cwd = home + program};
    const shell::SessionDefinitions session{.directory = home + starts_in};
    return guard_judge()({command, {}, {}, config, caller, session}).answer;
  };
  constexpr auto kRemove = "rm -rf build";
  EXPECT_EQ(answer(kRemove, "/app"), guard::Answer::allow);
  EXPECT_EQ(answer(kRemove, "/app", "/app/src"), guard::Answer::allow);
  EXPECT_EQ(answer(kRemove, "/other"), guard::Answer::ask);
  EXPECT_EQ(answer("cp x report.txt", "/notes"), guard::Answer::ask);
  EXPECT_EQ(answer(kRemove, "/other", "/app", "/other"), guard::Answer::allow)
      << "the program was started there";
  EXPECT_EQ(answer(kRemove, "/other", "/notes"), guard::Answer::allow)
      << "the work began in no repository";
}

}  // namespace
}  // namespace talaria::policy
