#include "front/cli/commands/commands.h"
#include "front/cli/commands/task_option.h"

namespace talaria::front::cli {
namespace {

const std::vector<ExitCodeNote> kEnvExitCodes{
    {"0", "done"}, {"1", "it could not be done"}, {"2", "the command line is wrong"}};

std::vector<Option> override_keys() {
  Option target = target_option();
  target.name = "env_type";
  return {{.name = "cwd", .offer = Offer::directories},
          target,
          {.name = "docker_image"},
          {.name = "singularity_image"},
          {.name = "modal_image"},
          {.name = "daytona_image"},
          {.name = "container_cpu"},
          {.name = "container_memory"},
          {.name = "container_disk"}};
}

Argument environment_argument() {
  return {.name = "ID", .meaning = "Which one, as in env list", .offer = Offer::environments};
}

std::unexpected<Error> missing(std::string_view name) {
  return fail(ErrorKind::bad_request, std::string(name) + " is required");
}

Result<CommandLine> read_show(const Given& given) {
  if (given.value("ID").empty()) return missing("ID");
  return EnvShowOptions{.id = given.value("ID"), .json = given.has("--json")};
}

Result<CommandLine> read_remove(const Given& given) {
  const bool all = given.has("--all");
  if (given.value("ID").empty() && !all) {
    return fail(ErrorKind::bad_request, "ID is required, or --all");
  }
  if (!given.value("ID").empty() && all) {
    return fail(ErrorKind::bad_request, "--all: leave out the ID");
  }
  return EnvRemoveOptions{.id = given.value("ID"),
                          .all = all,
                          .force = given.has("--force"),
                          .yes = given.has("--yes"),
                          .json = given.has("--json")};
}

Result<CommandLine> read_override(const Given& given) {
  if (given.value("TASK").empty()) return missing("TASK");
  const Result<std::string> task = read_task(given, "TASK");
  if (!task) return fail(task.error());
  EnvOverrideOptions options{
      .task = *task, .clear = given.has("--clear"), .json = given.has("--json")};
  for (const std::string& word : given.words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorKind::bad_request, "'" + word + "' is not KEY=VALUE");
    }
    options.said.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  if (options.clear && !options.said.empty()) {
    return fail(ErrorKind::bad_request, "--clear: takes back everything; leave out KEY=VALUE");
  }
  return options;
}

Result<CommandLine> read_stop(const Given& given) {
  if (!given.has("--all")) {
    return fail(ErrorKind::bad_request, "--all is required: every runner of this home is ended");
  }
  return StopOptions{.force = given.has("--force"), .json = given.has("--json")};
}

}  // namespace

CommandInfo env_list_command() {
  return {
      .name = "env list",
      .summary = "List the environments of this home, whoever made them",
      .usage = {"[OPTIONS]"},
      .options = {json_option("The same, as one line of JSON")},
      .notes =
          "An environment lives in its runner, which outlives the program that started it. One "
          "that is stopped keeps its sessions' state and starts again when it is needed. "
          "Containers and instances are listed as they were written down when they were last used; "
          "no engine is asked. (env.list of `call --lines` is another list: "
          "what that one program has in use, at any target.)",
      .examples = {{"talaria env list", "what is there and what it does"}},
      .exit_codes = kEnvExitCodes,
      .read = [](const Given& given) -> Result<CommandLine> {
        return EnvListOptions{.json = given.has("--json")};
      },
  };
}

CommandInfo env_show_command() {
  return {
      .name = "env show",
      .summary = "Show an environment's sessions and running commands",
      .usage = {"[OPTIONS] ID"},
      .arguments = {environment_argument()},
      .options = {json_option("The same, as one line of JSON")},
      .examples = {{"talaria env show local",
                    "sessions with their directories, commands with pids"}},
      .exit_codes = kEnvExitCodes,
      .read = read_show,
  };
}

CommandInfo env_remove_command() {
  return {
      .name = "env rm",
      .summary = "End an environment for good, with its sessions",
      .usage = {"[OPTIONS] ID", "[OPTIONS] --all"},
      .arguments = {environment_argument()},
      .options = {{"--all", "", "All there are"},
                  {"--force", "", "Also while commands run, which are killed"},
                  {"--yes", "", "Do not ask; needed where there is no terminal"},
                  json_option("Say what happened as one line of JSON; does not ask")},
      .notes = "Files that outlive a container or an instance (<home>/sandboxes, overlays) stay.",
      .examples = {{"talaria env rm local", "asks, then removes"},
                   {"talaria env rm --force --yes local", "kills what runs there; does not ask"},
                   {"talaria env rm --all", "containers, instances and runners of this home"}},
      .exit_codes = kEnvExitCodes,
      .read = read_remove,
  };
}

CommandInfo env_override_command() {
  return {
      .name = "env override",
      .summary = "Say what is different for one task",
      .usage = {"[OPTIONS] TASK [KEY=VALUE...]", "[OPTIONS] TASK --clear"},
      .arguments = {{.name = "TASK", .meaning = "The task's name"},
                    {.name = "KEY=VALUE",
                     .meaning = "cwd, env_type, docker_image, singularity_image, modal_image, "
                                "daytona_image, container_cpu, container_memory or container_disk",
                     .many = true,
                     .keys = override_keys()}},
      .options = {{"--clear", "", "Take back everything that was said for the task"},
                  json_option("Show what is said as one line of JSON")},
      .notes =
          "KEY=VALUE replaces all that was said for the task before; without it, what is said "
          "is shown. It is kept below <home>/talaria and counts for the next call of every "
          "program that uses this home. A task with an image or target of its own has an "
          "environment of its own.",
      .examples = {{"talaria env override blog cwd=/srv/blog", "where its sessions start"},
                   {"talaria env override blog", "show what is set for the task"},
                   {"talaria env override blog --clear", "forget what was set for it"}},
      .exit_codes = kEnvExitCodes,
      .read = read_override,
  };
}

CommandInfo stop_command() {
  return {
      .name = "stop",
      .summary = "Stop every runner of this home; sessions keep their state",
      .usage = {"[OPTIONS] --all"},
      .options = {{"--all", "", "Every one (there is no other way to say it yet)"},
                  {"--force", "", "Also those with running commands, which are killed"},
                  json_option("Say what was ended as one line of JSON")},
      .notes = "It returns when they are gone. The next call starts one again.",
      .examples = {{"talaria stop --all", "stop the runners that have no running command"},
                   {"talaria stop --all --force", "stop all, and kill what runs"}},
      .exit_codes = {{"0", "no runner is left"},
                     {"1", "one is left: it has commands, or does not answer"},
                     {"2", "the command line is wrong"}},
      .read = read_stop,
  };
}

}  // namespace talaria::front::cli
