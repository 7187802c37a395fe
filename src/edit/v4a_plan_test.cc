#include "edit/v4a_plan.h"

#include <map>

#include <gtest/gtest.h>

namespace talaria::edit {
namespace {

using Files = std::map<std::string, std::string>;

std::expected<PatchPlan, std::string> plan(const Files& files, std::string_view patch) {
  const auto parsed = parse_patch(patch);
  if (!parsed) return std::unexpected(parsed.error());
  return plan_patch(*parsed, [&](const std::string& path) -> Result<std::optional<std::string>> {
    if (path.ends_with('/')) return fail(ErrorKind::bad_request, "is a directory");
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
  });
}

// What is on disk when the plan was carried out, or the error.
std::string applied(Files files, std::string_view patch) {
  const auto made = plan(files, patch);
  if (!made) return made.error();
  for (const FileChange& change : made->changes) files.erase(change.from);
  for (const FileChange& change : made->changes) {
    if (change.kind == FileChange::Kind::remove) files.erase(change.path);
    if (change.kind != FileChange::Kind::remove) files[change.path] = change.after;
  }
  std::string all;
  for (const auto& [path, content] : files) all += path + "{" + content + "}";
  return all;
}

std::string updated(const std::string& content, const std::string& hunks) {
  return applied({{"f", content}}, "*** Update File: f\n" + hunks);
}

TEST(V4aPlan, BytesThatShowNothingSurvive) {
  const std::string bell = "a\007\033]0;t\007\xFF\n";
  EXPECT_EQ(updated(bell + "b\n", " a\007\033]0;t\007\xFF\n-b\n+c\n"), "f{" + bell + "c\n}");
  EXPECT_EQ(updated(bell + "b\n", "-b\n+c\n"), "f{" + bell + "c\n}");
}

TEST(V4aPlan, NothingIsChangedIfOnePartFails) {
  const auto made =
      plan({{"a", "x\n"}},
           "*** Update File: a\n-x\n+y\n*** Delete File: b\n*** Update File: a\n-q\n+r\n");
  ASSERT_FALSE(made);
  EXPECT_TRUE(
      made.error().starts_with("Patch validation failed (no files were modified):\n  • b: file not "
                               "found for deletion\n  • a: "
                               "hunk (no hint) not found — Could not find a match for old_string "
                               "in the file (patch line 6)"))
      << made.error();
}

TEST(V4aPlan, OperationsSeeWhatTheOnesBeforeDid) {
  EXPECT_EQ(applied({}, "*** Add File: a\n+x\n*** Update File: a\n-x\n+y\n"), "a{y\n}");
  EXPECT_EQ(applied({{"a", "x\n"}}, "*** Move File: a -> b\n*** Update File: b\n-x\n+y\n"),
            "b{y\n}");
  EXPECT_EQ(applied({{"a", "x\n"}}, "*** Update File: a\n-x\n+y\n*** Update File: ./a\n-y\n+z\n"),
            "a{z\n}");
  EXPECT_EQ(applied({{"a", "x\n"}}, "*** Delete File: a\n*** Add File: a\n+y\n"), "a{y\n}");
  EXPECT_EQ(applied({{"a", "x\n"}}, "*** Add File: b\n+y\n*** Delete File: b\n"), "a{x\n}");
  EXPECT_EQ(applied({{"a", "x\n"}}, "*** Move File: a -> b\n*** Add File: a\n+y\n"),
            "a{y\n}b{x\n}");
  EXPECT_EQ(applied({{"a", "1"}, {"b", "2"}},
                    "*** Move File: a -> c\n*** Move File: b -> a\n*** Move File: c -> b\n"),
            "a{2}b{1}");
}

// What was deleted has to be taken away by somebody, or nothing can move to its place.
TEST(V4aPlan, AFileMovesToWhereAnotherWasDeleted) {
  const Files files{{"a", "x\n"}, {"b", "y\n"}};
  for (const char* patch : {"*** Delete File: b\n*** Move File: a -> b\n",
                            "*** Delete File: b\n*** Update File: a\n*** Move to: b\n"}) {
    EXPECT_EQ(applied(files, patch), "b{x\n}");
    const auto made = plan(files, patch);
    ASSERT_TRUE(made);
    ASSERT_EQ(made->changes.size(), 2u);
    EXPECT_EQ(made->changes[0], (FileChange{FileChange::Kind::remove, "b", "", "y\n", ""}));
    EXPECT_EQ(made->changes[1], (FileChange{FileChange::Kind::move, "b", "a", "x\n", "x\n"}));
  }
}

TEST(V4aPlan, AHintChoosesAmongPlaces) {
  const std::string content = "def f():\n  return 1\ndef g():\n  return 1\ndef h():\n  return 1\n";
  EXPECT_EQ(updated(content, "@@ def g(): @@\n-  return 1\n+  return 2\n"),
            "f{def f():\n  return 1\ndef g():\n  return 2\ndef h():\n  return 1\n}");
  const std::string unclear = updated(content, "-  return 1\n+  return 2\n");
  EXPECT_TRUE(
      unclear.ends_with("f: hunk (no hint) not found — Found 3 matches for old_string. "
                        "Provide more context to make it unique, or use replace_all=True. "
                        "(lines 2, 4, 6) (patch line 2)"))
      << unclear;
  EXPECT_TRUE(updated(content, "@@ def @@\n-  return 1\n+  return 2\n")
                  .contains("; the hint 'def' is ambiguous (3 occurrences)"));
  EXPECT_TRUE(updated(content, "@@ def x @@\n-  return 1\n+  return 2\n")
                  .contains("; the hint 'def x' not found"));
  EXPECT_EQ(updated("class A\n f\n  x\nclass B\n f\n  x\n", "@@ class B\n@@ f\n-  x\n+  y\n"),
            "f{class A\n f\n  x\nclass B\n f\n  y\n}");
}

TEST(V4aPlan, AnAdditionWithoutAHintGoesToTheEnd) {
  EXPECT_EQ(updated("a b\n", "@@ @@\n+c\n"), "f{a b\nc\n}");
  EXPECT_EQ(updated("a", "+b\n"), "f{a\nb\n}");
  EXPECT_EQ(updated("a\r\nb", "+c\n"), "f{a\r\nb\r\nc\r\n}");
  EXPECT_EQ(updated("", "+a\n+b\n"), "f{a\nb\n}");
}

TEST(V4aPlan, AnAdditionWithAHintGoesBehindItsLine) {
  EXPECT_EQ(updated("a\nb c\nd\n", "@@ b @@\n+x\n"), "f{a\nb c\nx\nd\n}");
  EXPECT_TRUE(updated("a\n", "@@ b @@\n+x\n")
                  .ends_with("f: addition-only hunk context hint 'b' not found (patch line 2)"));
  EXPECT_TRUE(
      updated("aaa\n", "@@ aa @@\n+x\n").contains("hint 'aa' is ambiguous (2 occurrences)"));
}

TEST(V4aPlan, AnEmptyLineIsABlankContextLine) {
  EXPECT_EQ(updated("a\n\nb\na\nb\n", " a\n\n-b\n+c\n"), "f{a\n\nc\na\nb\n}");
  EXPECT_EQ(updated("a\n\nb\n", "-a\n+x\n\n\n"), "f{x\n\nb\n}");
}

TEST(V4aPlan, AnUpdateMayMoveTheFile) {
  EXPECT_EQ(applied({{"a", "x\n"}}, "*** Update File: a\n*** Move to: b\n-x\n+y\n"), "b{y\n}");
  EXPECT_TRUE(applied({{"a", "x\n"}, {"b", ""}}, "*** Update File: a\n*** Move to: b\n-x\n+y\n")
                  .contains("a: destination already exists — move would overwrite"));
}

TEST(V4aPlan, AnyBytesCanBeDeleted) {
  EXPECT_EQ(applied({{"k.bin", std::string("\0\xFF", 2)}}, "*** Delete File: k.bin\n"), "");
}

TEST(V4aPlan, ANewFileEndsWithALineFeed) {
  EXPECT_EQ(applied({}, "*** Add File: a\n+hello\n+world\n"), "a{hello\nworld\n}");
}

TEST(V4aPlan, EachChangeIsListedForWhatItIs) {
  const auto made =
      plan({{"a", "1\n"}, {"b", "2\n"}, {"c", "3\n"}},
           "*** Delete File: a\n*** Move File: b -> d\n*** Add File: e\n+5\n*** Update "
           "File: c\n-3\n+4\n");
  ASSERT_TRUE(made) << made.error();
  using Change = FileChange::Kind;
  EXPECT_EQ(made->changes, (std::vector<FileChange>{{Change::remove, "a", "", "1\n", ""},
                                                    {Change::move, "d", "b", "2\n", "2\n"},
                                                    {Change::create, "e", "", "", "5\n"},
                                                    {Change::modify, "c", "", "3\n", "4\n"}}));
  EXPECT_EQ(plan_diff(*made),
            "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
            "# Moved: b -> d\n"
            "--- /dev/null\n+++ b/e\n@@ -0,0 +1 @@\n+5\n"
            "--- a/c\n+++ b/c\n@@ -1 +1 @@\n-3\n+4\n");
}

TEST(V4aPlan, NothingIsOverwritten) {
  EXPECT_TRUE(applied({{"a", ""}}, "*** Add File: a\n+x\n")
                  .ends_with("  • a: file already exists — add would overwrite"));
  EXPECT_TRUE(applied({{"a", ""}, {"b", ""}}, "*** Move File: a -> b\n")
                  .ends_with("  • a: destination already exists — move would overwrite"));
  EXPECT_TRUE(
      applied({}, "*** Move File: a -> b\n").ends_with("  • a: source file not found for move"));
  EXPECT_TRUE(
      applied({}, "*** Update File: a\n-x\n").ends_with("  • a: file not found for update"));
  EXPECT_TRUE(applied({{"a", ""}}, "*** Move File: a -> b/\n").ends_with("  • a: is a directory"));
}

TEST(V4aPlan, WhatDependsOnAFailureIsNotReportedAgain) {
  EXPECT_EQ(
      applied({}, "*** Move File: a -> b\n*** Update File: b\n-x\n+y\n*** Delete File: a\n"),
      "Patch validation failed (no files were modified):\n  • a: source file not found for move");
}

TEST(V4aPlan, ManyFailuresAreNotAllTried) {
  std::string hunks;
  for (int i = 0; i < 1000; ++i) hunks += "@@\n-gone " + std::to_string(i) + "\n";
  const std::string message = updated("a\n", hunks);
  EXPECT_TRUE(message.contains("(patch line 21)"));
  EXPECT_FALSE(message.contains("(patch line 23)"));
  EXPECT_TRUE(message.ends_with("\n  • f: hunks behind these were not tried"));
}

TEST(V4aPlan, AHunkThatChangesNothingIsRefused) {
  EXPECT_TRUE(
      updated("a\n", " a\n")
          .ends_with(
              "f: hunk (no hint) changes nothing: old and new lines are identical (patch line 2)"));
}

TEST(V4aPlan, LinesAreFoundWholeOrNotAtAll) {
  EXPECT_EQ(updated("max = 10\nx = 1\n", "-x = 1\n+x = 2\n"), "f{max = 10\nx = 2\n}");
  EXPECT_EQ(updated("a\nb\nc\n", "-b\n"), "f{a\nc\n}");
  EXPECT_EQ(updated("a\n", "-a\n"), "f{}");
}

TEST(V4aPlan, ContextKeepsItsBytes) {
  // Found with other blanks and quotes; only the removed line goes.
  EXPECT_EQ(updated("\tif “a”:  \n\t\tb\n\tend\n", " if \"a\":\n-    b\n+    c\n end\n"),
            "f{\tif “a”:  \n\t    c\n\tend\n}");
  EXPECT_EQ(updated("a\r\nb\nc\r\n", " a\n-b\n+B\n+B2\n c\n"), "f{a\r\nB\nB2\nc\r\n}");
  EXPECT_EQ(updated("\uFEFFa\r\nb\r\n", "-a\n+c\n"),
            "f{\uFEFF"
            "c\r\nb\r\n}");
}

TEST(V4aPlan, AFileWithoutALastLineFeedStaysWithoutIt) {
  EXPECT_EQ(updated("a\nb", "-b\n+c\n"), "f{a\nc}");
  EXPECT_EQ(updated("a\nb", "+c\n-b\n"), "f{a\nc}");
  EXPECT_EQ(updated("a\nb", " b\n+c\n"), "f{a\nb\nc}");
  EXPECT_EQ(updated("a\r\nb", " b\n+c\n"), "f{a\r\nb\r\nc}");
  EXPECT_EQ(updated("a\nb", " a\n-b\n"), "f{a\n}");
  EXPECT_EQ(updated("a\nb", "-a\n+c\n b\n"), "f{c\nb}");
}

TEST(V4aPlan, EndOfFileChoosesTheLastPlace) {
  EXPECT_EQ(updated("a\nb\na\nb\n", " a\n-b\n+c\n*** End of File\n"), "f{a\nb\na\nc\n}");
  EXPECT_EQ(updated("a\n", "@@ a @@\n+b\n*** End of File\n"), "f{a\nb\n}");
}

TEST(V4aPlan, HunksAreAppliedInTheirOrder) {
  EXPECT_EQ(updated("a\nb\nc\n", "@@\n-c\n+C\n@@\n-a\n+A\n@@\n A\n-b\n+B\n"), "f{A\nB\nC\n}");
}

TEST(V4aPlan, EscapesThatTheFileDoesNotHaveAreRefused) {
  EXPECT_TRUE(
      updated("a {\n  s = 'some text';\n}\n", " a {\n-  s = \\'some text\\';\n+  s = \\'\\';\n }\n")
          .contains("not found — Escape-drift detected:"));
}

TEST(V4aPlan, AnEscapedTabIsATabWhereTheFileHasTabs) {
  EXPECT_EQ(updated("\tx = 1\n", "-\tx = 1\n+\\tx = 2\n"), "f{\tx = 2\n}");
  EXPECT_EQ(updated("a {\n\tb\n}\n", " a {\n \tb\n }\n+s = \"\\t\"\n"),
            "f{a {\n\tb\n}\ns = \"\\t\"\n}");
}

TEST(V4aPlan, EmptyFilesAreNamed) {
  const auto made = plan({{"a", ""}}, "*** Delete File: a\n*** Add File: b\n");
  ASSERT_TRUE(made);
  EXPECT_EQ(plan_diff(*made), "# Deleted: a\n# Created: b\n");
}

}  // namespace
}  // namespace talaria::edit
