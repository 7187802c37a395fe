#include "base/duration.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(Duration, HasANumberAndAUnit) {
  EXPECT_EQ(parse_duration("90s"), std::chrono::seconds(90));
  EXPECT_EQ(parse_duration("30m"), std::chrono::minutes(30));
  EXPECT_EQ(parse_duration("2h"), std::chrono::hours(2));
  EXPECT_EQ(parse_duration("7d"), std::chrono::days(7));
  for (const char* text : {"", "1", "h", "1.5h", "-1h", "0s", "1 h", "1h ", "1w", "1hh", "forever",
                           "99999999999999999999s", "40000d"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

}  // namespace
}  // namespace talaria
