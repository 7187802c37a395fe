// What a caller of patch may rely on; how texts are found is in docs/reference/editing.md and has
// its tests in src/edit/.
#include <sys/stat.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_tool_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class PatchTest : public FileToolTest {
 protected:
  static std::vector<std::string> list(const json::object& result, std::string_view name) {
    std::vector<std::string> found;
    const json::value* values = result.if_contains(name);
    if (!values) return found;
    for (const json::value& value : values->as_array()) found.emplace_back(value.as_string());
    return found;
  }
};

TEST_F(PatchTest, AnswersWithTheDiff) {
  put("f.json", "{\n  \"a\": 1\n}\n");
  const json::object result = replace("f.json", "\"a\": 1", "\"a\": 2");
  EXPECT_TRUE(flag(result, "success"));
  EXPECT_EQ(text(result, "diff"),
            "--- a/f.json\n+++ b/f.json\n@@ -1,3 +1,3 @@\n {\n-  \"a\": 1\n+  \"a\": 2\n }\n");
  EXPECT_THAT(list(result, "files_modified"), ElementsAre(at("f.json")));
  EXPECT_EQ(text(result, "resolved_path"), at("f.json"));
  EXPECT_EQ(text(result.at("lint").as_object(), "status"), "ok");
}

TEST_F(PatchTest, WhatIsMissingIsSaid) {
  const auto error = [&](json::object arguments) {
    return text(agent().call("patch", std::move(arguments)), "error");
  };
  EXPECT_EQ(error({{"old_string", "a"}, {"new_string", "b"}}), "path required");
  EXPECT_EQ(error({{"path", "f"}, {"old_string", "a"}}), "old_string and new_string required");
  EXPECT_EQ(error({{"mode", "patch"}}), "patch content required");
  EXPECT_EQ(error({{"mode", "sed"}}), "Unknown mode: sed");
  EXPECT_EQ(error({{"path", "nowhere"}, {"old_string", "a"}, {"new_string", "b"}}),
            "Failed to read file: nowhere");
}

TEST_F(PatchTest, ControlBytesElsewhereInTheFileStay) {
  const std::string bytes = "bell \a\x1b]0;title\a end\nchange me\n";
  put("f", bytes);
  EXPECT_TRUE(flag(apply("*** Begin Patch\n*** Update File: f\n-change me\n+changed\n"
                         "*** End Patch\n"),
                   "success"));
  EXPECT_EQ(on_disk("f"), "bell \a\x1b]0;title\a end\nchanged\n");
}

TEST_F(PatchTest, ALinkStaysOneInBothModes) {
  put("real", "one\n");
  fs::create_symlink("real", at("link"));
  replace("link", "one", "two");
  apply("*** Update File: link\n-two\n+three\n");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(on_disk("real"), "three\n");
}

// By two names the file was planned twice, and the second hunk undid the first.
TEST_F(PatchTest, AFileByTwoNamesIsOneFile) {
  put("f", "one\ntwo\n");
  const json::object result =
      apply("*** Update File: f\n-one\n+1\n*** Update File: " + at("f") + "\n-two\n+2\n");
  EXPECT_TRUE(flag(result, "success"));
  EXPECT_EQ(on_disk("f"), "1\n2\n");
  EXPECT_EQ(text(result, "diff"), "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n");
  EXPECT_THAT(list(result, "files_modified"), ElementsAre(at("f")));
  EXPECT_EQ(text(result, "resolved_path"), at("f"));
}

TEST_F(PatchTest, AFileMovesToWhereAnotherWasDeleted) {
  put("a", "one\n");
  put("b", "two\n");
  const json::object moved = apply("*** Delete File: b\n*** Move File: a -> b\n");
  EXPECT_TRUE(flag(moved, "success")) << text(moved, "error");
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_EQ(on_disk("b"), "one\n");
  EXPECT_THAT(list(moved, "files_deleted"), ElementsAre(at("b")));
  EXPECT_THAT(list(moved, "files_modified"), ElementsAre(at("a") + " -> " + at("b")));

  put("c", "three\n");
  EXPECT_TRUE(flag(apply("*** Delete File: b\n*** Update File: c\n*** Move to: b\n-three\n+3\n"),
                   "success"));
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_EQ(on_disk("b"), "3\n");
}

