#include "shell/state.h"

#include <algorithm>
#include <array>

#include "shell/quote.h"

namespace talaria::shell {
namespace {

// BASH_ENV, SHELLOPTS and BASHOPTS steer how bash starts, POSIXLY_CORRECT is used by our dump, and
// the readonly ones cannot be set.
constexpr std::array<std::string_view, 13> kBookkeeping{"_",
                                                        "PWD",
                                                        "SHLVL",
                                                        "SHELLOPTS",
                                                        "BASHOPTS",
                                                        "BASHPID",
                                                        "BASH_ENV",
                                                        "UID",
                                                        "EUID",
                                                        "POSIXLY_CORRECT",
                                                        "PPID",
                                                        "BASH_VERSINFO",
                                                        "BASH_EXECUTION_STRING"};

constexpr std::array<std::string_view, 6> kOfTheCall{
    "HERMES_SESSION_", "HERMES_CRON_", "TRACEPARENT", "TRACESTATE", "BAGGAGE", "OTEL_TRACE"};

// Applies the changes between two maps to a third: `assign` and `erase` do the work.
template <class Map, class Assign, class Erase>
bool apply_changes(const Map& before, const Map& after, Assign assign, Erase erase) {
  bool changed = false;
  if (before.shares_with(after)) return changed;
  for (const auto& [name, value] : after) {
    const auto old = before.find(name);
    if (old != before.end() && old->second == value) continue;
    assign(name, value);
    changed = true;
  }
  for (const auto& [name, value] : before) {
    if (after.contains(name)) continue;
    erase(name);
    changed = true;
  }
  return changed;
}

template <class Map>
bool apply_changes_to(Map& target, const Map& before, const Map& after) {
  return apply_changes(
      before, after,
      [&](const auto& name, const auto& value) { target.insert_or_assign(name, value); },
      [&](const auto& name) { target.erase(name); });
}

NameMap session_part(const NameMap& variables) {
  NameMap part = variables;
  erase_if(part, [](const auto& entry) { return !is_session_variable(entry.first); });
  return part;
}

}  // namespace

bool is_session_variable(std::string_view name) {
  if (!is_variable_name(name)) return false;
  if (std::ranges::find(kBookkeeping, name) != kBookkeeping.end()) return false;
  return !comes_with_call(name);
}

std::string unsaved_variables() {
  std::string pattern;
  for (const std::string_view name : kBookkeeping) pattern += std::string(name) + "|";
  for (const std::string_view prefix : kOfTheCall) pattern += std::string(prefix) + "*|";
  pattern.pop_back();
  return pattern;
}

bool comes_with_call(std::string_view name) {
  return std::ranges::any_of(kOfTheCall,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

NameMap SessionState::variables_over(const NameMap& caller) const {
  NameMap all = caller;
  for (const auto& [name, value] : variables) {
    if (value) {
      all.insert_or_assign(name, *value);
    } else {
      all.erase(name);
    }
  }
  return all;
}

ShellState SessionState::with(NameMap all_variables) const {
  return {.variables = std::move(all_variables),
          .functions = functions,
          .aliases = aliases,
          .options = options,
          .umask = umask,
          .cwd = cwd};
}

bool SessionState::merge(const ShellState& before, const ShellState& after) {
  bool changed = apply_changes(
      session_part(before.variables), session_part(after.variables),
      [&](const auto& name, const auto& value) { variables.insert_or_assign(name, value); },
      [&](const auto& name) { variables.insert_or_assign(name, std::nullopt); });
  changed |= apply_changes_to(functions, before.functions, after.functions);
  changed |= apply_changes_to(aliases, before.aliases, after.aliases);
  changed |= apply_changes_to(options, before.options, after.options);
  if (after.umask && after.umask != before.umask && after.umask != umask) {
    umask = after.umask;
    changed = true;
  }
  if (!after.cwd.empty() && after.cwd != before.cwd && after.cwd != cwd) {
    cwd = after.cwd;
    changed = true;
  }
  return changed;
}

void drop_inherited_functions(const ShellState& before, ShellState& after) {
  erase_if(after.functions, [&](const auto& entry) {
    return !before.functions.contains(entry.first) &&
           before.variables.contains("BASH_FUNC_" + entry.first + "%%");
  });
}

NameMap parse_environment(const std::vector<std::string>& entries) {
  NameMap::Map variables;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return variables;
}

}  // namespace talaria::shell
