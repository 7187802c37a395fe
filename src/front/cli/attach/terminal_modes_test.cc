#include "front/cli/attach/terminal_modes.h"

#include <gtest/gtest.h>

namespace talaria::front::cli {
namespace {

// Whole, and byte for byte: it must not matter how the bytes arrive.
template <class Feed>
void both_ways(std::string_view bytes, const Feed& feed) {
  {
    SCOPED_TRACE("in one piece");
    feed(std::vector<std::string>{std::string(bytes)});
  }
  SCOPED_TRACE("byte for byte");
  std::vector<std::string> pieces;
  for (const char byte : bytes) pieces.emplace_back(1, byte);
  feed(pieces);
}

TEST(TerminalModes, RemembersWhatIsOnAndHowToUndoIt) {
  const struct {
    const char* name;
    std::string bytes;
    std::string on;
    std::string off;
  } cases[] = {
      {"nothing", "plain text\r\n", "", ""},
      {"a full-screen program", "\x1b[?1049h\x1b[?1h\x1b=\x1b[?2004h\x1b[?25l",
       "\x1b[?1h\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b=",
       "\x1b>\x1b[?25h\x1b[?1l\x1b[?2004l\x1b[?1049l"},
      {"one that ended", "\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l", "", ""},
      {"several at once", "\x1b[?1000;1006h", "\x1b[?1000h\x1b[?1006h", "\x1b[?1000l\x1b[?1006l"},
      {"one we do not know", "\x1b[?9999h", "", ""},
      {"colours and a scroll region", "\x1b[31mred\x1b[2;10r", "",
       "\x1b[0m\x1b"
       "7\x1b[r\x1b"
       "8"},
      {"colours that ended", "\x1b[31mred\x1b[0m\x1b[1m\x1b[m", "", ""},
      {"what looks like a mode within a title", "\x1b]0;\x1b\\[?1049h", "", ""},
      {"a reset",
       "\x1b[?1049h\x1b=\x1b"
       "c",
       "", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    both_ways(c.bytes, [&](const std::vector<std::string>& pieces) {
      TerminalModes modes;
      for (const std::string& piece : pieces) modes.feed(piece);
      EXPECT_EQ(modes.switch_on(), c.on);
      EXPECT_EQ(modes.switch_off(), c.off);
      EXPECT_EQ(modes.alternate_screen(), c.on.contains("1049"));
    });
  }
}

TEST(ReplayFilter, TakesOutWhatATerminalWouldAnswer) {
  const std::string kept = "a\x1b[31mb\x1b[2 q\x1b]0;title\a\x1b[?1049h\x1b(B\x1b[2;3Hc";
  const std::string asked =
      "\x1b[c\x1b[>c\x1b[6n\x1b]11;?\a\x1b]10;?\x1b\\\x1bP+q544e\x1b\\\x1b[?2026$p\x1b["
      "18t\x1bZ\x1b[>q";
  both_ways(asked + kept + asked, [&](const std::vector<std::string>& pieces) {
    SequenceFilter filter(is_silent);
    std::string passed;
    for (const std::string& piece : pieces) passed += filter.pass(piece);
    EXPECT_EQ(passed, kept);
  });
}

TEST(PlainFilter, LeavesTextAndColours) {
  both_ways("a\x1b[1;31mb\x1b[0m\x1b[2J\x1b[H\x1b]0;t\ac\r\n\x1b[>4;1m\x1b(Bd",
            [](const std::vector<std::string>& pieces) {
              SequenceFilter filter(is_colour);
              std::string passed;
              for (const std::string& piece : pieces) passed += filter.pass(piece);
              EXPECT_EQ(passed, "a\x1b[1;31mb\x1b[0mc\r\nd");
            });
}

TEST(SequenceSplitter, WhatNeverEndsIsText) {
  SequenceSplitter splitter;
  std::string text;
  const auto add = [&](std::string_view piece) { text += piece; };
  splitter.feed("\x1b]" + std::string(10'000, 'x'), add, [](std::string_view) { FAIL(); });
  EXPECT_EQ(text.size(), 10'002u);
  splitter.feed("\x1b[31\x18m", add, [](std::string_view) { FAIL(); });
  EXPECT_TRUE(text.ends_with("\x1b[31\x18m"));
}

}  // namespace
}  // namespace talaria::front::cli
