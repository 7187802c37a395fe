// Configuration: every setting there is, what it is now and where that was written. The same as
// `talaria config --json` shows.
#pragma once

#include <talaria/error.h>
#include <talaria/options.h>

#include <string>
#include <vector>

namespace talaria {

struct SettingInfo {
  std::string name;
  std::string value;    // JSON; "***" for a secret, null if what was written makes no sense
  std::string origin;   // "default", "environment", ".env file", "config.yaml" or "flag"
  std::string place;    // where it was written; empty: nowhere
  std::string flaw;     // what is wrong with what was written; empty: nothing
  bool counts = false;  // for the target; only then is the flaw an error
  bool works = false;   // what it is for is there in this version
};

struct Configuration {
  std::string home;
  std::string target;
  std::vector<SettingInfo> settings;
  std::vector<std::string> notices;  // what was left out, and why
  std::vector<std::string> errors;   // why no call would be run
};

// What a runtime made from these options would find. Fails if a file cannot be read or understood.
Result<Configuration> read_configuration(const Options& options = {});

}  // namespace talaria
