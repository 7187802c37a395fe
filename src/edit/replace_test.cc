#include "edit/replace.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "edit/shown.h"

namespace talaria::edit {
namespace {

std::string outcome(std::string_view content, const Replacement& replacement) {
  const auto replaced = replace_text(content, replacement);
  return replaced ? replaced->content : "error: " + replaced.error().message;
}

std::string replaced(std::string_view content, std::string_view old_text, std::string_view new_text,
                     bool all = false) {
  return outcome(content, {old_text, new_text, all});
}

TEST(Replace, LinesOfACrlfFileAreReplacedAndNoOthers) {
  EXPECT_EQ(replaced("a\r\nb\r\nq\r\nz\r\n", "a\nb\n", "A\nB\n"), "A\r\nB\r\nq\r\nz\r\n");
  EXPECT_EQ(replaced("a\r\nb\r\nq\r\nz\r\n", "a\nb\n", "A\n"), "A\r\nq\r\nz\r\n");
  EXPECT_EQ(replaced("a\r\nb\r\nq\r\nz", "q\nz\n", "Q\nZ\nY\n"), "a\r\nb\r\nQ\r\nZ\r\nY");
}

TEST(Replace, BytesThatAreNoUtf8Survive) {
  EXPECT_EQ(replaced("caf\xE9\nx = 1\n\xFF\xFE", "x = 1", "x = 2"), "caf\xE9\nx = 2\n\xFF\xFE");
  EXPECT_EQ(replaced("caf\xE9 x = 1 \xC3", "x =  1", "x = 2"), "caf\xE9 x = 2 \xC3");
}

TEST(Replace, AllPlacesDoNotOverlap) {
  EXPECT_EQ(replaced("aaaa", "aa", "b", true), "bb");
  EXPECT_EQ(replaced("aaaaa", "aa", "b", true), "bba");
  EXPECT_EQ(replaced("  x\n  x\n  x\n", "x\nx", "y", true), "  y\n  x\n");
}

TEST(Replace, ALineThatIsMerelySimilarIsNotFound) {
  const auto result = replace_text("timeout = 30\n", {"timeout = 31", "timeout = 60"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, EditFailureKind::not_found);
  EXPECT_EQ(result.error().message,
            "Could not find a match for old_string in the file\n\n"
            "Did you mean one of these sections?\n   1| timeout = 30");
}

TEST(Replace, ALineThatHasNothingInCommonIsNeverReplaced) {
  const auto result = replace_text("value = compute(alpha)\nprecious()\n",
                                   {"value = compute(alphb)\nunrelated words", "x"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, EditFailureKind::not_found);
}

TEST(Replace, MixedEndingsStayAsTheyAre) {
  EXPECT_EQ(replaced("a\r\nb\nc\r\nd\n", "b", "B\nB2"), "a\r\nB\nB2\nc\r\nd\n");
  EXPECT_EQ(replaced("a\r\nb\nc\r\nd\n", "a\nb\nc\n", "a\nnew\nb\nc\n"), "a\r\nnew\r\nb\nc\r\nd\n");
  EXPECT_EQ(replaced("a\nb\r\nc\nd\r\n", "b\nc", "b\nx\ny\nc"), "a\nb\r\nx\r\ny\r\nc\nd\r\n");
}

TEST(Replace, NewTextIsIndentedAsTheOldOneWas) {
  EXPECT_EQ(replaced("class A:\n    def f(self):\n        return 1\n",
                     "def f(self):\n    return 1\n", "def f(self):\n    if x:\n\n        y()\n"),
            "class A:\n    def f(self):\n        if x:\n\n            y()\n");
  EXPECT_EQ(replaced("\tif a:\n\t\tb()\n", "  if a:\n    b()", "  if c:\n  d()\ne()"),
            "\tif c:\n\td()\n\te()\n");
}

TEST(Replace, EscapesThatTheFileDoesNotHaveAreRefused) {
  const struct {
    const char* content;
    const char* old_text;
    const char* new_text;
    bool refused;
  } cases[] = {
      {"print('hi')\n", "print(\\'hi\\')", "print(\\'ho\\')", true},
      {"f(\"a\")\n", "f(\\\"a\\\")", "f(\\\"b\\\")", true},
      {"a {\n  s = 'some text';\n}\n", "a {\n  s = \\'some text\\';\n}", "a {\n  s = \\'\\';\n}",
       true},
      {"s = 'it\\'s'\n", "s =  'it\\'s'", "s = 'isn\\'t'", false},
      {"s = 'it\\'s'\n", "s = 'it\\'s'", "s = 'isn\\'t'", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.content);
    const auto result = replace_text(c.content, {c.old_text, c.new_text});
    EXPECT_EQ(!result, c.refused);
    if (result) continue;
    EXPECT_EQ(result.error().kind, EditFailureKind::escape_drift);
    EXPECT_TRUE(result.error().message.starts_with("Escape-drift detected:"));
  }
}

TEST(Replace, AnEscapedTabIsATabWhereTheFileHasTabs) {
  EXPECT_EQ(replaced("\tx = 1\n", "\tx = 1", "\\tx = 2"), "\tx = 2\n");
  EXPECT_EQ(replaced("if a:\n\tx = 1\n", "if a:\n\tx = 1", "if a:\\n\\tx = 2"),
            "if a:\\n\tx = 2\n");
  EXPECT_EQ(replaced("s = '\\t'\n", "s = '\\t'", "s = '\\t\\t'"), "s = '\\t\\t'\n");
  EXPECT_EQ(replaced("\ts = '\\t'\n", "\ts = '\\t'", "\\ts = '\\t'"), "\\ts = '\\t'\n");
  // A caller that writes real tabs means the escape.
  EXPECT_EQ(replaced("\tput(\"a\")\n", "\tput(\"a\")", "\tput(\"\\ta\")"), "\tput(\"\\ta\")\n");
  EXPECT_EQ(replaced("a\r\nb\r\n", "a\nb", "\"\\r\""), "\"\\r\"\r\n");
}

TEST(Replace, NothingToFindOrNothingToChange) {
  const auto empty = replace_text("a", {"", "b"});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().kind, EditFailureKind::empty);
  EXPECT_EQ(empty.error().message, "old_string cannot be empty");
  const auto same = replace_text("a", {"a", "a"});
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().kind, EditFailureKind::identical);
  EXPECT_EQ(same.error().message, "old_string and new_string are identical");
}

TEST(Replace, SaysWhereTheMatchesAre) {
  const auto result = replace_text("x = 1\ny\nx = 1 # \xFF\n", {"x = 1", "x = 2"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, EditFailureKind::ambiguous);
  EXPECT_EQ(result.error().message,
            "Found 2 matches for old_string. Provide more context to make it unique, or use "
            "replace_all=True.");
  ASSERT_EQ(result.error().places.size(), 2u);
  EXPECT_EQ(result.error().places[0].line, 1u);
  EXPECT_EQ(result.error().places[1].line, 3u);
  EXPECT_EQ(result.error().places[1].text, "x = 1 # \uFFFD");
  EXPECT_EQ(with_places(result.error()),
            result.error().message + "\n   1| x = 1\n   3| x = 1 # \uFFFD");
}

TEST(Replace, OverlappingMatchesAreAmbiguous) {
  EXPECT_TRUE(replaced("aaa", "aa", "b").starts_with("error: Found 2 matches"));
}

TEST(Replace, ShowsTheFirstPlacesOfMany) {
  std::string content;
  for (int i = 0; i < 1000; ++i) content += "x\n";
  const auto result = replace_text(content, {"x", "y"});
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.starts_with("Found 1000 matches"));
  EXPECT_EQ(result.error().places.size(), kMaxShownPlaces);
}

TEST(Replace, TellsHowAndWhereItWasDone) {
  const auto result = replace_text("a\n b\nc\n b\n", {"b \n", "d\n", true});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->content, "a\n d\nc\n d\n");
  EXPECT_EQ(result->strategy, Strategy::line_trimmed);
  EXPECT_EQ(result->lines, (std::vector<std::size_t>{2, 4}));
}

TEST(Replace, TheSeparatorBehindAMatchStays) {
  EXPECT_EQ(replaced("x a  =   1; y", "a = 1;", "a = 2;"), "x a = 2; y");
}

TEST(Replace, TypesetTextIsReplaced) {
  EXPECT_EQ(replaced("He said “no” — twice…\n", "\"no\" -- twice...", "yes"), "He said yes\n");
  EXPECT_EQ(replaced("a\u00A0b\n", "a b", "c"), "c\n");
}

TEST(Replace, KeepsABom) {
  EXPECT_EQ(replaced("\uFEFFa\r\nb\r\n", "a\n", "c\nd\n"), "\uFEFFc\r\nd\r\nb\r\n");
  EXPECT_EQ(replaced("\uFEFFa\n", "\uFEFFa\n", "\uFEFFb\n"), "\uFEFFb\n");
}

TEST(Replace, NewTextGetsTheEndingsOfTheFile) {
  EXPECT_EQ(replaced("a\nb\n", "a", "x\r\ny"), "x\ny\nb\n");
  EXPECT_EQ(replaced("a\r\nb\r\n", "a\r\nb", "x\ny"), "x\r\ny\r\n");
  EXPECT_EQ(replaced("a", "a", "x\r\ny"), "x\r\ny");
  EXPECT_EQ(replaced("a", "a", "x\ny"), "x\ny");
  EXPECT_EQ(replaced("a\r\nb", "b", "x\ny"), "a\r\nx\r\ny");
  EXPECT_EQ(replaced("a\r\n\r\n\r\nb\r\n", "a\n\n\nb", "a\nb"), "a\r\nb\r\n");
}

TEST(Replace, EndingsAreReplacedIfNothingElseDiffers) {
  EXPECT_EQ(replaced("a\r\nb\r\n", "\r\n", "\n", true), "a\nb\n");
  EXPECT_EQ(replaced("a\r\nb\r\n", "a\r\nb", "a\nb"), "a\nb\r\n");
  EXPECT_EQ(replaced("a\nb\n", "\n", "\r\n", true), "a\r\nb\r\n");
  EXPECT_TRUE(replaced("a\r\nb\r\n", "\r\n", "\n").starts_with("error: Found 2 matches"));
  EXPECT_TRUE(replaced("a\nb\n", "a\r\n", "a\n").starts_with("error: Could not find a match"));
}

TEST(Replace, AFileWithoutALastLineFeedStaysWithoutIt) {
  EXPECT_EQ(replaced("a\nb", "b\n", "c\n"), "a\nc");
  EXPECT_EQ(replaced("a\n  b", "b\n", "c\nd\n"), "a\n  c\n  d");
}

TEST(Replace, ShowsTheBestSectionsOfAFile) {
  std::string content;
  for (int i = 1; i <= 12; ++i) content += "line number " + std::to_string(i) + "\n";
  content += "something else entirely\n";
  const std::string message = replaced(content, "\n  line numbr 11\nnext", "x");
  EXPECT_TRUE(message.starts_with(
      "error: Could not find a match for old_string in the file\n\nDid you mean one of these "
      "sections?\n   9| line number 9\n  10| line number 10\n  11| line number 11\n  12| line "
      "number 12\n  13| something else entirely\n---\n"))
      << message;
  EXPECT_EQ(replaced("first line\nother line\n", "a lin\nb\nc", "x"),
            "error: Could not find a match for old_string in the file\n\nDid you mean one of these "
            "sections?\n   1| first line\n   2| other line");
  EXPECT_EQ(replaced("abc\n", "xyz 123", "x"),
            "error: Could not find a match for old_string in the file");
  EXPECT_EQ(replaced("", "x", "y"), "error: Could not find a match for old_string in the file");
}

TEST(Replace, RefusesAFileOfTooManyLines) {
  const auto result = replace_text(std::string(kMaxEditLines + 1, '\n') + "a", {"a", "b"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, EditFailureKind::too_large);
}

TEST(Replace, RefusesWhatWouldBecomeTooLarge) {
  const std::string large(1u << 20, 'x');
  const auto result = replace_text(std::string(1000, 'a'), {"a", large, true});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, EditFailureKind::too_large);
}

}  // namespace
}  // namespace talaria::edit
