#include "base/signal_name.h"

#include <csignal>

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(SignalNumber, TakesWhatKillTakes) {
  EXPECT_EQ(signal_number("INT"), SIGINT);
  EXPECT_EQ(signal_number("SIGINT"), SIGINT);
  EXPECT_EQ(signal_number("sigterm"), SIGTERM);
  EXPECT_EQ(signal_number("9"), SIGKILL);
  EXPECT_EQ(signal_number("RTMIN+1"), SIGRTMIN + 1);
  EXPECT_EQ(signal_number("SIGRTMIN"), SIGRTMIN);
  for (const char* wrong : {"", "SIG", "NONE", "0", "-1", "65", "2x", "RTMIN+", "RTMIN+99"}) {
    EXPECT_EQ(signal_number(wrong), std::nullopt) << wrong;
  }
}

TEST(SignalName, EveryOneIsFoundAgainByIt) {
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number > SIGSYS && number < SIGRTMIN) continue;  // the C library's own
    EXPECT_EQ(signal_number(signal_name(number)), number) << signal_name(number);
  }
}

}  // namespace
}  // namespace talaria
