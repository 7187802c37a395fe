// What a search says, asked of both engines wherever both can be.
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/limits.h"
#include "runner/search/search_main.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using testing::HasSubstr;

class SearchTest : public testing::TestWithParam<link::SearchEngine> {
 protected:
  void SetUp() override {
    if (GetParam() != link::SearchEngine::ripgrep) return;
    ASSERT_TRUE(find_ripgrep({})) << "scripts/install-deps test installs it";
  }

  Result<link::SearchReport> report(link::SearchFiles query) {
    query.engine = GetParam();
    if (query.path.empty()) query.path = tree_.path();
    return search_files(std::move(query), {});
  }
  // "PATH:LINE:TEXT\n"...
  std::string found(link::SearchFiles query) {
    const auto done = report(std::move(query));
    if (!done) return "error: " + done.error().message();
    std::string text;
    for (const link::FoundFile& file : done->files) {
      if (file.lines.empty()) text += file.path + "\n";
      for (const link::FoundLine& line : file.lines) {
        const char* mark = line.context ? "-" : ":";
        text += file.path + mark + std::to_string(line.number) + mark + line.text + "\n";
      }
    }
    return text + (done->more ? "more\n" : "") + (done->timed_out ? "timed out\n" : "");
  }
  void set_time(const std::string& name, time_t seconds) {
    const std::array times{timespec{seconds, 0}, timespec{seconds, 0}};
    ::utimensat(AT_FDCWD, tree_.path(name).c_str(), times.data(), 0);
  }

  test::TemporaryDirectory tree_;
};

TEST_P(SearchTest, LinesComeInTheOrderOfPathsAndNumbers) {
  tree_.write("b/x", "needle 1\nno\nneedle 2");
  tree_.write("b-a", "needle\n");
  tree_.write("a", "no\nneedle\r\n");
  EXPECT_EQ(found({.pattern = "needle"}),
            "a:2:needle\r\nb/x:1:needle 1\nb/x:3:needle 2\nb-a:1:needle\n");
}

TEST_P(SearchTest, PagesSayWhetherThereIsMore) {
  std::string text;
  for (int i = 1; i <= 20; ++i) text += "needle " + std::to_string(i) + "\n";
  tree_.write("a", text);
  tree_.write("b", "needle b\n");
  EXPECT_EQ(found({.pattern = "needle", .limit = 2}), "a:1:needle 1\na:2:needle 2\nmore\n");
  EXPECT_EQ(found({.pattern = "needle", .offset = 19, .limit = 1}), "a:20:needle 20\nmore\n");
  EXPECT_EQ(found({.pattern = "needle", .offset = 19, .limit = 2}),
            "a:20:needle 20\nb:1:needle b\n");
  EXPECT_EQ(found({.pattern = "needle", .offset = 21, .limit = 2}), "");
  const auto all = report({.pattern = "needle", .limit = 3});
  EXPECT_EQ(all->total_lines, 21u);
  EXPECT_EQ(all->total_files, 2u);
}

TEST_P(SearchTest, PatternsPathsAndGlobsThatBeginWithADashAreData) {
  tree_.write("-e", "--pre=/tmp/x.sh\n");
  tree_.write("--files/-x", "-needle\n");
  EXPECT_EQ(found({.pattern = "--pre=/tmp/x.sh"}), "-e:1:--pre=/tmp/x.sh\n");
  EXPECT_EQ(found({.path = tree_.path("--files"), .pattern = "-needle"}), "-x:1:-needle\n");
  EXPECT_EQ(found({.path = tree_.path("-e"), .pattern = "-"}), ":1:--pre=/tmp/x.sh\n");
  EXPECT_EQ(found({.pattern = "-", .globs = {"-e"}}), "-e:1:--pre=/tmp/x.sh\n");
}

TEST_P(SearchTest, AlternativesAreRealOnes) {
  tree_.write("a", "needle\nother\nneedle|other\nx\n");
  EXPECT_EQ(found({.pattern = "^(needle|other)$"}), "a:1:needle\na:2:other\n");
}

// Root can read everything, but not this.
TEST_P(SearchTest, WhatCannotBeReadIsSaidAndIsNoEnd) {
  const auto done =
      report({.path = "/proc/self/", .pattern = "^Name:", .globs = {"/status", "/mem"}});
  ASSERT_TRUE(done) << done.error().message();
  ASSERT_EQ(done->files.size(), 1u);
  EXPECT_EQ(done->files[0].path, "status");
  ASSERT_EQ(done->total_failed, 1u);
  EXPECT_EQ(done->failed[0].path, "mem");
  EXPECT_EQ(done->failed[0].reason, "Input/output error");
}

