#include "front/cli/commands/commands.h"
#include "front/cli/install/mcp_client.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_install(const Given& given) {
  McpInstallOptions options{.client = given.value("CLIENT"),
                            .target = given.value("--target"),
                            .project = given.has("--project"),
                            .user = given.has("--user"),
                            .dry_run = given.has("--dry-run")};
  if (find_mcp_client(options.client) == nullptr) {
    std::string names;
    for (const McpClient& client : mcp_clients()) {
      names += (names.empty() ? "" : ", ") + std::string(client.name);
    }
    return fail(ErrorKind::bad_request,
                (options.client.empty() ? "CLIENT is required; there are: "
                                        : "no client '" + options.client + "'; there are: ") +
                    names);
  }
  if (options.project && options.user) {
    return fail(ErrorKind::bad_request, "--project and --user do not go together");
  }
  return options;
}

}  // namespace

CommandInfo mcp_install_command() {
  return {
      .name = "mcp install",
      .summary = "Put the MCP server into the configuration of a client",
      .usage = {"[OPTIONS] CLIENT"},
      .arguments = {{.name = "CLIENT",
                     .meaning = "Which one",
                     .choices = "claude codex cursor vscode"}},
      .options = {{"--project", "",
                   "For this directory alone (usual for claude and vscode): .mcp.json, "
                   ".codex/config.toml, .cursor/mcp.json or .vscode/mcp.json in it"},
                  {"--user", "", "For all you work on (usual for codex and cursor)"},
                  {"--target", "NAME", "Where its commands run, instead of the configured target"},
                  {"--dry-run", "", "Only show what would be written, and where"}},
      .notes =
          "What else the file holds stays as it is; one that cannot be read is left alone, and "
          "what to add to it is shown.\n"
          "For claude with --user it prints the command that does it: Claude Code writes that "
          "file itself.",
      .examples = {{"talaria mcp install codex", "all projects of Codex"},
                   {"talaria mcp install claude --dry-run", "what .mcp.json here would say"}},
      .exit_codes = {{"0", "it is there, or was shown"},
                     {"1", "it could not be written"},
                     {"2", "the command line is wrong"}},
      .read = read_install,
  };
}

}  // namespace talaria::front::cli
