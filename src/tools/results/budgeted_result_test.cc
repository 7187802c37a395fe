// Results that are too large for a model, at a target whose files are not real.
#include "tools/results/budgeted_result.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/json_text.h"
#include "testing/fake_call.h"
#include "testing/fake_environment.h"
#include "testing/open_policy.h"
#include "testing/run_to_end.h"
#include "tools/call_tool.h"
#include "tools/results/result_text.h"
#include "tools/results/turn_budget.h"
#include "tools/tool_table.h"

namespace talaria::tool {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// So many characters of JSON, in short lines.
json::object result_of(std::size_t chars) {
  json::object result{{"exit_code", 0}, {"output", ""}};
  const std::size_t rest = chars - to_line(result).size();
  std::string text;
  while (text.size() < 2 * rest) text += "a line of some length ü|";
  result["output"] = std::string(first_chars(text, rest));
  EXPECT_EQ(count_chars(to_line(result)), chars);
  return result;
}

class BudgetTest : public testing::Test {
 protected:
  json::object bounded(json::object result, const std::string& id = "call_7",
                       const std::string& turn = "") {
    AnsweredCall call{.services = test::services(host_, policy_),
                      .context = {.task = "t", .id = id, .turn = turn},
                      .turns = &turns_};
    return test::run_to_end(
        budgeted_result(*find_tool("terminal"), std::move(call), std::move(result)));
  }
  static std::string text(const json::object& result, std::string_view name) {
    const json::value* value = result.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : "(none)";
  }
  std::vector<std::string> kept() const {
    std::vector<std::string> paths;
    for (const auto& [path, file] : fake_->files.files) paths.push_back(path);
    return paths;
  }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  host::Host host_ = fake_host(fake_);
  test::OpenPolicy policy_{host_};
  TurnBudget turns_;
};

TEST_F(BudgetTest, AResultOf100000CharactersIsKeptAndOneMoreIsPutAside) {
  const json::object most = result_of(100'000);
  EXPECT_EQ(bounded(most), most);
  EXPECT_TRUE(kept().empty());

  const json::object more = result_of(100'001);
  const json::object answer = bounded(more);
  EXPECT_THAT(kept(), ElementsAre("/tmp/hermes-results/call_7.txt"));
  EXPECT_EQ(text(answer, "persisted_path"), "/tmp/hermes-results/call_7.txt");
  EXPECT_THAT(
      text(answer, "output"),
      StartsWith("<persisted-output>\nThis tool result was too large (100,001 characters, "));
  EXPECT_THAT(text(answer, "output"),
              HasSubstr(" KB).\nFull output saved to: /tmp/hermes-results/call_7.txt\n"));
  EXPECT_THAT(text(answer, "output"), HasSubstr("\n\nPreview (first 1500 chars):\nexit_code: 0\n"));
  EXPECT_THAT(text(answer, "output"), EndsWith("\n...\n</persisted-output>"));
  EXPECT_LT(count_chars(text(answer, "output")), 2000u);
  EXPECT_EQ(answer.at("exit_code"), 0) << "how it ended is always reported";
  const test::FakeFiles::File& file = fake_->files.files.at("/tmp/hermes-results/call_7.txt");
  EXPECT_EQ(file.content,
            "exit_code: 0\noutput:\n" + std::string(more.at("output").as_string()) + "\n");
  EXPECT_EQ(file.facts.mode, 0600u);
}

// Its owner can put anything in place of what was kept there.
TEST_F(BudgetTest, ADirectoryOfAnotherUserIsNotUsed) {
  fake_->files.put("/tmp/hermes-results", "");
  fake_->files.foreign = {"/tmp/hermes-results"};
  EXPECT_EQ(text(bounded(result_of(100'001)), "persisted_path"),
            "/tmp/hermes-results-home/call_7.txt");
  fake_->files.put("/tmp/hermes-results-home", "");
  fake_->files.foreign.insert("/tmp/hermes-results-home");
  const json::object answer = bounded(result_of(100'001), "call_8");
  EXPECT_EQ(text(answer, "persisted_path"), "(none)");
  EXPECT_THAT(std::string(answer.at("notices").at(0).as_string()),
              HasSubstr("/tmp/hermes-results is another user's"));
}

TEST_F(BudgetTest, WhatReadFileGivesIsNeverPutAside) {
  const ToolCall call = test::tool_call(host_, policy_, {{"path", "/f"}});
  const AnsweredCall about = answered(*find_tool("read_file"), call);
  EXPECT_TRUE(about.stays_whole);
  const json::object page = result_of(150'000);
  EXPECT_EQ(test::run_to_end(budgeted_result(*find_tool("read_file"), about, page)), page);
}

TEST_F(BudgetTest, WhatTheProcessToolGivesStaysWhole) {
  const ToolCall call = test::tool_call(host_, policy_, {{"action", "log"}});
  EXPECT_TRUE(answered(*find_tool("process"), call).stays_whole);
  EXPECT_FALSE(answered(*find_tool("terminal"), call).stays_whole);
}

TEST_F(BudgetTest, AnIdThatIsAPathStaysInTheDirectory) {
  bounded(result_of(100'001), "../../x");
  bounded(result_of(100'002), "/etc/passwd");
  bounded(result_of(100'003), "..");
  bounded(result_of(100'004), ".hidden\n");
  for (const std::string& path : kept()) {
    EXPECT_THAT(path, testing::MatchesRegex("/tmp/hermes-results/[a-z0-9][A-Za-z0-9._-]*\\.txt"));
    EXPECT_THAT(path, Not(HasSubstr("hidden\n")));
  }
  EXPECT_EQ(kept().size(), 4u);
  EXPECT_EQ(file_name_of("../../x"), "x");
  EXPECT_EQ(file_name_of(".."), "");
  EXPECT_EQ(file_name_of(std::string(500, 'a')).size(), 100u);
}

TEST_F(BudgetTest, ATextThatOnlyLooksLikeABlockCountsAsAnyOther) {
  json::object sly = result_of(100'001);
  sly["output"] =
      "<persisted-output>" + std::string(sly["output"].as_string()) + "</persisted-output>";
  bounded(sly);
  EXPECT_EQ(kept().size(), 1u);

  fake_->files.files.clear();
  json::object half = result_of(90'000);
  half["output"] = "<persisted-output>" + std::string(half["output"].as_string());
  for (int i = 0; i < 3; ++i) bounded(half, "sly" + std::to_string(i), "turn");
  EXPECT_THAT(kept(), ElementsAre("/tmp/hermes-results/sly2.txt"));
}

TEST_F(BudgetTest, TheResultsOfOneTurnShareABound) {
  for (int i = 0; i < 4; ++i) bounded(result_of(60'000), "a" + std::to_string(i), "one");
  EXPECT_THAT(kept(), ElementsAre("/tmp/hermes-results/a3.txt"));
  bounded(result_of(4000), "small", "one");
  bounded(result_of(60'000), "other", "two");
  bounded(result_of(60'000), "none", "");
  EXPECT_EQ(kept().size(), 1u) << "a short one is not worth a file; another turn begins anew";
}

TEST_F(BudgetTest, AToolMayHaveABoundOfItsOwn) {
  host::Caller caller{.variables = {"HOME=/home/me", "TALARIA_HOME=" + test::fake_home()},
                      .cwd = "/here"};
  Result<host::Config> config = read_config(caller);
  ASSERT_TRUE(config);
  config->results.by_tool = {{"search_files", 20'000}};
  host::Host host(std::move(caller), std::move(config), {test::fake_backend(fake_)});
  const auto is_kept = [&](const char* tool, std::size_t chars) {
    AnsweredCall call{.services = test::services(host, policy_), .context = {.task = "t"}};
    return test::run_to_end(budgeted_result(*find_tool(tool), std::move(call), result_of(chars)))
        .contains("persisted_path");
  };
  EXPECT_FALSE(is_kept("terminal", 20'001));
  EXPECT_FALSE(is_kept("search_files", 20'000));
  EXPECT_TRUE(is_kept("search_files", 20'001));
}

TEST_F(BudgetTest, WhatCannotBeSavedIsCutAndThatIsSaid) {
  fake_->files.refused.insert("hermes-results/call_7.txt");
  const json::object answer = bounded(result_of(100'001));
  EXPECT_THAT(text(answer, "output"), StartsWith("exit_code: 0\noutput:\n"));
  EXPECT_THAT(text(answer, "output"),
              EndsWith("\n\n[Truncated: tool response was 100,001 chars. Full output could not be "
                       "saved to sandbox.]"));
  EXPECT_LT(count_chars(text(answer, "output")), 1700u);
  EXPECT_FALSE(answer.contains("persisted_path"));
  EXPECT_THAT(std::string(answer.at("notices").at(0).as_string()), HasSubstr("No space left"));
}

TEST_F(BudgetTest, ADirectoryThatOthersMayWriteIsNotUsed) {
  const os::FileFacts open{.kind = os::FileKind::directory, .mode = 0777};
  fake_->files.files["/tmp/hermes-results"].facts = open;
  EXPECT_EQ(text(bounded(result_of(100'001)), "persisted_path"),
            "/tmp/hermes-results-home/call_7.txt");
  fake_->files.files["/tmp/hermes-results-home"].facts = open;
  const json::object answer = bounded(result_of(100'001));
  EXPECT_FALSE(answer.contains("persisted_path"));
  EXPECT_THAT(std::string(answer.at("notices").at(0).as_string()), HasSubstr("written by others"));
}

TEST_F(BudgetTest, OldFilesAreRemoved) {
  constexpr std::int64_t kDay = 86'400'000'000'000;  // ns; what is written now has the time 0
  fake_->files.put("/tmp/hermes-results/old.txt", "x", -8 * kDay);
  fake_->files.put("/tmp/hermes-results/young.txt", "x", -6 * kDay);
  fake_->files.put("/tmp/hermes-results/not-ours", "x", -8 * kDay);
  bounded(result_of(100'001));
  EXPECT_THAT(kept(), ElementsAre("/tmp/hermes-results/call_7.txt", "/tmp/hermes-results/not-ours",
                                  "/tmp/hermes-results/young.txt"));
  for (int i = 0; i < 600; ++i) {
    fake_->files.put("/tmp/hermes-results/n" + std::to_string(i) + ".txt", "x", -i - 1);
  }
  bounded(result_of(100'001), "next");
  EXPECT_EQ(kept().size(), 501u) << "the newest 500, and what is not ours";
}

// What a model gets passes here, what a script gets does not.
Task<json::object> large(ToolCall /*call*/) {
  json::object result = result_of(120'000);
  result["error"] = "the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
  co_return result;
}

TEST_F(BudgetTest, ScriptsGetAllAndWhatIsPutAsideIsMasked) {
  const Tool tool{.name = "large", .description = "", .schema = "", .run = large};
  const auto call = [&](bool from_script) {
    ToolCall asked = test::tool_call(host_, policy_);
    asked.from_script = from_script;
    return test::run_to_end(call_tool(tool, std::move(asked)));
  };
  EXPECT_GT(to_line(call(true)).size(), 100'000u);
  EXPECT_TRUE(kept().empty());
  EXPECT_TRUE(call(false).contains("persisted_path"));
  ASSERT_EQ(kept().size(), 1u);
  EXPECT_THAT(kept().front(), StartsWith("/tmp/hermes-results/call_"));
  EXPECT_THAT(fake_->files.files.begin()->second.content, Not(HasSubstr("ijklmnopqrstuvwxyz")));
}

TEST(ResultText, HasALineForWhatIsShortAndTextsAsTheyAre) {
  const std::string lines = [] {
    std::string all;
    for (int i = 0; i < 200; ++i) all += "line " + std::to_string(i) + "\n";
    return all;
  }();
  const std::string word(300, 'x');
  const json::object result{
      {"status", "ok"},
      {"matches", {{{"path", "a"}, {"text", word}}, {{"path", "b"}, {"text", word}}}},
      {"results", {{{"url", "u"}, {"content", lines}}}}};
  EXPECT_EQ(result_text(result), "status: \"ok\"\nmatches[0]: {\"path\":\"a\",\"text\":\"" + word +
                                     "\"}\nmatches[1]: {\"path\":\"b\",\"text\":\"" + word +
                                     "\"}\nresults[0].url: \"u\"\nresults[0].content:\n" + lines);
}

}  // namespace
}  // namespace talaria::tool
