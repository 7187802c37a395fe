#include "environment/singularity/scratch.h"

#include "environment/singularity/names.h"
#include "environment/singularity/singularity_test_support.h"
#include "testing/run_to_end.h"

namespace talaria::environment::singularity {
namespace {

class ScratchTest : public SingularityTest {
 protected:
  ScratchRules rules() const {
    return {.sandbox_dir = directory_ + "/sandboxes",
            .user = "me",
            .site_scratch = directory_ + "/scratch"};
  }
};

TEST_F(ScratchTest, WhatWasSaidWins) {
  std::filesystem::create_directories(directory_ + "/scratch");
  ScratchRules said = rules();
  said.scratch_dir = directory_ + "/said";
  const auto scratch = make_scratch(said);
  ASSERT_TRUE(scratch) << scratch.error().message();
  EXPECT_EQ(scratch->directory, directory_ + "/said");
  EXPECT_EQ(scratch->cache, directory_ + "/said/.apptainer");
  EXPECT_TRUE(os::is_plain_directory(scratch->cache));
}

TEST_F(ScratchTest, ThenTheUsersOwnPartOfAClustersScratch) {
  std::filesystem::create_directories(directory_ + "/scratch");
  ScratchRules said = rules();
  said.cache_dir = directory_ + "/cache";
  EXPECT_EQ(make_scratch(said)->directory, directory_ + "/scratch/me/hermes-agent");
  EXPECT_EQ(make_scratch(said)->cache, directory_ + "/cache");
  said.user = "";
  EXPECT_EQ(make_scratch(said)->directory, directory_ + "/scratch/hermes/hermes-agent");
}

TEST_F(ScratchTest, ElseTheSandboxDirectory) {
  EXPECT_EQ(make_scratch(rules())->directory, directory_ + "/sandboxes/singularity");
}

TEST_F(ScratchTest, OneThatCannotBeMadeIsAnErrorThatNamesIt) {
  ASSERT_TRUE(os::replace_file(directory_ + "/file", ""));
  ScratchRules said = rules();
  said.scratch_dir = directory_ + "/file/x";
  const auto scratch = make_scratch(said);
  ASSERT_FALSE(scratch);
  EXPECT_NE(scratch.error().message().find(said.scratch_dir), std::string::npos);
}

TEST_F(ScratchTest, AnOverlayStaysInsideWhateverItsTaskIsCalled) {
  const Scratch scratch{.directory = directory_};
  const auto overlay = make_overlay(scratch, overlay_name("../../x"));
  ASSERT_TRUE(overlay) << overlay.error().message();
  EXPECT_EQ(std::filesystem::path(*overlay).parent_path(), directory_ + "/hermes-overlays");
  EXPECT_TRUE(os::is_plain_directory(*overlay));
  EXPECT_EQ(*make_overlay(scratch, overlay_name("t")), directory_ + "/hermes-overlays/overlay-t");
  EXPECT_EQ(std::filesystem::status(directory_ + "/hermes-overlays").permissions(),
            std::filesystem::perms::owner_all);
}

TEST_F(ScratchTest, MuchThatIsKeptIsWarnedOf) {
  std::filesystem::create_directories(directory_ + "/hermes-overlays");
  std::filesystem::create_directories(directory_ + "/other");
  ASSERT_TRUE(os::replace_file(directory_ + "/hermes-overlays/x", std::string(3 << 20, 'x')));
  ASSERT_TRUE(os::replace_file(directory_ + "/other/x", std::string(30 << 20, 'x')));
  const double three_mb = 3.0 / 1024;
  EXPECT_EQ(test::run_to_end(disk_warning(directory_, three_mb * 2)), "");
  EXPECT_EQ(test::run_to_end(disk_warning(directory_, three_mb / 2)),
            "Disk usage (0.0GB) exceeds threshold (0GB). Consider running "
            "cleanup_all_environments().");
  EXPECT_EQ(test::run_to_end(disk_warning(directory_ + "/nowhere", 0)), "");
}

}  // namespace
}  // namespace talaria::environment::singularity
