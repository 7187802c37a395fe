// Work beside the loop: the loop continues, errors come back, and a loop may end while work is
// under way.
#include "base/off_loop.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "testing/loop_gaps.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

constexpr auto kLong = std::chrono::milliseconds(400);

TEST(OffLoop, TheLoopGoesOn) {
  asio::io_context loop(1);
  const test::LoopGaps gaps(loop.get_executor());
  const auto answer = test::run_to_end(loop, off_loop([] {
                                         std::this_thread::sleep_for(kLong);
                                         return std::string("done");
                                       }));
  EXPECT_EQ(answer, "done");
  EXPECT_LT(gaps.longest(), kLong / 2);
}

TEST(OffLoop, ItsCallerContinuesOnTheLoop) {
  const auto here = std::this_thread::get_id();
  const auto threads = []() -> Task<std::pair<std::thread::id, std::thread::id>> {
    const auto there = co_await off_loop([] { return std::this_thread::get_id(); });
    co_return std::pair(there, std::this_thread::get_id());
  };
  const auto [there, back] = test::run_to_end(threads());
  EXPECT_NE(there, here);
  EXPECT_EQ(back, here);
}

TEST(OffLoop, AShortTextStays) {
  const auto thread_for = [](std::size_t bytes) {
    return test::run_to_end(off_loop_if_large(bytes, [] { return std::this_thread::get_id(); }));
  };
  EXPECT_EQ(thread_for(kMaxBytesOnLoop), std::this_thread::get_id());
  EXPECT_NE(thread_for(kMaxBytesOnLoop + 1), std::this_thread::get_id());
}

TEST(OffLoop, AnExceptionComesBack) {
  const auto thrower = []() -> int { throw std::runtime_error("broken"); };
  EXPECT_THROW(test::run_to_end(off_loop(thrower)), std::runtime_error);
}

TEST(OffLoop, ALoopThatEndsWaitsForWhatIsUnderWay) {
  const auto finished = std::make_shared<std::atomic<bool>>(false);
  {
    asio::io_context loop(1);
    asio::co_spawn(loop, off_loop([finished] {
                     std::this_thread::sleep_for(kLong);
                     finished->store(true);
                     return 0;
                   }),
                   [](const std::exception_ptr&, int) {});
    loop.run_for(kLong / 4);
  }
  EXPECT_TRUE(finished->load());
  EXPECT_EQ(finished.use_count(), 1);
}

}  // namespace
}  // namespace talaria
