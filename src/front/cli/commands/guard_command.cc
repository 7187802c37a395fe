#include "front/cli/commands/commands.h"

namespace talaria {
namespace {

Result<CommandLine> read(const Given& given) {
  if (given.has("--lines") == given.has("COMMAND")) {
    return fail(ErrorKind::bad_request, given.has("--lines")
                                            ? "--lines: the commands come on standard input"
                                            : "COMMAND is required, or --lines");
  }
  return GuardExplainOptions{.command = given.value("COMMAND"),
                             .target = given.value("--target"),
                             .json = given.has("--json"),
                             .lines = given.has("--lines")};
}

}  // namespace

CommandInfo guard_explain_command() {
  return {
      .name = "guard explain",
      .summary = "Say what a command would run, and which rules it meets",
      .usage = {"[OPTIONS] COMMAND", "[OPTIONS] --lines"},
      .arguments = {{.name = "COMMAND", .meaning = "Shell text, as one word"}},
      .options = {json_option("As one line of JSON: verdict, rules, commands"),
                  {"--target", "NAME", "Judge as for this target, where rules of yours name one"},
                  {"--lines", "",
                   "Read JSON strings from standard input, one a line, and answer each with a line "
                   "of JSON"}},
      .notes =
          "Nothing is executed. The verdict is as for a target that is not isolated: allow, ask (a "
          "person has to agree) or deny (nobody can). What the text does not tell is shown as …",
      .examples = {{"talaria guard explain 'rm -rf build'", "why it would be asked"},
                   {"talaria guard explain --json 'r\\m -rf /'", "for a program"},
                   {"jq .command log.json | talaria guard explain --lines", "many at once"}},
      .exit_codes = {{"0", "the command was judged, whatever the verdict"},
                     {"1", "the answer could not be written"},
                     {"2", "the command line is wrong"}},
      .read = read,
  };
}

}  // namespace talaria
