#include "base/wall_time.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

namespace talaria {
namespace {

constexpr std::chrono::system_clock::time_point kWhen{std::chrono::milliseconds(1'763'215'200'042)};

TEST(WallTime, OfTheWorld) {
  EXPECT_EQ(utc_time(kWhen), "2025-11-15T14:00:00");
  EXPECT_EQ(utc_time(kWhen, "%a, %d %b %Y %H:%M:%S GMT"), "Sat, 15 Nov 2025 14:00:00 GMT");
  EXPECT_EQ(utc_time_ms(kWhen), "2025-11-15T14:00:00.042Z");
  EXPECT_EQ(utc_time_ms({}), "1970-01-01T00:00:00.000Z");
}

TEST(WallTime, OfThisMachine) {
  const char* const before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TZ", "UTC-2", 1);
  ::tzset();
  EXPECT_EQ(local_time(kWhen), "2025-11-15T16:00:00");
  EXPECT_EQ(local_time(kWhen, "%H:%M:%S"), "16:00:00");
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", kept.c_str(), 1);
  ::tzset();
}

}  // namespace
}  // namespace talaria
