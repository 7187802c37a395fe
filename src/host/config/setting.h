// Setting: where one value of the configuration may be written, what it may be, what it is when
// nobody says, and for which targets it counts.
#pragma once

#include <talaria/configuration.h>

#include <string_view>

#include "base/limits.h"

namespace talaria::host {

enum class SettingType {
  integer,
  number,
  boolean,  // true: true, 1, yes. Anything else is false, also "on"
  flag,     // as boolean, and "on" is true: what the agent says about its own state
  choice,
  path,
  text,
  list,    // as JSON, or a list in config.yaml
  object,  // as JSON, or a mapping in config.yaml
};

struct SettingDetails {
  Standing standing = Standing::works;
  std::string_view targets = {};  // those it counts for, by spaces; empty: all
  double least = 0;               // of an integer or a number
  double most = static_cast<double>(kMaxDuration.count());
  std::string_view choices = {};       // by spaces; other spellings of one as "real=host,user"
  std::string_view default_note = {};  // for people, when the default is not one value
  std::string_view older_variable = {};
  std::string_view older_key = {};
  bool secret = false;            // never shown
  bool empty_counts = false;      // else an empty value is none
  bool forgiving = false;         // a value that makes no sense is none, and that is said
  bool environment_only = false;  // decides where the files are, so it cannot stand in one
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
  // Whether a value that makes no sense is an error when this is the target.
  bool counts_for(std::string_view target) const;
};

}  // namespace talaria::host
