#include "front/cli/commands/commands.h"
#include "front/cli/commands/task_option.h"

namespace talaria::front::cli {
namespace {

Result<CommandLine> read_call(const Given& given) {
  if (given.has("--lines")) {
    if (given.has("TOOL") || given.has("--task")) {
      return fail(ErrorKind::bad_request, "--lines: each line names its own tool and task");
    }
    return LinesOptions{given.settings};
  }
  for (const char* name : {"TOOL", "JSON"}) {
    if (given.value(name).empty()) {
      return fail(ErrorKind::bad_request, std::string(name) + " is required");
    }
  }
  CallOptions options{.tool = given.value("TOOL"),
                      .arguments = given.value("JSON"),
                      .json = given.has("--json"),
                      .settings = given.settings};
  return with_task(given, std::move(options));
}

}  // namespace

CommandInfo call_command() {
  CommandInfo command{
      .name = "call",
      .summary = "Call a tool as an agent does",
      .usage = {"[OPTIONS] TOOL JSON", "[OPTIONS] --lines"},
      .arguments = {{.name = "TOOL", .meaning = "Which tool", .offer = Offer::tools},
                    {.name = "JSON", .meaning = "Its arguments, an object"}},
      .options = {task_option("The task the call belongs to"),
                  {"--lines", "", "Serve JSON lines on standard input and output"},
                  json_option(
                      "Also what is wrong with the words or the tool (results always are JSON)")},
      .notes =
          "With --lines, one JSON object per line comes in and goes out, many calls at once:\n"
          "  {\"id\":1,\"tool\":\"terminal\",\"args\":{\"command\":\"ls\"},\"task\":\"t\"}\n"
          "  {\"id\":2,\"cancel\":1}\n"
          "  {\"id\":3,\"method\":\"env.list\"}\n"
          "  {\"id\":4,\"method\":\"env.remove\",\"params\":{\"id\":\"t\"}}\n"
          "  {\"id\":5,\"method\":\"env.override\",\n"
          "   \"params\":{\"task\":\"t\",\"overrides\":{\"cwd\":\"/srv\"}}}\n"
          "answered by\n"
          "  {\"id\":1,\"result\":{...}}\n"
          "  {\"id\":1,\"error\":{\"kind\":\"...\",\"message\":\"...\"}}\n"
          "The env methods are about what this one program has in use, at any target, and last as "
          "long as it does; overrides null takes them back. The commands of `talaria env` are "
          "about "
          "the runners of this machine and what is stored for every program.",
      .examples = {{"talaria call terminal '{\"command\":\"ls\"}'",
                    "one tool call, its result as JSON"},
                   {"talaria call --task t terminal '{\"command\":\"pwd\"}'",
                    "in the session of a task"},
                   {"talaria call --lines", "serve a client that writes JSON lines"}},
      .exit_codes = {{"0", "the result has no error"},
                     {"1", "it has one"},
                     {"2", "the command line is wrong"}},
      .read = read_call,
  };
  for (Option& option : setting_options()) command.options.push_back(option);
  return command;
}

}  // namespace talaria::front::cli
