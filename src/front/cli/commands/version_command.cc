#include "front/cli/commands/commands.h"

namespace talaria::front::cli {

CommandInfo version_command() {
  return {
      .name = "version",
      .summary = "Show the version, the link's, and the runners inside",
      .usage = {"[OPTIONS]"},
      .options = {json_option("The same, as one line of JSON")},
      .notes =
          "A runner is the program that Talaria puts at a target. Controller and runner "
          "understand each other if the first number of the link's version is the same.",
      .examples = {{"talaria version", "all of it"}, {"talaria --version", "just the number"}},
      .exit_codes = {{"0", "done"}, {"2", "the command line is wrong"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return VersionOptions{.json = given.has("--json")};
      },
  };
}

}  // namespace talaria::front::cli
