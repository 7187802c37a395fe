#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

// The same as --help behind the words.
Result<CommandLine> read_help(const Given& given) {
  std::vector<std::string> words = given.words;
  words.emplace_back("--help");
  CommandLine line = parse_command_line(std::move(words));
  if (std::holds_alternative<ShowText>(line)) return line;
  return fail(ErrorKind::bad_request, "'" + given.words.back() + "' is a word too many");
}

}  // namespace

CommandInfo help_command() {
  return {
      .name = "help",
      .summary = "Show what there is, or all about a command",
      .usage = {"[COMMAND]"},
      .arguments = {{.name = "COMMAND",
                     .meaning = "Which command, in one word or two",
                     .many = true,
                     .offer = Offer::commands}},
      .examples = {{"talaria help exec", "all about exec"},
                   {"talaria help env list", "all about a command of two words"}},
      .exit_codes = {{"0", "done"}, {"2", "there is no such command"}},
      .read = read_help,
  };
}

}  // namespace talaria::front::cli
