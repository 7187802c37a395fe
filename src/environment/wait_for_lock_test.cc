#include "environment/wait_for_lock.h"

#include <filesystem>
#include <optional>

#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include "os/directory.h"
#include "os/file_lock.h"
#include "testing/run_to_end.h"

namespace talaria::environment {
namespace {

using std::chrono::milliseconds;

class WaitForLockTest : public testing::Test {
 protected:
  ~WaitForLockTest() override { std::filesystem::remove_all(directory_); }

  std::string directory_ = *os::make_fresh_directory("/tmp/talaria-test-");
  std::string path_ = directory_ + "/lock";
};

TEST_F(WaitForLockTest, ItIsHadOnceTheOtherLetsGo) {
  asio::io_context loop(1);
  auto held = *os::try_lock_file(path_);
  ASSERT_TRUE(held);
  asio::steady_timer later(loop, milliseconds(30));
  later.async_wait([&](auto) { held.reset(); });
  const auto lock = test::run_to_end(loop, wait_for_lock(path_, milliseconds(10'000)));
  ASSERT_TRUE(lock) << lock.error().message();
  EXPECT_FALSE(held);
  EXPECT_TRUE(os::is_locked(path_));
}

TEST_F(WaitForLockTest, WhoHasItForTooLongIsNamed) {
  const auto held = *os::try_lock_file(path_);
  const auto lock = test::run_to_end(wait_for_lock(path_, milliseconds(20)));
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind(), ErrorKind::timed_out);
  EXPECT_NE(lock.error().message().find("pid " + std::to_string(::getpid())), std::string::npos);
}

TEST_F(WaitForLockTest, OfAPassingOneNothingIsLeftAndWhoWaitedHasIt) {
  asio::io_context loop(1);
  std::optional<PassingLock> held;
  held.emplace(*test::run_to_end(loop, wait_for_passing_lock(path_, milliseconds(1000))));
  asio::steady_timer later(loop, milliseconds(30));
  later.async_wait([&](auto) { held.reset(); });
  {
    const auto lock = test::run_to_end(loop, wait_for_passing_lock(path_, milliseconds(10'000)));
    ASSERT_TRUE(lock) << lock.error().message();
    EXPECT_TRUE(os::is_locked(path_));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace talaria::environment
