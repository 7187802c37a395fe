#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_config(const Given& given) {
  if (given.has("--json") && given.has("--doc")) {
    return fail(ErrorKind::bad_request, "--doc: it is markdown; leave out --json");
  }
  return ConfigOptions{.json = given.has("--json"),
                       .doc = given.has("--doc"),
                       .all = given.has("--all"),
                       .settings = given.settings};
}

}  // namespace

CommandInfo config_command() {
  CommandInfo command{
      .name = "config",
      .summary = "Show what is set, and where it was set",
      .usage = {"[OPTIONS]"},
      .options = {json_option("Everything, as one line of JSON"),
                  {"--all", "", "Also what does not count for the target now"},
                  {"--doc", "", "Every setting there is, as a markdown table"}},
      .notes =
          "In order of weight: flags, environment, <home>/.env, <home>/config.yaml. Secrets "
          "are masked.",
      .examples = {{"talaria config", "what counts now"},
                   {"talaria config --all", "every setting there is"},
                   {"talaria config --target docker", "as if that was the target"}},
      .exit_codes = {{"0", "done"},
                     {"1",
                      "a value makes no sense or a file cannot be read, so that no call would "
                      "run"},
                     {"2", "the command line is wrong"}},
      .read = read_config,
  };
  for (Option& option : setting_options()) command.options.push_back(option);
  return command;
}

}  // namespace talaria::front::cli
