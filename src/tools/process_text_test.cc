#include "tools/process_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::tool {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProcessInfo printed(std::string tail, std::uint64_t from = 0) {
  return {.tail = std::move(tail), .tail_from = from};
}

TEST(ShownTail, IsCleanBeforeItIsCut) {
  EXPECT_EQ(shown_tail(printed("\x1b[31mred\x1b[0m"), 3), "red");
  EXPECT_EQ(shown_tail(printed("abcdef"), 4), "cdef");
  EXPECT_EQ(shown_tail(printed("\xa9 cut", 7), 100), " cut");
  EXPECT_EQ(shown_tail(printed("\xff."), 100), "\xEF\xBF\xBD.");
}

TEST(ShownTail, WhatAShellSaysOfMissingJobControlIsLeftOutAtTheBeginningOnly) {
  const std::string noise =
      "bash: cannot set terminal process group (-1): Inappropriate ioctl for device\n"
      "bash: no job control in this shell\n";
  EXPECT_EQ(shown_tail(printed(noise + "hi\n"), 100), "hi\n");
  EXPECT_EQ(shown_tail(printed("hi\n" + noise), 1000), "hi\n" + noise);
  EXPECT_EQ(shown_tail(printed(noise, 5), 1000), noise);
  EXPECT_EQ(shown_tail(printed("no job control in this shell"), 100), "");
  ProcessInfo at_terminal = printed(noise);
  at_terminal.terminal.push_back({});
  EXPECT_EQ(shown_tail(at_terminal, 1000), noise);
}

TEST(SplitLines, EndsALineWhereUnicodeDoes) {
  EXPECT_THAT(unicode_lines("a\nb\r\nc\rd\ve\ff\u0085g\u2028h\u2029i\x1cj"),
              ElementsAre("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"));
  EXPECT_THAT(unicode_lines("a\n"), ElementsAre("a"));
  EXPECT_THAT(unicode_lines("\n\n"), ElementsAre("", ""));
  EXPECT_THAT(unicode_lines(""), IsEmpty());
}

TEST(PageOf, CountsAsTheSpecificationShows) {
  const std::vector<std::string_view> lines{"a", "b", "c"};
  EXPECT_THAT(page_of(lines, 0, 2), ElementsAre("b", "c"));
  EXPECT_THAT(page_of(lines, 1, 1), ElementsAre("b"));
  EXPECT_THAT(page_of(lines, 5, 2), IsEmpty());
  EXPECT_THAT(page_of(lines, 1, 200), ElementsAre("b", "c"));
  EXPECT_THAT(page_of(lines, 0, 0), IsEmpty());
}

}  // namespace
}  // namespace talaria::tool
