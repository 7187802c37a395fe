// The commands that look at processes: ps, logs, wait, events.
#include <charconv>

#include "base/limits.h"
#include "front/cli/attach/detach_keys.h"
#include "front/cli/commands/commands.h"
#include "front/cli/commands/process_argument.h"
#include "front/cli/commands/timeout_option.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_ps(const Given& given) {
  return PsOptions{
      .all = given.has("--all"), .json = given.has("--json"), .settings = given.settings};
}

Result<CommandLine> read_logs(const Given& given) {
  if (given.value("ID").empty()) return fail(ErrorKind::bad_request, "ID is required");
  LogsOptions options{.id = given.value("ID"),
                      .follow = given.has("--follow"),
                      .since = given.value("--since"),
                      .raw = given.has("--raw"),
                      .settings = given.settings};
  const auto from = read_count(given, "--from");
  if (!from) return fail(from.error());
  options.from = *from;
  const auto tail = read_count(given, "--tail");
  if (!tail) return fail(tail.error());
  options.tail = *tail;
  if (given.has("--since") && (options.since.empty() || options.since.size() > kMaxMarkBytes)) {
    return fail(ErrorKind::bad_request,
                "--since: expected a name of 1 to " + std::to_string(kMaxMarkBytes) + " bytes");
  }
  if (given.has("--from") + given.has("--tail") + given.has("--since") > 1) {
    return fail(ErrorKind::bad_request,
                "--from, --since and --tail each say where to begin: give one of them");
  }
  return options;
}

Result<CommandLine> read_wait(const Given& given) {
  if (given.words.empty()) return fail(ErrorKind::bad_request, "ID is required");
  WaitOptions options{.ids = given.words, .json = given.has("--json"), .settings = given.settings};
  if (given.has("--timeout")) {
    const Result<std::chrono::milliseconds> timeout = read_timeout(given.value("--timeout"));
    if (!timeout) return fail(timeout.error());
    options.timeout = *timeout;
  }
  return options;
}

Result<CommandLine> read_events(const Given& given) {
  EventsOptions options{.follow = given.has("--follow"),
                        .all = given.has("--all"),
                        .consumer = given.value("--consumer"),
                        .json = given.has("--json"),
                        .settings = given.settings};
  if (given.has("--consumer") &&
      (options.consumer.empty() || options.consumer.size() > kMaxConsumerBytes)) {
    return fail(ErrorKind::bad_request, "--consumer: expected a name of 1 to " +
                                            std::to_string(kMaxConsumerBytes) + " bytes");
  }
  if (given.has("--consumer") && (given.has("--since") || options.all)) {
    return fail(ErrorKind::bad_request,
                "--consumer: gets what it has not had; leave out --since and --all");
  }
  const auto since = read_count(given, "--since");
  if (!since) return fail(since.error());
  options.since = since->value_or(0);
  return options;
}

}  // namespace

Result<std::optional<std::uint64_t>> read_count(const Given& given, std::string_view name) {
  if (!given.has(name)) return std::nullopt;
  const std::string text = given.value(name);
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() ||
      count > std::numeric_limits<std::int64_t>::max()) {
    return fail(ErrorKind::bad_request,
                std::string(name) + ": expected a whole number, got '" + text + "'");
  }
  return count;
}

CommandInfo ps_command() {
  return {
      .name = "ps",
      .summary = "List the processes in the background, whoever started them",
      .usage = {"[OPTIONS]"},
      .options = {{"--all", "", "Also those that have ended, as long as they are kept"},
                  json_option("The same, as one line of JSON"),
                  target_option()},
      .notes = "Those of a target that does not answer are left out, and that is said.",
      .examples = {{"talaria ps", "see what runs"},
                   {"talaria ps --all", "and what has ended lately"}},
      .exit_codes = {{"0", "done"},
                     {"1", "it could not be done"},
                     {"2", "the command line is wrong"}},
      .read = read_ps,
  };
}

