#include "host/config/value.h"

#include <string>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace talaria::host {
namespace {

std::string shown(const Setting& setting, const WrittenValue& written) {
  const auto value = parse_value(setting, written);
  return value ? json::serialize(*value) : "expected " + value.error();
}

TEST(SettingValue, IsWhatItsTypeSays) {
  using enum SettingType;
  const Setting integer_row{"A", "", integer, "1", "", {.least = 1, .most = 10}};
  const Setting number_row{"A", "", number, "1", "", {.least = 0.001, .most = 10}};
  const Setting time_row{"A", "", time, "1", "", {.least = 1, .most = 10'000}};
  const Setting fine_row{"A", "", fine_time, "1", "", {.least = 0.001, .most = 10'000}};
  const Setting boolean_row{"A", "", boolean, "false", ""};
  const Setting flag_row{"A", "", flag, "", ""};
  const Setting choice_row{"A", "", choice, "a", "", {.choices = "a real=host,user last"}};
  const Setting pair_row{"A", "", choice, "a", "", {.choices = "a b"}};
  const Setting text_row{"A", "", text, "", ""};
  const Setting list_row{"A", "", list, "[]", ""};
  const Setting object_row{"A", "", object, "{}", ""};
  const struct {
    const Setting& setting;
    std::string written;
    std::string expected;
  } cases[] = {
      {integer_row, " 7 ", "7"},
      {integer_row, "7.5", "expected integer"},
      {integer_row, "", "expected integer"},
      {integer_row, "0", "expected integer from 1 to 10"},
      {integer_row, "11", "expected integer from 1 to 10"},
      {integer_row, "99999999999999999999", "expected integer from 1 to 10"},
      {number_row, " 2.5 ", "2.5E0"},
      {number_row, "x", "expected number"},
      {number_row, "nan", "expected number"},
      {number_row, "inf", "expected number from 0.001 to 10"},
      {number_row, "0", "expected number from 0.001 to 10"},
      {time_row, "90", "90"},
      {time_row, " 90s ", "90"},
      {time_row, "5m", "300"},
      {time_row, "2h", "7200"},
      {time_row, "1.5m", "90"},
      {time_row, "3h", "expected integer from 1 to 10000"},
      {time_row, "0s", "expected integer from 1 to 10000"},
      {time_row, "-1", "expected integer from 1 to 10000"},
      {time_row, "1.5", "expected integer, or a time such as 90s, 5m or 2h"},
      {time_row, "500ms", "expected integer, or a time such as 90s, 5m or 2h"},
      {time_row, "5 m", "expected integer, or a time such as 90s, 5m or 2h"},
      {fine_row, "500ms", "5E-1"},
      {fine_row, "2m", "1.2E2"},
      {fine_row, "0.25", "2.5E-1"},
      {fine_row, "soon", "expected number, or a time such as 90s, 5m or 2h"},
      {boolean_row, "true", "true"},
      {boolean_row, "TRUE ", "true"},
      {boolean_row, "1", "true"},
      {boolean_row, "Yes", "true"},
      {boolean_row, "on", "false"},
      {boolean_row, "y", "false"},
      {boolean_row, "no", "false"},
      {boolean_row, "", "false"},
      {flag_row, "on", "true"},
      {flag_row, "2", "false"},
      {choice_row, " Real ", "\"real\""},
      {choice_row, "user", "\"real\""},
      {choice_row, "use", "expected 'a', 'real' or 'last'"},
      {choice_row, "real=host,user", "expected 'a', 'real' or 'last'"},
      {choice_row, "", "expected 'a', 'real' or 'last'"},
      {pair_row, "c", "expected 'a' or 'b'"},
      {text_row, " as it is ", "\" as it is \""},
      {text_row, std::string("a\0b", 3), "expected text"},
      {list_row, R"(["a",1])", R"(["a",1])"},
      {list_row, "None", "expected valid JSON"},
      {list_row, "{}", "expected a JSON list"},
      {object_row, R"({"a":1})", R"({"a":1})"},
      {object_row, "[]", "expected a JSON object"},
      {object_row, R"({"a":"b\u0000c"})", "expected JSON without NUL characters"},
      {object_row, R"({"a\u0000":["b"]})", "expected JSON without NUL characters"},
      {list_row, R"([{"a":["\u0000"]}])", "expected JSON without NUL characters"},
      {list_row, R"(["\\u0000"])", R"(["\\u0000"])"},
      {object_row, "{'a':1}", "expected valid JSON"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.written);
    EXPECT_EQ(shown(c.setting, {c.written}), c.expected);
  }
  EXPECT_EQ(shown(text_row, {"[1]", true}), "expected text");
  EXPECT_EQ(shown(integer_row, {"[1]", true}), "expected integer");
}

}  // namespace
}  // namespace talaria::host
