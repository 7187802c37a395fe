#include "environment/singularity/snapshots.h"

#include "environment/singularity/singularity_test_support.h"
#include "testing/run_to_end.h"

namespace talaria::environment::singularity {
namespace {

using SnapshotsTest = SingularityTest;

TEST_F(SnapshotsTest, ASnapshotIsNotedBesideTheOthers) {
  ASSERT_TRUE(test::run_to_end(note_snapshot(directory_, "a", "/scratch/overlay-a")));
  ASSERT_TRUE(test::run_to_end(note_snapshot(directory_, "b", "/scratch/overlay-b")));
  ASSERT_TRUE(test::run_to_end(note_snapshot(directory_, "a", "/scratch/overlay-c")));
  EXPECT_EQ(content("singularity_snapshots.json"),
            "{\"a\":\"/scratch/overlay-c\",\"b\":\"/scratch/overlay-b\"}\n");
  const auto written = std::filesystem::last_write_time(directory_ + "/singularity_snapshots.json");
  ASSERT_TRUE(test::run_to_end(note_snapshot(directory_, "a", "/scratch/overlay-c")));
  EXPECT_EQ(std::filesystem::last_write_time(directory_ + "/singularity_snapshots.json"), written);
}

TEST_F(SnapshotsTest, AFileThatIsNoListOfSnapshotsIsLeftAlone) {
  ASSERT_TRUE(os::replace_file(directory_ + "/singularity_snapshots.json", "precious"));
  const auto noted = test::run_to_end(note_snapshot(directory_, "a", "/x"));
  ASSERT_FALSE(noted);
  EXPECT_NE(noted.error().message().find("singularity_snapshots.json"), std::string::npos);
  EXPECT_EQ(content("singularity_snapshots.json"), "precious");
}

}  // namespace
}  // namespace talaria::environment::singularity