TEST_F(PatchTest, OnlyTheLinesThatWereFoundChangeInACrlfFile) {
  put("f", "a\r\nb\r\nq\r\nz\r\n");
  EXPECT_TRUE(flag(replace("f", "a\nb\n", "A\nB\n"), "success"));
  EXPECT_EQ(on_disk("f"), "A\r\nB\r\nq\r\nz\r\n");
}

TEST_F(PatchTest, BytesThatAreNoTextStay) {
  put("f", "caf\xE9\nchange\n");
  EXPECT_TRUE(flag(replace("f", "change", "changed"), "success"));
  EXPECT_EQ(on_disk("f"), "caf\xE9\nchanged\n");
}

TEST_F(PatchTest, EveryPlaceIsReplacedOnce) {
  put("f", "aaaa");
  replace("f", "aa", "b", true);
  EXPECT_EQ(on_disk("f"), "bb");
}

TEST_F(PatchTest, WhatIsMerelySimilarIsNotReplaced) {
  put("f", "the quick brown fox\nunrelated line\n");
  EXPECT_THAT(text(replace("f", "the quick brown fax", "x"), "error"),
              StartsWith("Could not find a match for old_string in the file"));
  EXPECT_THAT(text(replace("f", "the quick brown fax\nsomething else", "x"), "error"),
              StartsWith("Could not find a match"));
  EXPECT_EQ(on_disk("f"), "the quick brown fox\nunrelated line\n");
}

TEST_F(PatchTest, LineEndingsElsewhereStay) {
  put("f", "a\r\nb\nc\r\n");
  replace("f", "b", "B");
  EXPECT_EQ(on_disk("f"), "a\r\nB\nc\r\n");
}

TEST_F(PatchTest, NewTextIsIndentedLikeThePlaceItGoesTo) {
  put("f.txt", "    if x:\n        y()\n");
  replace("f.txt", "if x:\n    y()\n", "if x:\n    z()\n    w()\n");
  EXPECT_EQ(on_disk("f.txt"), "    if x:\n        z()\n        w()\n");
}

TEST_F(PatchTest, EscapesThatAreNotInTheFileAreRefused) {
  put("f", "  print('hi')\n");
  EXPECT_THAT(text(replace("f", "print(\\'hi\\')\n", "print(\\'ho\\')\n"), "error"),
              StartsWith("Escape-drift detected:"));
  EXPECT_EQ(on_disk("f"), "  print('hi')\n");
}

TEST_F(PatchTest, WrittenOutTabsBecomeRealOnesOnlyWhereRealOnesWere) {
  put("f", "\tif a:\n");
  replace("f", "\tif a:", "\\tif b:");
  EXPECT_EQ(on_disk("f"), "\tif b:\n");
  put("g", "s = '\\t'\n");
  replace("g", "s = '\\t'", "s = '\\t\\t'");
  EXPECT_EQ(on_disk("g"), "s = '\\t\\t'\n");
}

TEST_F(PatchTest, NothingToFindOrToChangeIsSaid) {
  put("f", "a\n");
  EXPECT_EQ(text(replace("f", "a", "a"), "error"), "old_string and new_string are identical");
  EXPECT_EQ(text(replace("f", "", "a"), "error"), "old_string cannot be empty");
  EXPECT_EQ(on_disk("f"), "a\n");
}

TEST_F(PatchTest, TheThirdFailureInARowIsCounted) {
  put("f", "something\n");
  const std::string first = text(replace("f", "zzzz", "x"), "_hint");
  EXPECT_EQ(first,
            "old_string not found. Use read_file to verify the current content, or search_files to "
            "locate the text.");
  EXPECT_EQ(text(replace("f", "zzzz", "x"), "_hint"), first);
  EXPECT_THAT(text(replace("f", "zzzz", "x"), "_hint"), StartsWith("This is failure #3 patching"));
  replace("f", "something", "else");
  EXPECT_EQ(text(replace("f", "zzzz", "x"), "_hint"), first);
}

TEST_F(PatchTest, AmbiguityIsReportedWithItsPlaces) {
  put("f", "x = 1\ny\nx = 1\n");
  const std::string error = text(replace("f", "x = 1", "x = 2"), "error");
  EXPECT_THAT(error, StartsWith("Found 2 matches for old_string. Provide more context to make it "
                                "unique, or use replace_all=True."));
  EXPECT_THAT(error, HasSubstr("3| x = 1"));
}

