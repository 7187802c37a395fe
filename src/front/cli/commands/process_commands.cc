// exec and the commands about background processes: start, ps, logs, attach, wait, kill, events.
#include <talaria/process.h>

#include "base/limits.h"
#include "base/signal_name.h"
#include "front/cli/attach/detach_keys.h"
#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

Argument command_argument() {
  return {.name = "COMMAND",
          .meaning = "Shell text as one argument, or a program and its arguments",
          .many = true,
          .offer = Offer::programs};
}

Argument process_argument(bool many = false) {
  return {.name = "ID",
          .meaning = "ID of a process, from talaria ps; a unique prefix is enough",
          .many = many,
          .offer = Offer::processes};
}

Option workdir_option(std::string_view meaning) {
  return {"--workdir", "DIR", meaning, Offer::directories};
}

Option tool_result_option() { return json_option("Print the result of the terminal tool as JSON"); }

const std::vector<ExitCodeNote> kFollowExitCodes{{"0", "success"},
                                                 {"1", "failure"},
                                                 {"2", "invalid command line"},
                                                 {"128+N", "stopped by signal N (130: Ctrl-C)"}};

Result<CommandLine> read_exec(const Given& given) {
  if (given.has("--pty") && given.has("--json")) {
    return fail(ErrorKind::bad_request,
                "--pty cannot be combined with --json; use talaria start --pty --json");
  }
  return ExecOptions{.arguments = given.arguments,
                     .task = given.optional("--task"),
                     .workdir = given.optional("--workdir"),
                     .timeout = given.time("--timeout"),
                     .json = given.has("--json"),
                     .pass_stdin = given.has("--stdin"),
                     .terminal = given.has("--pty"),
                     .settings = given.settings};
}

CommandInfo exec_command() {
  return {
      .name = "exec",
      .summary = "Run a command and show its output",
      .usage = {"[OPTIONS] [--] COMMAND..."},
      .arguments = {command_argument()},
      .options = {task_option("Use the session of this task: directory, variables, functions"),
                  timeout_option("Kill the command after this time (default: no limit)"),
                  workdir_option(
                      "Run the command in DIR (default: the current directory; with --task, the "
                      "directory of the session). The directory of the session does not change"),
                  tool_result_option(),
                  {.name = "--stdin",
                   .meaning = "Pass standard input on to the command (default: no input)",
                   .brief = "-i"},
                  {.name = "--pty",
                   .meaning =
                       "Run the command on a terminal of its own; with -i, it receives your keys",
                   .brief = "-t"},
                  target_option()},
      .notes =
          "One COMMAND argument is shell text. Several arguments are quoted and joined:\n"
          "  talaria exec 'echo $HOME | wc -c'    runs a pipeline\n"
          "  talaria exec echo '$HOME'            prints $HOME\n"
          "Options end at the first argument of the command, or at --.\n"
          "Standard output and standard error of the command are kept separate. If talaria's "
          "standard "
          "output and standard error go to the same place, they are merged in the order written.\n"
          "With -i, input is passed on as it comes. Input that is complete at the start, such as a "
          "file, is checked together with the command. Input that comes later cannot be checked, "
          "so a shell or interpreter that reads it needs approval.\n"
          "With --pty the command runs like `start --pty --lifetime call`; "
          "`talaria exec -it bash` gives a shell, after approval.",
      .examples = {{"talaria exec make test", "run a command and see its output"},
                   {"talaria exec --task blog 'cd site; ls'",
                    "use a session that keeps its directory"},
                   {"talaria exec --timeout 2m ./slow", "stop after two minutes"},
                   {"talaria exec -i wc -l <file", "pass standard input"},
                   {"talaria exec -it bash", "use a shell at the target"}},
      .exit_codes = {{"0 to 255", "exit code of the command"},
                     {"128+N", "the command was killed by signal N"},
                     {"124", "the --timeout expired"},
                     {"125", "Talaria failed, or the command line is invalid"},
                     {"126",
                      "not started: refused, or waits for approval; or --workdir cannot be used"},
                     {"130", "Ctrl-C (a second Ctrl-C exits at once)"}},
      .usage_code = kExecFailed,
      .verbatim = true,
      .read = read_exec,
  };
}

