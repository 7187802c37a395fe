// Files of a home at an ssh host, when a program is interrupted while it brings them back, and the
// files of homes that reach the same account.
#include <gmock/gmock.h>

#include "os/directory.h"
#include "targets/ssh_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class SshSyncTest : public SshTest {
 protected:
  void SetUp() override {
    SshTest::SetUp();
    if (!IsSkipped()) write_skill("a/SKILL.md", "old\n");
  }
  void write_skill(const std::string& name, const std::string& content) {
    const std::filesystem::path path = world_.path("home/skills/" + name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  std::string parts() const { return world_.path("home/talaria/sync/parts"); }
};

// It ended at once: a part of a file stayed among the skills, and the next program replaced what
// the target had by what was here.
TEST_F(SshSyncTest, AnInterruptedProgramLosesNothing) {
  const auto program = world_.start(
      {"exec", "cd ~/.hermes/skills/a && echo better >SKILL.md && truncate -s 700M big"});
  ASSERT_TRUE(eventually([&] { return !os::names_in(parts()).empty(); }, 2 * kPatience));
  program->kill(SIGINT);
  const auto ended = program->wait(kPatience);
  ASSERT_TRUE(ended);
  EXPECT_EQ(exit_code_of(*ended), 128 + SIGINT);
  EXPECT_THAT(os::names_in(parts()), IsEmpty());
  for (const auto& one :
       std::filesystem::recursive_directory_iterator(world_.path("home/skills"))) {
    EXPECT_FALSE(one.path().filename().string().starts_with(".talaria-")) << one.path();
  }
  EXPECT_THAT(world_.read("home/talaria/sync.log"), HasSubstr("It stays there"));

  const Finished next = world_.exec(
      "cd ~/.hermes/skills/a && cat SKILL.md && stat -c %s big && ls -A | wc -l && rm big");
  EXPECT_EQ(next.out, "better\n734003200\n2\n") << next.err;
  EXPECT_EQ(world_.read("home/skills/a/SKILL.md"), "better\n");
  std::filesystem::remove(world_.path("home/talaria/sync.log"));
}

TEST_F(SshSyncTest, DoctorSeesWhatAKilledProgramLeft) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  std::filesystem::create_directories(parts());
  std::filesystem::permissions(world_.path("home/talaria/sync"), std::filesystem::perms::owner_all);
  std::ofstream(parts() + "/.talaria-0123456789abcdef") << "x";
  write_skill("a/.talaria-0123456789abcdef", "x");
  const Finished seen = world_.run({"doctor"});
  EXPECT_THAT(seen.out, HasSubstr("a part of a file that was not brought back"));
  world_.run({"doctor", "--reap"});
  EXPECT_THAT(os::names_in(parts()), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(world_.path("home/skills/a/.talaria-0123456789abcdef")));
  std::filesystem::remove_all(world_.path("home/talaria/sync"));
}

// They had the same sessions.
TEST_F(SshSyncTest, HomesThatReachTheSameAccountHaveSessionsOfTheirOwn) {
  EXPECT_EQ(world_.run({"exec", "--task", "t", "export TOKEN=mine"}).code(), 0);
  const std::string first = world_.path("home");
  world_.set("TALARIA_HOME", world_.directory("other"));
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo \"<$TOKEN>\""}).out, "<>\n");
  world_.set("TALARIA_HOME", first);
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo \"<$TOKEN>\""}).out, "<mine>\n");
}

}  // namespace
}  // namespace talaria::test
