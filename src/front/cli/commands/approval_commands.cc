// The commands about approvals: approvals, approve, deny, grants ..., audit.
#include <chrono>

#include "base/duration.h"
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
          "A dangerous command waits here if nobody can be asked directly: there is no terminal "
          "(approvals.headless is queue, the default), the agent is used through a chat "
          "(HERMES_GATEWAY_SESSION, HERMES_EXEC_ASK), or approvals.queue is true. Each command is "
          "shown in full, with "
          "invisible characters made visible, and with the program that waits for the answer.\n"
          "If that program has ended, an approval lets the next call with the same command, task, "
          "directory and target run once.",
      .examples = {{"talaria approvals", "list waiting commands"},
                   {"talaria approve appr_0123456789ab", "let one command run once"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return ApprovalsOptions{.all = given.has("--all"), .json = given.has("--json")};
      },
  };
}

Result<CommandLine> read_answer(const Given& given, ApprovalAnswer answer) {
  if (!given.value("ID").empty() && given.has("--all")) {
    return fail(ErrorKind::bad_request, "--all cannot be combined with an ID");
  }
  return AnswerOptions{.id = given.value("ID"),
                       .all = given.has("--all"),
                       .answer = std::move(answer),
                       .json = given.has("--json")};
}

// 0 if it was not given.
Result<std::chrono::seconds> read_lasts(const Given& given) {
  if (!given.has("--for")) return std::chrono::seconds(0);
  const auto lasts = parse_duration(given.value("--for"));
  if (lasts) return *lasts;
  return fail(ErrorKind::bad_request, "--for: " + duration_flaw(given.value("--for")));
}

Result<CommandLine> read_approve(const Given& given) {
  if (given.has("--session") && given.has("--always")) {
    return fail(ErrorKind::bad_request,
                "--session and --always cannot be combined; use one of them");
  }
  const auto lasts = read_lasts(given);
  if (!lasts) return fail(lasts.error());
  const bool always = given.has("--always") || (given.has("--for") && !given.has("--session"));
  ApprovalAnswer answer{.word = always                   ? "always"
                                : given.has("--session") ? "session"
                                                         : "once",
                        .covers = given.value("--covers"),
                        .lasts = *lasts};
  if (answer.word == "once" && !answer.covers.empty()) {
    return fail(ErrorKind::bad_request, "--covers needs --session, --always or --for");
  }
  return read_answer(given, std::move(answer));
}

Option for_option(std::string_view meaning) {
  return {.name = "--for", .value = "TIME", .meaning = meaning};
}

Argument approval_argument() {
  return {
      .name = "ID",
      .meaning =
          "ID of an approval request, from talaria approvals; a unique prefix is enough; can be "
          "omitted if only one command is waiting",
      .optional = true};
}

CommandInfo approve_command() {
  return {
      .name = "approve",
      .summary = "Approve a waiting command",
      .usage = {"[OPTIONS] [ID]", "[OPTIONS] --all"},
      .arguments = {approval_argument()},
      .options = {{"--session", "", "Also approve it for the rest of the session, at most a day"},
                  {"--always", "", "Also approve it from now on, in every session"},
                  for_option("Also approve it for this time (90s, 30m, 2h, 7d), in every session "
                             "unless --session is given"),
                  {.name = "--covers",
                   .value = "WHAT",
                   .meaning = "What --session, --always and --for cover (default: command)",
                   .choices = "command directory task target",
                   .accepts = Accepts::choices},
                  {"--all", "", "Approve all waiting commands"},
                  json_option()},
      .notes =
          "Only the first answer to a waiting command is used.\n"
          "By default --session, --always and --for cover exactly this command, in its directory, "
          "its task and at its target. With --covers, they cover more:\n"
          "  directory  commands that match the same rules, in that directory and task\n"
          "  task       the same, in any directory of that task\n"
          "  target     the same, in any task at that target\n"
          "`talaria approvals` shows exactly what each would cover. Such an approval is a grant: "
          "`talaria grants list` lists them, and `talaria grants revoke` revokes one.",
      .examples = {{"talaria approve appr_0123456789ab", "approve this call only"},
                   {"talaria approve --session appr_0123456789ab",
                    "the same command again, for the rest of the session"},
                   {"talaria approve --for 1h --covers task appr_0123456789ab",
                    "all such commands of the task, for an hour"}},
      .read = read_approve,
  };
}

