#include "front/cli/commands/commands.h"

namespace talaria {

CommandInfo doctor_command() {
  return {
      .name = "doctor",
      .summary = "Check whether Talaria can work here, and say what to do",
      .usage = {"[OPTIONS]"},
      .options = {json_option("The findings as one line of JSON"),
                  {"--reap", "", "Remove files that nobody needs any more"}},
      .notes =
          "It starts a runner of its own in <home>/talaria and ends it again. Container engines "
          "and ssh are looked for and told; none of them is needed for the local target.",
      .examples = {{"talaria doctor", "everything, a line each"},
                   {"talaria doctor --reap", "and clean up"}},
      .exit_codes = {{"0", "nothing failed; there may be warnings"},
                     {"1", "something failed"},
                     {"2", "the command line is wrong"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return DoctorOptions{.reap = given.has("--reap"), .json = given.has("--json")};
      },
  };
}

}  // namespace talaria