TEST_F(PatchTest, IfOneDoesNotApplyNothingIsChanged) {
  put("a", "one\n");
  put("b", "two\n");
  const json::object result = apply(
      "*** Begin Patch\n*** Update File: a\n-one\n+ONE\n*** Delete File: missing\n"
      "*** Update File: b\n-nowhere\n+x\n*** End Patch\n");
  EXPECT_FALSE(flag(result, "success"));
  EXPECT_THAT(text(result, "error"),
              StartsWith("Patch validation failed (no files were modified):\n  • "));
  EXPECT_THAT(text(result, "error"), HasSubstr("• missing: file not found for deletion"));
  EXPECT_THAT(text(result, "error"), HasSubstr("• b: hunk (no hint) not found"));
  EXPECT_EQ(on_disk("a"), "one\n");
}

TEST_F(PatchTest, APatchStaysBelowItsDirectory) {
  put("a", "x\n");
  world_.directory("work/sub");
  for (const char* patch :
       {"*** Update File: ../x\n-x\n+y\n", "*** Add File: ../x\n+y\n", "*** Delete File: ../x\n",
        "*** Move File: a -> ../b\n", "***Update File: ../x\n-x\n+y\n",
        "*** Update File: a\n*** Move to: sub/../../b\n-x\n+y\n"}) {
    SCOPED_TRACE(patch);
    EXPECT_THAT(text(apply(patch), "error"),
                StartsWith("V4A patch header contains '..' traversal: '"));
  }
  EXPECT_EQ(on_disk("a"), "x\n");
}

TEST_F(PatchTest, GuardsHoldForEveryOperation) {
  put("a", "x\n");
  agent().run("export HOME=" + world_.directory("user"));
  const std::string key = world_.path("user/.ssh/id_rsa");
  EXPECT_THAT(text(apply("*** Move File: a -> " + key + "\n"), "error"), HasSubstr("Move denied"));
  EXPECT_THAT(text(apply("*** Add File: /etc/foo\n+x\n"), "error"),
              HasSubstr("sensitive system path"));
  EXPECT_THAT(text(apply("*** Delete File: " + world_.path("home/.env") + "\n"), "error"),
              HasSubstr("Delete denied"));
  EXPECT_EQ(on_disk("a"), "x\n");
}

// The link itself is what is removed, so it is its directory that counts.
TEST_F(PatchTest, ALinkIsRemovedOnlyWhereFilesMayBe) {
  const std::string safe = world_.directory("work/safe");
  world_.set("HERMES_WRITE_SAFE_ROOT", safe);
  put("safe/f", "x\n");
  for (const char* link : {"link", "safe/own"}) fs::create_symlink(safe + "/f", at(link));
  fs::create_symlink(at(""), at("safe/up"));
  for (const char* path : {"link", "safe/up/link"}) {
    EXPECT_THAT(text(apply("*** Delete File: " + std::string(path) + "\n"), "error"),
                HasSubstr("Delete denied"));
    EXPECT_THAT(text(apply("*** Move File: " + std::string(path) + " -> safe/g\n"), "error"),
                HasSubstr("Move denied"));
  }
  EXPECT_TRUE(fs::is_symlink(at("link")));
  const json::object removed = apply("*** Delete File: safe/own\n");
  EXPECT_TRUE(flag(removed, "success")) << text(removed, "error");
  EXPECT_EQ(text(removed, "resolved_path"), at("safe/own"));
  EXPECT_EQ(on_disk("safe/f"), "x\n");
}

TEST_F(PatchTest, OperationsSeeWhatTheOnesBeforeDid) {
  put("m", "one\n");
  put("two", "1\n2\n");
  const json::object result = apply(
      "*** Add File: n\n+first\n*** Update File: n\n-first\n+second\n"
      "*** Move File: m -> moved\n*** Update File: moved\n-one\n+ONE\n"
      "*** Update File: two\n-1\n+1a\n*** Update File: two\n-1a\n+1b\n");
  EXPECT_TRUE(flag(result, "success")) << text(result, "error");
  EXPECT_EQ(on_disk("n"), "second\n");
  EXPECT_EQ(on_disk("moved"), "ONE\n");
  EXPECT_EQ(on_disk("two"), "1b\n2\n");
  EXPECT_THAT(list(result, "files_modified"),
              ElementsAre(at("m") + " -> " + at("moved"), at("two")));  // each once
  EXPECT_THAT(list(result, "files_created"), ElementsAre(at("n")));
}

