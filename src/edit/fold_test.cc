#include "edit/fold.h"

#include <gtest/gtest.h>

#include "edit/lines.h"
#include "edit/search.h"

namespace talaria::edit {
namespace {

TEST(Fold, RewritesAndFindsTheWayBack) {
  const struct {
    const char* name;
    Fold fold;
    std::string text;
    Range range;
    std::optional<Range> source;
  } cases[] = {
      {"nothing to do", fold_line_endings("a\nb"), "a\nb", {1, 2}, Range{1, 2}},
      {"an ending", fold_line_endings("a\r\nb"), "a\nb", {1, 2}, Range{1, 3}},
      {"before an ending", fold_line_endings("a\r\nb"), "a\nb", {0, 1}, Range{0, 1}},
      {"behind an ending", fold_line_endings("a\r\nb"), "a\nb", {2, 3}, Range{3, 4}},
      {"a CR alone stays", fold_line_endings("a\rb\r\r\n"), "a\rb\r\n", {3, 5}, Range{3, 6}},
      {"blanks", fold_blanks("x a  =\t1; y"), "x a = 1; y", {2, 8}, Range{2, 9}},
      {"not the blank behind", fold_blanks("a  =   1;  y"), "a = 1; y", {0, 6}, Range{0, 9}},
      {"typography", fold_typography("“a” — b…"), "\"a\" -- b...", {0, 3}, Range{0, 7}},
      {"all of a dash", fold_typography("a—b"), "a--b", {1, 3}, Range{1, 4}},
      {"half a dash", fold_typography("a—b"), "a--b", {1, 2}, std::nullopt},
      {"other characters", fold_typography("â‚¬\u00A0x"), "â‚¬ x", {0, 1}, Range{0, 1}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(c.fold.text(), c.text);
    EXPECT_EQ(c.fold.source(c.range), c.source);
  }
}

TEST(Lines, AreWithoutTheirEnds) {
  EXPECT_TRUE(split_lines("").empty());
  EXPECT_EQ(split_lines("a\n\nb"), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split_lines("a\n"), (std::vector<std::string_view>{"a"}));
  EXPECT_EQ(split_lines("\n\n"), (std::vector<std::string_view>{"", ""}));
}

TEST(Lines, StripsUnicodeWhiteSpaceAndNoBrokenBytes) {
  EXPECT_EQ(strip("\u00A0\t a b\u2003 \r"), "a b");
  EXPECT_EQ(strip("\u3000\u3000"), "");
  EXPECT_EQ(strip(" \xA0x\xE3\x80 "), "\xA0x\xE3\x80");
  EXPECT_EQ(strip_start(" a "), "a ");
}

TEST(Lines, KnowWhereTheyAre) {
  const Lines lines("ab\n\ncd");
  EXPECT_EQ(lines.range(0, 2, false), (Range{0, 3}));
  EXPECT_EQ(lines.range(0, 2, true), (Range{0, 4}));
  EXPECT_EQ(lines.range(2, 1, true), (Range{4, 6}));
  EXPECT_EQ(lines.line_at(2), 0u);
  EXPECT_EQ(lines.line_at(3), 1u);
  EXPECT_EQ(lines.line_at(6), 2u);
}

TEST(Search, FindsOverlappingPlaces) {
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(occurrences("aaaa", "aa", 10), (Places{0, 1, 2}));
  EXPECT_EQ(occurrences("aaaa", "aa", 2), (Places{0, 1}));
  EXPECT_EQ(occurrences("xabcabcabd", "abcabd", 10), (Places{4}));
  EXPECT_EQ(occurrences("abc", "abcd", 10), Places{});
  EXPECT_EQ(occurrences("abc", "", 10), Places{});
  EXPECT_EQ(occurrences(std::string(1000, 'a'), "aaa", 5000).size(), 998u);
  EXPECT_EQ(occurrences(std::string(1000, 'a'), "aaa", 100).back(), 99u);
  const std::vector<std::string_view> lines{"a", "b", "a", "b", "a"};
  EXPECT_EQ(occurrences(lines, std::vector<std::string_view>{"a", "b", "a"}, 10), (Places{0, 2}));
}

}  // namespace
}  // namespace talaria::edit
