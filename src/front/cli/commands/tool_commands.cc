// The commands about tools: call, code, tools.
#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_call(const Given& given) {
  if (given.has("--lines")) {
    if (given.has("TOOL") || given.has("--task")) {
      return fail(
          ErrorKind::bad_request,
          "--lines cannot be combined with TOOL or --task: each line names its own tool and task");
    }
    return LinesOptions{given.settings};
  }
  for (const char* name : {"TOOL", "JSON"}) {
    if (given.value(name).empty()) {
      return fail(ErrorKind::bad_request, std::string(name) + " is required");
    }
  }
  return CallOptions{.tool = given.value("TOOL"),
                     .arguments = given.value("JSON"),
                     .task = given.value("--task"),
                     .json = given.has("--json"),
                     .settings = given.settings};
}

CommandInfo call_command() {
  return {
      .name = "call",
      .summary = "Call a tool as an agent does",
      .usage = {"[OPTIONS] TOOL JSON", "[OPTIONS] --lines"},
      .arguments =
          {{.name = "TOOL", .meaning = "Name of the tool", .offer = Offer::tools, .optional = true},
           {.name = "JSON", .meaning = "Its arguments, a JSON object", .optional = true}},
      .options = with_setting_options(
          {task_option("Task of the call"),
           {"--lines", "", "Serve JSON lines on standard input and output"},
           json_option("Print errors of the call as JSON, too; results are always JSON")}),
      .notes =
          "With --lines, each line of input and output is one JSON object. Calls run at the same "
          "time:\n"
          "  {\"id\":1,\"tool\":\"terminal\",\"args\":{\"command\":\"ls\"},\"task\":\"t\"}\n"
          "  {\"id\":2,\"cancel\":1}\n"
          "  {\"id\":3,\"method\":\"env.list\"}\n"
          "  {\"id\":4,\"method\":\"env.remove\",\"params\":{\"id\":\"t\"}}\n"
          "  {\"id\":5,\"method\":\"env.override\",\n"
          "   \"params\":{\"task\":\"t\",\"overrides\":{\"cwd\":\"/srv\"}}}\n"
          "Answers:\n"
          "  {\"id\":1,\"result\":{...}}\n"
          "  {\"id\":1,\"error\":{\"kind\":\"...\",\"message\":\"...\"}}\n"
          "The env methods affect only this connection. `talaria env` affects all programs that "
          "use "
          "this home. `\"overrides\":null` removes the overrides. docs/reference/json-lines.md "
          "lists "
          "all methods.",
      .examples = {{"talaria call terminal '{\"command\":\"ls\"}'", "call a tool once"},
                   {"talaria call --task t terminal '{\"command\":\"pwd\"}'",
                    "in the session of a task"},
                   {"talaria call --lines", "serve a client that writes JSON lines"}},
      .exit_codes = {{"0", "the result has no error; with --lines, the input ended"},
                     {"1", "the result has an error"},
                     {"2", "invalid command line"}},
      .read = read_call,
  };
}

CommandInfo code_command() {
  return {
      .name = "code",
      .summary = "Run a Python script that calls tools",
      .arguments = {{.name = "FILE", .meaning = "The script; - is standard input"}},
      .options =
          with_setting_options({task_option("Run in the session and directory of this task"),
                                json_option("Print the result of the execute_code tool as JSON")}),
      .notes =
          "The script runs at the target. Its module hermes_tools has terminal(), read_file(), "
          "write_file(), search_files(), patch() and others; they need the same approvals as the "
          "calls of an agent. --timeout is for each command of the script; "
          "code_execution.timeout limits the script itself. If standard error is a terminal, each "
          "call is shown there. The "
          "output is printed when the script has ended.",
      .examples = {{"talaria code count.py", "run a script at the configured target"},
                   {"echo 'print(1)' | talaria code --target docker -", "in a container"}},
      .exit_codes = {{"0", "the script exited with code 0"},
                     {"1", "it failed, or could not be started"},
                     {"2", "invalid command line"},
                     {"124", "the time limit of the script (code_execution.timeout) expired"},
                     {"130", "it was interrupted"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return CodeOptions{.file = given.value("FILE"),
                           .task = given.value("--task"),
                           .json = given.has("--json"),
                           .settings = given.settings};
      },
  };
}

CommandInfo tools_command() {
  return {
      .name = "tools",
      .summary = "List the tools that an agent can call",
      .options = {json_option("Print names, descriptions and schemas as JSON")},
      .examples = {{"talaria tools", "list the tools"},
                   {"talaria tools --json", "print the schemas for a model"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return ToolsOptions{.json = given.has("--json")};
      },
  };
}

}  // namespace

std::vector<CommandInfo> tool_commands() {
  return {call_command(), code_command(), tools_command()};
}

}  // namespace talaria::front::cli
