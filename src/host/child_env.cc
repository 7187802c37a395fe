#include "host/child_env.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "host/withheld.h"

namespace talaria::host {
namespace {

constexpr std::string_view kForcePrefix = "_HERMES_FORCE_";

constexpr auto kUsualPlaces =
    std::to_array<std::string_view>({"/opt/homebrew/bin", "/opt/homebrew/sbin", "/usr/local/sbin",
                                     "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"});

struct Variable {
  std::string_view name;
  std::string_view value;
};

// Entries without a name or a value are not variables.
std::optional<Variable> parse_variable(std::string_view entry) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return Variable{entry.substr(0, equals), entry.substr(equals + 1)};
}

std::string joined(std::string_view name, std::string_view value) {
  return std::string(name) + "=" + std::string(value);
}

bool is_named(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
}

void add_path_entry(std::string& path, std::vector<std::string_view>& seen,
                    std::string_view entry) {
  if (entry.empty() || std::ranges::find(seen, entry) != seen.end()) return;
  seen.push_back(entry);
  if (!path.empty()) path += ':';
  path += entry;
}

}  // namespace

std::optional<std::string_view> variable_in(const std::vector<std::string>& variables,
                                            std::string_view name) {
  for (const std::string_view entry : variables) {
    if (is_named(entry, name)) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

std::string complete_path(std::string_view path) {
  std::string complete;
  std::vector<std::string_view> seen;
  while (!path.empty()) add_path_entry(complete, seen, next_word(path, ':'));
  for (const std::string_view place : kUsualPlaces) add_path_entry(complete, seen, place);
  return complete;
}

void set_variable(std::vector<std::string>& variables, std::string_view name,
                  std::string_view value) {
  const auto found = std::ranges::find_if(
      variables, [&](const std::string& entry) { return is_named(entry, name); });
  if (found == variables.end()) {
    variables.push_back(joined(name, value));
  } else {
    *found = joined(name, value);
  }
}

void add_variables(std::vector<std::string>& variables, const std::vector<std::string>& added) {
  for (const std::string& entry : added) {
    const auto variable = parse_variable(entry);
    if (!variable) continue;
    if (variable->name.starts_with(kForcePrefix)) {
      set_variable(variables, variable->name.substr(kForcePrefix.size()), variable->value);
    } else if (!is_of_the_agent(variable->name)) {
      set_variable(variables, variable->name, variable->value);
    }
  }
}

std::vector<std::string> child_env(const Caller& caller, const ChildEnvOptions& options) {
  std::vector<std::string> variables;
  for (const std::string& entry : caller.variables) {
    const auto variable = parse_variable(entry);
    if (variable && is_inherited(variable->name, options.passed)) variables.push_back(entry);
  }
  add_variables(variables, options.added);
  set_variable(variables, "PATH", complete_path(variable_in(variables, "PATH").value_or("")));
  const Homes homes = choose_home(caller, options.home);
  set_variable(variables, "HOME", homes.home);
  set_variable(variables, "HERMES_REAL_HOME", homes.real);
  return variables;
}

}  // namespace talaria::host
