#include "front/cli/install/mcp_client.h"

#include <talaria/command.h>

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/string.hpp>

#include "front/cli/install/json_members.h"
#include "front/cli/install/toml_keys.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

constexpr std::array kClients{
    // Claude Code writes ~/.claude.json itself while it runs, so nobody else should.
    McpClient{.name = "claude",
              .title = "Claude Code",
              .servers = "mcpServers",
              .project_file = ".mcp.json",
              .usually_project = true},
    McpClient{.name = "codex",
              .title = "Codex",
              .format = ConfigFormat::toml,
              .servers = "mcp_servers",
              .project_file = ".codex/config.toml",
              .user_file = ".codex/config.toml",
              .approval_key = "default_tools_approval_mode"},
    McpClient{.name = "cursor",
              .title = "Cursor",
              .servers = "mcpServers",
              .project_file = ".cursor/mcp.json",
              .user_file = ".cursor/mcp.json"},
    McpClient{.name = "vscode",
              .title = "VS Code",
              .servers = "servers",
              .says_type = true,
              .project_file = ".vscode/mcp.json",
              .user_file = ".config/Code/User/mcp.json",
              .usually_project = true},
};

// An entry with a URL was added on purpose.
Error is_for_http() {
  return Error(ErrorKind::bad_request,
               "its entry '" + std::string(kMcpServerName) +
                   "' has a url, so it is for another server; remove it first");
}

bool has_url(const McpClient& client, std::string_view text) {
  boost::system::error_code flaw;
  const json::value all =
      json::parse(text, flaw, {}, {.allow_comments = true, .allow_trailing_commas = true});
  const json::object* inside = flaw ? nullptr : all.if_object();
  for (const std::string_view name : {client.servers, kMcpServerName}) {
    const json::value* const next = inside ? inside->if_contains(name) : nullptr;
    inside = next ? next->if_object() : nullptr;
  }
  return inside && inside->contains("url");
}

Result<std::string> in_json(const McpClient& client, std::string text,
                            const McpServerEntry& entry) {
  struct Setting {
    std::vector<std::string_view> path;
    json::value value;
  };
  const auto at = [&](std::vector<std::string_view> rest) {
    rest.insert(rest.begin(), {client.servers, kMcpServerName});
    return rest;
  };
  if (has_url(client, text)) return fail(is_for_http());
  std::vector<Setting> settings;
  if (client.says_type) settings.push_back({at({"type"}), "stdio"});
  settings.push_back({at({"command"}), json::value(json::string(entry.command))});
  settings.push_back({at({"args"}), json::array(entry.arguments.begin(), entry.arguments.end())});
  for (const auto& [name, value] : entry.variables) {
    settings.push_back({at({"env", name}), json::value(json::string(value))});
  }
  for (const Setting& setting : settings) {
    auto changed = set_json_member(text, setting.path, setting.value);
    if (!changed) return changed;
    text = std::move(*changed);
  }
  return text;
}

Result<std::string> in_toml(const McpClient& client, std::string_view text,
                            const McpServerEntry& entry) {
  const std::string table = std::string(client.servers) + "." + std::string(kMcpServerName);
  if (has_toml_key(text, table, "url")) return fail(is_for_http());
  std::string arguments;
  for (const std::string& argument : entry.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + toml_string(argument);
  }
  TomlKeys keys{{"command", toml_string(entry.command)}, {"args", "[" + arguments + "]"}};
  if (!entry.approval_mode.empty()) {
    keys.emplace_back(client.approval_key, toml_string(entry.approval_mode));
  }
  auto changed = set_toml_keys(text, table, keys);
  if (!changed || entry.variables.empty()) return changed;
  TomlKeys variables;
  for (const auto& [name, value] : entry.variables)
    variables.emplace_back(name, toml_string(value));
  return set_toml_keys(*changed, table + ".env", variables);
}

}  // namespace

const McpClient* find_mcp_client(std::string_view name) {
  const auto* const found = std::ranges::find(kClients, name, &McpClient::name);
  return found == kClients.end() ? nullptr : found;
}

Result<std::string> with_mcp_server(const McpClient& client, std::string_view text,
                                    const McpServerEntry& entry) {
  if (client.format == ConfigFormat::toml) return in_toml(client, text, entry);
  return in_json(client, std::string(text), entry);
}

std::string mcp_server_text(const McpClient& client, const McpServerEntry& entry) {
  return with_mcp_server(client, "", entry).value_or("");
}

std::string mcp_command_text(const McpServerEntry& entry) {
  std::vector<std::string> words{entry.command};
  words.insert(words.end(), entry.arguments.begin(), entry.arguments.end());
  return quote_arguments(words);
}

}  // namespace talaria::front::cli
