// Setting: one value of the configuration: where it may be set, what is valid, its default, and the
// targets it applies to.
#pragma once

#include <talaria/configuration.h>

#include <string_view>

#include "base/limits.h"

namespace talaria::host {

enum class SettingType {
  integer,
  number,
  time,       // whole seconds, or with a unit: 90, 90s, 5m
  fine_time,  // with a fraction of a second
  boolean,    // true: true, 1, yes. Anything else is false, also "on"
  flag,       // as boolean, and "on" is true: what the agent says about its own state
  choice,
  path,
  text,
  list,    // as JSON, or a list in config.yaml
  object,  // as JSON, or a mapping in config.yaml
};

struct SettingDetails {
  Standing standing = Standing::works;
  std::string_view targets = {};  // those it applies to, separated by spaces; empty: all
  double least = 0;               // of an integer or a number
  double most = static_cast<double>(kMaxDuration.count());
  std::string_view choices = {};       // separated by spaces; other spellings as "real=host,user"
  std::string_view default_note = {};  // for people, when the default is not one value
  std::string_view older_variable = {};
  std::string_view older_key = {};
  bool secret = false;            // never shown
  bool empty_counts = false;      // else an empty value counts as not set
  bool forgiving = false;         // an invalid value is ignored, with a notice
  bool environment_only = false;  // decides where the files are, so it cannot be in one
};

struct Setting {
  std::string_view variable;  // empty: only in config.yaml
  std::string_view key;       // in config.yaml; empty: only a variable
  SettingType type = SettingType::text;
  std::string_view default_text;  // as one would write it
  std::string_view meaning;
  SettingDetails details = {};

  std::string_view name() const { return variable.empty() ? key : variable; }
  bool is_variable(std::string_view word) const;
  bool is_key(std::string_view word) const;
  // Whether an invalid value is an error when this is the target.
  bool counts_for(std::string_view target) const;
};

}  // namespace talaria::host
