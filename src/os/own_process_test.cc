#include "os/own_process.h"

#include <sys/stat.h>

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

}  // namespace
}  // namespace talaria::os
