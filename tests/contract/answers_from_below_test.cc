// What a command that Talaria runs cannot do: answer its own question, or change who is asked.
#include <gmock/gmock.h>

#include "contract/approvals_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(ApprovalsTest, ACommandCannotApproveAnother) {
  write_config("approvals: {queue: true, wait: false}\n");
  EXPECT_EQ(world_.exec(rm()).code(), 126);
  const std::string id = question();
  std::vector<std::string> ways{"", "setsid -f ", "nohup ", "env -i "};
  const std::string alone = "unshare -Urpf --mount-proc ";  // where /proc shows no ancestors
  if (std::system((alone + "true 2>/dev/null").c_str()) == 0) ways.push_back(alone);
  for (const std::string& way : ways) {
    std::ofstream(world_.path("work/x.sh")) << way + "env TALARIA_HOME=" + world_.path("home") +
                                                   " " + World::talaria() + " approve " + id +
                                                   " >said 2>&1\nsleep 0.3; cat said\n";
    EXPECT_THAT(world_.exec("bash ./x.sh").out, HasSubstr("a command cannot answer questions"))
        << way;
  }
  EXPECT_EQ(world_.exec(rm()).code(), 126);
  EXPECT_TRUE(is_there());
  EXPECT_EQ(world_.run({"approve", id}).code(), 0) << "a person can";
  EXPECT_EQ(world_.exec(rm()).code(), 0);
  EXPECT_FALSE(is_there());
}

// It was adopted by the first process, and taken for a person's.
TEST_F(ApprovalsTest, NorCanOneWhoseRunnerWasKilled) {
  world_.expect_spilled_output();
  write_config("approvals: {queue: true, wait: false}\n");
  EXPECT_EQ(world_.exec(rm()).code(), 126);
  ASSERT_EQ(world_.exec("true").code(), 0);
  // All at once: what is left of them would end it with the runner.
  std::ofstream(world_.path("work/x.sh"))
      << "sleep 1; p=$$; all=\n"
         "while [ $p != " +
             std::to_string(world_.runner()->pid()) +
             " ] && [ $p -gt 1 ]; do\n"
             "  p=$(awk '/^PPid/ { print $2 }' /proc/$p/status); all=\"$p $all\"\n"
             "done\nkill -STOP $all; kill -9 $all; sleep 0.3\nTALARIA_HOME=" +
             world_.path("home") + " " + World::talaria() +
             " approve --all >said.new 2>&1\necho code=$? >>said.new\nmv said.new said\n";
  ASSERT_EQ(world_.exec("setsid -f bash ./x.sh").code(), 0);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/said")); }));
  const std::string said = world_.read("work/said");
  EXPECT_THAT(said, HasSubstr("a command cannot answer questions"));
  EXPECT_THAT(said, HasSubstr("code=1"));
  EXPECT_THAT(said, Not(HasSubstr("1 command"))) << "nothing was answered";
  EXPECT_EQ(world_.exec(rm()).code(), 126);
  EXPECT_TRUE(is_there());
}

// A script of the project is not read; what it starts is known by where it comes from.
TEST_F(ApprovalsTest, ACommandCannotSwitchThemOffOrMakeATokenOrAnOverride) {
  const std::string talaria = "env TALARIA_HOME=" + world_.path("home") + " " + World::talaria();
  const std::string yolo =
      R"({"id":1,"method":"approvals.yolo","params":{"session_key":"k","on":true}})";
  for (const std::string& text :
       {"echo '" + yolo + "' | " + talaria + " call --lines", talaria + " token add x --approve",
        talaria + " env override t cwd=/"}) {
    std::ofstream(world_.path("work/x.sh")) << text + " 2>&1\n";
    EXPECT_THAT(world_.exec("bash ./x.sh").out, HasSubstr("nor change who is asked")) << text;
  }
}

}  // namespace
}  // namespace talaria::test
