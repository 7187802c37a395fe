// Config: what flags, variables, <home>/.env and <home>/config.yaml say, typed and checked. Nothing
// said means the default; an invalid value is an error that names it, where it was set
// and what was expected, but only if it counts for the target. settings.cc has the table.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "host/caller.h"
#include "host/config/policy_config.h"
#include "host/config/resolve.h"
#include "host/config/target_config.h"
#include "host/config/web_config.h"
#include "host/home_policy.h"
#include "host/passthrough.h"

namespace talaria::environment {
struct LoginFiles;
}

namespace talaria::host {

// Bounds on processes in the background of one target.
struct ProcessConfig {
  std::uint64_t max_running = 4096;
  std::uint64_t max_terminals = 256;
  std::uint64_t max_finished = 64;        // that are still listed
  std::chrono::seconds retention{1800};   // after their end
  std::chrono::seconds max_age{604'800};  // 0: none
  std::size_t output_chars = 200'000;     // that log pages through
};

// Of execute_code.
struct ScriptConfig {
  std::chrono::seconds timeout{300};
  std::size_t max_tool_calls = 50;
  bool strict = false;    // in a directory of its own, with the default interpreter
  std::string python;     // the default interpreter; empty: python3 on the PATH of the target
  std::string time_zone;  // HERMES_TIMEZONE
};

// What the file tools show and may change.
struct FileConfig {
  std::size_t max_lines = 2000;       // of one read
  std::size_t max_line_chars = 2000;  // of one of them
  std::size_t max_chars = 100'000;    // of one read
  std::string write_root;             // HERMES_WRITE_SAFE_ROOT; empty: anywhere
  bool compare_with_read = true;      // not HERMES_DISABLE_FILE_STATE_GUARD
};

// When a result is too large for a model, in characters of its JSON.
struct ResultConfig {
  std::size_t max_chars = 100'000;
  std::size_t max_turn_chars = 200'000;        // of all results of one turn
  std::map<std::string, std::size_t> by_tool;  // those that have a bound of their own
};

struct Config {
  std::string home;         // TALARIA_HOME, else HERMES_HOME, else ~/.hermes
  std::string target;       // as it was written: the Host says whether it can serve it
  std::string target_name;  // what chose it: "TERMINAL_ENV", "terminal.backend", "--target"
  std::string cwd;          // where a new session starts
  std::chrono::seconds timeout{180};
  std::chrono::seconds max_foreground_timeout{600};
  std::chrono::seconds lifetime{300};
  std::size_t local_runners = 0;  // see runner_choice.h
  std::size_t max_output_chars = kDefaultOutputChars;
  bool redact_secrets = true;
  std::uint64_t spill_quota = kDefaultSpillQuota;  // of one command, bytes
  ProcessConfig processes;
  FileConfig files;
  ResultConfig results;
  HomeMode home_mode = HomeMode::automatic;
  std::vector<std::string> shell_init_files;  // as written: ~ and $NAME are the session's business
  bool auto_source_bashrc = true;
  bool trace_interrupts = false;  // HERMES_DEBUG_INTERRUPT
  Passthrough env_passthrough;
  std::vector<std::string> credential_files;   // below the home, as written
  std::vector<std::string> skill_directories;  // beside <home>/skills, as written
  bool always_sync = false;                    // HERMES_FORCE_FILE_SYNC

  std::string profile;      // HERMES_PROFILE: whose containers they are
  std::string sandbox_dir;  // where the directories of containers are
  environment::ContainerConfig container;
  environment::CarrierConfig carrier;
  environment::DockerConfig docker;
  environment::SingularityConfig singularity;
  environment::SshConfig ssh;
  environment::ManagedConfig managed;
  environment::ModalConfig modal;
  environment::DaytonaConfig daytona;
  GatewayConfig gateway;

  ScriptConfig scripts;
  ApprovalConfig approvals;
  AuditConfig audit;
  SudoConfig sudo;
  WebConfig web;

  std::vector<std::string> notices;   // what was left out, and why
  std::vector<std::string> warnings;  // those of them that every run of commands should report

  std::shared_ptr<const ConfigSources> sources;  // what it was read from; null: it was not
  std::chrono::seconds default_lifetime{300};    // `lifetime` if it is not set
};

// How long an idle runner stays by default: short for a front end that lives as long as its
// agent, long for command lines, each of which is a process of its own.
inline constexpr std::chrono::seconds kAgentLifetime{300};
inline constexpr std::chrono::seconds kCommandLineLifetime{24 * 60 * 60};

Result<Config> read_config(const Caller& caller,
                           std::chrono::seconds default_lifetime = kAgentLifetime,
                           std::vector<ConfigFlag> flags = {});

// What `config` would be with these flags as well, which win over its own.
Result<Config> config_with(const Config& config, const Caller& caller,
                           std::vector<ConfigFlag> flags);

Result<Config> make_config(const Resolution& resolution, std::chrono::seconds default_lifetime);

// The login files that the sessions of a target start with.
environment::LoginFiles login_files(const Config& config);

// TERMINAL_ENV as it was written, "local" when unset: for want of a configuration.
std::string configured_target(const Caller& caller);

}  // namespace talaria::host
