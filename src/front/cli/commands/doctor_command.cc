#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_doctor(const Given& given) {
  if (!given.has("--check")) {
    if (given.has("--only")) {
      return fail(ErrorKind::bad_request, "--only: says which cases of --check to run");
    }
    return DoctorOptions{.reap = given.has("--reap"),
                         .running = given.has("--running"),
                         .dry_run = given.has("--dry-run"),
                         .json = given.has("--json")};
  }
  if (given.has("--reap")) {
    return fail(ErrorKind::bad_request, "--check and --reap: give one of them");
  }
  check::CheckOptions options{
      .target = given.value("--check"), .only = given.value("--only"), .json = given.has("--json")};
  if (options.target.empty()) {
    return fail(ErrorKind::bad_request, "--check: expected a target, as in TERMINAL_ENV");
  }
  return options;
}

}  // namespace

CommandInfo doctor_command() {
  return {
      .name = "doctor",
      .summary = "Check whether Talaria can work here, and say what to do",
      .usage = {"[OPTIONS]", "--check TARGET [--only PATTERN] [--json]"},
      .options = {json_option("The findings as one line of JSON"),
                  {"--reap", "",
                   "Remove what nobody needs any more: files here, and at the configured target "
                   "containers that ended, were never started, or whose program is gone"},
                  {"--running", "",
                   "With --reap: also containers that run, if nobody has used them for long"},
                  {"--dry-run", "", "With --reap: only say what would be removed"},
                  {.name = "--check",
                   .value = "TARGET",
                   .meaning = "Run the contract kit there instead: what every target has to do",
                   .choices = target_option().choices},
                  {"--only", "PATTERN", "Of the kit: cases with this in their name, or like a*b"}},
      .notes =
          "It starts a runner of its own in <home>/talaria and ends it again. Container engines "
          "and ssh are looked for and told; none of them is needed for the local target.\n"
          "With --check it runs some 240 cases at a target, as the configuration has it: sessions, "
          "output, kills, processes, terminals, several controllers. They work in a directory of "
          "their own there, in sessions of their own, and remove it again. What the way to the "
          "target does not claim to do is shown as absent, with the reason.",
      .examples = {{"talaria doctor", "everything, a line each"},
                   {"talaria doctor --reap", "and clean up"},
                   {"talaria doctor --check ssh", "whether commands at the configured host behave"},
                   {"talaria doctor --check docker --only 'kill/*'", "only some cases"}},
      .exit_codes = {{"0", "nothing failed; there may be warnings"},
                     {"1", "something failed; with --check: a case did"},
                     {"2", "the command line is wrong"},
                     {"125", "--check: the target cannot be had"}},
      .read = read_doctor,
  };
}

}  // namespace talaria::front::cli
