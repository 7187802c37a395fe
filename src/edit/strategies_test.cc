#include "edit/strategies.h"

#include <optional>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "edit/line_finder.h"

namespace talaria::edit {
namespace {

struct Outcome {
  std::optional<Strategy> strategy;  // nothing: none found anything
  std::vector<std::string> matches;
};

Outcome find(std::string_view text, std::string_view pattern) {
  const Lines lines(text);
  WorkBudget budget(kMaxSimilaritySteps);
  const auto found = find_text(lines, pattern, budget);
  if (!found) return {};
  Outcome outcome{found->strategy, {}};
  for (const Range& range : found->ranges) {
    outcome.matches.emplace_back(text.substr(range.begin, range.end - range.begin));
  }
  return outcome;
}

TEST(Strategies, EachFindsWhatTheOnesBeforeDoNot) {
  const struct {
    const char* text;
    const char* pattern;
    std::optional<Strategy> strategy;
    std::vector<std::string> matches;
  } cases[] = {
      {"x = 1; y = 1", "= 1", Strategy::exact, {"= 1", "= 1"}},
      {"aaa", "aa", Strategy::exact, {"aa", "aa"}},
      {"  if x:  \n\ty()\nz", "if x:\ny()", Strategy::line_trimmed, {"  if x:  \n\ty()"}},
      {"  if x:\n\ty()\nz", "if x:\ny()\n", Strategy::line_trimmed, {"  if x:\n\ty()\n"}},
      {"\u00A0a\u3000\nb", "a", Strategy::exact, {"a"}},
      {"\u3000a\u3000\nb", " a ", Strategy::line_trimmed, {"\u3000a\u3000"}},
      {"last\nline", "line\n", Strategy::line_trimmed, {"line"}},
      {"x a  =   1; y", "a = 1;", Strategy::whitespace_normalized, {"a  =   1;"}},
      {"f(a,\tb) g", "f(a, b)", Strategy::whitespace_normalized, {"f(a,\tb)"}},
      {"a\n\tb(1)\nc", "b(1)\\nc", Strategy::escape_normalized, {"b(1)\nc"}},
      {"say “hi” — now", "say \"hi\" -- now", Strategy::unicode_normalized, {"say “hi” — now"}},
      {"say \"hi\"", "say “hi”", Strategy::unicode_normalized, {"say \"hi\""}},
      {"  it’s\n  so", "it's\nso", Strategy::unicode_normalized, {"  it’s\n  so"}},
      {"if (a) {\n  b = compute(1);\n}\n",
       "if (a) {\n  b = compute(2);\n}",
       Strategy::block_anchor,
       {"if (a) {\n  b = compute(1);\n}"}},
      {"the first lin\nthe second line\nthe third line\nend",
       "the first line\nthe second line\nthe third line",
       Strategy::context_aware,
       {"the first lin\nthe second line\nthe third line"}},
      // Nothing is found where something in the file would vanish that the pattern does not have.
      {"value = compute(1)", "value = compute(2)", std::nullopt, {}},
      {"total = a + b\nreturn\n", "total = a + c\nlog()", std::nullopt, {}},
      {"one first\ntwo\nthree\n", "one fist\ntwo\nfour", std::nullopt, {}},
      {"a\nb\nc\nprecious\nd!\n", "a\nb\nc\n\nd?", std::nullopt, {}},
      // White space alone says nothing about a place.
      {"a\n\nb", "   ", std::nullopt, {}},
      {"a\n  \nb", " \t", std::nullopt, {}},
      // Half a dash is not a dash.
      {"a—b", "a-", std::nullopt, {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.text) + " / " + c.pattern);
    const Outcome outcome = find(c.text, c.pattern);
    EXPECT_EQ(outcome.strategy, c.strategy);
    EXPECT_EQ(outcome.matches, c.matches);
  }
}

TEST(Strategies, TheFirstThatFindsAnythingDecides) {
  // With blanks normalized there would be one place, but trimmed there are two.
  EXPECT_EQ(find("\ta\nb\na\nb\n", " a\nb").matches.size(), 2u);
}

TEST(Strategies, SeveralBlocksHaveToBeMoreAlike) {
  const std::string one = "begin\n  alpha beta gamma\nend\n";
  const std::string pattern = "begin\n  alpha bxxx gxxxx\nend";
  EXPECT_EQ(find(one, pattern).strategy, Strategy::block_anchor);
  EXPECT_EQ(find(one + one, pattern).strategy, std::nullopt);
}

using Views = std::vector<std::string_view>;

// Two of the nine are special cases of line_trimmed, so it is they themselves that are asked here.
TEST(LineFinder, FindsByLeadingWhiteSpaceOrAtTheBoundary) {
  WorkBudget budget(kMaxSimilaritySteps);
  const Views lines{"\tx", "  a", "b ", "  c  ", "d"};
  EXPECT_EQ(LineFinder(lines, Views{"a", "b "}, budget).start_trimmed(), LineStarts{1});
  EXPECT_EQ(LineFinder(lines, Views{"a", "b"}, budget).start_trimmed(), LineStarts{});
  EXPECT_EQ(LineFinder(lines, Views{"a", "b ", "c"}, budget).boundary_trimmed(), LineStarts{1});
  EXPECT_EQ(LineFinder(lines, Views{"a", "b", "c"}, budget).boundary_trimmed(), LineStarts{});
  EXPECT_EQ(LineFinder(lines, Views{"c", "d "}, budget).boundary_trimmed(), LineStarts{3});
}

TEST(FindLines, FitsWholeLinesOnly) {
  WorkBudget budget(kMaxSimilaritySteps);
  const Views lines{"max = 10", "  x = 1", "x =  1", "say “x”"};
  const auto starts = [&](const Views& pattern) {
    const auto found = find_lines(lines, pattern, budget);
    return found ? found->starts : std::vector<std::size_t>{};
  };
  EXPECT_EQ(starts({"x = 1"}), (LineStarts{1}));
  EXPECT_EQ(starts({"max ="}), LineStarts{});
  EXPECT_EQ(starts({"x\t= 1"}), (LineStarts{2}));
  EXPECT_EQ(starts({"say \"x\""}), (LineStarts{3}));
}

TEST(FindLines, ReadsEscapesThatStayOneLine) {
  WorkBudget budget(kMaxSimilaritySteps);
  const Views lines{"a\tb", "c", "d"};
  const auto found = find_lines(lines, Views{"a\\tb"}, budget);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->strategy, Strategy::escape_normalized);
  EXPECT_FALSE(find_lines(lines, Views{"c\\nd"}, budget));
}

}  // namespace
}  // namespace talaria::edit
