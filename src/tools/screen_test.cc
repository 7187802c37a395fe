#include "tools/screen.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/text.h"

namespace talaria::tool {
namespace {

using namespace std::string_literals;
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

// The library moves back for each of them, out of the screen in the end.
TEST(Screen, ControlsAboveAsciiAreNotThere) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xc2\x8d\033[I";
  EXPECT_EQ(screen_of(text + "\ra\xc2\x9b|\xc2\xa0|").lines()[0], "a|\xc2\xa0|");
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

TEST(Screen, ASmallerScreenKeepsTheRowsUpToTheCursorAndBothScreens) {
  Screen screen = screen_of("one\r\ntwo\r\nthree 日本\r\n> ", {8, 20});
  screen.resize({2, 8});
  EXPECT_THAT(screen.lines(), ElementsAre("three 日", ">"));
  EXPECT_EQ(screen.cursor_row(), 1u);
  EXPECT_EQ(screen.cursor_col(), 2u);
  screen.feed("\033[?1049h\033[Hother\033[?25l");
  screen.resize({3, 4});
  EXPECT_TRUE(screen.alternate());
  EXPECT_FALSE(screen.cursor_visible());
  EXPECT_THAT(screen.lines(), ElementsAre("othe", "", ""));
  screen.feed("\033[?1049l");
  EXPECT_THAT(screen.lines(), testing::Contains("thre"));
}

// Where there is nothing to repeat, the library never ends.
TEST(Screen, NobodyWaitsForARepetition) {
  EXPECT_EQ(screen_of("\033[9b").lines()[0], "");
  EXPECT_EQ(screen_of("ab\033[3bc").lines()[0], "abbbbc");
  EXPECT_EQ(screen_of("─\r\033[C\033[2b|").lines()[0], "───|");
  EXPECT_EQ(screen_of("x\033[b\033[0by").lines()[0], "xxxy");
  std::string hostile = "x";
  for (int i = 0; i < 1000; ++i) hostile += "\033[2147483647b";
  hostile += "\033[21474\n83647b\033\0[2147483647b\033["s;
  hostile += std::string(300, '0') + "2147483647b!";
  Screen screen({4, 10});
  for (const char byte : hostile) screen.feed({&byte, 1});
  EXPECT_THAT(screen.lines(), testing::Contains(testing::EndsWith("!")));
}

// The library writes behind an array of 16 numbers.
TEST(Screen, SequencesOfAnyLengthDoNoHarm) {
  for (const std::string& sequence :
       {"\033["s + std::string(100, ';') + "m", "\033["s + std::string(100'000, ':') + "m",
        "\033[1"s + std::string(1000, '?') + "m", "\033["s + std::string(1000, ' ') + "m",
        "\033"s + std::string(1000, '#') + "8", "\033\xe4["s + std::string(100, ';') + "H"}) {
    const Screen screen = screen_of("a" + sequence + "\rok ", {4, 200});
    EXPECT_THAT(screen.lines()[0], testing::StartsWith("ok"));
  }
  EXPECT_EQ(screen_of("\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17mx").lines()[0], "x");
}

TEST(Screen, StringsForTheTerminalItselfAreNotSeen) {
  for (const std::string& unseen :
       {"\033P$q0?\033\\"s, "\033P$q m\007"s, "\033_Gi=1;\033\\"s, "\033^private\033\\"s,
        "\033Xstring\033\\"s, "\033]8;;http://h\033\\"s, "\033Pq#0;2;0;0;0~~\033\\"s}) {
    const Screen screen = screen_of("a" + unseen + "b");
    EXPECT_EQ(screen.lines()[0], "ab");
    EXPECT_EQ(screen.title(), "");
  }
}

TEST(Screen, TheEndOfTheScreenIsWhereProgramsLookForIt) {
  const Screen screen = screen_of("\033[999;999H");
  EXPECT_EQ(screen.cursor_row(), 3u);
  EXPECT_EQ(screen.cursor_col(), 9u);
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
}  // namespace talaria::tool
