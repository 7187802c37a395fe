// The commands about Talaria itself: guard explain, doctor, config, version, completion, help.
#include <talaria/guard.h>

#include <algorithm>

#include "front/cli/commands/commands.h"
#include "front/cli/fronts.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_guard(const Given& given) {
  const int count = !given.arguments.empty() + given.has("--lines") + given.has("--self-test");
  if (count == 0) {
    return fail(ErrorKind::bad_request, "COMMAND, --lines or --self-test is required");
  }
  if (count > 1) {
    return fail(ErrorKind::bad_request, "COMMAND, --lines and --self-test cannot be combined");
  }
  if (const std::string target = given.value("--target"); !target.empty()) {
    const std::vector<std::string> known = guard_targets();
    if (std::ranges::find(known, target) == known.end()) {
      std::string names;
      for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
      return fail(ErrorKind::bad_request,
                  "--target: expected one of " + names + ", got '" + target + "'");
    }
  }
  return GuardExplainOptions{.command = command_text(given.arguments),
                             .target = given.value("--target"),
                             .json = given.has("--json"),
                             .lines = given.has("--lines"),
                             .self_test = given.has("--self-test")};
}

CommandInfo guard_explain_command() {
  return {
      .name = "guard explain",
      .summary = "Explain what the guard decides about a command",
      .usage = {"[OPTIONS] [--] COMMAND...", "[OPTIONS] --lines", "--self-test"},
      .arguments = {{.name = "COMMAND",
                     .meaning = "Shell text as one argument, or a program and its arguments",
                     .many = true,
                     .optional = true}},
      .options = {json_option("Print verdict, rules and commands as one line of JSON"),
                  {"--target", "NAME", "Apply your rules for this target"},
                  {"--lines", "",
                   "Read JSON strings from standard input, one per line, and answer each with a "
                   "line of JSON"},
                  {"--self-test", "", "Check every rule against its own examples"}},
      .notes =
          "Nothing is executed. The verdict is allow, ask (a person must approve it) or deny (it "
          "cannot be approved). It assumes a target without isolation; --target only selects which "
          "of your own rules apply. Parts that cannot be "
          "determined from the text are shown as an ellipsis.",
      .examples = {{"talaria guard explain 'rm -rf src'", "see why it needs approval"},
                   {"talaria guard explain --json '$cmd --all'", "for a program"},
                   {"jq .command log.json | talaria guard explain --lines", "many commands"}},
      .exit_codes = {{"0", "a verdict was printed, or all rules pass their examples"},
                     {"1", "a rule fails its examples, or the output could not be written"},
                     {"2", "invalid command line"}},
      .verbatim = true,
      .read = read_guard,
  };
}

Result<CommandLine> read_doctor(const Given& given) {
  if (!given.has("--check")) {
    if (given.has("--only")) return fail(ErrorKind::bad_request, "--only requires --check");
    for (const char* name : {"--running", "--dry-run"}) {
      if (!given.has(name) || given.has("--reap")) continue;
      return fail(ErrorKind::bad_request, std::string(name) + " requires --reap");
    }
    return DoctorOptions{.reap = given.has("--reap"),
                         .running = given.has("--running"),
                         .dry_run = given.has("--dry-run"),
                         .json = given.has("--json")};
  }
  if (given.has("--reap")) {
    return fail(ErrorKind::bad_request, "--check and --reap cannot be combined; use one of them");
  }
  return check::CheckOptions{
      .target = given.value("--check"), .only = given.value("--only"), .json = given.has("--json")};
}

CommandInfo doctor_command() {
  return {
      .name = "doctor",
      .summary = "Check whether Talaria works here, and suggest fixes",
      .usage = {"[OPTIONS]", "--check TARGET [--only PATTERN] [--json]"},
      .options =
          {json_option(),
           {"--reap", "",
            "Remove leftovers: files here and, at the configured target, containers that "
            "are stopped, were never started, or belong to a Talaria program that has ended"},
           {"--running", "",
            "With --reap: also remove running containers that have not been used for a long time"},
           {"--dry-run", "", "With --reap: only show what would be removed"},
           {.name = "--check",
            .value = "TARGET",
            .meaning = "Run the conformance tests at this target",
            .choices = kTargetNames,
            .accepts = Accepts::choices},
           {"--only", "PATTERN",
            "With --check: only cases whose name contains PATTERN; a PATTERN with * must match it "
            "all"}},
      .notes =
          "Starts a separate runner in <home>/talaria and stops it again. It also looks for "
          "container engines and ssh; the local target needs none of them.\n"
          "--check runs about 240 cases at TARGET, as it is configured: sessions, output, kills, "
          "processes, terminals, several clients. They use their own sessions and their own "
          "directory, and remove both. Cases that the transport does not support are shown as "
          "skipped, with the reason.",
      .examples = {{"talaria doctor", "check everything, one line each"},
                   {"talaria doctor --reap", "also remove leftovers"},
                   {"talaria doctor --check ssh", "check the configured ssh host"},
                   {"talaria doctor --check docker --only 'kill/*'", "run only some cases"}},
      .exit_codes = {{"0", "nothing failed; there may be warnings"},
                     {"1", "a check or a case failed"},
                     {"2", "invalid command line"},
                     {"125", "--check: the target is unavailable"}},
      .read = read_doctor,
  };
}