TEST_P(SearchTest, ABadPatternIsAnErrorInWords) {
  tree_.write("a", "(\n");
  EXPECT_THAT(found({.pattern = "a("}), testing::StartsWith("error: "));
  EXPECT_THAT(found({.pattern = "a\\nb"}), testing::StartsWith("error: "));
  EXPECT_THAT(found({.pattern = "a", .globs = {"[a"}}), testing::StartsWith("error: "));
  EXPECT_EQ(report({.pattern = "a("}).error().kind(), ErrorKind::bad_request);
}

TEST_P(SearchTest, HiddenFilesAreFoundOnlyByNamingThem) {
  tree_.write(".hub/x", "needle\n");
  tree_.write(".hub/.y", "needle\n");
  EXPECT_EQ(found({.pattern = "needle"}), "");
  EXPECT_EQ(found({.path = tree_.path(".hub"), .pattern = "needle"}), "x:1:needle\n");
  EXPECT_EQ(found({.path = tree_.path(".hub/.y"), .pattern = "needle"}), ":1:needle\n");
}

TEST_P(SearchTest, ContextIsToldApartAndNotCounted) {
  tree_.write("a", "1\n2 needle\n3\n4\n5\n6 needle\n7");
  EXPECT_EQ(found({.pattern = "needle", .context = 1}),
            "a-1-1\na:2:2 needle\na-3-3\na-5-5\na:6:6 needle\na-7-7\n");
  EXPECT_EQ(found({.pattern = "needle", .limit = 1, .context = 2}),
            "a-1-1\na:2:2 needle\na-3-3\na-4-4\nmore\n");
  EXPECT_EQ(found({.pattern = "needle", .offset = 1, .context = 2}),
            "a-4-4\na-5-5\na:6:6 needle\na-7-7\n");
}

TEST_P(SearchTest, FilesByNameAreNewestFirst) {
  for (const char* name : {"old.c", "b/new.c", "a/new.c", "x.h"}) tree_.write(name, "");
  set_time("old.c", 1000);
  set_time("b/new.c", 2000);
  set_time("a/new.c", 2000);
  EXPECT_EQ(found({.mode = link::SearchMode::names, .globs = {"*.c"}}),
            "a/new.c\nb/new.c\nold.c\n");
  EXPECT_EQ(found({.mode = link::SearchMode::names, .globs = {"*.c"}, .offset = 1, .limit = 1}),
            "b/new.c\nmore\n");
}

TEST_P(SearchTest, CountsAndFilesLeaveOutWhatHasNone) {
  tree_.write("a", "needle needle\nneedle\n");
  tree_.write("b", "no\n");
  EXPECT_EQ(found({.pattern = "needle", .mode = link::SearchMode::files}), "a\n");
  const auto counts = report({.pattern = "needle", .mode = link::SearchMode::count});
  ASSERT_EQ(counts->files.size(), 1u);
  EXPECT_EQ(counts->files[0].matches, 2u);
  EXPECT_EQ(counts->total_lines, 2u);
}

TEST_P(SearchTest, BinaryFilesAreSkipped) {
  tree_.write("a", "needle\n\0"s);
  tree_.write("b", "needle\n");
  EXPECT_EQ(found({.pattern = "needle"}), "b:1:needle\n");
  const auto alone = report({.path = tree_.path("a"), .pattern = "needle"});
  EXPECT_EQ(alone->total_lines, 0u);
  EXPECT_EQ(alone->failed.at(0).reason, "is a binary file");
}

TEST_P(SearchTest, ARepositorysRulesAreKept) {
  tree_.write(".git/info/exclude", "excluded\n");
  tree_.write(".gitignore", "*.log\n!keep.log\n/only-here\nbuild/\n");
  tree_.write("sub/.gitignore", "!a.log\n");
  for (const char* name : {"a.log", "keep.log", "only-here", "sub/only-here", "build/x", "excluded",
                           "sub/a.log", "sub/b.log"}) {
    tree_.write(name, "needle\n");
  }
  const std::string expected = "keep.log\nsub/a.log\nsub/only-here\n";
  EXPECT_EQ(found({.pattern = "needle", .mode = link::SearchMode::files}), expected);
  // Rules from above the root.
  EXPECT_EQ(
      found({.path = tree_.path("sub"), .pattern = "needle", .mode = link::SearchMode::files}),
      "a.log\nonly-here\n");
  fs::remove_all(tree_.path(".git"));
  EXPECT_THAT(found({.pattern = "needle", .mode = link::SearchMode::files}),
              HasSubstr("a.log\nbuild/x"));
}

