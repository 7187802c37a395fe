// What a caller of search_files may rely on; what is found is in docs/reference/search.md and has
// its tests beside the engines.
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_tool_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class SearchFilesTest : public FileToolTest {
 protected:
  // "path:line:content", one for each.
  static std::vector<std::string> lines(const json::object& result) {
    std::vector<std::string> found;
    const json::value* matches = result.if_contains("matches");
    if (!matches) return found;
    for (const json::value& match : matches->as_array()) {
      found.push_back(std::string(match.at("path").as_string()) + ":" +
                      std::to_string(match.at("line").as_int64()) + ":" +
                      std::string(match.at("content").as_string()));
    }
    return found;
  }
  static std::vector<std::string> files(const json::object& result) {
    std::vector<std::string> found;
    const json::value* list = result.if_contains("files");
    if (!list) return found;
    for (const json::value& name : list->as_array()) found.emplace_back(name.as_string());
    return found;
  }
};

TEST_F(SearchFilesTest, FindsLinesFilesAndCounts) {
  put("a.py", "needle\nhay\nneedle 2\n");
  put("b.txt", "hay needle\n");
  put("none.txt", "hay\n");
  const json::object result = search({{"pattern", "needle"}});
  EXPECT_THAT(lines(result),
              ElementsAre("./a.py:1:needle", "./a.py:3:needle 2", "./b.txt:1:hay needle"));
  EXPECT_EQ(number(result, "total_count"), 3);
  EXPECT_FALSE(result.contains("truncated"));
  EXPECT_THAT(text(result, "engine"), testing::AnyOf("ripgrep", "runner"));
  EXPECT_THAT(lines(search({{"pattern", "needle"}, {"file_glob", "*.py"}, {"path", at("")}})),
              ElementsAre(at("a.py") + ":1:needle", at("a.py") + ":3:needle 2"));
  EXPECT_THAT(files(search({{"pattern", "needle"}, {"output_mode", "files_only"}})),
              ElementsAre("./a.py", "./b.txt"));
  const json::object counted = search({{"pattern", "needle"}, {"output_mode", "count"}});
  EXPECT_EQ(counted.at("counts").at("./a.py").as_int64(), 2);
  EXPECT_EQ(counted.at("counts").as_object().size(), 2u);  // of none.txt there is nothing to say
  EXPECT_EQ(number(counted, "total_count"), 3);
  const json::object none = search({{"pattern", "nowhere"}});
  EXPECT_EQ(number(none, "total_count"), 0);
  EXPECT_FALSE(none.contains("matches"));
  EXPECT_FALSE(none.contains("error"));
}

TEST_F(SearchFilesTest, FindsFilesByNameNewestFirst) {
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(put("old.py", ""), now - std::chrono::hours(1));
  fs::last_write_time(put("d/new.py", ""), now);
  put("x.txt", "");
  EXPECT_THAT(files(search({{"pattern", "*.py"}, {"target", "files"}})),
              ElementsAre("./d/new.py", "./old.py"));
  EXPECT_THAT(files(search({{"pattern", "d/*.py"}, {"target", "find"}})),
              ElementsAre("./d/new.py"));
  EXPECT_THAT(files(search({{"pattern", "new.py"}, {"target", "files"}})),
              ElementsAre("./d/new.py"));
  EXPECT_THAT(files(search({{"pattern", "new"}, {"target", "files"}})), ElementsAre("./d/new.py"))
      << "a bare word is a part of a name";
}

TEST_F(SearchFilesTest, WhatIsNotShownIsSaidInsideTheAnswer) {
  std::string text20;
  for (int i = 0; i < 20; ++i) text20 += "match\n";
  put("f", text20);
  const json::object result = search({{"pattern", "match"}, {"limit", 3}});
  EXPECT_EQ(lines(result).size(), 3u);
  EXPECT_TRUE(flag(result, "truncated"));
  EXPECT_EQ(number(result, "total_count"), 20);
  EXPECT_THAT(text(result, "_hint"), HasSubstr("Use offset=3 to see more"));
}

TEST_F(SearchFilesTest, APatternIsNeverAnOption) {
  const std::string script = put("x.sh", "#!/bin/sh\ntouch " + at("ran") + "\n");
  fs::permissions(script, fs::perms(0755));
  put("f", "see --pre=" + script + " and -foo\n");
  EXPECT_THAT(lines(search({{"pattern", "--pre=" + script}})), testing::SizeIs(1));
  EXPECT_THAT(lines(search({{"pattern", "-foo"}})), testing::SizeIs(1));
  put("-dash/f", "inside\n");
  EXPECT_THAT(lines(search({{"pattern", "inside"}, {"path", "-dash"}})),
              ElementsAre("-dash/f:1:inside"));
  EXPECT_FALSE(fs::exists(at("ran")));
}

TEST_F(SearchFilesTest, WithoutRipgrepThePatternMeansTheSame) {
  put("f", "needle\nother\nneedle|other\nneither\n");
  const std::vector<std::string> with = lines(search({{"pattern", "needle|other"}}));
  EXPECT_EQ(with.size(), 3u);
  world_.set("PATH", "/nowhere");
  const Finished finished = world_.run(
      {"call", "search_files", R"({"pattern":"needle|other","path":")" + at("f") + R"("})"});
  EXPECT_THAT(finished.out, HasSubstr(R"("total_count":3)"));
}

