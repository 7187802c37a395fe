#include "environment/singularity/lease.h"

#include <gmock/gmock.h>

#include "environment/singularity/singularity_test_support.h"
#include "environment/singularity/snapshots.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

using LeaseTest = SingularityTest;

TEST_F(LeaseTest, WhatIsWrittenIsFoundAgain) {
  const LeasePlace place(directory_, "../a task");
  ASSERT_TRUE(place.make());
  EXPECT_FALSE(place.read());
  const InstanceLease lease{.task = "../a task",
                            .instance = "hermes_0123456789ab",
                            .program = "/usr/bin/apptainer",
                            .arguments = {"instance", "start", "x.sif"}};
  ASSERT_TRUE(place.write(lease));
  const auto again = LeasePlace(directory_, "../a task").read();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->task, lease.task);
  EXPECT_EQ(again->instance, lease.instance);
  EXPECT_EQ(again->program, lease.program);
  EXPECT_EQ(again->arguments, lease.arguments);
  EXPECT_FALSE(LeasePlace(directory_, "another").read());

  const auto all = instance_leases(directory_);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].lease.instance, lease.instance);
  EXPECT_EQ(all[0].path, place.path());
  EXPECT_LT(std::chrono::system_clock::now() - all[0].last_use, std::chrono::minutes(1));
  place.remove();
  EXPECT_TRUE(instance_leases(directory_).empty());
}

TEST_F(LeaseTest, AFileThatMakesNoSenseIsNoLease) {
  const LeasePlace place(directory_, "t");
  ASSERT_TRUE(place.make());
  for (const char* text : {"", "{}", "[]", "{\"task\":1,\"instance\":\"x\"}"}) {
    ASSERT_TRUE(replace_file(place.path(), text));
    EXPECT_FALSE(place.read()) << text;
  }
}

TEST_F(LeaseTest, ASnapshotIsNotedBesideTheOthers) {
  ASSERT_TRUE(run_to_end(note_snapshot(directory_, "a", "/scratch/overlay-a")));
  ASSERT_TRUE(run_to_end(note_snapshot(directory_, "b", "/scratch/overlay-b")));
  ASSERT_TRUE(run_to_end(note_snapshot(directory_, "a", "/scratch/overlay-c")));
  EXPECT_EQ(content("singularity_snapshots.json"),
            "{\"a\":\"/scratch/overlay-c\",\"b\":\"/scratch/overlay-b\"}\n");
  const auto written = std::filesystem::last_write_time(directory_ + "/singularity_snapshots.json");
  ASSERT_TRUE(run_to_end(note_snapshot(directory_, "a", "/scratch/overlay-c")));
  EXPECT_EQ(std::filesystem::last_write_time(directory_ + "/singularity_snapshots.json"), written);
}

TEST_F(LeaseTest, AFileThatIsNoListOfSnapshotsIsLeftAlone) {
  ASSERT_TRUE(replace_file(directory_ + "/singularity_snapshots.json", "precious"));
  const auto noted = run_to_end(note_snapshot(directory_, "a", "/x"));
  ASSERT_FALSE(noted);
  EXPECT_NE(noted.error().message().find("singularity_snapshots.json"), std::string::npos);
  EXPECT_EQ(content("singularity_snapshots.json"), "precious");
}

}  // namespace
}  // namespace talaria
