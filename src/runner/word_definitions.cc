#include "runner/word_definitions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace talaria::runner {
namespace {

constexpr std::string_view kPrefix = "BASH_FUNC_";
constexpr std::string_view kSuffix = "%%";

// How bash passes a function on: BASH_FUNC_name%%=() { ... }
void add_inherited(std::string_view variable, std::string_view value, shell::NameMap& to) {
  if (!variable.starts_with(kPrefix) || !variable.ends_with(kSuffix)) return;
  if (variable.size() <= kPrefix.size() + kSuffix.size()) return;
  variable.remove_prefix(kPrefix.size());
  variable.remove_suffix(kSuffix.size());
  const std::string name(variable);
  to.try_emplace(name, name + " " + std::string(value));
}

bool is_on(const shell::SessionState& session, std::string_view option) {
  const auto found = session.options.find(option);
  return found != session.options.end() && found->second;
}

// A command that may switch their expansion on counts as one that does.
bool expands_aliases(const std::vector<std::string>& words, const shell::SessionState& session,
                     ShellKind shell) {
  constexpr std::array<std::string_view, 4> kMaySwitch{"shopt", "set", ".", "source"};
  if (shell == ShellKind::sh) return true;
  if (is_on(session, "expand_aliases") || is_on(session, "-o posix")) return true;
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(kMaySwitch, word) != kMaySwitch.end();
  });
}

std::vector<link::Definition> listed(shell::NameMap texts) {
  std::vector<link::Definition> list;
  for (auto& [name, text] : texts) list.push_back({name, std::move(text)});
  return list;
}

}  // namespace

void add_inherited_functions(const std::vector<std::string>& environment, shell::NameMap& to) {
  for (const std::string& entry : environment) {
    if (!entry.starts_with(kPrefix)) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view whole(entry);
    add_inherited(whole.substr(0, equals), whole.substr(equals + 1), to);
  }
}

void add_inherited_functions(const shell::NameMap& environment, shell::NameMap& to) {
  for (auto at = environment.lower_bound(kPrefix); at != environment.end(); ++at) {
    if (!at->first.starts_with(kPrefix)) return;
    add_inherited(at->first, at->second, to);
  }
}

shell::SessionDefinitions definitions_of(const std::vector<std::string>& words,
                                         const shell::SessionState& session,
                                         const shell::NameMap& inherited, ShellKind shell) {
  const bool aliases = !session.aliases.empty() && expands_aliases(words, session, shell);
  if (!aliases && session.functions.empty() && inherited.empty()) return {};
  return shell::reach(words, [&](std::string_view name, shell::SessionDefinitions& to) {
    if (const auto found = session.aliases.find(name); aliases && found != session.aliases.end()) {
      to.aliases.insert(*found);
    }
    if (const auto found = session.functions.find(name); found != session.functions.end()) {
      to.functions.try_emplace(name, found->second.text);
    } else if (const auto other = inherited.find(name); other != inherited.end()) {
      to.functions.insert(*other);
    }
  });
}

link::Unjudged to_link(shell::SessionDefinitions definitions) {
  return {.aliases = listed(std::move(definitions.aliases)),
          .functions = listed(std::move(definitions.functions)),
          .variables = listed(std::move(definitions.variables)),
          .directory = std::move(definitions.directory)};
}

}  // namespace talaria::runner
