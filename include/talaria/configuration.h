// Configuration: every setting there is, what it is now and where that was written. The same as
// `talaria config --json` shows.
#pragma once

#include <talaria/error.h>
#include <talaria/export.h>
#include <talaria/options.h>

#include <string>
#include <string_view>
#include <vector>

namespace talaria {

enum class Standing {
  works,
  planned,    // not implemented yet; an invalid value is only a notice
  no_effect,  // accepted because existing files have it
};

// What can be set.
struct SettingInfo {
  std::string_view name = {};      // as Options::settings has it: its variable, or its key
  std::string_view variable = {};  // of the environment and of <home>/.env; empty: none
  std::string_view older_variable = {};
  std::string_view key = {};  // in <home>/config.yaml; empty: none
  std::string_view older_key = {};
  // integer, number, time (seconds), boolean, flag, choice, path, text, list or object
  std::string_view type = {};
  std::vector<std::string_view> choices = {};
  std::string_view default_text = {};  // as one would write it
  std::string_view default_note = {};  // for people, where the default is not one value
  std::string_view targets = {};       // to which it applies, separated by spaces; empty: all
  std::string_view meaning = {};
  Standing standing = Standing::planned;
  bool secret = false;  // its value is never shown
};

TALARIA_API std::vector<SettingInfo> settings();

// What it is now.
struct SettingValue {
  SettingInfo setting = {};
  std::string value = {};   // JSON; "***" for a secret, null if the value is invalid
  std::string origin = {};  // "default", "environment", ".env file", "config.yaml" or "flag"
  std::string place = {};   // where it is set; empty: nowhere
  std::string flaw = {};    // what is wrong with the value; empty: nothing
  bool counts = false;      // it applies to the target; only then the flaw is an error
};

struct Configuration {
  std::string home = {};
  std::string target = {};
  std::vector<SettingValue> settings = {};
  std::vector<std::string> notices = {};  // what was left out, and why
  std::vector<std::string> errors = {};   // why calls fail
};

// The configuration of a runtime with these options. Fails if a file cannot be read or parsed.
TALARIA_API Result<Configuration> read_configuration(const Options& options = {});

}  // namespace talaria
