#include "policy/guard/run/arithmetic.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

std::optional<std::int64_t> computed(std::string_view text) {
  return compute_sum(text, [](std::string_view name) -> std::optional<std::string> {
    if (name == "n") return "6";
    if (name == "m") return "n / 2";
    if (name == "loop") return "loop";
    return std::nullopt;
  });
}

TEST(ArithmeticTest, ComputesSums) {
  EXPECT_EQ(computed("2/2"), 1);
  EXPECT_EQ(computed(" ( 3 + 1 ) / 4 "), 1);
  EXPECT_EQ(computed("1 - 2 - 3"), -4);
  EXPECT_EQ(computed("-1"), -1);
  EXPECT_EQ(computed("2 + 3 * 4 % 5"), 4);
  EXPECT_EQ(computed("n - m"), 3);
}

TEST(ArithmeticTest, TellsNothingOfTheRest) {
  for (const char* text : {"1 << 2", "x", "a[1]", "1/0", "0x1f", "010", "1 ? 2 : 3", "i++", "n = 1",
                           "(1", "1 2", "", "99999999999", "loop", "1,2", "~1"}) {
    EXPECT_EQ(computed(text), std::nullopt) << text;
  }
  EXPECT_EQ(computed(std::string(100, '(') + "1" + std::string(100, ')')), std::nullopt);
}

}  // namespace
}  // namespace talaria::guard
