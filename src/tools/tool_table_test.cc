#include "tools/tool_table.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
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
    const json::object schema = json::parse(schema_of(tool, host::Config{})).as_object();
    EXPECT_EQ(schema.at("type"), "object");
    const json::object& properties = schema.at("properties").as_object();
    for (const auto& [name, property] : properties) {
      SCOPED_TRACE(name);
      EXPECT_TRUE(property.at("type").is_string());
      // Some clients remove these; the description has them in words.
      for (const char* word : {"default", "minimum", "maximum"}) {
        EXPECT_FALSE(property.as_object().contains(word));
      }
    }
    for (const json::value& name : schema.at("required").as_array()) {
      EXPECT_TRUE(properties.contains(name.as_string()));
    }
  }
}

TEST(ToolTable, ModelsAreToldOnlyOfWhatTheTerminalCanDo) {
  host::Config config;
  config.timeout = std::chrono::seconds(77);
  config.max_foreground_timeout = std::chrono::seconds(88);
  const json::value schema = json::parse(schema_of(*find_tool("terminal"), config));
  EXPECT_THAT(std::string(schema.at("properties").at("timeout").at("description").as_string()),
              testing::AllOf(testing::HasSubstr("from 1 to 88"), testing::HasSubstr("default 77")));
  std::vector<std::string> names;
  for (const auto& [name, property] : schema.at("properties").as_object()) names.emplace_back(name);
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("command", "timeout", "workdir", "on_timeout",
                                            "background", "notify_on_complete", "watch_patterns",
                                            "pty", "stdin", "lifetime", "max_age"));
}

// `cwd` was ignored, and the command ran somewhere else.
TEST(ToolTable, AnUnknownArgumentIsNamed) {
  const Tool& terminal_tool = *find_tool("terminal");
  EXPECT_EQ(argument_flaw(terminal_tool, {{"command", "ls"}, {"yield_ms", 5}, {"force", true}}),
            "");
  EXPECT_THAT(argument_flaw(terminal_tool, {{"command", "ls"}, {"cwd", "/"}}),
              testing::StartsWith("terminal has no argument 'cwd'. Its arguments are: command, "
                                  "timeout, workdir, "));
  EXPECT_THAT(argument_flaw(*find_tool("execute_code"), {{"script", ""}}),
              testing::HasSubstr("Its arguments are: code."));
}

TEST(ToolTable, ASearchIsOfferedIfThereIsAnEngineForIt) {
  host::Config config;
  const Tool& search = *find_tool("web_search");
  EXPECT_FALSE(is_offered(search, config));
  config.web.searxng_url = "http://127.0.0.1:1";
  EXPECT_TRUE(is_offered(search, config));
  EXPECT_TRUE(is_offered(*find_tool("terminal"), config));
}

// A model pays for every word with every request: about 4 characters are a token.
TEST(ToolTable, DescriptionsAreShort) {
  host::Config config;
  config.web.searxng_url = "http://127.0.0.1:1";
  std::size_t bytes = 0;
  for (const Tool& tool : kTools) {
    bytes += description_of(tool, config).size();
    bytes += json::serialize(json::parse(schema_of(tool, config))).size();
  }
  EXPECT_LT(bytes, 10'500u);
}

}  // namespace
}  // namespace talaria::tool
