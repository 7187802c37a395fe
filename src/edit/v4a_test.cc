#include "edit/v4a.h"

#include <gtest/gtest.h>

namespace talaria::edit {
namespace {

using Kind = HunkLine::Kind;

// A patch in short: an operation per line, its hunks behind it as hints[lines].
std::string in_short(std::string_view text) {
  const auto parsed = parse_patch(text);
  if (!parsed) return parsed.error();
  std::string all;
  for (const PatchOperation& operation : *parsed) {
    constexpr std::string_view kLetters = "AUDM";
    all += kLetters[static_cast<std::size_t>(operation.action)];
    all += " " + operation.path;
    if (!operation.move_to.empty()) all += " -> " + operation.move_to;
    for (const Hunk& hunk : operation.hunks) {
      all += " ";
      for (const std::string& hint : hunk.hints) all += "<" + hint + ">";
      all += "[";
      for (const HunkLine& line : hunk.lines) {
        all += line.kind == Kind::added ? '+' : line.kind == Kind::removed ? '-' : ' ';
        all += line.text + "|";
      }
      all += hunk.at_end ? "]$" : "]";
    }
    if (operation.action == PatchAction::add) all += " {" + operation.content + "}";
    all += "\n";
  }
  return all;
}

TEST(V4a, ReadsEveryOperation) {
  EXPECT_EQ(in_short("*** Begin Patch\n"
                     "*** Add File: a.txt\n+one\n+two\n"
                     "*** Update File: dir/b c.py\n@@ def f(): @@\n x\n-y\n+z\n@@\n+end\n"
                     "*** Delete File: d\n"
                     "*** Move File: e -> f\n"
                     "*** End Patch\n"),
            "A a.txt {one\ntwo\n}\n"
            "U dir/b c.py <def f():>[ x|-y|+z|] [+end|]\n"
            "D d\n"
            "M e -> f\n");
}

TEST(V4a, AcceptsWhatAgentsWrite) {
  const struct {
    const char* name;
    const char* text;
    const char* expected;
  } cases[] = {
      {"no markers", "*** Delete File: a", "D a\n"},
      {"no blanks behind the stars", "***Begin Patch\n***Update File:a\n-b\n***End Patch",
       "U a [-b|]\n"},
      {"more blanks", "***  Update \t File:   a  \n-b\n", "U a [-b|]\n"},
      {"prose around", "Here it is:\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nDone.",
       "D a\n"},
      {"the last begin counts",
       "*** Begin Patch\nis how it starts\n*** Begin Patch\n*** Delete File: a\n*** End Patch",
       "D a\n"},
      {"a hunk without @@", "*** Update File: a\n b\n-c\n", "U a [ b|-c|]\n"},
      {"an empty hint", "*** Update File: a\n@@ @@\n+b\n", "U a [+b|]\n"},
      {"an open hint", "*** Update File: a\n@@ class B\n+b\n", "U a <class B>[+b|]\n"},
      {"hints in hints", "*** Update File: a\n@@ class B\n@@ def c\n-b\n",
       "U a <class B><def c>[-b|]\n"},
      {"text behind the hint", "*** Update File: a\n@@ f @@ tail\n-b\n", "U a <f>[-b|]\n"},
      {"a hunk of nothing", "*** Update File: a\n-b\n@@ end @@\n", "U a [-b|]\n"},
      {"a blank context line", "*** Update File: a\n b\n\n-c\n", "U a [ b| |-c|]\n"},
      {"blank lines behind a hunk", "*** Update File: a\n-c\n\n\n*** Delete File: d\n",
       "U a [-c|]\nD d\n"},
      {"a blank line among additions", "*** Update File: a\n@@\n\n+b\n\n+c\n\n",
       "U a [+b|+|+c|]\n"},
      {"context without its column", "*** Update File: a\ndef f():\n-  b\n",
       "U a [ def f():|-  b|]\n"},
      {"no newline notes", "*** Update File: a\n-b\n\\ No newline at end of file\n+c\n",
       "U a [-b|+c|]\n"},
      {"end of file", "*** Update File: a\n b\n+c\n*** End of File\n*** Delete File: d\n",
       "U a [ b|+c|]$\nD d\n"},
      {"move to", "*** Update File: a\n*** Move to: b\n@@\n-c\n", "U a -> b [-c|]\n"},
      {"move to and nothing else", "*** Update File: a\n*** Move to: b\n", "U a -> b\n"},
      {"CRLF", "*** Update File: a\r\n@@ f @@\r\n-b\r\n+c\r\n", "U a <f>[-b|+c|]\n"},
      {"markers as content",
       "*** Begin Patch\n*** Add File: a\n+*** End Patch\n+*** Delete File: b\n*** End Patch\n",
       "A a {*** End Patch\n*** Delete File: b\n}\n"},
      {"an empty file", "*** Add File: a\n*** Delete File: b\n", "A a {}\nD b\n"},
      {"blank lines of a new file", "*** Add File: a\n+b\n\n+c\n\n\n", "A a {b\n\nc\n}\n"},
      {"a new file without an end", "*** Add File: a\n+b\n\\ No newline at end of file\n",
       "A a {b}\n"},
      {"lines behind a delete", "*** Delete File: a\n-b\nwords\n", "D a\n"},
      {"the first arrow", "*** Move File: a -> b -> c\n", "M a -> b -> c\n"},
      {"no last line feed", "*** Update File: a\n-b\n+c", "U a [-b|+c|]\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(in_short(c.text), c.expected);
  }
}

TEST(V4a, ReadsAPatchInACodeFence) {
  EXPECT_EQ(in_short("```diff\n*** Update File: a\n-b\n+c\n```\n"), "U a [-b|+c|]\n");
  EXPECT_EQ(in_short("```\n*** Add File: a\n+b\n```\n\n"), "A a {b\n}\n");
  EXPECT_EQ(in_short("```\n*** Begin Patch\n*** Add File: a\n+b\n*** End Patch\n```"),
            "A a {b\n}\n");
  EXPECT_EQ(in_short("```\n*** Begin Patch\n*** Add File: a\n+b\n```"), "A a {b\n}\n");
  // Without a fence in front it is a line of the file.
  EXPECT_EQ(in_short("*** Update File: a\n b\n-```\n"), "U a [ b|-```|]\n");
}

TEST(V4a, SaysWhatIsWrongAndWhere) {
  const struct {
    const char* name;
    const char* text;
    const char* expected;
  } cases[] = {
      {"nothing", "", "no operations found"},
      {"no operations", "*** Begin Patch\n*** End Patch\n", "no operations found"},
      {"empty path", "*** Begin Patch\n*** Update File:\n-a\n", "line 2: UPDATE '': empty path"},
      {"no hunks", "*** Update File: a\n@@ x @@\n", "line 1: UPDATE 'a': no hunks found"},
      {"no destination", "x\n*** Move File: a\n",
       "line 2: MOVE 'a': no destination (source -> destination)"},
      {"no source", "*** Move File: -> b\n", "line 1: MOVE '': empty path"},
      {"stray line", "*** Add File: a\n+b\nc\nd\n",
       "line 3: ADD 'a': a line of a new file begins with '+', this one does not: c"},
      {"lines behind a move", "*** Move File: a -> b\n@@\n-c\n",
       "line 2: MOVE 'a': a move cannot contain lines to change; use '*** Update File' with '*** "
       "Move to'"},
      {"unknown", "*** Rename File: a\n", "line 1: unknown operation 'Rename'"},
      {"move to nowhere", "*** Update File: a\n*** Move to:\n-b\n",
       "line 2: UPDATE 'a': no destination"},
      {"several", "*** Delete File:\n*** Update File: a\n",
       "line 1: DELETE '': empty path; line 2: UPDATE 'a': no hunks found"},
      {"two patches",
       "*** Begin Patch\n*** Delete File: a\n*** End Patch\n*** Begin Patch\n*** Delete File: b\n",
       "line 4: a second patch begins behind the end of the first one; send one patch"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(in_short(c.text), std::string("Failed to parse patch: Parse error: ") + c.expected);
  }
}

bool leaves(std::string_view text) {
  const auto parsed = parse_patch(text);
  return parsed && find_traversal(*parsed);
}

TEST(V4a, PathsStayBelow) {
  EXPECT_TRUE(leaves("*** Update File: ../x\n-a\n"));
  EXPECT_TRUE(leaves("*** Add File: a/../../x\n+a\n"));
  EXPECT_TRUE(leaves("*** Delete File: a/..\n"));
  EXPECT_FALSE(leaves("*** Delete File: a..b/...\n"));
  const auto parsed = parse_patch("*** Delete File: ../x\n");
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(
      find_traversal(*parsed)->starts_with("V4A patch header contains '..' traversal: '../x'. "));
}

TEST(V4a, PathsOfMovesAndOfHeadersWithoutABlankStayBelow) {
  EXPECT_TRUE(leaves("*** Move File: a -> ../b\n"));
  EXPECT_TRUE(leaves("*** Move File: ../a -> b\n"));
  EXPECT_TRUE(leaves("***Update File: ../x\n-a\n"));
  EXPECT_TRUE(leaves("*** Update File: a\n*** Move to: b/../../c\n-a\n"));
}

TEST(V4a, ListsEveryPathOnce) {
  const auto parsed = parse_patch(
      "*** Move File: a -> b\n*** Update File: b\n*** Move to: c\n*** Delete File: a\n");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(patch_paths(*parsed), (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace talaria::edit
