// Files of a home at an ssh host: what both sides change between programs, programs that are
// interrupted while they copy, and the files of homes that reach the same account.
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
  std::string skill() const { return world_.read("home/skills/a/SKILL.md"); }
  // What somebody changes at the host, where it is 2001.
  void write_there(const std::string& content) {
    server_->write(".hermes/skills/a/SKILL.md", content);
    std::filesystem::last_write_time(
        server_->home() + "/.hermes/skills/a/SKILL.md",
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 20));
  }
  // Copies that were kept, by their content. Removes them.
  std::vector<std::string> take_kept() {
    std::vector<std::string> found;
    for (const std::string& name : os::names_in(world_.path("home/talaria/sync/kept"))) {
      found.push_back(world_.read("home/talaria/sync/kept/" + name));
    }
    std::filesystem::remove_all(world_.path("home/talaria/sync/kept"));
    std::filesystem::remove(world_.path("home/talaria/sync.log"));
    return found;
  }
  // Whether the runner has a file open that has no name yet, below ~/.hermes.
  bool is_being_uploaded() const {
    const auto runner = there();
    if (!runner) return false;
    const std::string directory = "/proc/" + std::to_string(runner->pid()) + "/fd";
    for (const std::string& fd : os::names_in(directory)) {
      std::error_code none;
      const std::string path = std::filesystem::read_symlink(directory + "/" + fd, none);
      if (path.contains("/.hermes/") && path.ends_with("(deleted)")) return true;
    }
    return false;
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

// The next program compared times, and the clock there was behind.
TEST_F(SshSyncTest, TheNextProgramBringsBackWhatOnlyTheHostChanged) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  write_there("theirs\n");
  const Finished next = world_.exec("cat ~/.hermes/skills/a/SKILL.md");
  EXPECT_EQ(next.out, "theirs\n") << next.err;
  EXPECT_EQ(skill(), "theirs\n");
  EXPECT_THAT(take_kept(), IsEmpty());
}

// Our edit was put over what the host had, and nothing of that was kept.
TEST_F(SshSyncTest, WhatBothSidesChangedBetweenTwoProgramsIsNotLost) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  write_there("theirs\n");
  write_skill("a/SKILL.md", "ours, which is newer\n");
  const Finished next = world_.exec("cat ~/.hermes/skills/a/SKILL.md");
  EXPECT_EQ(next.out, "theirs\n") << next.err;
  EXPECT_EQ(skill(), "theirs\n");
  const Finished seen = world_.run({"doctor"});
  EXPECT_THAT(seen.out, HasSubstr("file conflicts"));
  EXPECT_THAT(seen.out, HasSubstr("1 in " + world_.path("home/talaria/sync/kept")));
  EXPECT_THAT(take_kept(), testing::ElementsAre("ours, which is newer\n"));
}

TEST_F(SshSyncTest, WithoutARecordNothingIsReplacedUnkept) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  std::filesystem::remove_all(world_.path("home/talaria/sync/record"));
  write_there("only there\n");
  const Finished next = world_.exec("cat ~/.hermes/skills/a/SKILL.md");
  EXPECT_EQ(next.out, "old\n");
  EXPECT_THAT(world_.run({"doctor"}).out, HasSubstr("1 in "));
  EXPECT_EQ(skill(), "old\n");
  EXPECT_THAT(take_kept(), testing::ElementsAre("only there\n"));
}

TEST_F(SshSyncTest, OnlyOurEditGoesThereAndNothingIsKept) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  write_skill("a/SKILL.md", "ours\n");
  EXPECT_EQ(world_.exec("cat ~/.hermes/skills/a/SKILL.md").out, "ours\n");
  EXPECT_THAT(take_kept(), IsEmpty());
}

// The way there: what the host has is the old file or the new one.
TEST_F(SshSyncTest, AProgramThatIsInterruptedWhileItCopiesLeavesTheOldFile) {
  write_skill("a/big", "small\n");
  ASSERT_EQ(world_.exec("true").code(), 0);
  std::filesystem::resize_file(world_.path("home/skills/a/big"), 300u << 20);
  const auto program = world_.start({"exec", "true"});
  ASSERT_TRUE(eventually([&] { return is_being_uploaded(); }));
  program->kill(SIGINT);
  const auto ended = program->wait(kPatience);
  ASSERT_TRUE(ended);
  EXPECT_EQ(exit_code_of(*ended), 128 + SIGINT) << program->err();
  EXPECT_EQ(server_->read(".hermes/skills/a/big"), "small\n");
  for (const auto& one :
       std::filesystem::recursive_directory_iterator(server_->home() + "/.hermes")) {
    EXPECT_FALSE(one.path().filename().string().starts_with(".talaria-")) << one.path();
  }
  EXPECT_EQ(std::filesystem::file_size(world_.path("home/skills/a/big")), 300u << 20);

  const Finished next = world_.exec("cd ~/.hermes/skills/a && stat -c %s big && ls -A | wc -l");
  EXPECT_EQ(next.out, "314572800\n2\n") << next.err;
  EXPECT_EQ(std::filesystem::file_size(world_.path("home/skills/a/big")), 300u << 20);
  EXPECT_THAT(take_kept(), IsEmpty());
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
