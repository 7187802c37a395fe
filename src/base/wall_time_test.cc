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

TEST(WallTime, BeginsWithWholeParts) {
  for (const char* text :
       {"2026-11", "2026-11-15", "2028-02-29", "2026-11-15T14", "2026-11-15T14:59",
        "2026-11-15T14:00:00", "2026-11-15T14:00:00.042", "2026-11-15T14:00:00.042Z"}) {
    EXPECT_TRUE(begins_utc_time(text)) << text;
  }
  for (const char* text : {"", "2026", "2026-", "2026-1", "2026-13", "2026-99-99", "2026-02-29",
                           "2026-11-31", "2026-11-15T24", "2026-11-15T14:60", "2026-11-15 14",
                           "2026-11-15T14:00:00.042Zx", "2026-xx"}) {
    EXPECT_FALSE(begins_utc_time(text)) << text;
  }
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