TEST_F(SearchFilesTest, AFileThatCannotBeReadStopsNothing) {
  put("a", "needle\n");
  fs::create_symlink("nowhere", at("dangling"));
  const std::string closed = put("closed", "needle\n");
  fs::permissions(closed, fs::perms::none);
  const json::object result = search({{"pattern", "needle"}});
  EXPECT_FALSE(result.contains("error"));
  EXPECT_EQ(lines(result).front(), "./a:1:needle");
  fs::permissions(closed, fs::perms(0600));
}

TEST_F(SearchFilesTest, APatternThatIsNoneIsAnError) {
  const json::object result = search({{"pattern", "a("}});
  EXPECT_THAT(text(result, "error"), StartsWith("Search failed:"));
  EXPECT_EQ(number(result, "total_count"), 0);
}

TEST_F(SearchFilesTest, PagesFitTogether) {
  for (int i = 0; i < 40; ++i) put("d" + std::to_string(i % 7) + "/f" + std::to_string(i), "x\n");
  std::set<std::string> seen;
  for (int offset = 0; offset < 40; offset += 7) {
    for (const std::string& line :
         lines(search({{"pattern", "x"}, {"limit", 7}, {"offset", offset}}))) {
      EXPECT_TRUE(seen.insert(line).second) << line;
    }
  }
  EXPECT_EQ(seen.size(), 40u);
}

TEST_F(SearchFilesTest, HiddenDirectoriesAreSearchedOnlyIfTheyAreNamed) {
  put(".git/config", "needle\n");
  put(".hub/f", "needle\n");
  put("f", "needle\n");
  EXPECT_THAT(lines(search({{"pattern", "needle"}})), ElementsAre("./f:1:needle"));
  EXPECT_THAT(lines(search({{"pattern", "needle"}, {"path", ".hub"}})),
              ElementsAre(".hub/f:1:needle"));
}

TEST_F(SearchFilesTest, OddNumbersAreBroughtIntoTheirBounds) {
  put("f", "x\nx\n");
  EXPECT_THAT(lines(search({{"pattern", "x"}, {"limit", 0}, {"offset", -3}})),
              ElementsAre("./f:1:x"));
}

TEST_F(SearchFilesTest, ContextIsMarkedAndNotCounted) {
  put("f", "before\nneedle\nafter\n");
  const json::object result = search({{"pattern", "needle"}, {"context", 1}});
  EXPECT_EQ(number(result, "total_count"), 1);
  EXPECT_THAT(lines(result), ElementsAre("./f:1:before", "./f:2:needle", "./f:3:after"));
  EXPECT_TRUE(flag(result.at("matches").at(0).as_object(), "context"));
  EXPECT_FALSE(result.at("matches").at(1).as_object().contains("context"));
}

TEST_F(SearchFilesTest, TheSameSearchAgainAndAgainIsWarnedOf) {
  put("f", "x\n");
  const json::object query{{"pattern", "x"}};
  EXPECT_FALSE(search(query).contains("_warning"));
  EXPECT_FALSE(search(query).contains("_warning"));
  EXPECT_TRUE(search(query).contains("_warning"));
  const json::object fourth = search(query);
  EXPECT_TRUE(fourth.contains("_warning"));
  EXPECT_EQ(number(fourth, "total_count"), 1);
  EXPECT_FALSE(search({{"pattern", "x"}, {"offset", 1}}).contains("error"));
  EXPECT_FALSE(search({{"pattern", "x"}, {"output_mode", "count"}}).contains("error"));
  EXPECT_FALSE(search(query).contains("error"));
  EXPECT_FALSE(search(query).contains("error"));
  agent().run("true");
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(search(query).contains("_warning"));
}

TEST_F(SearchFilesTest, SecretsAreNotFound) {
  put(".env", "KEY=needle\n");
  put("f", "needle sk-" + std::string(40, 'a') + "\n");
  const json::object result = search({{"pattern", "needle"}, {"file_glob", "{.env,f}"}});
  EXPECT_EQ(lines(result).size(), 1u);
  EXPECT_THAT(lines(result).at(0), Not(HasSubstr("sk-aaaaaa")));
  EXPECT_THAT(text(search({{"pattern", "needle"}, {"path", ".env"}}), "error"),
              HasSubstr("secret-bearing"));
}

TEST_F(SearchFilesTest, APathThatIsNotThereIsAnErrorWithSuggestions) {
  put("source/f", "x\n");
  EXPECT_EQ(text(search({{"pattern", "x"}, {"path", "sources"}}), "error"),
            "Path not found: sources. Similar paths: source");
  EXPECT_EQ(text(search({{"pattern", "x"}, {"path", "zzz"}}), "error"), "Path not found: zzz");
}

TEST_F(SearchFilesTest, ALongLineIsCut) {
  put("f", "needle" + std::string(1000, 'x') + "\n");
  EXPECT_EQ(lines(search({{"pattern", "needle"}})).at(0).size(), 500u + 6u);
}

}  // namespace
}  // namespace talaria::test
