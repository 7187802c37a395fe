#include "policy/guard/run/arithmetic.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

std::optional<std::string> no_variable(const std::string& name) {
  if (name == "n") return "2+1";
  if (name == "empty") return "";
  if (name == "loop") return "loop";
  return std::nullopt;
}

TEST(ArithmeticTest, ComputesAsBashDoes) {
  const struct {
    const char* text;
    std::int64_t value;
  } cases[] = {
      {"2/2", 1},       {"", 0},          {"-7/2", -3}, {"-7%3", -1},   {"2**3**2", 512},
      {"-2**2", 4},     {"1<<4|1", 17},   {"0x1F", 31}, {"010", 8},     {"2#101", 5},
      {"36#z", 35},     {"64#@", 62},     {"1?2:3", 2}, {"0?1/0:5", 5}, {"0&&1/0", 0},
      {"1||1/0", 1},    {"3>2", 1},       {"!5", 0},    {"~0", -1},     {"- -1", 1},
      {"--1", 1},       {"(1+2)*3", 9},   {"n*2", 6},   {"empty", 0},   {"x=4,x*2", 8},
      {"x=4, x+=1", 5}, {"x=4,x++,x", 5}, {"2==2", 1},  {"1<=1", 1},    {" 1 +\t1 ", 2},
      {"5^1", 4},       {"6&3", 2},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto result = evaluate_arithmetic(c.text, no_variable);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->value, c.value);
  }
}

TEST(ArithmeticTest, SaysNothingOfWhatItCannotTell) {
  for (const char* text : {"y", "1/0", "1%0", "a[1]", "1 2", "(1", "2#3", "08", "1+", "loop",
                           "2**-1", "1?2", "65#1", "0xg"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(evaluate_arithmetic(text, no_variable));
  }
  EXPECT_FALSE(evaluate_arithmetic(std::string(100'000, '('), no_variable));
}

TEST(ArithmeticTest, SaysWhatItAssigns) {
  const auto result = evaluate_arithmetic("x = 6/2, 0 && (y = 1)", no_variable);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->assigned.at("x"), 3);
  EXPECT_FALSE(result->assigned.contains("y"));
  EXPECT_TRUE(result->constant);
  EXPECT_FALSE(evaluate_arithmetic("n", no_variable)->constant);
}

}  // namespace
}  // namespace talaria::guard