Result<CommandLine> read_config(const Given& given) {
  if (given.has("--json") && given.has("--doc")) {
    return fail(ErrorKind::bad_request, "--doc prints Markdown; it cannot be combined with --json");
  }
  if (given.has("--changed") && (given.has("--all") || given.has("--doc"))) {
    return fail(ErrorKind::bad_request, "--changed cannot be combined with --all or --doc");
  }
  return ConfigOptions{.json = given.has("--json"),
                       .doc = given.has("--doc"),
                       .all = given.has("--all"),
                       .changed = given.has("--changed"),
                       .settings = given.settings};
}

CommandInfo config_command() {
  return {
      .name = "config",
      .summary = "Show the configuration and where each value was set",
      .options = with_setting_options(
          {json_option(),
           {"--all", "", "Include settings that do not apply to the target"},
           {"--changed", "", "Show only settings that an option, a variable or a file sets"},
           {"--doc", "", "Print a Markdown table of all settings"}}),
      .notes =
          "From highest to lowest priority: options, environment variables, <home>/.env, "
          "<home>/config.yaml. Secrets are masked.",
      .examples = {{"talaria config", "show the settings in effect"},
                   {"talaria config --all", "show all settings"},
                   {"talaria config --changed", "show what was set, and where"},
                   {"talaria config --target docker", "show what applies to another target"}},
      .exit_codes = {{"0", "success"},
                     {"1", "a value that calls need is invalid, or a file cannot be read"},
                     {"2", "invalid command line"}},
      .read = read_config,
  };
}

CommandInfo version_command() {
  return {
      .name = "version",
      .summary = "Show the versions of Talaria and of the link protocol, and its runners",
      .options = {json_option()},
      .notes =
          "A runner is the program that Talaria copies to a target. talaria and a runner are "
          "compatible if their versions of the link protocol have the same major number.",
      .examples = {{"talaria version", "show everything"},
                   {"talaria --version", "show only the version of Talaria"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return VersionOptions{.json = given.has("--json")};
      },
  };
}

CommandInfo completion_command() {
  return {
      .name = "completion",
      .summary = "Print a shell completion script, the manual page or the Markdown reference",
      .usage = {"FORMAT"},
      .arguments = {{.name = "FORMAT",
                     .meaning = "A shell; man for the manual page; markdown for "
                                "docs/reference/cli.md",
                     .choices = "bash zsh fish man markdown"}},
      .examples = {{"source <(talaria completion bash)", "for the current bash"},
                   {"talaria completion zsh >~/.zfunc/_talaria", "into a directory of fpath"},
                   {"talaria completion fish | source", "for the current fish"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return CompletionOptions{given.value("FORMAT")};
      },
  };
}

// The same as --help after the arguments.
Result<CommandLine> read_help(const Given& given) {
  std::vector<std::string> arguments = given.arguments;
  arguments.emplace_back("--help");
  CommandLine line = parse_command_line(std::move(arguments));
  if (std::holds_alternative<ShowText>(line)) return line;
  return fail(ErrorKind::bad_request, "unexpected argument '" + given.arguments.back() + "'");
}

CommandInfo help_command() {
  return {
      .name = "help",
      .summary = "Show the help of Talaria or of a command",
      .usage = {"[COMMAND...]"},
      .arguments = {{.name = "COMMAND",
                     .meaning = "Name of a command",
                     .many = true,
                     .offer = Offer::commands,
                     .optional = true}},
      .examples = {{"talaria help exec", "show the help of exec"},
                   {"talaria help env list", "show the help of env list"}},
      .exit_codes = {{"0", "success"}, {"2", "unknown command"}},
      .read = read_help,
  };
}

// Used by the completion scripts.
CommandInfo complete_command() {
  return {
      .name = "complete",
      .summary = "Print completions of the last argument",
      .usage = {"-- ARGUMENT..."},
      .arguments = {{.name = "ARGUMENT",
                     .meaning = "The arguments of talaria so far",
                     .many = true,
                     .optional = true}},
      .verbatim = true,
      .hidden = true,
      .read = [](const Given& given) -> Result<CommandLine> {
        return CompleteOptions{given.arguments};
      },
  };
}

}  // namespace

std::vector<CommandInfo> other_commands() {
  return {guard_explain_command(), doctor_command(), config_command(),  version_command(),
          completion_command(),    help_command(),   complete_command()};
}

}  // namespace talaria::front::cli
