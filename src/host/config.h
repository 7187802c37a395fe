// Config: what the TERMINAL_* variables and the home directory say, typed and checked. An unset or
// empty variable means its default; a value that makes no sense is an error that names the variable
// and what was expected.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "host/caller.h"
#include "host/home_policy.h"

namespace talaria {

struct Config {
  std::string home;    // TALARIA_HOME, else HERMES_HOME, else ~/.hermes
  std::string target;  // TERMINAL_ENV, as it was written: the Host says whether it can serve it
  std::string cwd;     // TERMINAL_CWD, else the caller's directory: where a new session starts
  std::chrono::seconds timeout{180};                 // TERMINAL_TIMEOUT
  std::chrono::seconds max_foreground_timeout{600};  // TERMINAL_MAX_FOREGROUND_TIMEOUT
  std::chrono::seconds lifetime{300};                // TERMINAL_LIFETIME_SECONDS
  std::size_t max_output_chars = kDefaultOutputChars;
  HomeMode home_mode = HomeMode::automatic;  // TERMINAL_HOME_MODE

  // The carrier target: any command that runs a program elsewhere.
  std::string carrier;               // TERMINAL_CARRIER, e.g. "docker exec -i BOX"
  bool carrier_joins_words = false;  // it is ssh, which passes one line to a shell
  bool carrier_batches = false;      // TERMINAL_CARRIER_MODE: "stream" (default) or "batch"
};

// How long an idle runner stays when the variable does not say: short for a front end that lives as
// long as its agent, long for command lines, each of which is a process of its own.
inline constexpr std::chrono::seconds kAgentLifetime{300};
inline constexpr std::chrono::seconds kCommandLineLifetime{24 * 60 * 60};

Result<Config> read_config(const Caller& caller,
                           std::chrono::seconds default_lifetime = kAgentLifetime);

// TERMINAL_ENV as it was written, "local" when unset.
std::string configured_target(const Caller& caller);

}  // namespace talaria
