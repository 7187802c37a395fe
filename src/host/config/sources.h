// ConfigSources: everything that was written for the configuration, read once. In order of weight:
// flags, the caller's variables, <home>/.env, <home>/config.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/caller.h"
#include "host/config/env_file.h"
#include "host/config/yaml_file.h"

namespace talaria::host {

// A word of the command line that sets a setting for this one run.
struct ConfigFlag {
  std::string_view setting;  // its name()
  std::string_view flag;     // "--target"
  std::string value;
};

struct ConfigSources {
  std::string home;
  std::vector<ConfigFlag> flags;
  EnvFile env_file;
  YamlFile yaml_file;

  std::string env_path() const { return home + "/.env"; }
  std::string yaml_path() const { return home + "/config.yaml"; }
};

// TALARIA_HOME, else HERMES_HOME, else ~/.hermes, as an absolute path.
std::string config_home(const Caller& caller);

// A file that is not there is as good as an empty one. One that cannot be read or understood is an
// error: half a configuration would be worse than none.
Result<ConfigSources> read_sources(const Caller& caller, std::vector<ConfigFlag> flags);

}  // namespace talaria::host
