#include "os/random.h"

#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace talaria::os {
namespace {

TEST(Random, AWordHasTwoDigitsPerByteAndIsNeverTheSame) {
  const std::string one = random_hex(16);
  EXPECT_EQ(one.size(), 32u);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(one, random_hex(16));
  EXPECT_EQ(random_hex(0), "");
}

// The kernel stops in the middle of a long request when a signal comes. What it had not filled
// stayed zero, and nobody looked.
TEST(Random, SignalsLeaveNoByteUnfilled) {
  struct sigaction on_alarm{};
  struct sigaction before{};
  on_alarm.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &on_alarm, &before);
  const itimerval often{.it_interval = {0, 200}, .it_value = {0, 200}};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  std::vector<std::byte> bytes(16u << 20);
  fill_random(bytes);
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  constexpr std::size_t kBlock = 64;  // so many zeros in a row do not happen by accident
  for (std::size_t at = 0; at < bytes.size(); at += kBlock) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    ASSERT_FALSE(std::all_of(begin, begin + kBlock, [](std::byte b) { return b == std::byte{}; }))
        << "at " << at;
  }
}

}  // namespace
}  // namespace talaria::os
