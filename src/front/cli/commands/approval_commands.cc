// The commands about approvals: approvals, approve, deny, audit.
#include <charconv>
#include <chrono>

#include "base/wall_time.h"
#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

CommandInfo approvals_command() {
  return {
      .name = "approvals",
      .summary = "List commands that wait for approval",
      .options = {{"--all", "", "Include recent ones that were answered or have expired"},
                  json_option()},
      .notes =
          "Commands wait here if the agent is used through a chat (HERMES_GATEWAY_SESSION, "
          "HERMES_EXEC_ASK) or approvals.queue is true. Each command is shown in full, with "
          "invisible characters made visible.",
      .examples = {{"talaria approvals", "list waiting commands"},
                   {"talaria approve appr_0123456789ab", "let one command run once"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return ApprovalsOptions{.all = given.has("--all"), .json = given.has("--json")};
      },
  };
}

Result<CommandLine> read_answer(const Given& given, std::string answer) {
  if (given.value("ID").empty() == !given.has("--all")) {
    return fail(ErrorKind::bad_request, given.has("--all") ? "--all cannot be combined with an ID"
                                                           : "ID or --all is required");
  }
  return AnswerOptions{.id = given.value("ID"),
                       .all = given.has("--all"),
                       .answer = std::move(answer),
                       .json = given.has("--json")};
}

Result<CommandLine> read_approve(const Given& given) {
  if (given.has("--session") && given.has("--always")) {
    return fail(ErrorKind::bad_request,
                "--session and --always cannot be combined; use one of them");
  }
  return read_answer(given, given.has("--always")    ? "always"
                            : given.has("--session") ? "session"
                                                     : "once");
}

Argument approval_argument() {
  return {.name = "ID", .meaning = "ID of an approval, from talaria approvals", .optional = true};
}

CommandInfo approve_command() {
  return {
      .name = "approve",
      .summary = "Approve a waiting command",
      .usage = {"[OPTIONS] ID", "[OPTIONS] --all"},
      .arguments = {approval_argument()},
      .options = {{"--session", "",
                   "Also approve the same rule at the same target for the rest of the session"},
                  {"--always", "", "Also approve the same rule at the same target from now on"},
                  {"--all", "", "Approve all waiting commands"},
                  json_option()},
      .notes = "Only the first answer to a waiting command is used.",
      .examples = {{"talaria approve appr_0123456789ab", "approve this command once"},
                   {"talaria approve --session appr_0123456789ab", "for the rest of the session"}},
      .read = read_approve,
  };
}

CommandInfo deny_command() {
  return {
      .name = "deny",
      .summary = "Deny a waiting command",
      .usage = {"[OPTIONS] ID", "[OPTIONS] --all"},
      .arguments = {approval_argument()},
      .options = {{"--all", "", "Deny all waiting commands"}, json_option()},
      .examples = {{"talaria deny appr_0123456789ab", "deny this command"},
                   {"talaria deny --all", "deny all waiting commands"}},
      .read = [](const Given& given) { return read_answer(given, "deny"); },
  };
}

// An age before now ("90s", "10m", "2h", "7d") becomes a time in the format of the log; a time
// stays as it is.
Result<std::string> read_since(const std::string& text) {
  if (text.size() >= 5 && text.find_first_not_of("0123456789") == 4 && text[4] == '-') return text;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string unit(end, text.data() + text.size());
  const std::int64_t seconds = unit == "s"   ? 1
                               : unit == "m" ? 60
                               : unit == "h" ? 3600
                               : unit == "d" ? 86'400
                                             : 0;
  if (error != std::errc() || seconds == 0 || count < 0 || count > 1'000'000'000 / seconds) {
    return fail(ErrorKind::bad_request,
                "--since: expected an age (90s, 10m, 2h, 7d) or the beginning of a time "
                "(2026-11-15T14), got '" +
                    text + "'");
  }
  return utc_time(std::chrono::system_clock::now() - std::chrono::seconds(count * seconds));
}

Result<CommandLine> read_audit_command(const Given& given) {
  AuditOptions options{.task = given.value("--task"),
                       .decisions_only = given.has("--decisions"),
                       .json = given.has("--json")};
  if (given.has("--since")) {
    auto since = read_since(given.value("--since"));
    if (!since) return fail(since.error());
    options.since = std::move(*since);
  }
  return options;
}

CommandInfo audit_command() {
  return {
      .name = "audit",
      .summary = "Show which commands ran or were refused, and who decided",
      .options = {{"--since", "WHEN",
                   "Show entries since a time (2026-11-15T14) or of the last while (2h, 7d)"},
                  {"--task", "NAME", "Show only this task"},
                  {"--decisions", "", "Show only approvals and refusals"},
                  json_option("Print the log unchanged, one line of JSON per entry")},
      .notes =
          "The log is in <home>/talaria/audit. Only its owner can read it, and it contains no "
          "secrets. The audit.* settings limit its size. Times are UTC.",
      .examples = {{"talaria audit --since 2h", "the last two hours"},
                   {"talaria audit --decisions --json", "all decisions, for a program"}},
      .read = read_audit_command,
  };
}

}  // namespace

std::vector<CommandInfo> approval_commands() {
  return {approvals_command(), approve_command(), deny_command(), audit_command()};
}

}  // namespace talaria::front::cli
