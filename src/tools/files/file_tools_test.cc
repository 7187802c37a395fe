// The file tools with files that are not real: what a script may do that a model is kept from (read
// and search the same thing again and again), and what real files do not do on demand.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_environment.h"
#include "testing/open_policy.h"
#include "testing/run_to_end.h"
#include "tools/call_tool.h"
#include "tools/files/file_memory.h"
#include "tools/tool_table.h"

namespace talaria::tool {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FileToolsTest : public testing::Test {
 protected:
  json::object call(std::string_view name, json::object arguments, bool from_script) {
    ToolCall call = test::tool_call(host_, policy_, std::move(arguments));
    call.files = &memory_;
    call.from_script = from_script;
    return test::run_to_end(call_tool(*find_tool(name), std::move(call)));
  }
  json::object by_model(std::string_view name, json::object arguments) {
    return call(name, std::move(arguments), false);
  }
  json::object by_script(std::string_view name, json::object arguments) {
    return call(name, std::move(arguments), true);
  }

  static std::string warning(const json::object& result) {
    const json::value* value = result.if_contains("_warning");
    return value ? std::string(value->as_string()) : "";
  }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  host::Host host_ = fake_host(fake_);
  test::OpenPolicy policy_{host_};
  FileMemory memory_;
};

TEST_F(FileToolsTest, AScriptReadsTheSameFileAsOftenAsItLikes) {
  fake_->files.put("/f", "one\n");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(by_script("read_file", {{"path", "/f"}}).at("content"), "1|one");
  }
}

TEST_F(FileToolsTest, AScriptGetsWhatTheModelHasRead) {
  fake_->files.put("/f", "one\n");
  EXPECT_EQ(by_model("read_file", {{"path", "/f"}}).at("content"), "1|one");
  EXPECT_EQ(by_script("read_file", {{"path", "/f"}}).at("content"), "1|one");
}

TEST_F(FileToolsTest, WhatAScriptReadTheModelHasNotSeen) {
  fake_->files.put("/f", "one\n");
  by_script("read_file", {{"path", "/f"}});
  EXPECT_EQ(by_model("read_file", {{"path", "/f"}}).at("content"), "1|one");
  EXPECT_EQ(by_model("read_file", {{"path", "/f"}}).at("status"), "unchanged");
}

TEST_F(FileToolsTest, WhatAScriptReadsTheModelIsWarnedOfAllTheSame) {
  fake_->files.put("/f", "one\n", 1);
  by_model("read_file", {{"path", "/f"}});
  fake_->files.put("/f", "two\n", 2);
  by_script("read_file", {{"path", "/f"}});
  const json::object written = by_model("write_file", {{"path", "/f"}, {"content", "three\n"}});
  EXPECT_THAT(warning(written), HasSubstr("was modified since you last read it"));
}

TEST_F(FileToolsTest, WhatAScriptWroteTheModelIsWarnedOf) {
  fake_->files.put("/f", "one\n", 1);
  by_model("read_file", {{"path", "/f"}});
  const json::object first = by_script("write_file", {{"path", "/f"}, {"content", "longer\n"}});
  EXPECT_EQ(warning(first), "");
  const json::object second = by_model("write_file", {{"path", "/f"}, {"content", "three\n"}});
  EXPECT_THAT(warning(second), HasSubstr("was modified since you last read it"));
}

TEST_F(FileToolsTest, AScriptSearchesTheSameThingAsOftenAsItLikes) {
  for (int i = 0; i < 5; ++i) {
    const json::object result = by_script("search_files", {{"pattern", "x"}, {"path", "/d"}});
    EXPECT_FALSE(result.contains("error"));
    EXPECT_FALSE(result.contains("_warning"));
  }
  EXPECT_EQ(fake_->files.searches.size(), 5u);
}

