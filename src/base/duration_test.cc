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

TEST(Duration, SaysWhatIsWrong) {
  EXPECT_EQ(duration_flaw("99999d"), "'99999d' is too long; the maximum is 36500d");
  EXPECT_EQ(duration_flaw("99999999999999999999s"),
            "'99999999999999999999s' is too long; the maximum is 36500d");
  EXPECT_EQ(duration_flaw("0"), "expected a time above 0, such as 90s, 30m, 2h or 7d, got '0'");
  EXPECT_EQ(duration_flaw("0h"), "expected a time above 0, such as 90s, 30m, 2h or 7d, got '0h'");
  for (const char* text : {"", "1", "h", "1.5h", "-1h", "1w"}) {
    EXPECT_EQ(
        duration_flaw(text),
        "expected a time with a unit, such as 90s, 30m, 2h or 7d, got '" + std::string(text) + "'");
  }
}

TEST(Duration, OfANumberAloneIsInSeconds) {
  using std::chrono::milliseconds;
  EXPECT_EQ(parse_time("90"), milliseconds(90'000));
  EXPECT_EQ(parse_time("0.25"), milliseconds(250));
  EXPECT_EQ(parse_time("500ms"), milliseconds(500));
  EXPECT_EQ(parse_time("90s"), milliseconds(90'000));
  EXPECT_EQ(parse_time("2m"), milliseconds(120'000));
  EXPECT_EQ(parse_time("1.5h"), milliseconds(5'400'000));
  EXPECT_EQ(parse_time("1d"), milliseconds(86'400'000));
  EXPECT_EQ(parse_time("0"), milliseconds(0));
  for (const char* text : {"", "s", "-1", "1 m", "1w", "inf", "nan", "1e99", "2m ", "5min"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace talaria
