// What a command inherits: the caller's variables and what a call adds to them, without secrets
// (withheld.h), with a complete PATH and the HOME that the configuration wants.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/caller.h"
#include "host/home_policy.h"

namespace talaria::host {

struct ChildEnvOptions {
  HomePolicy home;
  // NAME=value of the embedding program. A name of the agent gets through only as
  // _HERMES_FORCE_NAME, which counts here and nowhere else.
  std::vector<std::string> added;
  std::set<std::string> passed;  // names that are inherited although they look like secrets
};

// As NAME=value, each name once.
std::vector<std::string> child_env(const Caller& caller, const ChildEnvOptions& options);

// What the embedding program adds (ChildEnvOptions::added) to a list.
void add_variables(std::vector<std::string>& variables, const std::vector<std::string>& added);

// Without empty and repeated entries, and with the usual places behind what is there.
std::string complete_path(std::string_view path);

// The value of a variable of a list; nothing if it has none of that name.
std::optional<std::string_view> variable_in(const std::vector<std::string>& variables,
                                            std::string_view name);

// Sets a variable of a list, or adds it.
void set_variable(std::vector<std::string>& variables, std::string_view name,
                  std::string_view value);

}  // namespace talaria::host
