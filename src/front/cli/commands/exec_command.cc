#include "front/cli/commands/commands.h"
#include "front/cli/commands/task_option.h"
#include "front/cli/commands/timeout_option.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_exec(const Given& given) {
  ExecOptions options{.words = given.words,
                      .json = given.has("--json"),
                      .pass_stdin = given.has("--stdin"),
                      .settings = given.settings};
  if (given.has("--task")) {
    Result<std::string> task = read_task(given);
    if (!task) return fail(task.error());
    options.task = std::move(*task);
  }
  if (given.has("--workdir")) options.workdir = given.value("--workdir");
  if (given.has("--timeout")) {
    const Result<std::chrono::milliseconds> timeout = read_timeout(given.value("--timeout"));
    if (!timeout) return fail(timeout.error());
    options.timeout = *timeout;
  }
  if (options.words.empty()) return fail(ErrorKind::bad_request, "COMMAND is required");
  return options;
}

}  // namespace

CommandInfo exec_command() {
  return {
      .name = "exec",
      .summary = "Run a command and show its output",
      .usage = {"[OPTIONS] [--] COMMAND..."},
      .arguments = {{.name = "COMMAND",
                     .meaning = "Shell text in one word, or a program and its arguments",
                     .many = true,
                     .offer = Offer::programs}},
      .options = {task_option("Resume this task's session: its directory, variables, functions"),
                  {"--timeout", "SECONDS", "Kill the command after this long (default: never)"},
                  {"--workdir", "DIR", "Run in this directory; the session's own does not change",
                   Offer::directories},
                  json_option("Print the terminal tool's result instead"),
                  {"--stdin", "",
                   "Read standard input to its end and pass it on (default: the command gets "
                   "none)"},
                  target_option()},
      .notes =
          "One COMMAND word is shell text; several are quoted each and joined, so that\n"
          "  talaria exec 'echo $HOME | wc -c'    is a pipeline, and\n"
          "  talaria exec echo '$HOME'            prints $HOME.\n"
          "Options end at the first word of the command, or at --.",
      .examples = {{"talaria exec make test", "run a command here, see its output"},
                   {"talaria exec --task blog 'cd site; ls'",
                    "in a session that remembers its directory"},
                   {"talaria exec --timeout 5 ./slow", "for five seconds at most"},
                   {"talaria exec --stdin wc -l <file", "with standard input"}},
      .exit_codes = {{"0 to 255", "the command's own"},
                     {"128+N", "signal N killed it"},
                     {"124", "its --timeout was over"},
                     {"125", "Talaria failed, or the command line is wrong"},
                     {"126", "it may not be run: policy, no such --workdir, no permission"},
                     {"130", "Ctrl-C (a second Ctrl-C does not wait)"}},
      .usage_code = kExecFailed,
      .verbatim = true,
      .read = read_exec,
  };
}

}  // namespace talaria::front::cli
