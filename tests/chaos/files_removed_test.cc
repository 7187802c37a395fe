// Somebody tidies up below a runner that is alive: its socket, its files, its whole directory.
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class FilesRemovedTest : public TalariaTest {
 protected:
  void SetUp() override {
    EXPECT_EQ(world_.exec("true").code(), 0);
    first_ = world_.runner();
    ASSERT_TRUE(first_);
  }

  std::string socket() const { return world_.runner_directory() + "/link-v1.sock"; }

  // As `rm -r` does it. What the runner just writes there keeps a directory from being empty: then
  // once more.
  static void remove_everything(const fs::path& path) {
    ASSERT_TRUE(eventually([&path] {
      std::error_code busy;
      fs::remove_all(path, busy);
      return !busy;
    })) << path;
  }
  void remove_directory() const { remove_everything(world_.runner_directory()); }

  bool serves_still() {
    return first_->alive() && world_.runner() && world_.runner()->pid() == first_->pid();
  }

  std::optional<Runner> first_;
};

// It held its lock, so no other could start, and every call waited in vain until its lease ended.
TEST_F(FilesRemovedTest, ARunnerPutsItsSocketBack) {
  for (int round = 0; round < 3; ++round) {
    fs::remove(socket());
    const Finished next = world_.exec("echo found");
    EXPECT_EQ(next.out, "found\n") << next.err;
    EXPECT_TRUE(serves_still());
  }
}

TEST_F(FilesRemovedTest, ARunnerWithoutCallsPutsItBackToo) {
  fs::remove(socket());
  EXPECT_TRUE(eventually([&] { return fs::exists(socket()) && serves_still(); }, seconds(5)));
}

TEST_F(FilesRemovedTest, ACommandUnderWayIsNotDisturbed) {
  LinesClient agent(world_);
  const int id =
      agent.send({.command = "touch ../on; until [ -e ../go ]; do sleep 0.01; done; echo whole"});
  ASSERT_TRUE(eventually([&] { return fs::exists(world_.path("on")); }));
  fs::remove(socket());
  EXPECT_EQ(world_.exec("touch ../go; echo other").out, "other\n");
  EXPECT_EQ(output_of(agent.result(id)), "whole");
  EXPECT_TRUE(serves_still());
}

TEST_F(FilesRemovedTest, ARunnerWhoseFilesAreAllGoneTakesItsPlaceAgain) {
  for (const auto& entry : fs::directory_iterator(world_.runner_directory())) {
    remove_everything(entry.path());
  }
  EXPECT_TRUE(eventually([&] { return fs::exists(socket()) && serves_still(); }, seconds(5)));
  EXPECT_EQ(world_.exec("echo found").out, "found\n");
}

// It stayed, where nobody could find it, until its lease ended.
TEST_F(FilesRemovedTest, ARunnerWithoutItsDirectoryEnds) {
  remove_directory();
  EXPECT_TRUE(first_->wait_gone(seconds(5)));
  EXPECT_FALSE(fs::exists(world_.runner_directory()));
  EXPECT_EQ(world_.exec("echo anew").out, "anew\n");
}

TEST_F(FilesRemovedTest, ARunnerWithoutItsDirectoryFinishesWhatItBegan) {
  LinesClient agent(world_);
  const int id =
      agent.send({.command = "touch ../on; until [ -e ../go ]; do sleep 0.01; done; echo whole"});
  ASSERT_TRUE(eventually([&] { return fs::exists(world_.path("on")); }));
  remove_directory();
  EXPECT_EQ(world_.exec("touch ../go; echo anew").out, "anew\n");
  EXPECT_NE(world_.runner()->pid(), first_->pid());
  EXPECT_EQ(output_of(agent.result(id)), "whole");
  EXPECT_EQ(agent.end(), 0);
  EXPECT_TRUE(first_->wait_gone(seconds(5)));
  // It did not take the socket of the new one with it.
  EXPECT_EQ(world_.exec("echo still").out, "still\n");
}

TEST_F(FilesRemovedTest, AMovedDirectoryIsLeftToItsMover) {
  fs::rename(world_.runner_directory(), world_.path("moved"));
  EXPECT_TRUE(first_->wait_gone(seconds(5)));
  EXPECT_EQ(world_.exec("echo anew").out, "anew\n");
}

}  // namespace
}  // namespace talaria::test
