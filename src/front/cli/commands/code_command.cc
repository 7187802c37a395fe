#include "front/cli/commands/commands.h"
#include "front/cli/commands/task_option.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_code(const Given& given) {
  CodeOptions options{
      .file = given.value("FILE"), .json = given.has("--json"), .settings = given.settings};
  if (options.file.empty()) return fail(ErrorKind::bad_request, "FILE is required");
  return with_task(given, std::move(options));
}

}  // namespace

CommandInfo code_command() {
  CommandInfo command{
      .name = "code",
      .summary = "Run a Python script that calls tools",
      .usage = {"[OPTIONS] FILE"},
      .arguments = {{.name = "FILE", .meaning = "The script; - is standard input"}},
      .options = {task_option("The task whose session and directory it runs in"),
                  json_option("The result as an agent gets it")},
      .notes =
          "It runs at the target, with the module hermes_tools: terminal(), read_file(), "
          "write_file(), search_files(), patch(), ... call tools as an agent does, and are "
          "asked about like its calls. At a terminal each call is told on standard error. "
          "The output comes when the script has ended.",
      .examples = {{"talaria code count.py", "a script, at the configured target"},
                   {"echo 'print(1)' | talaria code --target docker -", "in a container"}},
      .exit_codes = {{"0", "the script ended with 0"},
                     {"1", "it did not, or could not be run"},
                     {"124", "it was ended at its timeout (code_execution.timeout)"},
                     {"130", "it was interrupted"}},
      .read = read_code,
  };
  for (Option& option : setting_options()) command.options.push_back(option);
  return command;
}

}  // namespace talaria::front::cli
