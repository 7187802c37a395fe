#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_completion(const Given& given) {
  const std::string shell = given.value("SHELL");
  for (const auto& [name, text] : {std::pair{"bash", ShellText::bash},
                                   {"zsh", ShellText::zsh},
                                   {"fish", ShellText::fish},
                                   {"man", ShellText::manual},
                                   {"markdown", ShellText::markdown}}) {
    if (shell == name) return CompletionOptions{text};
  }
  return fail(ErrorKind::bad_request,
              shell.empty() ? "SHELL is required: bash, zsh or fish"
                            : "no completions for '" + shell + "'; there are: bash, zsh, fish");
}

}  // namespace

CommandInfo completion_command() {
  return {
      .name = "completion",
      .summary = "Print the script that lets a shell complete talaria's words",
      .usage = {"SHELL"},
      .arguments = {{.name = "SHELL", .meaning = "Which shell", .choices = "bash zsh fish"}},
      .notes =
          "`talaria completion man` prints the manual page, `talaria completion markdown` the "
          "reference page docs/reference/cli.md.",
      .examples = {{"source <(talaria completion bash)", "for this bash"},
                   {"talaria completion zsh >~/.zfunc/_talaria", "a directory of zsh's fpath"},
                   {"talaria completion fish | source", "for this fish"}},
      .exit_codes = {{"0", "done"}, {"2", "the command line is wrong"}},
      .read = read_completion,
  };
}

// What the scripts ask.
CommandInfo complete_command() {
  return {
      .name = "complete",
      .summary = "Say what could stand in the place of the last word",
      .usage = {"-- WORD..."},
      .arguments = {{.name = "WORD", .meaning = "What follows talaria's name", .many = true}},
      .verbatim = true,
      .hidden = true,
      .read = [](const Given& given) -> Result<CommandLine> {
        return CompleteOptions{given.words};
      },
  };
}

}  // namespace talaria::front::cli
