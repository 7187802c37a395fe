#include "link/limits.h"
#include "runner/run_report.h"
#include "testing/runner/run_fixture.h"

namespace talaria::runner {
namespace {

class ListRoomTest : public RunFixture {
 protected:
  // One about which there is as much to say as there can be.
  std::shared_ptr<talaria::runner::Run> wordy() {
    RunRequest asked = request("seq 1000 #" + std::string(2 * kStoredCommand, 'c'));
    asked.spec.lifetime = link::ProcessLifetime::session;
    asked.spec.process = std::string(128, 'p');
    asked.spec.owner = std::string(link::kMaxId, 'o');
    asked.spec.watch.assign(kMaxWatched, std::string(kMaxWatchedBytes, 'w'));
    const std::string deep = "/" + std::string(200, 'd') + "/" + std::string(200, 'd');
    std::filesystem::create_directories(root_ + deep);
    asked.place.workdir = root_ + deep;
    auto run = start(std::move(asked));
    EXPECT_TRUE(ends(*run));
    return run;
  }
};

TEST_F(ListRoomTest, TheMostThereCanBeFitsIntoAMessage) {
  const auto run = wordy();
  ListRoom room;
  link::ListReport report;
  for (std::size_t i = 0; i < kMaxRunning + kMostFinishedBackground + kMaxFinished; ++i) {
    report.processes.push_back(room.entry(*run, 1000));
  }
  EXPECT_EQ(report.processes.front().watch.size(), kMaxWatched);
  EXPECT_EQ(report.processes.front().command.size(), kStoredCommand);
  EXPECT_TRUE(report.processes.front().tail.ends_with("1000\n"));
  EXPECT_EQ(report.processes.back().command.size(), kShownCommand);
  EXPECT_EQ(report.processes.back().owner.size(), link::kMaxId);
  EXPECT_LE(link::encode(report).size(), link::kMaxMessage);
}

TEST_F(ListRoomTest, OneIsToldInFull) {
  const auto run = wordy();
  const link::ProcessEntry listed = ListRoom().entry(*run, 100);
  EXPECT_EQ(listed.cwd, run->record().started_in);
  EXPECT_EQ(listed.tail.size(), 100u);
  EXPECT_EQ(listed.tail_from, run->output().total() - 100);
  EXPECT_TRUE(ListRoom().entry(*run, 0).tail.empty());
}

}  // namespace
}  // namespace talaria::runner
