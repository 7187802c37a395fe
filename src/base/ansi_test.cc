#include "base/ansi.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(StripAnsi, TakesOutWhatIsMeantForAScreenAndNothingElse) {
  const struct {
    const char* name;
    std::string text;
    std::string expected;
  } cases[] = {
      {"plain", "plain text\n\ttab", "plain text\n\ttab"},
      {"colour", "\033[31mred\033[0m", "red"},
      {"many parameters", "\033[38;5;196;1mx\033[m", "x"},
      {"private mode", "\033[?25lx\033[?25h", "x"},
      {"intermediate bytes", "a\033[1 qb\033[!pc", "abc"},
      {"cursor moves", "\033[2J\033[1;1Hx\033[K", "x"},
      {"title ended by bell", "\033]0;title\x07x", "x"},
      {"title ended by string terminator", "\033]2;title\033\\x", "x"},
      {"hyperlink", "\033]8;;http://a/\033\\link\033]8;;\033\\", "link"},
      {"device control string", "\033Pq#0;2;0\033\\x", "x"},
      {"application command", "a\033_G payload\033\\b\033^private\033\\c\033Xsos\033\\d", "abcd"},
      {"character set", "\033(Bx\033)0y\033#8", "xy"},
      {"two bytes",
       "\0337x\033"
       "8\033=\033>\033M\033"
       "c",
       "x"},
      {"eight-bit introducer",
       "\xC2\x9B"
       "31mred\xC2\x9B"
       "0m",
       "red"},
      {"eight-bit title",
       "\xC2\x9D"
       "0;t\xC2\x9Cx",
       "x"},
      {"eight-bit control alone",
       "a\xC2\x85"
       "b",
       "ab"},
      {"characters made of such bytes", "\xC2\xA9 \xE2\x9B\x94 \xF0\x9F\x98\x80 \xC3\x9B",
       "\xC2\xA9 \xE2\x9B\x94 \xF0\x9F\x98\x80 \xC3\x9B"},
      {"carriage returns stay", "10%\r20%\r\n", "10%\r20%\r\n"},
      {"cut off", "x\033[3", "x"},
      {"escape at the end", "x\033", "x"},
      {"unended string hides nothing", "x\033]0;title without end", "x0;title without end"},
      {"escape inside a sequence", "\033[3\033[31mx", "x"},
      {"brackets without escape", "[31m", "[31m"},
  };
  for (const auto& c : cases) EXPECT_EQ(strip_ansi(c.text), c.expected) << c.name;
}

TEST(StripAnsi, TextOfAnyLanguageStaysByteForByte) {
  for (const std::string text : {"em dash — and é", "emoji 😀 with a joiner 👩‍💻",
                                 "日本語, עברית, ελληνικά", "nul\0inside"}) {
    EXPECT_EQ(strip_ansi(text), text);
  }
}

TEST(StripAnsi, OnlyWhatIsVisibleRemainsWithReturnNewlineAndTab) {
  EXPECT_EQ(strip_ansi("\033]0;title\007a\t\033]8;;http://x/\033\\link\033]8;;\033\\\r\n"
                       "\033[?1049h\033[?25lb\033[38:2::255:0:0mc\033[4:3md\033[m"
                       "\033P1$r0m\033\\e\n"),
            "a\tlink\r\nbcde\n");
}

TEST(StripAnsi, TakesTimeInProportionWhateverBeginsAndNeverEnds) {
  for (const char* opener : {"\x1b]", "\x1bP", "\x1b_", "\xC2\x9D"}) {
    std::string text;
    while (text.size() < 4'000'000) text += opener;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(strip_ansi(text), "");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  }
}

}  // namespace
}  // namespace talaria
