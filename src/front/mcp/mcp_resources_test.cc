#include "front/mcp/mcp_resources.h"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace talaria::front::mcp {
namespace {

// "process ID offset limit task", "file PATH ...", or "none".
std::string read(std::string_view uri) {
  const auto address = parse_resource(uri);
  if (!address) return "none";
  return (address->is_process ? "process " : "file ") + address->name + " " +
         std::to_string(address->offset) + " " +
         (address->limit ? std::to_string(*address->limit) : "all") + " " + address->task;
}

TEST(McpResources, AddressesAreRead) {
  const struct {
    const char* uri;
    const char* expected;
  } cases[] = {
      {"exec://process/proc_1/output", "process proc_1 0 all "},
      {"exec://process/proc_1/output?offset=7&limit=9", "process proc_1 7 9 "},
      {"exec://file/etc/hosts", "file /etc/hosts 0 all "},
      {"exec://file/a%20b/c?task=my%20task&offset=1", "file /a b/c 1 all my task"},
      {"exec://process//output", "none"},
      {"exec://process/a/b/output", "none"},
      {"exec://process/proc_1", "none"},
      {"exec://process/proc_1/output?offset=-1", "none"},
      {"exec://process/proc_1/output?offset=x", "none"},
      {"exec://process/proc_1/output?what=1", "none"},
      {"exec://file/", "none"},
      {"exec://file/a%00b", "none"},
      {"exec://file/a%zz", "none"},
      {"file:///etc/hosts", "none"},
      {"", "none"},
  };
  for (const auto& c : cases) EXPECT_EQ(read(c.uri), c.expected) << c.uri;
}

TEST(McpResources, ResultsLinkToWhatCanBeReadBesides) {
  const auto links =
      resource_links("terminal", {{"session_id", "proc_12"}, {"full_output_path", "/tmp/a b"}});
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0].at("uri").as_string(), "exec://process/proc_12/output");
  EXPECT_EQ(links[1].at("uri").as_string(), "exec://file/tmp/a%20b");
  for (const auto& link : links) {
    EXPECT_TRUE(parse_resource(link.at("uri").as_string()));
    EXPECT_EQ(link.at("type").as_string(), "resource_link");
  }
  EXPECT_TRUE(resource_links("process", {{"session_id", "proc_12"}}).empty());
  EXPECT_TRUE(resource_links("terminal", {{"output", "x"}}).empty());
}

TEST(McpResources, ContentsSayWhereToGoOn) {
  const auto contents = resource_contents(
      "u", {{"data", "abc"}, {"encoding", "utf8"}, {"from", 0}, {"next", 3}, {"eof", true}});
  ASSERT_TRUE(contents);
  EXPECT_EQ(
      json::serialize(*contents),
      R"({"contents":[{"uri":"u","mimeType":"text/plain","text":"abc","_meta":{"talaria/from":0,"talaria/next":3,"talaria/eof":true}}]})");
  const auto binary = resource_contents("u", {{"data", "AAA="}, {"encoding", "base64"}});
  EXPECT_EQ(binary->at("contents").at(0).at("blob").as_string(), "AAA=");
  EXPECT_FALSE(resource_contents("u", {{"error", "no"}}));
}

}  // namespace
}  // namespace talaria::front::mcp
