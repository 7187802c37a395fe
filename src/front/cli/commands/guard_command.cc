#include <talaria/guard.h>

#include <algorithm>
#include <string>
#include <vector>

#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_guard(const Given& given) {
  const int sources = (given.has("COMMAND") ? 1 : 0) + (given.has("--lines") ? 1 : 0) +
                      (given.has("--self-test") ? 1 : 0);
  if (sources != 1) {
    return fail(ErrorKind::bad_request, "expected one of COMMAND, --lines and --self-test");
  }
  if (const std::string target = given.value("--target"); !target.empty()) {
    const std::vector<std::string> known = guard_targets();
    if (std::ranges::find(known, target) == known.end()) {
      std::string names;
      for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
      return fail(ErrorKind::bad_request,
                  "--target: there is no target named '" + target + "'. Use one of: " + names);
    }
  }
  return GuardExplainOptions{.command = given.value("COMMAND"),
                             .target = given.value("--target"),
                             .json = given.has("--json"),
                             .lines = given.has("--lines"),
                             .self_test = given.has("--self-test")};
}

}  // namespace

CommandInfo guard_explain_command() {
  return {
      .name = "guard explain",
      .summary = "Say what a command would run, and which rules it meets",
      .usage = {"[OPTIONS] COMMAND", "[OPTIONS] --lines", "--self-test"},
      .arguments = {{.name = "COMMAND", .meaning = "Shell text, as one word"}},
      .options = {json_option("As one line of JSON: verdict, rules, commands"),
                  {"--target", "NAME", "Judge as for this target, where rules of yours name one"},
                  {"--lines", "",
                   "Read JSON strings from standard input, one a line, and answer each with a line "
                   "of JSON"},
                  {"--self-test", "", "Hold every rule against the examples it comes with"}},
      .notes =
          "Nothing is executed. The verdict is as for a target that is not isolated: allow, ask (a "
          "person has to agree) or deny (nobody can). What the text does not tell is shown as an "
          "ellipsis.",
      .examples = {{"talaria guard explain 'rm -rf build'", "why it would be asked"},
                   {"talaria guard explain --json '$cmd --all'", "for a program"},
                   {"jq .command log.json | talaria guard explain --lines", "many at once"}},
      .exit_codes = {{"0", "the command was judged, whatever the verdict"},
                     {"1",
                      "a rule does not hold for its examples, or the answer could not be written"},
                     {"2", "the command line is wrong"}},
      .read = read_guard,
  };
}

}  // namespace talaria::front::cli
