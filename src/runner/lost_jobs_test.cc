#include <csignal>

#include <gtest/gtest.h>

#include "os/proc.h"
#include "os/signal.h"
#include "os/spawn.h"
#include "runner/job_journal.h"

namespace talaria::runner {
namespace {

// A shell that leads a session of its own, with a child of another process group in it.
class LostJobsTest : public testing::Test {
 protected:
  LostJobsTest() {
    const os::SpawnSpec spec{.path = "/bin/bash",
                             .argv = {"bash", "-c", "set -m; sleep 300 & sleep 300"},
                             .env = {},
                             .fds = {-1, -1, -1}};
    pid_ = *os::spawn_process(spec);
    while (os::descendants(pid_).size() < 2) ::usleep(1000);
    children_ = os::descendants(pid_);
  }
  ~LostJobsTest() override {
    for (const pid_t pid : children_) ::kill(pid, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  Job job() const {
    return {.entry = {.process = "p", .pid = static_cast<std::uint64_t>(pid_), .running = true},
            .start_time = os::read_process_stat(pid_)->start_time,
            .boot_id = "boot"};
  }
  static bool lives(pid_t pid) {
    const auto stat = os::read_process_stat(pid);
    return stat && stat->state != 'Z';
  }
  bool all_live() const { return lives(pid_) && lives(children_[0]) && lives(children_[1]); }

  pid_t pid_ = 0;
  std::vector<pid_t> children_;
};

TEST_F(LostJobsTest, TheWholeTreeIsEnded) {
  end_lost_jobs({job()}, "boot");
  EXPECT_FALSE(lives(pid_));
  EXPECT_FALSE(lives(children_[0]));
  EXPECT_FALSE(lives(children_[1]));
}

TEST_F(LostJobsTest, APidThatWasReusedIsNeverSignalled) {
  Job other = job();
  ++other.start_time;
  end_lost_jobs({other}, "boot");
  EXPECT_TRUE(all_live());
}

TEST_F(LostJobsTest, NeitherIsOneOfAnotherBoot) {
  end_lost_jobs({job()}, "another boot");
  end_lost_jobs({job()}, "");
  EXPECT_TRUE(all_live());
}

TEST_F(LostJobsTest, AJobThatHadEndedIsLeftAlone) {
  Job ended = job();
  ended.entry.running = false;
  end_lost_jobs({ended}, "boot");
  EXPECT_TRUE(all_live());
}

}  // namespace
}  // namespace talaria::runner
