// Any bytes as the lines of an MCP client: whatever is sent back is one line of JSON-RPC, a request
// that was read is answered at once or becomes work, and never both.

#include <string>
#include <variant>

#include <boost/json/parse.hpp>

#include "front/line_splitter.h"
#include "front/mcp/mcp_protocol.h"
#include "fuzz/input.h"
#include "json/json_text.h"

namespace talaria {
namespace {

constexpr std::size_t kMaxLine = 4096;

void check_message(const front::mcp::McpSend& message) {
  require(!message.text.contains('\n'));
  json::error_code error;
  const json::value reply = json::parse(message.text, error);
  require(!error && reply.is_object() && reply.as_object().contains("jsonrpc"));
  require(message.last ==
          (reply.as_object().contains("result") || reply.as_object().contains("error")));
}

void take(front::mcp::McpProtocol& server, std::string_view line) {
  const std::size_t before = server.under_way();
  std::size_t answers = 0;
  std::size_t work = 0;
  for (const front::mcp::McpAction& action : server.take(line)) {
    if (const auto* message = std::get_if<front::mcp::McpSend>(&action)) {
      check_message(*message);
      answers += message->last ? 1 : 0;
    } else if (const auto* call = std::get_if<front::mcp::McpCall>(&action)) {
      ++work;
      if (const auto asked = server.ask(call->request.key, "elicitation/create", {})) {
        check_message(*asked);
      }
    } else if (std::holds_alternative<front::mcp::McpRead>(action) ||
               std::holds_alternative<front::mcp::McpOther>(action)) {
      ++work;
    }
  }
  require(answers + work <= 1);
  require(server.under_way() <= before + 1);
  for (const front::mcp::McpSend& message : server.resource_changed("u")) check_message(message);
}

void check(Input input) {
  static const front::mcp::McpOffer kOffer{.tools = {json::object{{"name", "t"}}},
                                           .prompts = json::array(),
                                           .completes = true,
                                           .logs = true};
  front::mcp::McpProtocol server(kOffer);
  front::LineSplitter lines(kMaxLine);
  const front::LineSplitter::Sink sink{.line = [&](std::string_view line) { take(server, line); },
                                       .too_long = [] {}};
  lines.feed(input.rest(), sink);
  lines.end(sink);
  for (const front::mcp::McpSend& message : server.end_subscriptions()) check_message(message);
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size));
  return 0;
}
