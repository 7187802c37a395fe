#include "tools/tool_table.h"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::tool {
namespace {

TEST(ToolTable, FindsToolsByTheirExactName) {
  ASSERT_NE(find_tool("terminal"), nullptr);
  EXPECT_EQ(find_tool("terminal")->run, &terminal);
  EXPECT_EQ(find_tool("Terminal"), nullptr);
  EXPECT_EQ(find_tool(""), nullptr);
  EXPECT_EQ(tool_names(),
            "terminal, process, read_file, write_file, search_files, patch, execute_code, "
            "web_search, web_extract");
}

TEST(ToolTable, EveryToolTellsAModelWhatItTakes) {
  for (const Tool& tool : kTools) {
    SCOPED_TRACE(tool.name);
    EXPECT_FALSE(description_of(tool, host::Config{}).empty());
    const json::object schema = json::parse(schema_of(tool)).as_object();
    EXPECT_EQ(schema.at("type"), "object");
    const json::object& properties = schema.at("properties").as_object();
    for (const auto& [name, property] : properties) {
      SCOPED_TRACE(name);
      EXPECT_TRUE(property.at("type").is_string());
      EXPECT_FALSE(property.at("description").as_string().empty());
    }
    for (const json::value& name : schema.at("required").as_array()) {
      EXPECT_TRUE(properties.contains(name.as_string()));
    }
  }
}

TEST(ToolTable, ModelsAreToldOnlyOfWhatTheTerminalCanDo) {
  const json::value schema = json::parse(kTerminalSchema);
  std::vector<std::string> names;
  for (const auto& [name, property] : schema.at("properties").as_object()) names.emplace_back(name);
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("command", "timeout", "workdir", "on_timeout",
                                            "background", "notify_on_complete", "watch_patterns",
                                            "pty", "stdin", "lifetime", "max_age"));
}

}  // namespace
}  // namespace talaria::tool
