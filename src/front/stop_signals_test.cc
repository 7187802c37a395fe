#include "front/stop_signals.h"

#include <signal.h>

#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace talaria::front {
namespace {

bool is_blocked(int signal) {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

TEST(StopSignals, TellsTheFirstSignal) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    asio::io_context loop(1);
    std::vector<int> received;
    {
      StopSignals signals(loop.get_executor(), [&](int number) { received.push_back(number); });
      ::raise(signal);
      loop.run_one();
    }
    EXPECT_EQ(received, std::vector<int>{signal});
    loop.run();  // nothing is left that could touch the object
  }
}

TEST(StopSignals, PutsTheSignalMaskBack) {
  asio::io_context loop(1);
  ASSERT_FALSE(is_blocked(SIGINT));
  {
    StopSignals signals(loop.get_executor(), [](int) {});
    EXPECT_TRUE(is_blocked(SIGINT));
  }
  EXPECT_FALSE(is_blocked(SIGINT));
}

TEST(StopSignals, ASignalToldAfterTheEndTouchesNothing) {
  asio::io_context loop(1);
  {
    StopSignals signals(loop.get_executor(), [](int) { FAIL(); });
    loop.poll();
  }
  loop.restart();
  loop.run();
}

TEST(StopSignalsDeathTest, TheSecondSignalEndsTheProcessAtOnce) {
  EXPECT_EXIT(
      {
        asio::io_context loop(1);
        StopSignals signals(loop.get_executor(), [](int) { ::raise(SIGTERM); });
        ::raise(SIGINT);
        loop.run();
      },
      testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace talaria::front
