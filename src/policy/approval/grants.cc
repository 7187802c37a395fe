#include "policy/approval/grants.h"

#include <algorithm>
#include <chrono>

#include "base/limits.h"
#include "policy/guard/rules/rule.h"

namespace talaria::policy {
namespace {

// Rules have had other names, which several may share: an entry of such a name means them all. The
// names of today never mean more than one.
bool means_rule(const std::string& entry, const std::string& rule) {
  const std::vector<std::string> older = guard::legacy_keys(rule);
  return entry == rule || std::ranges::find(older, entry) != older.end();
}

}  // namespace

std::vector<std::string> Grants::missing(const std::string& session_key, const std::string& target,
                                         const std::vector<std::string>& rules,
                                         const std::vector<std::string>& allowlist) {
  std::vector<std::string> granted = allowlist;
  for (const Place& place : {Place(session_key, target), Place("", target)}) {
    const auto found = here_.find(place);
    if (found != here_.end())
      granted.insert(granted.end(), found->second.begin(), found->second.end());
  }
  // To look makes no store. One that cannot be read grants nothing.
  if (store_.exists()) {
    const bool named = session_key != kNamelessSession;
    if (const auto kept = store_.grants(named ? session_key : "", target)) {
      granted.insert(granted.end(), kept->begin(), kept->end());
    }
  }
  std::vector<std::string> left;
  for (const std::string& rule : rules) {
    const auto means_it = [&](const std::string& entry) { return means_rule(entry, rule); };
    if (std::ranges::none_of(granted, means_it)) left.push_back(rule);
  }
  return left;
}

Result<void> Grants::for_session(const std::string& session_key, const std::string& target,
                                 const std::vector<std::string>& rules) {
  here_[{session_key, target}].insert(rules.begin(), rules.end());
  // Callers without a name have nothing in common but that.
  if (session_key == kNamelessSession) return {};
  const auto until = std::chrono::system_clock::now() + kSessionGrantLife;
  for (const std::string& rule : rules) {
    const auto added = store_.add_grant(session_key, target, rule, until);
    if (!added) return added;
  }
  return {};
}

Result<void> Grants::for_good(const std::string& target, const std::vector<std::string>& rules) {
  here_[{"", target}].insert(rules.begin(), rules.end());
  for (const std::string& rule : rules) {
    if (const auto added = store_.add_grant("", target, rule, std::nullopt); !added) {
      return added;
    }
  }
  return {};
}

void Grants::forget(const std::string& session_key) {
  std::erase_if(here_, [&](const auto& entry) { return entry.first.first == session_key; });
  if (session_key == kNamelessSession || !store_.exists()) return;
  (void)store_.forget_grants(session_key);
}

}  // namespace talaria::policy
