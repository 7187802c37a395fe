// The commands about the gateway: serve, token add, token list, token revoke.
#include <charconv>

#include "base/text.h"
#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

const std::vector<ExitCodeNote> kServeExitCodes{
    {"0", "done"}, {"1", "it could not be done"}, {"2", "the command line is wrong"}};

std::vector<std::string> all_of(const Given& given, std::string_view name) {
  const auto found = given.lists.find(name);
  return found == given.lists.end() ? std::vector<std::string>() : found->second;
}

Result<CommandLine> read_serve(const Given& given) {
  gateway::ServeOptions options{.listen = all_of(given, "--listen"),
                                .tls_certificate = given.value("--tls-cert"),
                                .tls_key = given.value("--tls-key"),
                                .hosts = all_of(given, "--host"),
                                .insecure_plain_http = given.has("--insecure-plain-http"),
                                .settings = given.settings};
  if (given.has("--log")) options.log = given.value("--log");
  if (options.log != "all" && options.log != "errors" && options.log != "off") {
    return fail(ErrorKind::bad_request, "--log: expected all, errors or off");
  }
  return options;
}

Result<std::size_t> read_limit(const Given& given, std::string_view name) {
  if (!given.has(name)) return 0;
  const std::string text = given.value(name);
  std::size_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || count == 0) {
    return fail(ErrorKind::bad_request,
                std::string(name) + ": expected a number of at least 1, got '" + text + "'");
  }
  return count;
}

Result<void> check_target(std::string_view name) {
  std::string_view known = kTargetNames;
  while (!known.empty()) {
    if (next_word(known) == name) return {};
  }
  return fail(ErrorKind::bad_request, "--only-target: there is no target '" + std::string(name) +
                                          "'; there are: " + std::string(kTargetNames));
}

Result<CommandLine> read_token_add(const Given& given) {
  TokenAddOptions options{
      .name = given.value("NAME"), .user = given.value("--user"), .json = given.has("--json")};
  if (options.name.empty()) return fail(ErrorKind::bad_request, "NAME is required");
  TokenScope& scope = options.scope;
  scope.approve = given.has("--approve");
  scope.targets = all_of(given, "--only-target");
  for (const std::string& name : scope.targets) {
    if (const auto known = check_target(name); !known) return fail(known.error());
  }
  scope.images = all_of(given, "--only-image");
  for (const auto& [name, count] :
       {std::pair<std::string_view, std::size_t*>("--max-sandboxes", &scope.max_sandboxes),
        std::pair<std::string_view, std::size_t*>("--max-execs", &scope.max_execs),
        std::pair<std::string_view, std::size_t*>("--rate", &scope.requests_per_minute)}) {
    const auto read = read_limit(given, name);
    if (!read) return fail(read.error());
    *count = *read;
  }
  return options;
}

Result<CommandLine> read_token_list(const Given& given) {
  return TokenListOptions{.all = given.has("--all"), .json = given.has("--json")};
}

Result<CommandLine> read_token_revoke(const Given& given) {
  if (given.value("NAME").empty()) return fail(ErrorKind::bad_request, "NAME is required");
  return TokenRevokeOptions{.name = given.value("NAME"), .json = given.has("--json")};
}

}  // namespace

CommandInfo serve_command() {
  return {
      .name = "serve",
      .summary = "Serve sandboxes and MCP clients over HTTP: the gateway",
      .usage = {"[OPTIONS]"},
      .options = {{.name = "--listen",
                   .value = "ADDRESS",
                   .meaning = "Where: ADDRESS:PORT, [ADDRESS]:PORT or unix:PATH; 127.0.0.1:8642 if "
                              "it is not given. May be given several times",
                   .repeats = true},
                  target_option(),
                  {"--tls-cert", "FILE", "The certificate, with those it depends on (PEM)"},
                  {"--tls-key", "FILE", "Its key (PEM)"},
                  {.name = "--host",
                   .value = "NAME",
                   .meaning = "A name clients call it by, beside addresses and localhost. May be "
                              "given several times",
                   .repeats = true},
                  {.name = "--log",
                   .value = "WHAT",
                   .meaning = "What is logged to standard error, a line of JSON each",
                   .choices = "all errors off"},
                  {"--insecure-plain-http", "",
                   "Without TLS also where other machines can reach it"}},
      .notes =
          "Speaks the managed protocol of Hermes; docs/reference/gateway-protocol.md has it. Every "
          "request needs a token (talaria token add).\n"
          "At /mcp it serves the tools to MCP clients, over streamable HTTP.\n"
          "At target local a sandbox is a directory with commands that run as you: no "
          "isolation.\n"
          "What runs in sandboxes goes on when the gateway ends, and is found again by the "
          "next one.",
      .examples = {{"talaria serve", "on this machine, at target local"},
                   {"talaria serve --target docker --listen unix:/run/user/1000/talaria.sock",
                    "containers, for programs of this user"}},
      .exit_codes = {{"0", "it was told to stop, and has"},
                     {"1", "it could not serve"},
                     {"2", "the command line is wrong"}},
      .read = read_serve,
  };
}

CommandInfo token_add_command() {
  return {
      .name = "token add",
      .summary = "Make a token for the gateway, and print it, once",
      .usage = {"[OPTIONS] NAME"},
      .arguments = {{.name = "NAME", .meaning = "What to call it, e.g. in the log"}},
      .options = {{"--user", "NAME", "Whose sandboxes it sees; NAME if it is not given"},
                  {.name = "--only-target",
                   .value = "NAME",
                   .meaning = "It counts only at this target. May be given several times",
                   .choices = kTargetNames,
                   .repeats = true},
                  {.name = "--only-image",
                   .value = "PATTERN",
                   .meaning = "It may name only these images, as 'python:3.*', beside the "
                              "configured one. May be given several times",
                   .repeats = true},
                  {"--max-sandboxes", "COUNT", "How many its user may have at the same time"},
                  {"--max-execs", "COUNT", "How many commands may run at the same time"},
                  {"--rate", "COUNT", "Requests in a minute"},
                  {"--approve", "", "May answer questions about commands: not for agents"},
                  json_option("The same, as one line of JSON")},
      .notes = "Only a digest of it is kept: one that is lost is revoked and made anew.",
      .examples = {{"talaria token add ci", "a token for a program"}},
      .exit_codes = kServeExitCodes,
      .read = read_token_add,
  };
}

CommandInfo token_list_command() {
  return {
      .name = "token list",
      .summary = "Show the tokens of the gateway, not their secrets",
      .usage = {"[OPTIONS]"},
      .options = {{"--all", "", "Also those that were revoked"},
                  json_option("The same, as one line of JSON")},
      .examples = {{"talaria token list", "who may use the gateway"}},
      .exit_codes = kServeExitCodes,
      .read = read_token_list,
  };
}

CommandInfo token_revoke_command() {
  return {
      .name = "token revoke",
      .summary = "End a token of the gateway, from the next request on",
      .usage = {"[OPTIONS] NAME"},
      .arguments = {{.name = "NAME", .meaning = "Which one, as in token list"}},
      .options = {json_option("Say what was done as one line of JSON")},
      .notes = "Sandboxes of its user stay.",
      .examples = {{"talaria token revoke ci", "it does not count any more"}},
      .exit_codes = kServeExitCodes,
      .read = read_token_revoke,
  };
}

}  // namespace talaria::front::cli