CommandInfo logs_command() {
  return {
      .name = "logs",
      .summary = "Show what a process printed, byte for byte",
      .usage = {"[OPTIONS] ID"},
      .arguments = {process_argument()},
      .options = {{.name = "--follow", .meaning = "Go on until it prints no more", .brief = "-f"},
                  {"--tail", "LINES", "Begin with the last LINES lines"},
                  {"--from", "BYTE", "Begin with this byte; the first one is 0"},
                  {"--since", "NAME", "Begin where the last `logs --since NAME` of it ended"},
                  {"--raw", "", "Show everything on a terminal, too (see below)"},
                  target_option()},
      .notes =
          "On a terminal, escape sequences other than colours are left out, so that what was drawn "
          "for another screen does not upset this one; --raw shows them. Into a pipe or a file "
          "goes what was printed, unchanged. Nothing is taken out of it, secrets neither.\n"
          "Output carries no times: --since takes a name of your choice, not an age. Names are "
          "kept with the process, and are the marks of the process tool's `read`.\n"
          "The newest output is kept (terminal.spill_quota_mb says how much). What is no longer "
          "there is left out, and that is said on standard error.",
      .examples = {{"talaria logs -f proc_0123456789ab", "watch what it prints"},
                   {"talaria logs --tail 20 proc_0123456789ab", "the last lines"},
                   {"talaria logs --since me proc_0123456789ab",
                    "what is new since the last time"}},
      .exit_codes = {{"0", "done"},
                     {"1", "it could not be done"},
                     {"2", "the command line is wrong"},
                     {"128+N", "signal N ended it (130: Ctrl-C)"}},
      .read = read_logs,
  };
}

CommandInfo wait_command() {
  return {
      .name = "wait",
      .summary = "Wait until processes have ended, and say how",
      .usage = {"[OPTIONS] ID..."},
      .arguments = {process_argument(true)},
      .options = {{"--timeout", "SECONDS", "Give up after this long (default: never)"},
                  json_option("Say how they ended as one line of JSON"),
                  target_option()},
      .notes = "Whoever asked to be told of the end (--notify) still is.",
      .examples = {{"talaria wait proc_0123456789ab && make deploy", "go on if it went well"},
                   {"talaria wait --timeout 60 proc_0123456789ab", "for a minute at most"}},
      .exit_codes = {{"0 to 255", "that of the last ID, as if it had been run here"},
                     {"128+N", "signal N killed it; or, without an end, signal N ended us"},
                     {"124", "the --timeout was over"},
                     {"125", "Talaria failed, the process is lost, or the command line is wrong"}},
      .usage_code = kExecFailed,
      .read = read_wait,
  };
}

CommandInfo events_command() {
  return {
      .name = "events",
      .summary = "Show what is told of processes: ends, watched output, lost targets",
      .usage = {"[OPTIONS]"},
      .options = {{.name = "--follow", .meaning = "Go on with those to come", .brief = "-f"},
                  {"--all", "", "All that are kept, not only the last ones"},
                  {"--since", "ID", "Only those behind this one"},
                  {"--consumer", "NAME", "What NAME is to be told and has not had; now it has"},
                  json_option("One line of JSON for each"),
                  target_option()},
      .notes =
          "Without --consumer this is the history: everything, whoever has had it, and nobody has "
          "had it because of this.\n"
          "With --consumer each event is shown once per NAME, also if programs end meanwhile: ends "
          "of processes that were started with --notify (notify_on_complete) unless somebody has "
          "read the end already, what was watched for, and lost targets. The consumer of agents is "
          "called default unless they say otherwise.",
      .examples = {{"talaria events", "the last events"},
                   {"talaria events --follow", "and those to come"},
                   {"talaria events --json --consumer mailer", "for a script: each one once"}},
      .exit_codes = {{"0", "done"},
                     {"1", "it could not be done"},
                     {"2", "the command line is wrong"},
                     {"128+N", "signal N ended it (130: Ctrl-C)"}},
      .read = read_events,
  };
}

}  // namespace talaria::front::cli
