#include "front/cli/commands/commands.h"

namespace talaria::front::cli {

CommandInfo tools_command() {
  return {
      .name = "tools",
      .summary = "List the tools an agent may call",
      .usage = {"[OPTIONS]"},
      .options = {json_option("Name, description and schema of the arguments, as an agent gets "
                              "them")},
      .examples = {{"talaria tools", "what there is"}, {"talaria tools --json", "to tell a model"}},
      .exit_codes = {{"0", "done"}, {"2", "the command line is wrong"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return ToolsOptions{.json = given.has("--json")};
      },
  };
}

}  // namespace talaria::front::cli
