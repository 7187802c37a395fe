// The commands that do something with processes: start, attach, kill.
#include <talaria/process.h>

#include "base/limits.h"
#include "base/signal_name.h"
#include "front/cli/attach/detach_keys.h"
#include "front/cli/commands/commands.h"
#include "front/cli/commands/process_argument.h"
#include "front/cli/commands/task_option.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_start(const Given& given) {
  StartOptions options{.words = given.words,
                       .terminal = given.has("--pty"),
                       .takes_input = given.has("--stdin"),
                       .lifetime = given.value("--lifetime"),
                       .notify = given.has("--notify"),
                       .json = given.has("--json"),
                       .settings = given.settings};
  if (given.has("--task")) {
    Result<std::string> task = read_task(given);
    if (!task) return fail(task.error());
    options.task = std::move(*task);
  }
  if (given.has("--workdir")) options.workdir = given.value("--workdir");
  if (given.has("--lifetime") && !lifespan_of(options.lifetime)) {
    return fail(ErrorKind::bad_request,
                "--lifetime: expected call, session or keep, got '" + options.lifetime + "'");
  }
  const auto age = read_count(given, "--max-age");
  if (!age) return fail(age.error());
  if (*age) options.max_age = static_cast<std::int64_t>(**age);
  if (const auto watched = given.lists.find("--watch"); watched != given.lists.end()) {
    options.watch_patterns = watched->second;
  }
  if (options.notify && !options.watch_patterns.empty()) {
    return fail(ErrorKind::bad_request,
                "--notify and --watch would tell of the same thing twice: give one of them");
  }
  if (options.words.empty()) return fail(ErrorKind::bad_request, "COMMAND is required");
  return options;
}

Result<CommandLine> read_attach(const Given& given) {
  if (given.value("ID").empty()) return fail(ErrorKind::bad_request, "ID is required");
  AttachOptions options{.id = given.value("ID"),
                        .detach_keys = std::string(DetachKeys::kDefault),
                        .read_only = given.has("--read-only"),
                        .settings = given.settings};
  if (given.has("--detach-keys")) options.detach_keys = given.value("--detach-keys");
  if (const auto keys = DetachKeys::parse(options.detach_keys); !keys) return fail(keys.error());
  return options;
}

Result<CommandLine> read_kill(const Given& given) {
  KillOptions options{.ids = given.words,
                      .all = given.has("--all"),
                      .json = given.has("--json"),
                      .settings = given.settings};
  if (given.has("--signal")) {
    const auto number = signal_number(given.value("--signal"));
    if (!number) {
      return fail(ErrorKind::bad_request, "--signal: no signal is called '" +
                                              given.value("--signal") +
                                              "'; expected a name such as INT, HUP or USR1");
    }
    options.signal = *number;
  }
  if (given.has("--task")) {
    Result<std::string> task = read_task(given);
    if (!task) return fail(task.error());
    options.task = std::move(*task);
    if (!options.all) return fail(ErrorKind::bad_request, "--task: only together with --all");
  }
  if (options.all && !options.ids.empty()) {
    return fail(ErrorKind::bad_request, "--all: leave out the IDs");
  }
  if (!options.all && options.ids.empty()) return fail(ErrorKind::bad_request, "ID is required");
  return options;
}

}  // namespace