Result<CommandLine> read_start(const Given& given) {
  StartOptions options{.arguments = given.arguments,
                       .task = given.value("--task"),
                       .workdir = given.optional("--workdir"),
                       .terminal = given.has("--pty"),
                       .takes_input = given.has("--stdin"),
                       .lifetime = given.value("--lifetime"),
                       .max_age = given.seconds("--max-age"),
                       .notify = given.has("--notify"),
                       .watch_patterns = given.list("--watch"),
                       .json = given.has("--json"),
                       .settings = given.settings};
  if (options.notify && !options.watch_patterns.empty()) {
    return fail(ErrorKind::bad_request, "--notify and --watch cannot be combined; use one of them");
  }
  return options;
}

CommandInfo start_command() {
  return {
      .name = "start",
      .summary = "Start a command in the background and print its ID",
      .usage = {"[OPTIONS] [--] COMMAND..."},
      .arguments = {command_argument()},
      .options = {task_option("Use the session of this task: directory, variables, functions"),
                  workdir_option(
                      "Run the command in DIR; the directory of the session does not change"),
                  {.name = "--pty",
                   .meaning = "Run on a terminal, for attach and interactive programs",
                   .brief = "-t"},
                  {.name = "--stdin",
                   .meaning = "Keep its input open, for attach and for agents (default: no input)",
                   .brief = "-i"},
                  {.name = "--lifetime",
                   .value = "WHEN",
                   .meaning = "When to end it (default: session); see below",
                   .choices = "session keep call",
                   .accepts = Accepts::choices},
                  {.name = "--max-age",
                   .value = "TIME",
                   .meaning = "End it after this time; 0: no limit (default: "
                              "terminal.process_max_age_seconds; with --lifetime keep: no limit)",
                   .accepts = Accepts::seconds},
                  {"--notify", "", "Send agents an event when it ends; not with --watch"},
                  {.name = "--watch",
                   .value = "TEXT",
                   .meaning = "Report an event when it prints TEXT; can be repeated",
                   .repeats = true},
                  tool_result_option(),
                  target_option()},
      .notes =
          "The process keeps running when this command has ended.\n"
          "With --lifetime session, the end of its session or `env rm --force` ends the process. "
          "With "
          "keep, it runs until it exits or reaches --max-age. With call, it ends 30 seconds after "
          "the agent that started it has disconnected. `talaria kill` ends any of them.\n"
          "One COMMAND argument is shell text; several are quoted and joined. Options end at the "
          "first argument of the command, "
          "or at --.",
      .examples = {{"talaria start npm run dev", "start a server"},
                   {"talaria start --pty python3", "start a program to attach to"},
                   {"talaria start --watch ERROR --lifetime keep ./worker",
                    "report an event when it prints ERROR"}},
      .exit_codes = {{"0", "the process runs"},
                     {"1", "not started: it failed, was refused, or needs approval"},
                     {"2", "invalid command line"}},
      .verbatim = true,
      .read = read_start,
  };
}

