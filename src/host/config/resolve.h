// Which of the things written for a setting counts, and what it means. No I/O: from sources to a
// value for every setting there is, each with where it came from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/caller.h"
#include "host/config/setting_table.h"
#include "host/config/sources.h"
#include "host/config/value.h"

namespace talaria::host {

enum class Origin { standard, environment, env_file, yaml_file, flag };

// "default", "environment", ".env file", "config.yaml", "flag".
std::string_view origin_name(Origin origin);

struct ResolvedSetting {
  const Setting* setting = nullptr;
  std::optional<json::value> given;  // empty: nothing, or nothing that makes sense, was written
  Origin origin = Origin::standard;
  std::string place;      // where it was written: "TERMINAL_TIMEOUT", "/x/.env, line 3", "--target"
  std::string complaint;  // what is wrong with what was written; empty: nothing
  bool counts = false;    // for the target; only then is the complaint an error

  // What was given, else the default, which is made only when asked for: most never are.
  json::value value() const;
  // The same for people: null if what was written is invalid, "***" for a secret.
  json::value shown_value() const;
};

struct Resolution {
  std::string home;
  std::string target;
  std::string mounted_cwd;  // a directory of the caller's that a container is to have; empty: none
  std::string target_name;  // what to call the setting that chose it: "TERMINAL_ENV", "--target"
  std::vector<ResolvedSetting> settings;  // in the order of the table
  std::vector<std::string> notices;       // what was left out, and why
  // Those of them about values that are invalid and count as the default.
  std::vector<std::string> warnings;

  // By the name of one there is.
  const ResolvedSetting& of(std::string_view name) const;
  // The complaints that keep everything from running.
  std::vector<std::string> errors() const;
};

Resolution resolve(const Caller& caller, const ConfigSources& sources);

}  // namespace talaria::host
