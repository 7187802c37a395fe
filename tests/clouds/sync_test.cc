// Files of a home in a sandbox of Modal or Daytona, when a program is interrupted while it brings
// them back. A sandbox that is not kept was deleted with them.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "clouds/daytona_fixture.h"
#include "clouds/modal_test.h"
#include "os/directory.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

void write_skill(const World& world) {
  std::ofstream(world.directory("home/skills/a") + "/SKILL.md") << "old\n";
}

// Changes a skill there, and is interrupted while that comes back. Returns what it said.
std::string interrupted(World& world) {
  const auto program = world.start(
      {"exec", "cd ~/.hermes/skills/a && echo better >SKILL.md && truncate -s 200M big"});
  const std::string parts = world.path("home/talaria/sync/parts");
  EXPECT_TRUE(eventually([&] { return !os::names_in(parts).empty(); }, 2 * kPatience));
  program->kill(SIGINT);
  const auto ended = program->wait(2 * kPatience);
  EXPECT_TRUE(ended);
  if (ended) EXPECT_EQ(exit_code_of(*ended), 128 + SIGINT);
  EXPECT_THAT(os::names_in(parts), IsEmpty());
  EXPECT_THAT(os::names_in(world.path("home/skills/a")), testing::Not(testing::Contains("big")));
  EXPECT_THAT(world.read("home/talaria/sync.log"), HasSubstr("It stays there"));
  std::filesystem::remove(world.path("home/talaria/sync.log"));
  return program->err();
}

// The next program has it all, and brings it back.
void expect_nothing_lost(World& world) {
  const Finished next =
      world.exec("cd ~/.hermes/skills/a && cat SKILL.md && stat -c %s big; rm big");
  EXPECT_EQ(next.out, "better\n209715200\n") << next.err;
  EXPECT_EQ(world.read("home/skills/a/SKILL.md"), "better\n");
  EXPECT_THAT(os::names_in(world.path("home/talaria/sync/kept")), IsEmpty());
}

void let_an_hour_pass(const World& world) {
  const std::string directory = world.path("home/talaria/leases");
  for (const std::string& name : os::names_in(directory)) {
    if (!name.starts_with("sandbox-")) continue;
    const std::filesystem::path lease = directory + "/" + name;
    const auto last = std::filesystem::last_write_time(lease);
    std::filesystem::last_write_time(lease, last - std::chrono::hours(1));
  }
}

TEST_F(ModalTest, AnInterruptedProgramLosesNothing) {
  for (const bool persistent : {true, false}) {
    SCOPED_TRACE(persistent);
    begin();
    write_skill(world_);
    world_.set("TERMINAL_CONTAINER_PERSISTENT", persistent ? "true" : "false");
    const std::string said = interrupted(world_);
    if (!persistent) {
      EXPECT_EQ(count("SandboxTerminateV2"), 0u);
      EXPECT_THAT(said, HasSubstr("sandbox " + only_sandbox() + " were not all brought back"));
      EXPECT_THAT(said, HasSubstr("`talaria env rm default --yes`"));
    }
    expect_nothing_lost(world_);
    EXPECT_EQ(count("SandboxCreateV2"), persistent ? 2u : 1u);
    EXPECT_TRUE(nothing_left());
  }
}

// As the notice says. A sweep ends others that were not used for some minutes.
TEST_F(ModalTest, ASandboxThatWasLeftWithFilesIsRemovedOnRequestOnly) {
  write_skill(world_);
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  interrupted(world_);
  let_an_hour_pass(world_);
  world_.run({"doctor", "--reap", "--running"});
  EXPECT_EQ(cloud_->sandboxes().size(), 1u);
  const Finished removed = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_TRUE(nothing_left());
  EXPECT_THAT(leases(), IsEmpty());
}

TEST_F(DaytonaTest, WhatIsChangedThereComesBack) {
  write_skill(world_);
  run("cd ~/.hermes/skills/a && echo better >SKILL.md && echo new >more.md");
  EXPECT_EQ(world_.read("home/skills/a/SKILL.md"), "better\n");
  EXPECT_EQ(world_.read("home/skills/a/more.md"), "new\n");
}

TEST_F(DaytonaTest, AnInterruptedProgramLosesNothing) {
  for (const bool persistent : {true, false}) {
    SCOPED_TRACE(persistent);
    begin();
    write_skill(world_);
    world_.set("TERMINAL_CONTAINER_PERSISTENT", persistent ? "true" : "false");
    const std::string said = interrupted(world_);
    ASSERT_EQ(cloud_->sandboxes().size(), 1u);
    const std::string name(cloud_->sandboxes()[0].at("name").as_string());
    EXPECT_TRUE(becomes("stopped", name));
    EXPECT_EQ(count("DELETE /sandbox/:sandbox"), 0u);
    EXPECT_THAT(said, HasSubstr("sandbox " + name + " were not all brought back"));
    EXPECT_THAT(said, HasSubstr("`talaria env rm default --yes`"));
    expect_nothing_lost(world_);
    EXPECT_EQ(count("POST /sandbox"), 1u);
    if (!persistent) EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
  }
}

TEST_F(DaytonaTest, ASandboxThatWasLeftWithFilesIsRemovedOnRequestOnly) {
  write_skill(world_);
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  interrupted(world_);
  let_an_hour_pass(world_);
  world_.run({"doctor", "--reap", "--running"});
  EXPECT_EQ(cloud_->sandboxes().size(), 1u);
  const Finished removed = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
  EXPECT_THAT(leases(), IsEmpty());
}

}  // namespace
}  // namespace talaria::test