CommandInfo ps_command() {
  return {
      .name = "ps",
      .summary = "List background processes",
      .options = {{.name = "--all",
                   .meaning = "Include recent processes that have ended",
                   .brief = "-a"},
                  json_option(),
                  target_option("List only the processes at this target (default: all targets)")},
      .notes =
          "Lists the processes of all programs that use this home, at all targets. Targets that "
          "do not answer are named on standard error.",
      .examples = {{"talaria ps", "list running processes"},
                   {"talaria ps --all", "include those that have ended"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return PsOptions{.all = given.has("--all"),
                         .target = given.value("--target"),
                         .json = given.has("--json"),
                         .settings = given.settings};
      },
  };
}

Result<CommandLine> read_logs(const Given& given) {
  if (given.has("--from") + given.has("--tail") + given.has("--since") > 1) {
    return fail(ErrorKind::bad_request,
                "--from, --since and --tail cannot be combined; use one of them");
  }
  return LogsOptions{.id = given.value("ID"),
                     .follow = given.has("--follow"),
                     .from = given.count("--from"),
                     .since = given.value("--since"),
                     .tail = given.count("--tail"),
                     .raw = given.has("--raw"),
                     .settings = given.settings};
}

CommandInfo logs_command() {
  return {
      .name = "logs",
      .summary = "Show the output of a process",
      .arguments = {process_argument()},
      .options = {{.name = "--follow",
                   .meaning = "Keep printing until the output ends",
                   .brief = "-f"},
                  {.name = "--tail",
                   .value = "LINES",
                   .meaning = "Start with the last LINES lines",
                   .brief = "-n",
                   .accepts = Accepts::count},
                  {.name = "--from",
                   .value = "BYTE",
                   .meaning = "Start at this byte; the first byte is 0",
                   .accepts = Accepts::count},
                  {.name = "--since",
                   .value = "NAME",
                   .meaning = "Start where the last `logs --since NAME` ended",
                   .accepts = Accepts::name,
                   .max_bytes = kMaxMarkBytes},
                  {"--raw", "", "Print all escape sequences to a terminal"},
                  process_target_option()},
      .notes =
          "On a terminal, logs prints colours and removes other escape sequences; --raw prints "
          "them "
          "all. A pipe or a file gets the output byte for byte. Secrets are not masked.\n"
          "--since takes a name that you choose, not a time. The position is stored under this "
          "name; `read` of the process tool uses the same names.\n"
          "Only the newest output is stored (terminal.spill_quota_mb). If older output is missing, "
          "standard error says how much.",
      .examples = {{"talaria logs -f proc_0123456789ab", "follow the output"},
                   {"talaria logs -n 20 proc_0123456789ab", "show the last 20 lines"},
                   {"talaria logs --since me proc_0123456789ab",
                    "show what is new since the last time"}},
      .exit_codes = kFollowExitCodes,
      .read = read_logs,
  };
}

Result<CommandLine> read_attach(const Given& given) {
  AttachOptions options{
      .id = given.value("ID"),
      .detach_keys = given.optional("--detach-keys").value_or(std::string(DetachKeys::kDefault)),
      .read_only = given.has("--read-only"),
      .settings = given.settings};
  if (const auto keys = DetachKeys::parse(options.detach_keys); !keys) return fail(keys.error());
  return options;
}

CommandInfo attach_command() {
  return {
      .name = "attach",
      .summary = "Connect this terminal to a running process",
      .arguments = {process_argument()},
      .options = {{"--read-only", "", "Show output only; Ctrl-C also detaches"},
                  {"--detach-keys", "KEYS",
                   "Keys that detach (default: ctrl-p,ctrl-q): characters, or ctrl- and a letter "
                   "or a sign such as ], separated by commas; or none"},
                  process_target_option()},
      .notes =
          "Ctrl-P Ctrl-Q detaches; the process keeps running. The most recent output is shown "
          "first.\n"
          "A process that was started with --pty gets all other keys, Ctrl-C included. Its "
          "terminal "
          "gets the size of this one. Several terminals can be attached; the last one that "
          "attached "
          "or was resized sets the size. After the first detach key, attach waits for the next "
          "key: "
          "if that is not the second detach key, both are sent.\n"
          "A process that was started with --stdin gets the input unchanged, and so does any "
          "process if standard input is not a terminal. The end of input closes the input of the "
          "process (on a terminal: sends Ctrl-D). Ctrl-C detaches.",
      .examples = {{"talaria attach proc_0123456789ab", "connect to the process"},
                   {"talaria attach --read-only proc_0123456789ab", "watch it"},
                   {"talaria attach --detach-keys ctrl-] proc_0123456789ab",
                    "detach with another key"}},
      .exit_codes = {{"0", "detached"},
                     {"0 to 255", "the process ended: its exit code, or 128+N for signal N"},
                     {"125", "Talaria failed, or the command line is invalid"}},
      .usage_code = kExecFailed,
      .read = read_attach,
  };
}

CommandInfo wait_command() {
  return {
      .name = "wait",
      .summary = "Wait until processes have ended",
      .arguments = {process_argument(true)},
      .options = {timeout_option("Give up after this time (default: no limit)"), json_option(),
                  process_target_option()},
      .notes = "Waiting does not consume the event of --notify.",
      .examples = {{"talaria wait proc_0123456789ab && make deploy", "continue if it succeeded"},
                   {"talaria wait --timeout 1m proc_0123456789ab", "wait for a minute at most"}},
      .exit_codes = {{"0 to 255", "exit code of the process named last"},
                     {"128+N", "it was killed by signal N, or signal N stopped the wait"},
                     {"124", "the --timeout expired"},
                     {"125",
                      "Talaria failed, the exit code was lost, or the command line is invalid"}},
      .usage_code = kExecFailed,
      .read = [](const Given& given) -> Result<CommandLine> {
        return WaitOptions{.ids = given.arguments,
                           .timeout = given.time("--timeout"),
                           .json = given.has("--json"),
                           .settings = given.settings};
      },
  };
}

Result<CommandLine> read_kill(const Given& given) {
  KillOptions options{.ids = given.arguments,
                      .all = given.has("--all"),
                      .task = given.value("--task"),
                      .json = given.has("--json"),
                      .settings = given.settings};
  for (const std::string& id : options.ids) {
    if (id.starts_with("-")) {
      return fail(ErrorKind::bad_request,
                  "unknown option '" + id + "'; use --signal NAME to send a signal");
    }
  }
  if (given.has("--signal")) {
    const auto number = signal_number(given.value("--signal"));
    if (!number) {
      return fail(ErrorKind::bad_request, "--signal: unknown signal '" + given.value("--signal") +
                                              "'; use a name such as INT, HUP or USR1");
    }
    options.signal = *number;
  }
  if (given.has("--task") && !options.all) {
    return fail(ErrorKind::bad_request, "--task requires --all");
  }
  if (given.has("--target") && options.all) {
    return fail(ErrorKind::bad_request,
                "--target cannot be combined with --all, which ends the processes of all targets");
  }
  if (options.all == !options.ids.empty()) {
    return fail(ErrorKind::bad_request,
                options.all ? "--all cannot be combined with an ID" : "ID or --all is required");
  }
  return options;
}

CommandInfo kill_command() {
  Argument ids = process_argument(true);
  ids.optional = true;
  return {
      .name = "kill",
      .summary = "End processes and everything they started",
      .usage = {"[OPTIONS] ID...", "[OPTIONS] --all"},
      .arguments = {ids},
      .options =
          {{"--all", "", "End all running processes"},
           task_option("With --all: only the processes of this task"),
           {.name = "--signal", .value = "NAME", .meaning = "Only send this signal", .brief = "-s"},
           json_option(),
           process_target_option()},
      .notes = "Processes that have already ended keep their exit code.",
      .examples = {{"talaria kill proc_0123456789ab", "end a process"},
                   {"talaria kill --signal HUP proc_0123456789ab", "only send a signal"},
                   {"talaria kill --all --task blog", "end all processes of a task"}},
      .exit_codes = {{"0", "all have ended, or got the signal"},
                     {"1", "one is unknown, or could not be ended"},
                     {"2", "invalid command line"}},
      .read = read_kill,
  };
}

Result<CommandLine> read_events(const Given& given) {
  if (given.has("--consumer") && (given.has("--since") || given.has("--all"))) {
    return fail(ErrorKind::bad_request, "--consumer cannot be combined with --since or --all");
  }
  return EventsOptions{.follow = given.has("--follow"),
                       .all = given.has("--all"),
                       .consumer = given.value("--consumer"),
                       .since = given.count("--since").value_or(0),
                       .json = given.has("--json"),
                       .settings = given.settings};
}

CommandInfo events_command() {
  return {
      .name = "events",
      .summary = "Show process events: exits, matched output and lost targets",
      .options = {{.name = "--follow", .meaning = "Keep printing new events", .brief = "-f"},
                  {"--all", "", "Show all stored events, not only the most recent"},
                  {.name = "--since",
                   .value = "ID",
                   .meaning = "Show only events after this one",
                   .accepts = Accepts::count},
                  {.name = "--consumer",
                   .value = "NAME",
                   .meaning = "Show the pending events of NAME and mark them as delivered",
                   .accepts = Accepts::name,
                   .max_bytes = kMaxConsumerBytes},
                  json_option("Print one line of JSON per event"),
                  target_option("Target whose settings apply (default: value of TERMINAL_ENV)")},
      .notes =
          "Without --consumer this is the history; nothing is marked as delivered.\n"
          "With --consumer each event is shown once per NAME, even if several programs use that "
          "name. The events are exits of processes that were started with --notify "
          "(notify_on_complete), matched output, and lost targets. An exit that was already read "
          "is not shown. Agents use the name `default` unless they give another one.",
      .examples = {{"talaria events", "show the most recent events"},
                   {"talaria events --follow", "keep printing new ones"},
                   {"talaria events --json --consumer mailer", "for a script: each event once"}},
      .exit_codes = kFollowExitCodes,
      .read = read_events,
  };
}

}  // namespace

std::vector<CommandInfo> process_commands() {
  return {exec_command(),   start_command(), ps_command(),   logs_command(),
          attach_command(), wait_command(),  kill_command(), events_command()};
}

}  // namespace talaria::front::cli
