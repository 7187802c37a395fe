#include "base/text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(WithCommas, StandBetweenThousands) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
}

using namespace std::string_literals;

constexpr std::string_view kBad = "\xEF\xBF\xBD";

std::string bad(std::size_t count) {
  std::string text;
  while (count-- > 0) text += kBad;
  return text;
}

TEST(SanitizeUtf8, KeepsTextAndReplacesEachBrokenSequenceOnce) {
  const struct {
    const char* name;
    std::string bytes;
    std::string expected;
  } cases[] = {
      {"empty", "", ""},
      {"ascii with NUL and CRLF", "a\0b\r\n"s, "a\0b\r\n"s},
      {"two, three and four bytes", "é€😀", "é€😀"},
      {"FF FE between ASCII",
       "a\xFF\xFE"
       "b",
       "a" + bad(2) + "b"},
      {"a lone continuation byte", "\x80", bad(1)},
      {"overlong slash", "\xC0\xAF", bad(2)},
      {"overlong three bytes", "\xE0\x80\x80", bad(3)},
      {"a surrogate", "\xED\xA0\x80", bad(3)},
      {"above U+10FFFF", "\xF4\x90\x80\x80", bad(4)},
      {"the last code point", "\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
      {"three of four bytes, then ASCII",
       "\xF0\x9F\x98"
       "a",
       bad(1) + "a"},
      {"a character cut by the end", "x\xE2\x82", "x" + bad(1)},
      {"a new character inside an unfinished one", "\xE2\xC3\xA9", bad(1) + "é"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(sanitize_utf8(c.bytes), c.expected);
    EXPECT_EQ(is_valid_utf8(c.bytes), c.bytes == c.expected);
  }
}

TEST(Utf8Sanitizer, GivesTheSameTextHoweverTheBytesAreSplit) {
  const std::string bytes = "aé€😀\xFF\xF0\x9F\x98z\xE2\x82"s;
  const std::string expected = "aé€😀" + bad(2) + "z" + bad(1);
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    Utf8Sanitizer sanitizer;
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      sanitizer.feed(std::string_view(bytes).substr(at, piece), out);
    }
    sanitizer.finish(out);
    EXPECT_EQ(out, expected) << "in pieces of " << piece;
  }
}

TEST(Utf8Sanitizer, HoldsBackOnlyAnUnfinishedCharacter) {
  Utf8Sanitizer sanitizer;
  std::string out;
  sanitizer.feed("ab\xE2\x82", out);
  EXPECT_EQ(out, "ab");
  sanitizer.feed("\xAC", out);
  EXPECT_EQ(out, "ab€");
}

TEST(Chars, AreCountedAndCutAsCodePoints) {
  const std::string_view text = "aé€😀";
  EXPECT_EQ(count_chars(text), 4u);
  EXPECT_EQ(first_chars(text, 0), "");
  EXPECT_EQ(first_chars(text, 2), "aé");
  EXPECT_EQ(first_chars(text, 9), text);
  EXPECT_EQ(last_chars(text, 0), "");
  EXPECT_EQ(last_chars(text, 2), "€😀");
  EXPECT_EQ(last_chars(text, 9), text);
}

TEST(CutBytes, LoseOnlyTheCharacterThatWasCut) {
  const struct {
    const char* name;
    std::string bytes;
    std::string without_end;
    std::string without_start;
  } cases[] = {
      {"whole characters", "é€", "é€", "é€"},
      {"one of two bytes", "a\xC3", "a", "a\xC3"},
      {"three of four bytes", "a\xF0\x9F\x98", "a", "a\xF0\x9F\x98"},
      {"the rest of a character first",
       "\x9F\x98\x80"
       "a",
       "\x9F\x98\x80"
       "a",
       "a"},
      {"binary that is not a character", "a\xFF", "a\xFF", "a\xFF"},
      {"only continuation bytes", "\x80\x80\x80\x80", "\x80\x80\x80\x80", "\x80"},
      {"empty", "", "", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(without_cut_end(c.bytes), c.without_end);
    EXPECT_EQ(without_cut_start(c.bytes), c.without_start);
  }
}

TEST(Trim, TakesAsciiWhiteSpaceFromBothEnds) {
  EXPECT_EQ(trim(" \n\ta b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim("\u00a0x"), "\u00a0x");
}

TEST(InSeconds, PrintsNoMoreDigitsThanNeeded) {
  using std::chrono::milliseconds;
  EXPECT_EQ(in_seconds(milliseconds(5000)), "5");
  EXPECT_EQ(in_seconds(milliseconds(500)), "0.5");
  EXPECT_EQ(in_seconds(milliseconds(1234)), "1.234");
  EXPECT_EQ(in_seconds(milliseconds(10)), "0.01");
}

TEST(Text, BytesAreCutAtWholeCharacters) {
  EXPECT_EQ(first_bytes("aé€", 9), "aé€");
  EXPECT_EQ(first_bytes("aé€", 5), "aé");
  EXPECT_EQ(first_bytes("aé€", 2), "a");
  EXPECT_EQ(last_bytes("€éa", 9), "€éa");
  EXPECT_EQ(last_bytes("€éa", 5), "éa");
  EXPECT_EQ(last_bytes("€éa", 2), "a");
}

TEST(Text, ReadsOneCharacterAtATime) {
  const struct {
    const char* bytes;
    char32_t value;
    std::size_t size;
  } cases[] = {
      {"a\u00e9", U'a', 1},        {"\u00e9x", U'\u00e9', 2},
      {"\u2014", U'\u2014', 3},    {"\xe9x", 0xDCE9, 1},
      {"\xc3", 0xDCC3, 1},         {"\x80", 0xDC80, 1},
      {"\xed\xa0\x80", 0xDCED, 1}, {"\xf0\x9f\x98\x80", U'\U0001F600', 4},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.bytes);
    EXPECT_EQ(first_char(c.bytes).value, c.value);
    EXPECT_EQ(first_char(c.bytes).size, c.size);
  }
}

}  // namespace
}  // namespace talaria
