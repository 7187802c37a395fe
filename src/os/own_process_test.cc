#include "os/own_process.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

namespace talaria::os {
namespace {

void expect_what_was_set() {
  const mode_t before = ::umask(0);
  for (const mode_t mask : {0u, 022u, 077u, 0777u}) {
    ::umask(mask);
    EXPECT_EQ(own_umask(), mask);
  }
  ::umask(before);
}

TEST(OwnUmask, IsWhatItWasSetToAlsoWhenThereAreThreads) {
  expect_what_was_set();
  std::thread(expect_what_was_set).join();
}

// A new session and another parent change nothing.
TEST(CommandMark, IsInherited) {
  EXPECT_FALSE(is_marked(::getpid()));
  const pid_t child = ::fork();
  if (child == 0) {
    mark_descendants();
    const pid_t below = ::fork();
    if (below == 0) {
      ::setsid();
      ::_exit(is_marked(::getpid()) ? 7 : 1);
    }
    int status = 0;
    ::waitpid(below, &status, 0);
    ::_exit(WEXITSTATUS(status));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_FALSE(is_marked(::getpid()));
}

}  // namespace
}  // namespace talaria::os
