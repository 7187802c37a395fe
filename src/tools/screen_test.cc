#include "tools/screen.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/text.h"

namespace talaria {
namespace {

using testing::ElementsAre;

Screen screen_of(std::string_view bytes, ScreenSize size = {4, 10}) {
  Screen screen(size);
  screen.feed(bytes);
  return screen;
}

TEST(Screen, ShowsWhatWasPrintedAndWhereTheCursorIs) {
  const Screen screen = screen_of("one\r\ntwo  \r\n> ");
  EXPECT_THAT(screen.lines(), ElementsAre("one", "two", ">", ""));
  EXPECT_EQ(screen.cursor_row(), 2u);
  EXPECT_EQ(screen.cursor_col(), 2u);
  EXPECT_TRUE(screen.cursor_visible());
  EXPECT_FALSE(screen.alternate());
  EXPECT_EQ(screen.title(), "");
}

TEST(Screen, OverwritesErasesWrapsAndScrolls) {
  EXPECT_THAT(screen_of("10%\r20%\r\033[K30%").lines(), ElementsAre("30%", "", "", ""));
  EXPECT_THAT(screen_of("0123456789ab").lines(), ElementsAre("0123456789", "ab", "", ""));
  EXPECT_THAT(screen_of("a\r\nb\r\nc\r\nd\r\ne").lines(), ElementsAre("b", "c", "d", "e"));
  EXPECT_THAT(screen_of("a\r\nb\r\nc\r\nd\033[2;3r\033[3;1Hx\r\ny").lines(),
              ElementsAre("a", "x", "y", "d"));
  EXPECT_THAT(screen_of("\033[3;5Hhere\033[1;1Htop").lines(),
              ElementsAre("top", "", "    here", ""));
}

TEST(Screen, TheOtherScreenLeavesTheFirstAsItWas) {
  Screen screen = screen_of("$ vim\r\n\033[?1049h\033[H\033[2J~ text\033[?25l");
  EXPECT_TRUE(screen.alternate());
  EXPECT_FALSE(screen.cursor_visible());
  EXPECT_THAT(screen.lines(), ElementsAre("~ text", "", "", ""));
  screen.feed("\033[?1049l\033[?25h");
  EXPECT_FALSE(screen.alternate());
  EXPECT_TRUE(screen.cursor_visible());
  EXPECT_THAT(screen.lines(), ElementsAre("$ vim", "", "", ""));
}

TEST(Screen, CharactersAreWholeWideAndCombined) {
  const Screen wide = screen_of("日本x");
  EXPECT_THAT(wide.lines(), ElementsAre("日本x", "", "", ""));
  EXPECT_EQ(wide.cursor_col(), 5u);
  EXPECT_EQ(screen_of("e\xcc\x81!").lines()[0], "e\xcc\x81!");
  Screen pieces({2, 10});
  for (const char byte : std::string("—é€")) pieces.feed({&byte, 1});
  EXPECT_EQ(pieces.lines()[0], "—é€");
}

TEST(Screen, BytesThatAreNoTextDoNoHarm) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  bytes += "\xf8\x88\x80\x80\x80\xed\xa0\x80\xc3";
  const Screen screen = screen_of(bytes + bytes, {10, 40});
  for (const std::string& line : screen.lines()) EXPECT_TRUE(is_valid_utf8(line)) << line;
}

TEST(Screen, TitlesAreKept) {
  EXPECT_EQ(screen_of("\033]0;a title\007").title(), "a title");
  EXPECT_EQ(screen_of("\033]2;first\007\033]2;sec\xffond\033\\").title(), "sec\uFFFDond");
}

TEST(Screen, ASizeChangesAndHasBounds) {
  Screen screen = screen_of("one\r\ntwo\r\nthree");
  screen.resize({6, 20});
  EXPECT_EQ(screen.size(), (ScreenSize{6, 20}));
  EXPECT_THAT(screen.lines(), ElementsAre("one", "two", "three", "", "", ""));
  screen.resize({2, 20});
  EXPECT_EQ(screen.lines().size(), 2u);
  screen.resize({0, 0});
  EXPECT_EQ(screen.size(), (ScreenSize{kMinScreenRows, kMinScreenCols}));
  screen.feed("\r\nmore 日本 text");
  EXPECT_EQ(Screen({1u << 31, 1u << 31}).size(), (ScreenSize{kMaxScreenRows, kMaxScreenCols}));
}

// The bound is far above what it takes, for machines under load and sanitizers.
TEST(Screen, TakesMegabytesInNoTime) {
  std::string bytes;
  for (int i = 0; bytes.size() < (10u << 20); ++i) {
    bytes += "\033[3" + std::to_string(i % 8) + "mline " + std::to_string(i) +
             "\033[0m of a build that prints a lot\r\n";
  }
  Screen screen({30, 120});
  const auto start = std::chrono::steady_clock::now();
  screen.feed(bytes);
  const auto taken = std::chrono::steady_clock::now() - start;
  std::printf(
      "10 MiB: %lld ms\n",
      static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(taken).count()));
  EXPECT_THAT(screen.lines()[28], testing::HasSubstr("of a build"));
  EXPECT_LT(taken, std::chrono::seconds(20));
}

}  // namespace
}  // namespace talaria