CommandInfo start_command() {
  return {
      .name = "start",
      .summary = "Start a command in the background and print its ID",
      .usage = {"[OPTIONS] [--] COMMAND..."},
      .arguments = {{.name = "COMMAND",
                     .meaning = "Shell text in one word, or a program and its arguments",
                     .many = true,
                     .offer = Offer::programs}},
      .options = {task_option("In this task's session: its directory, variables, functions"),
                  {"--workdir", "DIR", "Run in this directory; the session's own does not change",
                   Offer::directories},
                  {"--pty", "", "On a terminal of its own, for attach and programs that want one"},
                  {"--stdin", "", "With an input that can be written to (default: none)"},
                  {.name = "--lifetime",
                   .value = "WHEN",
                   .meaning =
                       "When it is ended at the latest: session (default) with `kill --all`, "
                       "`env rm --force`, an agent that ends its task's processes, or at "
                       "its --max-age; keep never by itself; call half a minute after the "
                       "program that started it is gone",
                   .choices = "session keep call"},
                  {"--max-age", "SECONDS",
                   "End it after this long; 0: never (default: "
                   "terminal.process_max_age_seconds)"},
                  {"--notify", "", "Make an event of its end that agents are told"},
                  {.name = "--watch",
                   .value = "TEXT",
                   .meaning = "Make an event when it prints TEXT; may be given several times",
                   .repeats = true},
                  json_option("Print the terminal tool's result instead"),
                  target_option()},
      .notes =
          "It goes on when this command, and whoever started it, has ended. One COMMAND word is "
          "shell text; several are quoted each and joined. Options end at the first word of the "
          "command, or at --.",
      .examples = {{"talaria start npm run dev", "a server that goes on"},
                   {"talaria start --pty python3", "a program to attach to"},
                   {"talaria start --watch ERROR --lifetime keep ./worker",
                    "with an event when it prints that"}},
      .exit_codes = {{"0", "it runs"},
                     {"1", "it could not be started"},
                     {"2", "the command line is wrong"}},
      .verbatim = true,
      .read = read_start,
  };
}

CommandInfo attach_command() {
  return {
      .name = "attach",
      .summary = "Take part in a running process: its screen here, your keys there",
      .usage = {"[OPTIONS] ID"},
      .arguments = {process_argument()},
      .options = {{"--read-only", "", "Only watch; Ctrl-C leaves, too"},
                  {"--detach-keys", "KEYS",
                   "What leaves it (default: ctrl-p,ctrl-q): characters and ctrl- with a letter, "
                   "commas between them; or none"},
                  target_option()},
      .notes =
          "Ctrl-P Ctrl-Q leaves the process alone again; it goes on. All other keys go to it, "
          "Ctrl-C as well. The last output is shown first. Its terminal gets the size of this one, "
          "and of whoever attaches or changes size last; several may be attached at once. The "
          "first of the detach keys reaches the process only together with the next key.\n"
          "A process without a terminal of its own (--stdin), or without one here: input is passed "
          "on as it comes, its end closes the input there (at a terminal it presses Ctrl-D), and "
          "Ctrl-C leaves.",
      .examples = {{"talaria attach proc_0123456789ab", "use it"},
                   {"talaria attach --read-only proc_0123456789ab", "watch it"},
                   {"talaria attach --detach-keys ctrl-] proc_0123456789ab",
                    "leave with another key"}},
      .exit_codes = {{"0", "the detach keys were pressed"},
                     {"0 to 255", "the process's own, if it ended; 128+N: signal N killed it"},
                     {"125", "Talaria failed, or the command line is wrong"}},
      .usage_code = kExecFailed,
      .read = read_attach,
  };
}

CommandInfo kill_command() {
  return {
      .name = "kill",
      .summary = "End processes, each with everything it started",
      .usage = {"[OPTIONS] ID...", "[OPTIONS] --all"},
      .arguments = {process_argument(true)},
      .options = {{"--all", "", "All that run"},
                  task_option("Of --all: only those of this task"),
                  {"--signal", "NAME", "Only send this signal, and do not see to it that it ends"},
                  json_option("Say what became of each as one line of JSON"),
                  target_option()},
      .notes = "What has ended already stays as it ended.",
      .examples = {{"talaria kill proc_0123456789ab", "end it"},
                   {"talaria kill --signal HUP proc_0123456789ab", "only send it a signal"},
                   {"talaria kill --all --task blog", "all of a task"}},
      .exit_codes = {{"0", "they have ended, or the signal was sent"},
                     {"1", "one has not, is not known, or left something that could not be ended"},
                     {"2", "the command line is wrong"}},
      .read = read_kill,
  };
}

}  // namespace talaria::front::cli