TEST_F(PatchTest, HintsBlankLinesAndTheOtherDialect) {
  put("f.txt", "def f():\n    pass\n\ndef g():\n    pass\n");
  EXPECT_TRUE(
      flag(apply("*** Update File: f.txt\n@@ def g(): @@\n-    pass\n+    return 1\n"), "success"));
  EXPECT_EQ(on_disk("f.txt"), "def f():\n    pass\n\ndef g():\n    return 1\n");
  apply("*** Update File: f.txt\n@@ @@\n+# end\n");
  EXPECT_THAT(on_disk("f.txt"), testing::EndsWith("return 1\n# end\n"));
  EXPECT_TRUE(
      flag(apply("*** Update File: f.txt\n     pass\n\n-def g():\n+def h():\n"), "success"));
  EXPECT_TRUE(
      flag(apply("*** Update File: f.txt\n*** Move to: h.txt\n-def h():\n+def k():\n"), "success"));
  EXPECT_THAT(on_disk("h.txt"), HasSubstr("def k():"));
  EXPECT_FALSE(fs::exists(at("f.txt")));
}

TEST_F(PatchTest, DeletedAndMovedFilesAreListedAsSuch) {
  put("k.bin", std::string("\0\1\2", 3));
  fs::permissions(put("from", "content\n"), fs::perms(0750));
  put("same", "x\n");
  const json::object result =
      apply("*** Delete File: k.bin\n*** Move File: from -> d/to\n*** Add File: new\n+n\n");
  EXPECT_TRUE(flag(result, "success")) << text(result, "error");
  EXPECT_THAT(list(result, "files_deleted"), ElementsAre(at("k.bin")));
  EXPECT_THAT(list(result, "files_modified"), ElementsAre(at("from") + " -> " + at("d/to")));
  EXPECT_THAT(list(result, "files_created"), ElementsAre(at("new")));
  EXPECT_THAT(names(), ElementsAre("d", "new", "same"));
  EXPECT_EQ(fs::status(at("d/to")).permissions(), fs::perms(0750));
  EXPECT_THAT(text(result, "diff"), HasSubstr("# Moved: from -> d/to"));
}

TEST_F(PatchTest, AnAddedFileEndsWithANewline) {
  apply("*** Add File: a\n+hello\n+world\n");
  EXPECT_EQ(on_disk("a"), "hello\nworld\n");
  EXPECT_THAT(text(apply("*** Add File: a\n+again\n"), "error"), HasSubstr("already exists"));
}

TEST_F(PatchTest, AFenceAroundAPatchDoesNoHarm) {
  put("f", "a\n");
  EXPECT_TRUE(flag(apply("```diff\n*** Update File: f\n-a\n+b\n```\n"), "success"));
  EXPECT_EQ(on_disk("f"), "b\n");
}

TEST_F(PatchTest, TwoNamesOfOneFileAreRefused) {
  put("real", "a\n");
  fs::create_symlink("real", at("link"));
  EXPECT_THAT(
      text(apply("*** Update File: real\n-a\n+b\n*** Update File: link\n-a\n+c\n"), "error"),
      HasSubstr("are the same file"));
  EXPECT_EQ(on_disk("real"), "a\n");
}

TEST_F(PatchTest, EditsOfOneFileAtTheSameTimeAllCount) {
  std::string lines;
  for (int i = 0; i < 8; ++i) lines += "line " + std::to_string(i) + " end\n";
  put("f", lines);
  agent();
  std::vector<int> calls;
  for (int i = 0; i < 8; ++i) {
    const std::string line = "line " + std::to_string(i);
    calls.push_back(agent().send(
        "patch",
        {{"path", at("f")}, {"old_string", line + " end"}, {"new_string", line + " NEW"}}));
  }
  for (const int call : calls) EXPECT_TRUE(flag(agent().result(call), "success"));
  EXPECT_THAT(on_disk("f"), Not(HasSubstr("end")));
}

TEST_F(PatchTest, SecretsInTheDiffAreMasked) {
  put("f", "key sk-" + std::string(40, 'a') + "\nx\n");
  EXPECT_THAT(text(replace("f", "x", "y"), "diff"), Not(HasSubstr("sk-aaaaaa")));
  put(".env", "PASSWORD=hunter2hunter2\nX=1\n");
  const json::object result = replace(".env", "X=1", "X=2");
  EXPECT_TRUE(flag(result, "success"));
  EXPECT_THAT(text(result, "diff"), Not(HasSubstr("hunter2hunter2")));
}

}  // namespace
}  // namespace talaria::test
