#include "front/mcp/tool_schemas.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::front::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What clients cap descriptions and instructions at.
constexpr std::size_t kMaxDescription = 2048;

TEST(McpTools, AreAllThereInOneOrder) {
  std::vector<std::string> names;
  for (const json::value& tool : mcp_tools()) names.emplace_back(tool.at("name").as_string());
  EXPECT_THAT(names, ElementsAre("terminal", "process", "read_file", "write_file", "search_files",
                                 "patch", "execute_code", "web_extract"))
      << "without a search engine there is no web_search";
  EXPECT_EQ(json::serialize(mcp_tools()), json::serialize(mcp_tools()));
}

TEST(McpTools, EachSaysWhatItIs) {
  std::set<std::string> openings;
  for (const json::value& tool : mcp_tools()) {
    SCOPED_TRACE(tool.at("name").as_string());
    const std::string description(tool.at("description").as_string());
    EXPECT_LT(description.size(), kMaxDescription);
    EXPECT_TRUE(openings.insert(description.substr(0, description.find(". "))).second);
    EXPECT_FALSE(tool.at("title").as_string().empty());
    EXPECT_EQ(tool.at("inputSchema").at("type").as_string(), "object");
  }
  EXPECT_LT(product_offer().instructions.size(), kMaxDescription);
}

// Clients ask about what may destroy something, or reach others, unless a hint says otherwise.
TEST(McpTools, HintsSayWhatDiffersFromTheDefaults) {
  const auto hints = [](std::string_view name) {
    for (const json::value& tool : mcp_tools()) {
      if (tool.at("name").as_string() == name) {
        const json::value* said = tool.as_object().if_contains("annotations");
        return said ? json::serialize(*said) : std::string();
      }
    }
    return std::string("no such tool");
  };
  EXPECT_EQ(hints("terminal"), "");
  EXPECT_EQ(hints("process"), R"({"openWorldHint":false})");
  EXPECT_EQ(hints("read_file"), R"({"readOnlyHint":true,"openWorldHint":false})");
  EXPECT_EQ(hints("write_file"), R"({"idempotentHint":true,"openWorldHint":false})");
  EXPECT_EQ(hints("web_extract"), R"({"readOnlyHint":true})");
}

TEST(McpTools, WhatHasAShellTakesATaskAndWhatMayTakeLongYields) {
  for (const json::value& tool : mcp_tools()) {
    const std::string name(tool.at("name").as_string());
    const json::object& properties = tool.at("inputSchema").at("properties").as_object();
    EXPECT_EQ(properties.contains("task"), !name.starts_with("web_")) << name;
    EXPECT_EQ(properties.contains("yield_ms"), name == "terminal" || name == "execute_code")
        << name;
  }
}

TEST(McpTools, TimeoutsAreDescribedAsTheyAreHere) {
  std::map<std::string, std::string> timeouts;
  for (const json::value& tool : mcp_tools()) {
    const json::object& properties = tool.at("inputSchema").at("properties").as_object();
    if (const json::value* timeout = properties.if_contains("timeout")) {
      timeouts[std::string(tool.at("name").as_string())] =
          timeout->at("description").as_string().c_str();
    }
  }
  EXPECT_THAT(timeouts.at("process"), HasSubstr("default 30"));
  EXPECT_THAT(timeouts.at("terminal"), HasSubstr("Default: no limit"));
}

TEST(McpTools, AnAnswerIsStructuredAndTheSameAsText) {
  const json::object answer{{"output", "hi\n"}, {"exit_code", 1}, {"error", nullptr}};
  const json::object result = tool_result("terminal", answer);
  EXPECT_EQ(result.at("structuredContent"), json::value(answer));
  EXPECT_EQ(json::parse(result.at("content").at(0).at("text").as_string()), json::value(answer));
  EXPECT_FALSE(result.contains("isError"));  // a failed command is not an error of the tool
}

TEST(McpTools, ErrorsTheModelCanMendAreToldAsSuch) {
  const json::object answers[] = {
      {{"error", "no such file"}},
      {{"output", ""}, {"exit_code", -1}, {"error", "BLOCKED"}, {"status", "blocked"}},
      {{"error", ""}, {"status", "pending_approval"}},
      {{"status", "not_found"}, {"error", "No process with ID x"}},
      {{"success", false}},
  };
  for (const json::object& answer : answers) {
    EXPECT_EQ(tool_result("terminal", answer).at("isError"), true) << json::serialize(answer);
  }
  EXPECT_THAT(json::serialize(tool_error("why")), HasSubstr("why"));
  EXPECT_EQ(tool_error("why").at("isError"), true);
}

}  // namespace
}  // namespace talaria::front::mcp