// Elsewhere times, links and documents were looked up on this machine, wherever the file was.
TEST_F(FileToolsTest, AFileOfThisMachineByTheSameNameHasNoPartInIt) {
  const std::string here = testing::TempDir() + "t85-" + std::to_string(::getpid()) + ".ipynb";
  const auto cell = [](const std::string& text) {
    return R"({"cells":[{"cell_type":"code","source":")" + text + R"("}]})";
  };
  std::ofstream(here) << cell("this machine's");
  const json::object query{{"path", here}};
  fake_->files.put(here, cell("one"), 1);
  EXPECT_EQ(by_model("read_file", query).at("content"), "1|# ── Code cell 1 ──\n2|one");
  fake_->files.put(here, cell("two"), 2);
  EXPECT_EQ(by_model("read_file", query).at("content"), "1|# ── Code cell 1 ──\n2|two");
  fake_->files.put("/etc/hostname", "elsewhere\n", 1);
  EXPECT_EQ(by_model("read_file", {{"path", "/etc/hostname"}}).at("content"), "1|elsewhere");
  fake_->files.put("/etc/hostname", "changed\n", 2);
  EXPECT_EQ(by_model("read_file", {{"path", "/etc/hostname"}}).at("content"), "1|changed");
  EXPECT_EQ(by_model("read_file", {{"path", "/etc/hostname"}}).at("status"), "unchanged");
  std::filesystem::remove(here);
}

TEST_F(FileToolsTest, ASearchThatTookTooLongGivesWhatItFound) {
  fake_->files.found_by_search = {
      .root = "/d",
      .files = {{.path = "f", .lines = {{.number = 3, .text = "a line"}}}},
      .total_lines = 1,
      .timed_out = true};
  const json::object result = by_model("search_files", {{"pattern", "x"}, {"path", "/d"}});
  EXPECT_EQ(result.at("limit_reason"), "search_timeout");
  EXPECT_EQ(result.at("truncated"), true);
  EXPECT_EQ(result.at("matches").as_array().size(), 1u);
  EXPECT_EQ(result.at("matches").at(0).at("content"), "a line");
}

// An answer has room for only so many bytes: the page may be shorter than was asked for.
TEST_F(FileToolsTest, TheNextPageOfASearchBeginsBehindWhatWasShown) {
  link::SearchReport found{.root = "/d",
                           .files = {{.path = "f",
                                      .lines = {{.number = 3, .text = "a line"},
                                                {.number = 4, .text = "near it", .context = true},
                                                {.number = 7, .text = "another"}}}},
                           .total_lines = 9,
                           .more = true};
  fake_->files.found_by_search = found;
  json::object query{{"pattern", "x"}, {"path", "/d"}, {"offset", 5}};
  EXPECT_THAT(std::string(by_script("search_files", query).at("_hint").as_string()),
              HasSubstr("Use offset=7 to see more"));
  query["output_mode"] = "files_only";
  EXPECT_THAT(std::string(by_script("search_files", query).at("_hint").as_string()),
              HasSubstr("Use offset=6 to see more"));
  query["output_mode"] = "content";
  found.files[0].lines = {{.number = 4, .text = "near it", .context = true}};
  fake_->files.found_by_search = found;
  EXPECT_THAT(std::string(by_script("search_files", query).at("_hint").as_string()),
              HasSubstr("Use less context"));
}

// The time it takes to check what was there is spent on the loop that serves everybody.
TEST_F(FileToolsTest, WhatIsTooLargeToCheckIsNotComparedWithEither) {
  fake_->files.put("/f.json", "[" + std::string(17u << 20, ' '));
  const json::object result =
      by_model("write_file", {{"path", "/f.json"}, {"content", "[" + std::string(17, ' ')}});
  const json::object& lint = result.at("lint").as_object();
  EXPECT_EQ(lint.at("status"), "error");
  EXPECT_FALSE(lint.contains("message")) << "nothing is said of what was there";
  EXPECT_THAT(std::string(lint.at("output").as_string()), Not(HasSubstr("pre-existing")));
}

TEST_F(FileToolsTest, AWriteThatDidNotLastIsFound) {
  fake_->files.put("/f", "one\n");
  fake_->files.forgets = true;
  const json::object result =
      by_model("patch", {{"path", "/f"}, {"old_string", "one"}, {"new_string", "two"}});
  EXPECT_EQ(result.at("success"), false);
  EXPECT_THAT(std::string(result.at("error").as_string()),
              StartsWith("Post-write verification failed"));
}

TEST_F(FileToolsTest, APatchThatDidNotLastIsFound) {
  fake_->files.put("/f", "one\n");
  fake_->files.forgets = true;
  const json::object result =
      by_model("patch", {{"mode", "patch"}, {"patch", "*** Update File: /f\n-one\n+two\n"}});
  EXPECT_EQ(result.at("success"), false);
  EXPECT_THAT(std::string(result.at("error").as_string()),
              StartsWith("Post-write verification failed for /f"));
}

}  // namespace
}  // namespace talaria::tool