TEST_P(SearchTest, LongLinesAreCut) {
  tree_.write("a", "needle" + std::string(3'000'000, 'x') + "\nneedle\n");
  const auto done = report({.pattern = "needle", .max_line = 10});
  ASSERT_EQ(done->files.size(), 1u);
  EXPECT_EQ(done->files[0].lines.at(0).text, "needlexxxx");
  EXPECT_TRUE(done->files[0].lines[0].cut);
  EXPECT_EQ(done->files[0].lines.at(1).number, 2u);
  EXPECT_FALSE(done->files[0].lines[1].cut);
}

// All that one file has was kept until its end, however much that is.
TEST_P(SearchTest, TheLinesOfOneFileTakeBoundedMemory) {
  constexpr std::size_t kLine = 4000;
  constexpr std::uint64_t kLines = 5000;
  std::string text;
  for (std::uint64_t i = 0; i < kLines; ++i) text += "needle" + std::string(kLine, 'x') + "\n";
  ASSERT_GT(text.size(), kMaxFoundInFile);
  tree_.write("b", text);
  tree_.write("a", "needle a\n");
  tree_.write("c", "needle c\n");
  const auto first = report({.pattern = "needle", .limit = 10'000});
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_TRUE(first->more);
  EXPECT_EQ(first->total_lines, kLines + 2);
  ASSERT_EQ(first->files.size(), 2u);
  EXPECT_EQ(first->files[1].path, "b");
  // What is behind lines that are not there is not shown as if it were next.
  EXPECT_THAT(found({.pattern = "needle", .offset = kLines, .limit = 10}),
              HasSubstr("takes too much memory"));
  EXPECT_THAT(found({.pattern = "needle", .offset = 1000, .limit = 1}),
              AllOf(testing::StartsWith("b:1000:needle"), testing::EndsWith("more\n")));
}

TEST_P(SearchTest, LinksAreNotFollowedButTheRootIs) {
  tree_.write("real/a", "needle\n");
  fs::create_symlink("real", tree_.path("link"));
  fs::create_symlink("..", tree_.path("real/loop"));
  EXPECT_EQ(found({.pattern = "needle"}), "real/a:1:needle\n");
  EXPECT_EQ(found({.path = tree_.path("link"), .pattern = "needle"}), "a:1:needle\n");
}

TEST_P(SearchTest, ARootThatIsNotThereIsAnError) {
  const auto none = report({.path = tree_.path("none"), .pattern = "x"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind(), ErrorKind::not_found);
  EXPECT_THAT(found({.path = "/dev/null", .pattern = "x"}),
              HasSubstr("neither a directory nor a file"));
}

TEST_P(SearchTest, WhatWasFoundInTimeIsKept) {
  for (int i = 0; i < 3000; ++i)
    tree_.write("d" + std::to_string(i % 50) + "/" + std::to_string(i), "needle\n");
  const auto done = report({.pattern = "needle", .time_limit_ms = 1});
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_TRUE(done->timed_out);
  EXPECT_LT(done->total_files, 3000u);
}

INSTANTIATE_TEST_SUITE_P(Engines, SearchTest,
                         testing::Values(link::SearchEngine::ripgrep, link::SearchEngine::runner),
                         [](const auto& engine) {
                           return engine.param == link::SearchEngine::ripgrep ? "Ripgrep"
                                                                              : "Runner";
                         });

// What RE2 would take in another meaning than ripgrep is refused.
TEST(RunnersSearch, SaysWhatItDoesNotKnow) {
  const test::TemporaryDirectory tree;
  for (const char* pattern : {"[a&&b]", "[[a]b]", "[a--b]", "\\Aa", "a\\z", "\\Qa\\E", "(?=a)",
                              "\\p{Alphabetic}", "a{2000}", "[a~~b]"}) {
    const auto done = search_files(
        {.path = tree.path(), .pattern = pattern, .engine = link::SearchEngine::runner}, {});
    ASSERT_FALSE(done) << pattern;
    EXPECT_THAT(done.error().message(), HasSubstr("does not support")) << pattern;
  }
  for (const char* pattern : {"[[:alpha:]-]", "[]a]", "[^]a]", "\\[a&&b", "[\\[&]", "\\\\A"}) {
    EXPECT_TRUE(search_files(
        {.path = tree.path(), .pattern = pattern, .engine = link::SearchEngine::runner}, {}))
        << pattern;
  }
}

}  // namespace
}  // namespace talaria::runner
