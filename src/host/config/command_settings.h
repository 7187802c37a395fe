// The settings of commands and processes, whatever the target.

#pragma once

#include <array>
#include <string_view>

#include "host/config/setting.h"

namespace talaria::host {

// Targets that are containers of some kind.
inline constexpr std::string_view kContainers = "docker podman singularity modal daytona managed";

inline constexpr auto kCommandSettings = [] {
  using enum SettingType;
  using enum Standing;
  return std::array{
      // where and how commands run
      Setting("TALARIA_HOME", "", path, "~/.hermes",
              "directory of the configuration; Talaria's own files are in `talaria/` below it",
              {.older_variable = "HERMES_HOME", .environment_only = true}),
      Setting("HERMES_PROFILE", "", text, "default", "the profile that owns containers"),
      Setting("TERMINAL_ENV", "terminal.backend", text, "local",
              "the target: `local`, `docker`, `podman`, `ssh`, `singularity`, `carrier`, "
              "`managed`, `modal` or `daytona`. An unavailable target is an error; no other target "
              "is used instead",
              {.older_key = "terminal.env_type", .empty_counts = true}),
      Setting("TERMINAL_CWD", "terminal.cwd", path, "", "working directory of a new session",
              {.default_note = "the caller's directory"}),
      Setting("TERMINAL_TIMEOUT", "terminal.timeout", time, "180",
              "default time limit of a tool call, seconds", {.least = 1}),
      Setting("TERMINAL_MAX_FOREGROUND_TIMEOUT", "terminal.max_foreground_timeout", time, "600",
              "longest time limit that a tool call may request, seconds", {.least = 1}),
      Setting("TERMINAL_LIFETIME_SECONDS", "terminal.lifetime_seconds", time, "300",
              "how long an idle runner and the environment of a task are kept; at least 1",
              {.default_note = "300 (86400 on the command line)"}),
      Setting("TERMINAL_LOCAL_RUNNERS", "terminal.local_runners", integer, "0",
              "runners of target `local`, over which sessions are spread; counts for a home that "
              "was not used before. 0: one for every four processors, at most 8",
              {.least = 0, .most = 64}),
      // background processes
      Setting("TERMINAL_MAX_PROCESSES", "terminal.max_processes", integer, "4096",
              "background processes that may run at one target", {.least = 1, .most = 8192}),
      Setting("TERMINAL_MAX_TERMINALS", "terminal.max_terminals", integer, "256",
              "background processes with a terminal that may run at one target",
              {.least = 1, .most = 4096}),
      Setting("TERMINAL_MAX_FINISHED_PROCESSES", "terminal.max_finished_processes", integer, "64",
              "ended background processes that are still listed", {.least = 1, .most = 4096}),
      Setting("TERMINAL_PROCESS_RETENTION_SECONDS", "terminal.process_retention_seconds", time,
              "1800", "how long an ended background process is listed", {.least = 1}),
      Setting("TERMINAL_PROCESS_MAX_AGE_SECONDS", "terminal.process_max_age_seconds", time,
              "604800",
              "age at which a background process is killed, unless its call sets another; "
              "processes of lifetime `keep` are never killed. 0: no limit"),
      Setting("TERMINAL_PROCESS_OUTPUT_CHARS", "terminal.process_output_chars", integer, "200000",
              "characters of the last output that `log` shows", {.least = 1, .most = 1'000'000}),
      Setting("TERMINAL_SPILL_QUOTA_MB", "terminal.spill_quota_mb", integer, "64",
              "output of one command that is stored in a file at the target, at most a quarter of "
              "the free space: the first part, or the last part of a background process",
              {.least = 0, .most = 1'000'000}),
      Setting("TERMINAL_HOME_MODE", "terminal.home_mode", choice, "auto",
              "HOME of commands: the user's (`real`), `<home>/home` (`profile`), or `<home>/home` "
              "only in a container (`auto`)",
              {.choices = "auto real=host,user,real_home,real-home "
                          "profile=isolated,profile_home,profile-home"}),
      Setting("", "terminal.shell_init_files", list, "[]",
              "files that a new session reads after the login files; the target expands `~` and "
              "`$NAME`"),
      Setting("", "terminal.auto_source_bashrc", boolean, "true",
              "if `shell_init_files` is empty: read `~/.profile`, `~/.bash_profile` and "
              "`~/.bashrc`"),
      Setting("", "terminal.env_passthrough", list, "[]",
              "variables that commands get although they are named like secrets; their values "
              "come from the caller or else from `<home>/.env`; at every target. Names of the "
              "agent are refused"),
      Setting("", "terminal.credential_files", list, "[]",
              "files below `<home>` that other targets get, at the same path below their "
              "`~/.hermes`: strings, or objects with `path` or `name`"),
      Setting("", "skills.external_dirs", list, "[]",
              "further directories with skills, also for other targets; a relative path is below "
              "`<home>`"),
      Setting("HERMES_DEBUG_INTERRUPT", "", text, "",
              "any text: log to standard error when a wait for a command begins, continues and "
              "ends"),
      Setting("TERMINAL_DISK_WARNING_GB", "terminal.disk_warning_gb", number, "500",
              "warn if the overlays in the scratch directory are larger, GB"),
      Setting("TERMINAL_SANDBOX_DIR", "terminal.sandbox_dir", path, "",
              "directory for the files of sandboxes",
              {.targets = kContainers, .default_note = "`<home>/sandboxes`"}),
      Setting("TERMINAL_PERSISTENT_SHELL", "terminal.persistent_shell", boolean, "true",
              "every session keeps its state", {.standing = no_effect}),
      Setting("TERMINAL_LOCAL_PERSISTENT", "terminal.local_persistent", boolean, "false",
              "every session keeps its state", {.standing = no_effect}),
      Setting("TERMINAL_SSH_PERSISTENT", "terminal.ssh_persistent", boolean, "true",
              "every session keeps its state", {.standing = no_effect}),
      // carrier
      Setting("TERMINAL_CARRIER", "terminal.carrier", text, "",
              "command that runs a program at the target, e.g. `docker exec -i box` or `ssh host`",
              {.targets = "carrier"}),
      Setting("TERMINAL_CARRIER_MODE", "terminal.carrier_mode", choice, "stream",
              "`batch`: one run of the carrier per exchange of frames, for targets without a "
              "stream. `plain`: one run per command, without a runner; also used where no runner "
              "can run",
              {.targets = "carrier ssh", .choices = "stream batch plain"}),
  };
}();

}  // namespace talaria::host
