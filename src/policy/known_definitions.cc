#include "policy/known_definitions.h"

#include <ranges>

namespace talaria::policy {
namespace {

constexpr std::size_t kMaxSessions = 64;  // then all are asked for once more

template <class Names>
void replace(shell::NameMap& known, const Names& outdated, const shell::NameMap& now) {
  for (const std::string& name : outdated) known.erase(name);
  for (const auto& [name, text] : now) known.insert_or_assign(name, text);
}

}  // namespace

void KnownDefinitions::learn(const std::string& target, const std::string& session,
                             const shell::JudgedStart& judged,
                             const shell::SessionDefinitions& found, const std::string& directory) {
  if (sessions_.size() >= kMaxSessions) sessions_.clear();
  Known& entry = sessions_[{target, session}];
  shell::SessionDefinitions& known = entry.definitions;
  const shell::SessionDefinitions outdated = shell::reach(judged.words, shell::find_in(known));
  replace(known.aliases, std::views::keys(outdated.aliases), found.aliases);
  replace(known.functions, std::views::keys(outdated.functions), found.functions);
  replace(known.variables, judged.variables, found.variables);
  if (found.directory.empty()) return;
  known.directory = found.directory;
  entry.directory = directory;
}

shell::SessionDefinitions KnownDefinitions::of(const std::string& target,
                                               const std::string& session,
                                               const std::string& directory) const {
  const auto found = sessions_.find({target, session});
  shell::SessionDefinitions known;
  if (found != sessions_.end()) known = found->second.definitions;
  const bool same = found != sessions_.end() && found->second.directory == directory;
  if (!same || known.directory.empty())
    known.directory = directory.starts_with('/') ? directory : "";
  return known;
}

}  // namespace talaria::policy
