// The configuration files of MCP clients, and our entry in them. No I/O.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace talaria::front::cli {

inline constexpr std::string_view kMcpServerName = "talaria";

enum class ConfigFormat { json, toml };

struct McpClient {
  std::string_view name;  // as the command line has it
  std::string_view title;
  ConfigFormat format = ConfigFormat::json;
  std::string_view servers;  // the member that has the servers
  bool says_type = false;    // each names its transport
  std::string_view project_file;
  std::string_view user_file;  // in the home directory; empty: set by a command of the client
  bool usually_project = false;
  std::string_view approval_key = {};  // the setting that says which calls it asks about
};

const McpClient* find_mcp_client(std::string_view name);  // null: unknown

// How the client is to start the server.
struct McpServerEntry {
  std::string command;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> variables;
  std::string approval_mode = {};  // only for a client that takes one; empty: its default
};

// The file with our server added; the rest stays unchanged.
Result<std::string> with_mcp_server(const McpClient& client, std::string_view text,
                                    const McpServerEntry& entry);

// The same for an empty file.
std::string mcp_server_text(const McpClient& client, const McpServerEntry& entry);

// The command line that starts the server, for a shell.
std::string mcp_command_text(const McpServerEntry& entry);

}  // namespace talaria::front::cli
