#include "front/cli/table.h"

#include <gtest/gtest.h>

#include "front/wrap.h"

namespace talaria::front::cli {
namespace {

Table pets() {
  Table table({"NAME", "WHAT IT DOES"});
  table.add({"cat", "sleeps on whatever is warm"}, Look::good);
  table.add({"salamander", "swims"});
  return table;
}

TEST(Table, AlignsItsColumnsAndLeavesNoBlanksBehind) {
  EXPECT_EQ(pets().drawn({}),
            "NAME        WHAT IT DOES\n"
            "cat         sleeps on whatever is warm\n"
            "salamander  swims\n");
}

TEST(Table, GivesWayWhereItIsWidest) {
  EXPECT_EQ(pets().drawn({.width = 30}),
            "NAME        WHAT IT DOES\n"
            "cat         sleeps on whatever\n"
            "            is warm\n"
            "salamander  swims\n");
}

TEST(Table, StaysReadableOnATerminalThatIsMuchTooNarrow) {
  EXPECT_EQ(pets().drawn({.width = 3}),
            "NAME      WHAT IT\n"
            "          DOES\n"
            "cat       sleeps\n"
            "          on\n"
            "          whatever\n"
            "          is warm\n"
            "salamand  swims\n"
            "er\n");
}

TEST(Table, TheCommandIsCutAndTheIdStaysWhole) {
  Table table({"ID", "STATUS", "COMMAND"});
  table.add(
      {"proc_0123456789ab", "waiting for input", "npm run dev -- --port 8080 --host 0.0.0.0"});
  EXPECT_EQ(table.drawn({.width = 60}),
            "ID                 STATUS             COMMAND\n"
            "proc_0123456789ab  waiting for input  npm run dev -- --port…\n");
  EXPECT_EQ(table.drawn({.width = 45}),
            "ID                 STATUS        COMMAND\n"
            "proc_0123456789ab  waiting for   npm run dev…\n"
            "                   input\n");
}

TEST(Table, HasColoursWhenAsked) {
  EXPECT_EQ(pets().drawn({.colour = true}),
            "\x1b[1mNAME        WHAT IT DOES\x1b[0m\n"
            "\x1b[32mcat         sleeps on whatever is warm\x1b[0m\n"
            "salamander  swims\n");
}

TEST(Table, CountsCharactersAndNotBytes) {
  Table table({"A", "B"});
  table.add({"\u00e9\u00e9", "x"});
  table.add({"eee", "x"});
  EXPECT_EQ(table.drawn({}), "A    B\n\u00e9\u00e9   x\neee  x\n");
}

TEST(Table, ACellCannotDrawOnTheTerminal) {
  Table table({"A"});
  table.add({"a\x1b[2Jb\nc\x7f\xFF"});
  table.add({"\u009b2J\u0080\u00a0"});  // the same in one character
  EXPECT_EQ(table.drawn({}), "A\na [2Jb c \uFFFD\n 2J \u00a0\n");
}

TEST(Wrapped, BreaksBetweenWordsAndCutsWhatIsTooLong) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("", 5), Lines{""});
  EXPECT_EQ(wrapped("a bb ccc", 4), (Lines{"a bb", "ccc"}));
  EXPECT_EQ(wrapped("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(wrapped("a   b", 2), (Lines{"a ", "b"}));
  EXPECT_EQ(wrapped("\u00e9\u00e9\u00e9", 2), (Lines{"\u00e9\u00e9", "\u00e9"}));
}

}  // namespace
}  // namespace talaria::front::cli
