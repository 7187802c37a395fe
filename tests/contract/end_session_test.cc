// Sessions that nobody will use again.
#include <filesystem>

#include "support/process_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;

class EndSessionTest : public ProcessTest {
 protected:
  std::size_t files_in(const std::string& folder) const {
    std::error_code none;
    std::size_t count = 0;
    for (fs::directory_iterator file(world_.runner_directory() + "/" + folder, none), end;
         !none && file != end; file.increment(none)) {
      ++count;
    }
    return count;
  }
  std::uint32_t sessions() { return wire_->ask<link::StatusReport>(link::Status{}).sessions; }
};

TEST_F(EndSessionTest, NothingIsKeptOfItNorOfWhatRanInIt) {
  link::Start first = background("p1", "echo output; true");
  first.session = "over";
  start(std::move(first));
  wait("p1");
  link::Start other = background("p2", "echo other");
  other.session = "goes-on";
  start(std::move(other));
  wait("p2");
  const std::uint32_t before = sessions();
  const std::size_t jobs = files_in("jobs");

  EXPECT_EQ(wire_->kind_of(link::EndSession{.session = "over"}), "");
  EXPECT_EQ(sessions(), before - 1);
  EXPECT_EQ(files_in("jobs"), jobs - 1);
  EXPECT_EQ(wire_->kind_of(link::Wait{.process = "p1"}), "not_found");
  EXPECT_EQ(wait("p2").tail, "other\n");
  EXPECT_EQ(wire_->kind_of(link::EndSession{.session = "over"}), "") << "it is over already";
  EXPECT_EQ(wire_->kind_of(link::EndSession{}), "bad_request");
}

TEST_F(EndSessionTest, WhileSomethingOfItRunsItIsRefused) {
  link::Start first = background("p1", "sleep 300");
  first.session = "busy";
  start(std::move(first));
  EXPECT_EQ(wire_->kind_of(link::EndSession{.session = "busy"}), "unavailable");
  wire_->ask<link::KillReport>(link::Kill{.process = "p1"});
  EXPECT_TRUE(
      eventually([&] { return wire_->kind_of(link::EndSession{.session = "busy"}).empty(); }));
}

// Also if it has long been on disk only.
TEST_F(EndSessionTest, WhatIsOnDiskIsRemoved) {
  EXPECT_EQ(world_.run({"exec", "--task", "kept", "export A=1"}).code(), 0);
  ASSERT_TRUE(world_.stop_runner());
  const std::size_t files = files_in("sessions");
  ASSERT_GT(files, 0u);
  ASSERT_EQ(world_.exec("true").code(), 0);  // another runner
  Wire wire(world_.runner_directory());
  EXPECT_EQ(wire.kind_of(link::EndSession{.session = "kept"}), "");
  EXPECT_LT(files_in("sessions"), files);
  EXPECT_EQ(trim_end(world_.run({"exec", "--task", "kept", "echo \"[$A]\""}).out), "[]");
}

}  // namespace
}  // namespace talaria::test
