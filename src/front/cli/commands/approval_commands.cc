// The commands about approvals: approvals, approve, deny, audit.
#include <charconv>
#include <chrono>

#include "base/wall_time.h"
#include "front/cli/commands/commands.h"
#include "front/cli/commands/task_option.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_approvals(const Given& given) {
  return ApprovalsOptions{.all = given.has("--all"), .json = given.has("--json")};
}

Result<AnswerOptions> read_answer(const Given& given, std::string word) {
  AnswerOptions options{.id = given.value("ID"),
                        .all = given.has("--all"),
                        .word = std::move(word),
                        .json = given.has("--json")};
  if (options.id.empty() == !options.all) {
    return fail(ErrorKind::bad_request, "give an ID, or --all");
  }
  return options;
}

Result<CommandLine> read_approve(const Given& given) {
  if (given.has("--session") && given.has("--always")) {
    return fail(ErrorKind::bad_request, "--session and --always: give one of them");
  }
  const std::string word = given.has("--always")    ? "always"
                           : given.has("--session") ? "session"
                                                    : "once";
  auto options = read_answer(given, word);
  if (!options) return fail(options.error());
  return std::move(*options);
}

Result<CommandLine> read_deny(const Given& given) {
  auto options = read_answer(given, "deny");
  if (!options) return fail(options.error());
  return std::move(*options);
}

// "90s", "10m", "2h", "7d" before now, as the log writes times; a time stays as it is.
Result<std::string> read_since(const std::string& text) {
  const Error flaw(ErrorKind::bad_request,
                   "--since: expected an age (90s, 10m, 2h, 7d) or the beginning of a time "
                   "(2026-11-15T14), got '" +
                       text + "'");
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
    return fail(flaw);
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

const std::vector<ExitCodeNote>& usual_codes() {
  static const std::vector<ExitCodeNote> codes{
      {"0", "done"}, {"1", "it could not be done"}, {"2", "the command line is wrong"}};
  return codes;
}

Argument approval_argument() {
  return {.name = "ID", .meaning = "Which one, as `talaria approvals` shows it"};
}

Option all_option() { return {"--all", "", "All that wait"}; }

}  // namespace

CommandInfo approvals_command() {
  return {
      .name = "approvals",
      .summary = "List the commands that wait for somebody's approval",
      .usage = {"[OPTIONS]"},
      .options = {{"--all", "", "Also those that were answered or have expired, for a while"},
                  json_option("The same, as one line of JSON")},
      .notes =
          "Commands wait here if the agent is used through a chat (HERMES_GATEWAY_SESSION, "
          "HERMES_EXEC_ASK) or approvals.queue is true. All of a command is shown, and what "
          "would not be visible in it is made so.",
      .examples = {{"talaria approvals", "see what is asked"},
                   {"talaria approve appr_0123456789ab", "let one run, this once"}},
      .exit_codes = usual_codes(),
      .read = read_approvals,
  };
}

CommandInfo approve_command() {
  return {
      .name = "approve",
      .summary = "Let a command run that waits for approval",
      .usage = {"[OPTIONS] ID", "[OPTIONS] --all"},
      .arguments = {approval_argument()},
      .options = {{"--session", "", "And others by the same rule at that target, in that session"},
                  {"--always", "", "And others by the same rule at that target, from now on"},
                  all_option(),
                  json_option("Say what was done as one line of JSON")},
      .notes = "Of several answers to the same question the first counts.",
      .examples = {{"talaria approve appr_0123456789ab", "this command, once"},
                   {"talaria approve --session appr_0123456789ab", "for the rest of the session"}},
      .exit_codes = usual_codes(),
      .read = read_approve,
  };
}

CommandInfo deny_command() {
  return {
      .name = "deny",
      .summary = "Refuse a command that waits for approval",
      .usage = {"[OPTIONS] ID", "[OPTIONS] --all"},
      .arguments = {approval_argument()},
      .options = {all_option(), json_option("Say what was done as one line of JSON")},
      .examples = {{"talaria deny appr_0123456789ab", "this command"},
                   {"talaria deny --all", "whatever waits now"}},
      .exit_codes = usual_codes(),
      .read = read_deny,
  };
}

CommandInfo audit_command() {
  return {
      .name = "audit",
      .summary = "Show what ran, what was refused, and who decided",
      .usage = {"[OPTIONS]"},
      .options = {{"--since", "WHEN", "From then on: an age (2h, 7d) or a time (2026-11-15T14)"},
                  task_option("Only of this task"),
                  {"--decisions", "", "Only what somebody or some rule decided about"},
                  json_option("As it is written: one line of JSON each")},
      .notes =
          "The log is in talaria/audit below the home, for its owner alone and without "
          "secrets; audit.* settings say how much is kept. Times in it are UTC.",
      .examples = {{"talaria audit --since 2h", "the last two hours"},
                   {"talaria audit --decisions --json", "what was decided, for a program"}},
      .exit_codes = usual_codes(),
      .read = read_audit_command,
  };
}

}  // namespace talaria::front::cli
