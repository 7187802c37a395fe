// The commands about environments and runners: env list, env show, env rm, env override, stop.
#include "base/limits.h"
#include "front/cli/commands/commands.h"

namespace talaria::front::cli {
namespace {

Argument environment_argument() {
  return {
      .name = "ID", .meaning = "ID of an environment, from env list", .offer = Offer::environments};
}

CommandInfo env_list_command() {
  return {
      .name = "env list",
      .summary = "List the environments of this home",
      .options = {json_option()},
      .notes =
          "An environment stays available after the program that started it has ended. A stopped "
          "environment keeps the state of its sessions and starts again when it is needed. "
          "Containers and instances are listed from records of their last use, without asking "
          "their "
          "engines. (The method env.list of `call --lines` lists the environments that one program "
          "uses, at "
          "any target.)",
      .examples = {{"talaria env list", "list environments and their state"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return EnvListOptions{.json = given.has("--json")};
      },
  };
}

CommandInfo env_show_command() {
  return {
      .name = "env show",
      .summary = "Show the sessions and running commands of an environment",
      .arguments = {environment_argument()},
      .options = {json_option()},
      .examples = {{"talaria env show local",
                    "sessions with their directories, commands with their PIDs"}},
      .read = [](const Given& given) -> Result<CommandLine> {
        return EnvShowOptions{.id = given.value("ID"), .json = given.has("--json")};
      },
  };
}

Result<CommandLine> read_remove(const Given& given) {
  if (given.value("ID").empty() == !given.has("--all")) {
    return fail(ErrorKind::bad_request, given.has("--all") ? "--all cannot be combined with an ID"
                                                           : "ID or --all is required");
  }
  return EnvRemoveOptions{.id = given.value("ID"),
                          .all = given.has("--all"),
                          .force = given.has("--force"),
                          .yes = given.has("--yes"),
                          .json = given.has("--json")};
}

CommandInfo env_remove_command() {
  Argument id = environment_argument();
  id.optional = true;
  return {
      .name = "env rm",
      .summary = "Remove an environment with its sessions",
      .usage = {"[OPTIONS] ID", "[OPTIONS] --all"},
      .arguments = {id},
      .options = {{"--all", "", "Remove all environments of this home"},
                  {"--force", "", "Kill running commands first"},
                  {"--yes", "",
                   "Do not ask (required if there is no terminal, except with --json)"},
                  json_option("Print the result as one line of JSON; never asks")},
      .notes = "Files in <home>/sandboxes and overlays of singularity are kept.",
      .examples = {{"talaria env rm local", "ask, then remove"},
                   {"talaria env rm --force --yes local", "kill running commands; do not ask"},
                   {"talaria env rm --all", "all containers, instances and runners of this home"}},
      .read = read_remove,
  };
}

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

Result<CommandLine> read_override(const Given& given) {
  EnvOverrideOptions options{
      .task = given.value("TASK"), .clear = given.has("--clear"), .json = given.has("--json")};
  if (options.task.size() > kMaxTaskBytes) {
    return fail(ErrorKind::bad_request, "TASK: expected a name of 1 to " +
                                            std::to_string(kMaxTaskBytes) + " bytes, got " +
                                            std::to_string(options.task.size()));
  }
  for (const std::string& argument : given.arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorKind::bad_request, "expected KEY=VALUE, got '" + argument + "'");
    }
    options.overrides.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
  }
  if (options.clear && !options.overrides.empty()) {
    return fail(ErrorKind::bad_request, "--clear cannot be combined with KEY=VALUE");
  }
  return options;
}

CommandInfo env_override_command() {
  return {
      .name = "env override",
      .summary = "Show or change the overrides of a task",
      .usage = {"[OPTIONS] TASK [KEY=VALUE...]", "[OPTIONS] TASK --clear"},
      .arguments = {{.name = "TASK", .meaning = "Name of the task"},
                    {.name = "KEY=VALUE",
                     .meaning = "cwd, env_type, docker_image, singularity_image, modal_image, "
                                "daytona_image, container_cpu, container_memory or container_disk",
                     .many = true,
                     .keys = override_keys(),
                     .optional = true}},
      .options = {{"--clear", "", "Remove all overrides of the task"}, json_option()},
      .notes =
          "KEY=VALUE replaces all earlier overrides of the task. Without it, the overrides are "
          "shown. They are stored below <home>/talaria and apply to the next call of every program "
          "that uses this home. A task with its own image or target has its own environment.",
      .examples = {{"talaria env override blog cwd=/srv/blog", "set where its sessions start"},
                   {"talaria env override blog", "show the overrides of the task"},
                   {"talaria env override blog --clear", "remove them"}},
      .read = read_override,
  };
}

Result<CommandLine> read_stop(const Given& given) {
  if (!given.has("--all")) {
    return fail(ErrorKind::bad_request, "--all is required: it stops every runner of this home");
  }
  return StopOptions{.force = given.has("--force"), .json = given.has("--json")};
}

CommandInfo stop_command() {
  return {
      .name = "stop",
      .summary = "Stop all runners of this home; sessions keep their state",
      .usage = {"[OPTIONS] --all"},
      .options = {{"--all", "", "Stop all runners (required)"},
                  {"--force", "", "Also stop runners with running commands; kill these commands"},
                  json_option()},
      .notes = "Returns when the runners have ended. The next call starts a runner again.",
      .examples = {{"talaria stop --all", "stop the runners that have no running command"},
                   {"talaria stop --all --force", "stop all runners, and kill running commands"}},
      .exit_codes = {{"0", "no runner is left"},
                     {"1", "a runner has running commands, or does not answer"},
                     {"2", "invalid command line"}},
      .read = read_stop,
  };
}

}  // namespace

std::vector<CommandInfo> env_commands() {
  return {env_list_command(), env_show_command(), env_remove_command(), env_override_command(),
          stop_command()};
}

}  // namespace talaria::front::cli