CommandInfo deny_command() {
  return {
      .name = "deny",
      .summary = "Deny a waiting command",
      .usage = {"[OPTIONS] [ID]", "[OPTIONS] --all"},
      .arguments = {approval_argument()},
      .options = {{"--all", "", "Deny all waiting commands"}, json_option()},
      .examples = {{"talaria deny appr_0123456789ab", "deny this command"},
                   {"talaria deny --all", "deny all waiting commands"}},
      .read = [](const Given& given) { return read_answer(given, {.word = "deny"}); },
  };
}

Argument grant_argument() {
  return {.name = "ID", .meaning = "ID of a grant, from talaria grants list"};
}

CommandInfo grants_list_command() {
  return {
      .name = "grants list",
      .summary = "List grants: approvals that cover more than one call",
      .options = {json_option()},
      .notes =
          "They were given with approve --session, --always or --for, or at a prompt. Grants of "
          "a session without a name are not listed; they end with the program that uses it.\n"
          "Grants of earlier versions of Talaria cover every command that matches a rule. They "
          "are shown as unconfirmed and have no effect until talaria grants confirm.",
      .examples = {{"talaria grants list", "see what is approved, where, and until when"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return GrantListOptions{.json = given.has("--json")};
      },
  };
}

CommandInfo grants_revoke_command() {
  return {
      .name = "grants revoke",
      .summary = "Revoke a grant",
      .arguments = {grant_argument()},
      .options = {json_option()},
      .notes = "Running commands are not stopped.",
      .examples = {{"talaria grants revoke grant_0123456789ab", "ask again from now on"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return GrantChangeOptions{.id = given.value("ID"), .json = given.has("--json")};
      },
  };
}

CommandInfo grants_confirm_command() {
  return {
      .name = "grants confirm",
      .summary = "Confirm a grant that an earlier version stored",
      .arguments = {grant_argument()},
      .options = {for_option("End it after this time (90s, 30m, 2h, 7d)"), json_option()},
      .notes =
          "It then covers every command that matches its rule, in every task and directory at its "
          "target. The output states exactly what it covers. To get a narrower one, revoke it and "
          "approve the command when Talaria asks about it again.",
      .examples = {{"talaria grants confirm grant_0123456789ab", "put it into effect again"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        const auto lasts = read_lasts(given);
        if (!lasts) return fail(lasts.error());
        return GrantChangeOptions{
            .id = given.value("ID"), .confirm = true, .lasts = *lasts, .json = given.has("--json")};
      },
  };
}

// An age before now ("90s", "10m", "2h", "7d") becomes a time in the format of the log; a time
// stays as it is.
Result<std::string> read_since(const std::string& text) {
  if (begins_utc_time(text)) return text;
  const auto age = parse_duration(text);
  if (age) return utc_time(std::chrono::system_clock::now() - *age);
  if (!text.empty() && std::string_view("smhd").contains(text.back())) {
    return fail(ErrorKind::bad_request, "--since: " + duration_flaw(text));
  }
  return fail(ErrorKind::bad_request,
              "--since: expected a period (90s, 10m, 2h, 7d) or a UTC time, which may be shortened "
              "(2026-11-15T14), got '" +
                  text + "'");
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
                   "Show entries since a UTC time (2026-11-15T14), or of the last 2h, 7d, ..."},
                  {"--task", "NAME", "Show only this task"},
                  {"--decisions", "", "Show only commands that needed approval or were refused"},
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
  return {approvals_command(),     approve_command(),        deny_command(), grants_list_command(),
          grants_revoke_command(), grants_confirm_command(), audit_command()};
}

}  // namespace talaria::front::cli
