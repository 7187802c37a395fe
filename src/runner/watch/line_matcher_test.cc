#include "runner/watch/line_matcher.h"

#include <random>

#include <gtest/gtest.h>

#include "runner/limits.h"

namespace talaria::runner {
namespace {

using Lines = std::vector<std::string>;

TEST(LineMatcher, FindsWholeLinesByTheirPart) {
  LineMatcher matcher({"error", "ready"});
  const LineMatches found = matcher.feed("a\nan error here  \t\nx\nready\nError\n");
  EXPECT_EQ(found.lines, 2u);
  EXPECT_EQ(found.pattern, "error");
  EXPECT_EQ(found.shown, (Lines{"an error here", "ready"}));
}

TEST(LineMatcher, APatternSplitOverTwoReadsIsFound) {
  LineMatcher matcher({"ready"});
  EXPECT_EQ(matcher.feed("it is rea").lines, 0u);
  const LineMatches found = matcher.feed("dy now\n");
  EXPECT_EQ(found.lines, 1u);
  EXPECT_EQ(found.shown, (Lines{"it is ready now"}));
}

TEST(LineMatcher, APromptIsFoundAtOnceAndOnce) {
  LineMatcher matcher({"Password:"});
  EXPECT_EQ(matcher.feed("Password: ").shown, (Lines{"Password:"}));
  EXPECT_EQ(matcher.feed("still the same Password: ").lines, 0u);
  EXPECT_EQ(matcher.feed("\nPassword: ").lines, 1u);
}

TEST(LineMatcher, EveryBreakUnicodeKnowsEndsALine) {
  for (const char* line_break : {"\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\xc2\x85",
                                 "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
    LineMatcher matcher({"x"});
    const std::string text = std::string("x1") + line_break + "no" + line_break + "x2" + line_break;
    EXPECT_EQ(matcher.feed(text).shown, (Lines{"x1", "x2"})) << testing::PrintToString(line_break);
  }
  LineMatcher matcher({"x"});
  EXPECT_EQ(matcher.feed("x1\tx2\x1fx3\xc2\xa0x4\xe2\x80\xa6x5").lines, 1u);
}

TEST(LineMatcher, AnEmptyPatternMatchesNothing) {
  LineMatcher matcher({"", "a"});
  EXPECT_EQ(matcher.feed("b\n\nc\n").lines, 0u);
  EXPECT_EQ(matcher.feed("a\n").lines, 1u);
  EXPECT_EQ(LineMatcher({""}).feed("a\n").lines, 0u);
}

TEST(LineMatcher, ALineWithoutEndIsSearchedAndNotKept) {
  LineMatcher matcher({"needle"});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(matcher.feed(std::string(4000, 'x')).lines, 0u);
  EXPECT_EQ(matcher.feed("nee").lines, 0u);
  EXPECT_EQ(matcher.feed("dle").lines, 1u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(matcher.feed("needle").lines, 0u);
  EXPECT_EQ(matcher.feed("\nneedle").lines, 1u);
}

TEST(LineMatcher, HoweverTheStreamIsCutTheSameLinesMatch) {
  std::mt19937 random(7);
  const Lines pieces = {"x",  "ab", "aab",  "\n",       "\r",           "\r\n", "\xc2\x85", "é",
                        "\v", " ",  "\xe2", "\xe2\x80", "\xe2\x80\xa9", "b",    "a",        "…"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += pieces[random() % pieces.size()];
    LineMatcher whole({"ab"});
    const std::size_t expected = whole.feed(text).lines;
    LineMatcher cut({"ab"});
    std::size_t found = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + random() % 9;
      found += cut.feed(std::string_view(text).substr(at, size)).lines;
      at += size;
    }
    ASSERT_EQ(found, expected) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace talaria::runner
