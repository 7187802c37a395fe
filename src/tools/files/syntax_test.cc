#include "tools/files/syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::tool {
namespace {

// Each text was given to Python 3.11's json module.
TEST(JsonSyntax, SaysWhatPythonSays) {
  const struct {
    const char* text;
    const char* flaw;  // empty: none
  } cases[] = {
      {"{}", ""},
      {" [1, -2.5e+3, \"a\\u00e9\\n\", true, null, NaN, -Infinity, {\"a\": []}] ", ""},
      {"", "Expecting value (line 1, column 1)"},
      {"{\"a\": }", "Expecting value (line 1, column 7)"},
      {"[1,]", "Expecting value (line 1, column 4)"},
      {"{\"a\": 1,}", "Expecting property name enclosed in double quotes (line 1, column 9)"},
      {"{a: 1}", "Expecting property name enclosed in double quotes (line 1, column 2)"},
      {"{\"a\" 1}", "Expecting ':' delimiter (line 1, column 6)"},
      {"[1 2]", "Expecting ',' delimiter (line 1, column 4)"},
      {"{\n  \"a\": 1\n  \"b\": 2\n}", "Expecting ',' delimiter (line 3, column 3)"},
      {"{} x", "Extra data (line 1, column 4)"},
      {"01", "Extra data (line 1, column 2)"},
      {"\"abc", "Unterminated string starting at (line 1, column 1)"},
      {"\"a\nb\"", "Invalid control character at (line 1, column 3)"},
      {"\"a\\x\"", "Invalid \\escape (line 1, column 3)"},
      {"[\"\xC3\xA9\", x]", "Expecting value (line 1, column 7)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto flaw = json_flaw(c.text);
    EXPECT_EQ(flaw.value_or(""), *c.flaw == '\0' ? "" : "JSONDecodeError: " + std::string(c.flaw));
  }
}

TEST(JsonSyntax, DepthCostsNoStack) {
  EXPECT_EQ(json_flaw(std::string(1'000'000, '[') + std::string(1'000'000, ']')), std::nullopt);
}

TEST(YamlSyntax, SaysWhereItIsWrong) {
  EXPECT_EQ(yaml_flaw("a: 1\nb: [1, 2]\n---\nc: |\n  text\n"), std::nullopt);
  EXPECT_EQ(yaml_flaw(""), std::nullopt);
  EXPECT_THAT(yaml_flaw("a: 1\nb: }\n").value_or(""), testing::HasSubstr("(line 2"));
  EXPECT_THAT(yaml_flaw("a: [1\n").value_or(""), testing::StartsWith("YAMLError: "));
}

}  // namespace
}  // namespace talaria::tool
