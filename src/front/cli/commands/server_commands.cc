// The commands about servers: serve, token add, list, limit and revoke, mcp, mcp install.
#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

CommandInfo serve_command() {
  return {
      .name = "serve",
      .summary = "Run the gateway: an HTTP server for sandboxes and MCP clients",
      .options = {{.name = "--listen",
                   .value = "ADDRESS",
                   .meaning = "ADDRESS:PORT, [ADDRESS]:PORT or unix:PATH (default: "
                              "127.0.0.1:8642); can be repeated",
                   .repeats = true},
                  target_option(),
                  {"--tls-cert", "FILE", "Certificate chain (PEM)"},
                  {"--tls-key", "FILE", "Private key of the certificate (PEM)"},
                  {.name = "--host",
                   .value = "NAME",
                   .meaning = "Accept requests for this host name (IP addresses and localhost are "
                              "always accepted); can be repeated",
                   .repeats = true},
                  {.name = "--log",
                   .value = "WHAT",
                   .meaning = "What to log to standard error as JSON lines (default: all)",
                   .choices = "all errors off",
                   .accepts = Accepts::choices},
                  {"--insecure-plain-http", "", "Allow other machines to connect without TLS"}},
      .notes =
          "Every request needs a token (talaria token add), which can limit sandboxes, commands "
          "and requests. The protocol is described in docs/reference/gateway-protocol.md; Talaria "
          "itself speaks it with TERMINAL_ENV=managed.\n"
          "/mcp serves the tools to MCP clients, over streamable HTTP.\n"
          "At target local a sandbox is a directory, and its commands run as you: there is no "
          "isolation.\n"
          "Commands in sandboxes keep running when the gateway ends. The next gateway finds them.",
      .examples = {{"talaria serve", "run commands on this machine"},
                   {"talaria serve --target docker --listen unix:/run/user/1000/talaria.sock",
                    "serve containers to programs of this user"}},
      .exit_codes = {{"0", "it was stopped by a signal"},
                     {"1", "it failed to serve"},
                     {"2", "invalid command line"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return gateway::ServeOptions{.listen = given.list("--listen"),
                                     .tls_certificate = given.value("--tls-cert"),
                                     .tls_key = given.value("--tls-key"),
                                     .hosts = given.list("--host"),
                                     .log = given.optional("--log").value_or("all"),
                                     .insecure_plain_http = given.has("--insecure-plain-http"),
                                     .settings = given.settings};
      },
  };
}

std::vector<Option> with_limit_options(std::vector<Option> options, Accepts accepts) {
  const auto limit = [accepts](std::string_view name, std::string_view meaning) {
    return Option{.name = name, .value = "COUNT", .meaning = meaning, .accepts = accepts};
  };
  options.insert(
      options.end() - 1,
      {limit("--max-sandboxes", "Maximum number of sandboxes of its user at the same time"),
       limit("--max-execs", "Maximum number of commands of its user at the same time"),
       limit("--rate", "Maximum number of requests per minute")});
  return options;
}

Result<CommandLine> read_token_limit(const Given& given) {
  TokenLimitOptions options{.name = given.value("NAME"),
                            .limits = {.max_sandboxes = given.count("--max-sandboxes"),
                                       .max_execs = given.count("--max-execs"),
                                       .requests_per_minute = given.count("--rate")},
                            .json = given.has("--json")};
  const TokenLimits& limits = options.limits;
  if (!limits.max_sandboxes && !limits.max_execs && !limits.requests_per_minute) {
    return fail(ErrorKind::bad_request,
                "no limit was given: use --max-sandboxes, --max-execs or --rate");
  }
  return options;
}

Result<CommandLine> read_token_add(const Given& given) {
  return TokenAddOptions{.name = given.value("NAME"),
                         .user = given.value("--user"),
                         .scope = {.targets = given.list("--only-target"),
                                   .images = given.list("--only-image"),
                                   .max_sandboxes = given.count("--max-sandboxes").value_or(0),
                                   .max_execs = given.count("--max-execs").value_or(0),
                                   .requests_per_minute = given.count("--rate").value_or(0),
                                   .approve = given.has("--approve")},
                         .json = given.has("--json")};
}

CommandInfo token_add_command() {
  return {
      .name = "token add",
      .summary = "Create a token for the gateway and print it",
      .arguments = {{.name = "NAME", .meaning = "Name of the token, as the log shows it"}},
      .options = with_limit_options(
          {{"--user", "USER",
            "User whose sandboxes the token can use (default: the name of the token)"},
           {.name = "--only-target",
            .value = "NAME",
            .meaning = "Allow only this target; can be repeated",
            .choices = kTargetNames,
            .repeats = true,
            .accepts = Accepts::choices},
           {.name = "--only-image",
            .value = "PATTERN",
            .meaning = "Allow only the configured image and images that match PATTERN, such as "
                       "'python:3.*'; can be repeated",
            .repeats = true},
           {"--approve", "", "Allow it to approve commands; do not give such a token to an agent"},
           json_option()},
          Accepts::positive),
      .notes =
          "The token is shown only once: Talaria stores a digest of it. If it is lost, revoke it "
          "and add a new one.\n"
          "Where no limit is given, gateway.max_sandboxes, gateway.max_execs and gateway.rate of "
          "the configuration apply.",
      .examples = {{"talaria token add ci", "create a token for a program"},
                   {"talaria token add --max-execs 4 --rate 600 guest", "create a limited one"}},
      .read = read_token_add,
  };
}

CommandInfo token_limit_command() {
  return {
      .name = "token limit",
      .summary = "Change the limits of a token of the gateway",
      .arguments = {{.name = "NAME", .meaning = "Name of the token, from token list"}},
      .options = with_limit_options({json_option()}, Accepts::count),
      .notes =
          "0 removes a limit from the token; the limit in the configuration then applies "
          "(gateway.max_sandboxes, gateway.max_execs, gateway.rate). The gateway applies the "
          "change from the next request on. Running commands are not stopped.",
      .examples = {{"talaria token limit ci --max-execs 20", "allow 20 commands at the same time"}},
      .read = read_token_limit,
  };
}

CommandInfo token_list_command() {
  return {
      .name = "token list",
      .summary = "List the tokens of the gateway",
      .options = {{"--all", "", "Include revoked tokens"}, json_option()},
      .notes = "The tokens themselves are not stored and cannot be shown.",
      .examples = {{"talaria token list", "show who can use the gateway"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return TokenListOptions{.all = given.has("--all"), .json = given.has("--json")};
      },
  };
}

CommandInfo token_revoke_command() {
  return {
      .name = "token revoke",
      .summary = "Revoke a token of the gateway",
      .arguments = {{.name = "NAME", .meaning = "Name of the token, from token list"}},
      .options = {json_option()},
      .notes =
          "The gateway rejects the token from the next request on. The sandboxes of its user are "
          "not removed.",
      .examples = {{"talaria token revoke ci", "reject this token from now on"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return TokenRevokeOptions{.name = given.value("NAME"), .json = given.has("--json")};
      },
  };
}

CommandInfo mcp_command() {
  return {
      .name = "mcp",
      .summary = "Run an MCP server on standard input and output",
      .options = with_setting_options(
          {task_option("Session of calls that name no task (default: a new session)")}),
      .notes =
          "An agent (Claude Code, Codex, Cursor, VS Code, ...) starts it; `talaria mcp install` "
          "adds "
          "it to the configuration of the agent. It serves all tools over the Model Context "
          "Protocol, versions 2024-11-05 to 2026-07-28; see docs/guide/mcp.md.\n"
          "A command that takes longer than 10 seconds continues in the background. Background "
          "processes keep running when the client has ended; talaria ps lists them.",
      .examples = {{"talaria mcp", "serve the agent that started it"},
                   {"talaria mcp --target docker", "run its commands in a container"}},
      .exit_codes = {{"0", "the client closed the connection"},
                     {"1", "the client stopped reading"},
                     {"2", "invalid command line"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return mcp::McpOptions{.task = given.value("--task"), .settings = given.settings};
      },
  };
}

// Started by `talaria serve`.
CommandInfo keeper_command() {
  return {
      .name = "keep-scripts",
      .summary = "Run the scripts of a gateway",
      .options = {target_option()},
      .hidden = true,
      .read = [](const Given& given) -> Result<CommandLine> {
        return mcp::KeeperOptions{.settings = given.settings};
      },
  };
}

Result<CommandLine> read_install(const Given& given) {
  if (given.has("--project") && given.has("--user")) {
    return fail(ErrorKind::bad_request, "--project and --user cannot be combined; use one of them");
  }
  if (given.has("--approval-mode") && given.value("CLIENT") != "codex") {
    return fail(ErrorKind::bad_request, "--approval-mode is a setting of codex only");
  }
  return McpInstallOptions{.client = given.value("CLIENT"),
                           .target = given.value("--target"),
                           .approval_mode = given.value("--approval-mode"),
                           .project = given.has("--project"),
                           .user = given.has("--user"),
                           .dry_run = given.has("--dry-run")};
}

CommandInfo mcp_install_command() {
  return {
      .name = "mcp install",
      .summary = "Add the MCP server to the configuration of a client",
      .arguments = {{.name = "CLIENT",
                     .meaning = "The client",
                     .choices = "claude codex cursor vscode"}},
      .options = {{"--project", "",
                   "Only for the current directory (default for claude and vscode): .mcp.json, "
                   ".codex/config.toml, .cursor/mcp.json or .vscode/mcp.json in it"},
                  {"--user", "", "For all your projects (default for codex and cursor)"},
                  {.name = "--target",
                   .value = "NAME",
                   .meaning = "Target of its commands (default: the configured one)",
                   .choices = kTargetNames,
                   .accepts = Accepts::choices},
                  {.name = "--approval-mode",
                   .value = "MODE",
                   .meaning = "When Codex asks for approval (default_tools_approval_mode). auto "
                              "(default): before tools that can change something; it can remember "
                              "the answer. writes: the same, but it asks each time. prompt: before "
                              "every tool. approve: never",
                   .choices = "auto writes prompt approve",
                   .accepts = Accepts::choices},
                  {"--dry-run", "", "Only show what would be written, and where"}},
      .notes =
          "`codex exec` never asks for approval. Unless --approval-mode is approve, it refuses "
          "commands and file changes. Talaria asks about dangerous commands in any case.\n"
          "The rest of the file is not changed. If the file cannot be parsed, it is not changed at "
          "all, and the text to add is shown.\n"
          "For claude with --user it prints the command that adds the server for all projects, "
          "because Claude Code writes its user configuration itself.",
      .examples = {{"talaria mcp install codex", "for all projects of Codex"},
                   {"talaria mcp install codex --approval-mode approve",
                    "the same, also for codex exec"},
                   {"talaria mcp install claude --dry-run", "show the entry for .mcp.json"}},
      .exit_codes = {{"0", "the entry was written, or shown"},
                     {"1", "the file could not be written"},
                     {"2", "invalid command line"}},
      .read = read_install,
  };
}

}  // namespace

std::vector<CommandInfo> server_commands() {
  return {serve_command(),        token_add_command(), token_list_command(),  token_limit_command(),
          token_revoke_command(), mcp_command(),       mcp_install_command(), keeper_command()};
}

}  // namespace talaria::front::cli
