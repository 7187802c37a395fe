// The settings of commands and processes, whatever the target; settings.cc has those of targets, of
// results and of other tools.
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
  return std::to_array<Setting>({
      // where and how commands run
      {"TALARIA_HOME",
       "",
       path,
       "~/.hermes",
       "where the configuration is, and Talaria's files, below `talaria/`",
       {.standing = works, .older_variable = "HERMES_HOME", .environment_only = true}},
      {"HERMES_PROFILE",
       "",
       text,
       "default",
       "the profile that owns containers",
       {.standing = works}},
      {"TERMINAL_ENV",
       "terminal.backend",
       text,
       "local",
       "the target: `local`, `docker`, `podman`, `ssh`, `singularity`, `carrier`, `managed`, "
       "`modal` or `daytona`. One that is "
       "not there is an error; "
       "nothing ever runs "
       "somewhere else instead",
       {.standing = works, .older_key = "terminal.env_type", .empty_counts = true}},
      {"TERMINAL_CWD",
       "terminal.cwd",
       path,
       "",
       "where a new session starts",
       {.standing = works, .default_note = "the caller's directory"}},
      {"TERMINAL_TIMEOUT",
       "terminal.timeout",
       integer,
       "180",
       "seconds a tool call may take if it does not say",
       {.standing = works, .least = 1}},
      {"TERMINAL_MAX_FOREGROUND_TIMEOUT",
       "terminal.max_foreground_timeout",
       integer,
       "600",
       "seconds a tool call may ask for",
       {.standing = works, .least = 1}},
      {"TERMINAL_LIFETIME_SECONDS",
       "terminal.lifetime_seconds",
       integer,
       "300",
       "how long a runner, and what is kept for a task, stays without use; 0 counts as 1",
       {.standing = works, .default_note = "300; command line 86400"}},

      // processes in the background
      {"TERMINAL_MAX_PROCESSES",
       "terminal.max_processes",
       integer,
       "4096",
       "processes that may run in the background of one target",
       {.standing = works, .least = 1, .most = 8192}},
      {"TERMINAL_MAX_TERMINALS",
       "terminal.max_terminals",
       integer,
       "256",
       "of those, with a terminal",
       {.standing = works, .least = 1, .most = 4096}},
      {"TERMINAL_MAX_FINISHED_PROCESSES",
       "terminal.max_finished_processes",
       integer,
       "64",
       "that have ended and can still be looked at",
       {.standing = works, .least = 1, .most = 4096}},
      {"TERMINAL_PROCESS_RETENTION_SECONDS",
       "terminal.process_retention_seconds",
       integer,
       "1800",
       "how long after its end",
       {.standing = works, .least = 1}},
      {"TERMINAL_PROCESS_MAX_AGE_SECONDS",
       "terminal.process_max_age_seconds",
       integer,
       "604800",
       "then a process is killed, if its call does not say another age; not one of lifetime "
       "`keep`. "
       "0: "
       "never",
       {.standing = works}},
      {"TERMINAL_PROCESS_OUTPUT_CHARS",
       "terminal.process_output_chars",
       integer,
       "200000",
       "characters of its last output that `log` pages through",
       {.standing = works, .least = 1, .most = 1'000'000}},
      {"TERMINAL_SPILL_QUOTA_MB",
       "terminal.spill_quota_mb",
       integer,
       "64",
       "output of one command that is kept in a file at the target, at most a quarter of the free "
       "space there: its first part, of a process in the background its last",
       {.standing = works, .least = 0, .most = 1'000'000}},

      {"TERMINAL_HOME_MODE",
       "terminal.home_mode",
       choice,
       "auto",
       "HOME of commands: the person's (`real`), `<home>/home` (`profile`), or that only in a "
       "container (`auto`)",
       {.standing = works,
        .choices =
            "auto real=host,user,real_home,real-home profile=isolated,profile_home,profile-home"}},
      {"",
       "terminal.shell_init_files",
       list,
       "[]",
       "files read for new sessions after those of a login; `~` and `$NAME` are the target's",
       {.standing = works}},
      {"",
       "terminal.auto_source_bashrc",
       boolean,
       "true",
       "without such files: read `~/.profile`, `~/.bash_profile` and `~/.bashrc`",
       {.standing = works}},
      {"",
       "terminal.env_passthrough",
       list,
       "[]",
       "variables that commands get from `<home>/.env` if the caller has none, at other targets "
       "too (later: "
       "scripts as well); names of the agent's secrets are refused",
       {.standing = works}},
      {"",
       "terminal.credential_files",
       list,
       "[]",
       "files below `<home>` that other targets get, under the same path below their `~/.hermes`: "
       "texts, or objects with `path` or `name`",
       {.standing = works}},
      {"",
       "skills.external_dirs",
       list,
       "[]",
       "directories with skills beside `<home>/skills`, for other targets as well; a relative one "
       "is below `<home>`",
       {.standing = works}},
      {"HERMES_DEBUG_INTERRUPT",
       "",
       text,
       "",
       "any text: say on standard error when a wait for a command begins, goes on and ends",
       {.standing = works}},
      {"TERMINAL_DISK_WARNING_GB",
       "terminal.disk_warning_gb",
       number,
       "500",
       "say so when overlays in the scratch directory take more",
       {.standing = works}},
      {"TERMINAL_SANDBOX_DIR",
       "terminal.sandbox_dir",
       path,
       "",
       "where directories of sandboxes are",
       {.standing = works, .targets = kContainers, .default_note = "`<home>/sandboxes`"}},
      {"TERMINAL_PERSISTENT_SHELL",
       "terminal.persistent_shell",
       boolean,
       "true",
       "every session keeps its state",
       {.standing = no_effect}},
      {"TERMINAL_LOCAL_PERSISTENT",
       "terminal.local_persistent",
       boolean,
       "false",
       "the same",
       {.standing = no_effect}},
      {"TERMINAL_SSH_PERSISTENT",
       "terminal.ssh_persistent",
       boolean,
       "true",
       "the same",
       {.standing = no_effect}},

      // carrier
      {"TERMINAL_CARRIER",
       "terminal.carrier",
       text,
       "",
       "the command in front of a program to run it at the target, e.g. `docker exec -i box`, `ssh "
       "host`",
       {.standing = works, .targets = "carrier"}},
      {"TERMINAL_CARRIER_MODE",
       "terminal.carrier_mode",
       choice,
       "stream",
       "`batch`: one run of the carrier per exchange of frames, for targets that cannot hold a "
       "stream. `plain`: one per command and no runner there, which is done by itself where none "
       "can run",
       {.standing = works, .targets = "carrier ssh", .choices = "stream batch plain"}},

  });
}();

}  // namespace talaria::host
