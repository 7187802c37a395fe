#include "host/config/env_file.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::host {
namespace {

using testing::ElementsAre;

TEST(EnvFile, ReadsALine) {
  const struct {
    const char* name;
    std::string text;
    std::string expected;  // "none": the line is a bad one, "": it says nothing
  } cases[] = {
      {"plain", "A=b", "A=b"},
      {"blanks", "  A =  b c  ", "A=b c"},
      {"export", "export A=b", "A=b"},
      {"export and a tab", "export\tA=b", "A=b"},
      {"a name that begins like export", "exported=b", "exported=b"},
      {"empty", "A=", "A="},
      {"equals in the value", "A=b=c==", "A=b=c=="},
      {"comment", "# A=b", ""},
      {"empty line", "   ", ""},
      {"comment behind", "A=b # c", "A=b"},
      {"no comment without a blank", "A=b#c", "A=b#c"},
      {"only a comment as value", "A= # c", "A="},
      {"double quotes", R"(A="b # c" # d)", "A=b # c"},
      {"escapes in double quotes", R"(A="b\n\"c\"\\")", "A=b\n\"c\"\\"},
      {"single quotes", R"(A='b\n "c"')", R"(A=b\n "c")"},
      {"empty quotes", "A=''", "A="},
      {"nothing is expanded", "A=$HOME ${B} `c`", "A=$HOME ${B} `c`"},
      {"carriage return", "A=b\r", "A=b"},
      {"byte order mark",
       "\xEF\xBB\xBF"
       "A=b",
       "A=b"},
      {"no equals", "just words", "none"},
      {"no name", "=b", "none"},
      {"a name with a dash", "A-B=c", "none"},
      {"a name that begins with a digit", "1A=c", "none"},
      {"two names", "A B=c", "none"},
      {"open double quote", "A=\"b", "none"},
      {"open single quote", "A='b", "none"},
      {"escaped quote at the end", R"(A="b\")", "none"},
      {"text behind the quote", "A='b'c", "none"},
      {"a NUL", std::string("A=b\0c", 5), "none"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const EnvFile file = parse_env_file(c.text);
    std::string found;
    for (const EnvFileEntry& entry : file.entries) found += entry.name + "=" + entry.value;
    for (const int line : file.bad_lines) found += line == 1 ? "none" : "another line";
    EXPECT_EQ(found, c.expected);
  }
}

TEST(EnvFile, CountsLinesAndTheLastOneCounts) {
  const EnvFile file = parse_env_file("A=1\n\nwhat\r\n# c\nA=2\nB=3");
  EXPECT_THAT(file.bad_lines, ElementsAre(3));
  ASSERT_TRUE(file.find("A"));
  EXPECT_EQ(file.find("A")->value, "2");
  EXPECT_EQ(file.find("A")->line, 5);
  EXPECT_EQ(file.find("B")->line, 6);
  EXPECT_FALSE(file.find("C"));
}

}  // namespace
}  // namespace talaria::host
