// What scripts and models read about tools is what the tools accept.
#include "tools/script/script_module.h"

#include <algorithm>
#include <chrono>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/execute_code.h"
#include "tools/tool_table.h"

namespace talaria::tool {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What a script may not say of its commands.
constexpr std::string_view kNotForScripts[] = {"background",     "pty",        "notify_on_complete",
                                               "watch_patterns", "on_timeout", "lifetime",
                                               "stdin",          "max_age",    "refresh"};

host::Config with_search() {
  host::Config config;
  config.web.searxng_url = "http://127.0.0.1:1";
  return config;
}

TEST(ScriptModule, HasEveryParameterThatAModelIsToldOf) {
  for (const std::string_view name : kScriptTools) {
    SCOPED_TRACE(name);
    const Tool* tool = find_tool(name);
    ASSERT_NE(tool, nullptr);
    const std::string module = script_module({std::string(name)});
    const json::value schema = json::parse(schema_of(*tool, host::Config{}));
    for (const auto& [parameter, about] : schema.at("properties").as_object()) {
      if (std::ranges::find(kNotForScripts, std::string_view(parameter)) !=
          std::end(kNotForScripts)) {
        continue;
      }
      const std::string word(parameter);
      EXPECT_THAT(script_signature(name), HasSubstr(word + ": "));
      EXPECT_THAT(module, HasSubstr("\"" + word + "\": " + word));
    }
  }
}

TEST(ScriptModule, HasFunctionsForItsToolsOnly) {
  const std::string none = script_module({});
  EXPECT_THAT(none, AllOf(HasSubstr("def _call("), HasSubstr("def json_parse("),
                          HasSubstr("def shell_quote("), HasSubstr("def retry(")));
  EXPECT_THAT(none, AllOf(Not(HasSubstr("def terminal(")), Not(HasSubstr("def patch("))));
  EXPECT_THAT(script_module({"patch"}),
              AllOf(HasSubstr("def patch("), Not(HasSubstr("def terminal("))));
}

TEST(ExecuteCode, ItsDescriptionNamesWhatThereIsAndTheLimitsThatHold) {
  const std::string usual = describe_execute_code(with_search(), std::nullopt);
  std::size_t at = 0;
  for (const std::string_view name : kScriptTools) {
    const std::size_t found = usual.find("  " + std::string(name) + "(");
    ASSERT_NE(found, std::string::npos) << name;
    EXPECT_LT(at, found) << name;
    at = found;
  }
  for (const char* part : {"5-minute timeout", "50KB", "50 tool calls", "foreground", "json_parse",
                           "shell_quote", "retry", "session", "venv"}) {
    EXPECT_THAT(usual, HasSubstr(part));
  }
  host::Config other = with_search();
  other.scripts.timeout = std::chrono::seconds(90);
  other.scripts.max_tool_calls = 7;
  other.scripts.strict = true;
  const std::string strict = describe_execute_code(other, std::vector<std::string>{"web_search"});
  for (const char* part : {"90-second timeout", "7 tool calls", "temp dir", "web_search("}) {
    EXPECT_THAT(strict, HasSubstr(part));
  }
  EXPECT_THAT(strict, Not(HasSubstr("read_file(")));
  for (const std::string& text : {usual, strict}) {
    EXPECT_THAT(text, AllOf(Not(HasSubstr("sandbox")), Not(HasSubstr("isolated")),
                            Not(HasSubstr("cloud"))));
  }
  EXPECT_THAT(strict, AllOf(Not(HasSubstr("terminal()")), Not(HasSubstr("foreground"))));
  EXPECT_THAT(usual, HasSubstr("workdir: str = None) -> {\"output\", \"exit_code\"}"));
}

TEST(ExecuteCode, ItsExampleImportsWhatThereIs) {
  using Names = std::vector<std::string>;
  const struct {
    std::optional<Names> tools;
    const char* expected;
  } cases[] = {
      {std::nullopt, "import web_search, terminal, ...`"},
      {Names{"terminal", "patch"}, "import terminal, ...`"},
      {Names{"web_search", "read_file"}, "import web_search, ...`"},
      {Names{"write_file", "search_files", "patch"}, "import patch, search_files, ...`"},
      {Names{"read_file"}, "import read_file, ...`"},
      {Names{"vision_analyze"}, "import ...`"},
      {Names{}, "import ...`"},
  };
  for (const auto& c : cases) {
    const json::value schema = json::parse(execute_code_schema(with_search(), c.tools));
    EXPECT_THAT(std::string(schema.at("properties").at("code").at("description").as_string()),
                HasSubstr(c.expected));
    EXPECT_EQ(schema.at("required").as_array().at(0), "code");
  }
}

}  // namespace
}  // namespace talaria::tool
