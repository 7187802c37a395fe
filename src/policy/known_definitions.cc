#include "policy/known_definitions.h"

#include <ranges>
#include <utility>

namespace talaria::policy {
namespace {

constexpr std::size_t kMostRecent = 2048;  // sessions

template <class Names>
void replace(shell::NameMap& known, const Names& outdated, const shell::NameMap& now) {
  for (const std::string& name : outdated) known.erase(name);
  for (const auto& [name, text] : now) known.insert_or_assign(name, text);
}

}  // namespace

void KnownDefinitions::learn(const std::string& target, const std::string& session,
                             const shell::JudgedStart& judged,
                             const shell::SessionDefinitions& found, const std::string& directory) {
  Known& entry = used({target, session});
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
                                               const std::string& directory) {
  const Key key{target, session};
  shell::SessionDefinitions known;
  if (recent_.contains(key) || earlier_.contains(key)) {
    const Known& entry = used(key);
    known = entry.definitions;
    if (entry.directory != directory) known.directory.clear();
  }
  if (known.directory.empty() && directory.starts_with('/')) known.directory = directory;
  return known;
}

KnownDefinitions::Known& KnownDefinitions::used(const Key& key) {
  if (const auto found = recent_.find(key); found != recent_.end()) return found->second;
  if (recent_.size() >= kMostRecent) earlier_ = std::exchange(recent_, {});
  auto before = earlier_.extract(key);
  return before ? recent_.insert(std::move(before)).position->second : recent_[key];
}

}  // namespace talaria::policy
