#include "front/cli/install/json_members.h"

#include <array>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace talaria::front::cli {
namespace {

constexpr std::array<std::string_view, 2> kPath{"mcpServers", "talaria"};

std::string after(std::string_view text) {
  const auto changed = set_json_member(text, kPath, boost::json::parse(R"({"command":"t"})"));
  return changed ? *changed : "error: " + changed.error().message();
}

TEST(JsonMembers, AreSetAndEverythingElseStays) {
  const struct {
    const char* name;
    const char* text;
    const char* expected;
  } cases[] = {
      {"nothing", "",
       "{\n  \"mcpServers\": {\n    \"talaria\": {\n      \"command\": \"t\"\n    }\n  }\n}\n"},
      {"other members", "{\n\t\"a\": 1.50,\n\t\"b\": [1, 2] // two\n}\n",
       "{\n\t\"a\": 1.50,\n\t\"b\": [1, 2],\n\t\"mcpServers\": {\n\t  \"talaria\": {\n\t    "
       "\"command\": \"t\"\n\t  }\n\t} // two\n}\n"},
      {"other servers",
       "{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"a,}b\"} /* } */,\n  }\n}\n",
       "{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"a,}b\"} /* } */,\n    \"talaria\": {\n"
       "      \"command\": \"t\"\n    }\n  }\n}\n"},
      {"an older one", "{\"mcpServers\": {\"talaria\": {\"command\": \"old\"}, \"x\": {}}}",
       "{\"mcpServers\": {\"talaria\": {\n  \"command\": \"t\"\n}, \"x\": {}}}"},
      {"the same", "{\"mcpServers\":{ \"talaria\":{\"command\" :\"t\"}}}",
       "{\"mcpServers\":{ \"talaria\":{\"command\" :\"t\"}}}"},
      {"escaped key", "{\"mcp\\u0053ervers\": {\"talaria\": {\"command\": \"t\"}}}",
       "{\"mcp\\u0053ervers\": {\"talaria\": {\"command\": \"t\"}}}"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(after(c.text), c.expected);
    EXPECT_EQ(after(after(c.text)), c.expected);
  }
}

TEST(JsonMembers, AreNotSetInWhatCannotBeRead) {
  for (const char* text :
       {"{", "[]", "7", "{\"mcpServers\": []}", "{\"mcpServers\": {\"talaria\": 1}} x",
        "{\"mcpServers\": {}, \"mcpServers\": {}}", "{'mcpServers': {}}", "\"/*", "{} /*"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(after(text).starts_with("error: ")) << after(text);
  }
}

}  // namespace
}  // namespace talaria::front::cli
