#include "os/proc.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <gtest/gtest.h>

namespace talaria::os {
namespace {

TEST(ProcessStatusTest, TellsWhoWeAre) {
  const auto before = std::signal(SIGUSR2, [](int) {});
  const auto status = read_process_status(::getpid());
  std::signal(SIGUSR2, before);
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_EQ(status->parent, ::getppid());
  EXPECT_EQ(status->effective_user, ::geteuid());
  EXPECT_TRUE(status->catches(SIGUSR2));
  EXPECT_FALSE(read_process_status(::getpid())->catches(SIGUSR2));
  EXPECT_EQ(read_process_status(1)->effective_user, 0u);
}

TEST(ProcessStatusTest, TellsWhatIsBlocked) {
  sigset_t before;
  sigset_t added;
  ::sigemptyset(&added);
  ::sigaddset(&added, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &added, &before);
  EXPECT_TRUE(read_process_status(::getpid())->blocks(SIGUSR1));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_FALSE(read_process_status(::getpid())->blocks(SIGUSR1));
}

TEST(ProcessTree, KnowsDescendantsFromOthers) {
  EXPECT_TRUE(is_descendant(::getppid(), ::getpid()));
  EXPECT_FALSE(is_descendant(::getpid(), ::getpid()));
  EXPECT_FALSE(is_descendant(::getpid(), ::getppid()));
  EXPECT_FALSE(is_descendant(::getpid(), 0x3fffffff));
  const std::vector<ProcessStat> all = all_processes();
  EXPECT_NE(std::ranges::find(all, ::getpid(), &ProcessStat::pid), all.end());
}

TEST(ProcessStatusTest, FailsForOneThatIsNotThere) {
  EXPECT_FALSE(read_process_status(0x3fffffff));
}

}  // namespace
}  // namespace talaria::os
