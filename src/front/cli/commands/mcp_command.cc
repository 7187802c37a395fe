#include "front/cli/commands/commands.h"
#include "front/cli/commands/task_option.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_mcp(const Given& given) {
  return with_task(given, mcp::McpOptions{.settings = given.settings});
}

}  // namespace

CommandInfo mcp_command() {
  CommandInfo command{
      .name = "mcp",
      .summary = "Serve an MCP client on standard input and output",
      .usage = {"[OPTIONS]"},
      .options = {task_option("Whose shell calls use that name no task; one of its own otherwise")},
      .notes =
          "For the configuration of an agent (Claude Code, Codex, Cursor, VS Code, ...), which "
          "starts it: all tools, over the Model Context Protocol, versions 2024-11-05 to "
          "2026-07-28. docs/guide/mcp.md says what it offers.\n"
          "A command that takes longer than 10 seconds goes on in the background. What runs there "
          "goes on when the client ends; talaria ps shows it.",
      .examples = {{"talaria mcp", "serve the agent that started it"},
                   {"talaria mcp --target docker", "its commands run in a container"}},
      .exit_codes = {{"0", "the client is gone"},
                     {"1", "it stopped reading"},
                     {"2", "the command line is wrong"}},
      .read = read_mcp,
  };
  for (Option& option : setting_options()) command.options.push_back(option);
  return command;
}

}  // namespace talaria::front::cli
