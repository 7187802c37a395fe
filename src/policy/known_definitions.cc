#include "policy/known_definitions.h"

namespace talaria::policy {
namespace {

constexpr std::size_t kMaxSessions = 64;  // then all are asked for once more

void replace(shell::NameMap& known, const shell::NameMap& outdated, const shell::NameMap& now) {
  for (const auto& [name, text] : outdated) known.erase(name);
  for (const auto& [name, text] : now) known.insert_or_assign(name, text);
}

}  // namespace

void KnownDefinitions::learn(const std::string& target, const std::string& session,
                             const std::vector<std::string>& words,
                             const shell::SessionDefinitions& found) {
  if (sessions_.size() >= kMaxSessions) sessions_.clear();
  shell::SessionDefinitions& known = sessions_[{target, session}];
  const shell::SessionDefinitions outdated = shell::reach(words, shell::find_in(known));
  replace(known.aliases, outdated.aliases, found.aliases);
  replace(known.functions, outdated.functions, found.functions);
}

shell::SessionDefinitions KnownDefinitions::of(const std::string& target,
                                               const std::string& session) const {
  const auto found = sessions_.find({target, session});
  return found == sessions_.end() ? shell::SessionDefinitions() : found->second;
}

}  // namespace talaria::policy
