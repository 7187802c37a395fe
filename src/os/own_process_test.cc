#include "os/own_process.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(OwnUmask, IsWhatItWasSetTo) {
  const mode_t before = ::umask(0);
  for (const mode_t mask : {0u, 022u, 077u, 0777u}) {
    ::umask(mask);
    EXPECT_EQ(own_umask(), mask);
  }
  ::umask(before);
}

}  // namespace
}  // namespace talaria
