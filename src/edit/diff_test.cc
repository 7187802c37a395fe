#include "edit/diff.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::edit {
namespace {

std::string hunks(std::string_view before, std::string_view after) {
  const std::string diff = unified_diff(before, after, "a/x", "b/x");
  const std::string_view header = "--- a/x\n+++ b/x\n";
  return diff.starts_with(header) ? diff.substr(header.size()) : diff;
}

TEST(Diff, IsUnified) {
  const struct {
    const char* name;
    const char* before;
    const char* after;
    const char* expected;
  } cases[] = {
      {"same", "a\n", "a\n", ""},
      {"one line", "a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"},
      {"from nothing", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
      {"to nothing", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
      {"three lines around", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
       "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n"},
      {"near changes are one hunk", "1\n2\n3\n4\n5\n6\n7\n8\n", "X\n2\n3\n4\n5\n6\n7\nY\n",
       "@@ -1,8 +1,8 @@\n-1\n+X\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+Y\n"},
      {"far changes are two", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "X\n2\n3\n4\n5\n6\n7\n8\nY\n",
       "@@ -1,4 +1,4 @@\n-1\n+X\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+Y\n"},
      {"an insertion", "a\nc\n", "a\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n+b\n c\n"},
      {"the end gets a line feed", "a", "a\n",
       "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
      {"neither has one", "a\nb", "a\nc",
       "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
      {"as context", "a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"},
      {"CRLF shows its CR", "a\r\nb\r\n", "a\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(hunks(c.before, c.after), c.expected);
  }
}

TEST(Diff, AnchorsAtLinesThatOccurOnce) {
  EXPECT_EQ(hunks("f {\n  a\n}\n", "g {\n  b\n}\n\nf {\n  a\n}\n"),
            "@@ -1,3 +1,7 @@\n+g {\n+  b\n+}\n+\n f {\n   a\n }\n");
}

TEST(Diff, ANameIsOneLine) {
  EXPECT_TRUE(unified_diff("", "a\n", "/dev/null", "b/x\n--- y")
                  .starts_with("--- /dev/null\n+++ b/x?--- y\n"));
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string random_text(std::mt19937& random) {
  std::string text;
  const auto lines = random() % 60;
  for (std::size_t i = 0; i < lines; ++i) {
    text += "line " + std::to_string(random() % 20);
    text += random() % 4 == 0 ? "\r\n" : "\n";
  }
  if (random() % 3 == 0 && !text.empty()) text += "no end \xFF";
  return text;
}

// A text with some of its lines changed, so that there is something to keep.
std::string changed(const std::string& text, std::mt19937& random) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (random() % 6 != 0) result += text.substr(at, end - at);
    if (random() % 6 == 0) result += "new " + std::to_string(random() % 5) + "\n";
    at = end;
  }
  return result;
}

// The program `patch` as the judge: forward it makes the new text of the old one, backward the old
// one of the new.
TEST(Diff, IsWhatThePatchProgramReads) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path base = directory.path();
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const std::string before = random_text(random);
    const std::string after = round % 3 == 0 ? random_text(random) : changed(before, random);
    if (before == after) continue;
    write(base / "x", before);
    write(base / "diff", unified_diff(before, after, "a/x", "b/x"));
    const std::string patch =
        "cd " + base.string() + " && patch --binary --posix -s -p1 --fuzz=0 -i diff x >log 2>&1";
    ASSERT_EQ(std::system(patch.c_str()), 0) << read(base / "log") << read(base / "diff");
    ASSERT_EQ(read(base / "x"), after) << read(base / "diff");
    const std::string back =
        "cd " + base.string() + " && patch --binary --posix -s -R -p1 --fuzz=0 -i diff x >log 2>&1";
    write(base / "x", after);
    ASSERT_EQ(std::system(back.c_str()), 0) << read(base / "log") << read(base / "diff");
    ASSERT_EQ(read(base / "x"), before) << read(base / "diff");
  }
}

}  // namespace
}  // namespace talaria::edit
