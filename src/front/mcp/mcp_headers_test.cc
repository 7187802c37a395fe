#include "front/mcp/mcp_headers.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace talaria::front::mcp {
namespace {

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})";

std::string call(std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0","id":7,"method":")" + std::string(method) + R"(","params":{)" +
         std::string(params) + "}}";
}

// "legacy", "modern", or the code of what is wrong.
std::string read(const McpHeaderFields& headers, const std::string& body) {
  const McpOffer offer{.tools = json::parse(R"([{"name":"t","inputSchema":{"properties":{
      "region":{"type":"string","x-mcp-header":"Region"}}}}])")
                                    .as_array()};
  const McpEnvelope envelope = read_envelope(headers, parse_rpc(body), offer);
  if (envelope.flaw) return std::to_string(envelope.flaw->error.code);
  return envelope.modern ? "modern" : "legacy";
}

TEST(McpHeaders, SayTheSameAsTheBody) {
  const std::string list = call("tools/list", kMeta);
  const std::string tool = call("tools/call", std::string(kMeta) + R"(,"name":"t")");
  const std::string with_region =
      call("tools/call", std::string(kMeta) + R"(,"name":"t","arguments":{"region":"eu"})");
  const std::string v = "mcp-protocol-version";
  const std::string modern = "2026-07-28";
  const struct {
    const char* name;
    McpHeaderFields headers;
    std::string body;
    const char* expected;
  } cases[] = {
      {"nothing", {}, call("initialize", ""), "legacy"},
      {"an older version", {{v, "2025-06-18"}}, call("tools/list", ""), "legacy"},
      {"the newer one", {{v, modern}, {"mcp-method", "tools/list"}}, list, "modern"},
      {"blanks", {{v, modern}, {"mcp-method", " tools/list\t"}}, list, "modern"},
      {"no version in the header", {{"mcp-method", "tools/list"}}, list, "-32020"},
      {"another in the header", {{v, "2025-11-25"}, {"mcp-method", "tools/list"}}, list, "-32020"},
      {"no version in the body", {{v, modern}}, call("tools/list", ""), "-32602"},
      {"a version nobody knows", {{v, "2031-01-01"}}, call("tools/list", ""), "-32022"},
      {"no method", {{v, modern}}, list, "-32020"},
      {"another method", {{v, modern}, {"mcp-method", "ping"}}, list, "-32020"},
      {"the case of the method", {{v, modern}, {"mcp-method", "TOOLS/LIST"}}, list, "-32020"},
      {"name", {{v, modern}, {"mcp-method", "tools/call"}, {"mcp-name", "t"}}, tool, "modern"},
      {"encoded name",
       {{v, modern}, {"mcp-method", "tools/call"}, {"mcp-name", "=?base64?dA==?="}},
       tool,
       "modern"},
      {"bad name",
       {{v, modern}, {"mcp-method", "tools/call"}, {"mcp-name", "=?base64?d?="}},
       tool,
       "-32020"},
      {"no name", {{v, modern}, {"mcp-method", "tools/call"}}, tool, "-32020"},
      {"argument",
       {{v, modern}, {"mcp-method", "tools/call"}, {"mcp-name", "t"}, {"mcp-param-region", "eu"}},
       with_region,
       "modern"},
      {"no argument in the headers",
       {{v, modern}, {"mcp-method", "tools/call"}, {"mcp-name", "t"}},
       with_region,
       "-32020"},
      {"an argument that is not there",
       {{v, modern}, {"mcp-method", "tools/call"}, {"mcp-name", "t"}, {"mcp-param-region", "eu"}},
       tool,
       "-32020"},
      {"no JSON", {}, "{", "-32700"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(c.headers, c.body), c.expected);
  }
}

}  // namespace
}  // namespace talaria::front::mcp
