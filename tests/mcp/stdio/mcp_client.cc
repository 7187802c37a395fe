#include "mcp/stdio/mcp_client.h"

#include <utility>

#include <boost/json/serialize.hpp>

namespace talaria::test {

json::object McpClient::initialize(json::object capabilities) {
  json::object told = ask("initialize", {{"protocolVersion", "2025-11-25"},
                                         {"capabilities", std::move(capabilities)},
                                         {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
  notify("notifications/initialized");
  return told;
}

json::object McpClient::modern(json::object capabilities) {
  return {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
          {"io.modelcontextprotocol/clientCapabilities", std::move(capabilities)}};
}

int McpClient::send(const std::string& method, json::object params) {
  const int id = ++last_id_;
  send_raw(json::serialize(json::object{
      {"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
  return id;
}

void McpClient::notify(const std::string& method, json::object params) {
  send_raw(json::serialize(
      json::object{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}));
}

int McpClient::send_call(const std::string& tool, json::object arguments, json::object meta) {
  json::object params{{"name", tool}, {"arguments", std::move(arguments)}};
  if (!meta.empty()) params["_meta"] = std::move(meta);
  return send("tools/call", std::move(params));
}

json::object McpClient::structured(int id) {
  return result(id).at("structuredContent").as_object();
}

std::string McpClient::run(const std::string& command) {
  return output_of(call("terminal", {{"command", command}}));
}

int error_code(const json::object& answer) {
  const json::value* error = answer.if_contains("error");
  return error ? static_cast<int>(error->at("code").as_int64()) : 0;
}

}  // namespace talaria::test
