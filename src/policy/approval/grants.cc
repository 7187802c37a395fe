#include "policy/approval/grants.h"

#include <algorithm>

#include "base/limits.h"

namespace talaria::policy {
namespace {

using Clock = std::chrono::system_clock;

bool has_ended(const host::StoredGrant& grant) {
  return grant.until && *grant.until <= Clock::now();
}

std::string unconfirmed_notice(const host::StoredGrant& grant) {
  return "An earlier version of Talaria stored an approval (" + grant.id + ") of " +
         sentence_of(grant) + ". It has no effect until you confirm it: `talaria grants confirm " +
         grant.id + "`; `talaria grants revoke " + grant.id + "` removes it.";
}

}  // namespace

// A store that cannot be read grants nothing.
std::vector<host::StoredGrant> Grants::all_at(const std::string& target) {
  std::erase_if(here_, has_ended);
  std::vector<host::StoredGrant> all = here_;
  remove_forgotten();
  if (const auto stored = store_.at_target(target)) {
    all.insert(all.end(), stored->begin(), stored->end());
  }
  std::erase_if(all, [&](const host::StoredGrant& one) {
    return one.session_key && forgotten_.contains(*one.session_key);
  });
  return all;
}

// Another program may have held the store when they were to be removed.
void Grants::remove_forgotten() {
  std::erase_if(forgotten_, [&](const std::string& session_key) {
    return store_.remove_of_session(session_key).has_value();
  });
}

std::vector<std::string> Grants::remove_allowed(Findings& findings, const GrantPlace& place,
                                                const std::vector<std::string>& allowlist) {
  std::vector<std::string> notices;
  if (findings.empty()) return notices;
  const std::vector<host::StoredGrant> all = all_at(place.target);
  const auto is_allowed = [&](const Finding& finding) {
    const bool listed = std::ranges::any_of(
        allowlist, [&](const std::string& entry) { return means_rule(entry, finding.rule); });
    return listed || std::ranges::any_of(all, [&](const host::StoredGrant& grant) {
             return grant.confirmed && covers(grant, finding.rule, place);
           });
  };
  std::erase_if(findings, is_allowed);
  for (const host::StoredGrant& grant : all) {
    const bool unknown_to_them = !grant.confirmed && !grant.noticed;
    const auto would_allow = [&](const Finding& one) { return covers(grant, one.rule, place); };
    if (!unknown_to_them || std::ranges::none_of(findings, would_allow)) continue;
    notices.push_back(unconfirmed_notice(grant));
    static_cast<void>(store_.note_shown(grant.id));  // else it is shown again
  }
  return notices;
}

bool Grants::has_any(const std::vector<std::string>& rules, const std::string& target) {
  const std::vector<host::StoredGrant> all = all_at(target);
  return std::ranges::any_of(rules, [&](const std::string& rule) {
    return std::ranges::any_of(
        all, [&](const host::StoredGrant& grant) { return means_rule(grant.rule, rule); });
  });
}

Task<Result<void>> Grants::add(const Findings& findings, const GrantPlace& place,
                               const ApprovalAnswer& answer, std::string grantor,
                               std::vector<host::StoredGrant>* granted) {
  remove_forgotten();
  Result<void> added;
  const auto now = Clock::now();
  for (host::StoredGrant& grant : grants_for(findings, place, answer.covers)) {
    const auto finding = std::ranges::find(findings, grant.rule, &Finding::rule);
    const bool permanent = answer.word == "always" && finding->permanent;
    grant.id = host::GrantStore::new_id();
    grant.granted = now;
    grant.grantor = grantor;
    if (!permanent) grant.until = now + kSessionGrantLife;
    if (answer.lasts.count() > 0)
      grant.until = std::min(grant.until.value_or(Clock::time_point::max()), now + answer.lasts);
    if (permanent) grant.session_key.reset();
    // Callers without a name have nothing in common but this program.
    const bool stays_here = grant.session_key == kNamelessSession;
    Result<void> stored;
    if (!stays_here) {
      stored = co_await database_->patiently([&] { return store_.add(grant); });
    }
    if (stays_here || !stored) here_.push_back(grant);
    if (!stored) added = stored;
    if (granted != nullptr) granted->push_back(grant);
  }
  co_return added;
}

void Grants::forget(const std::string& session_key) {
  std::erase_if(here_,
                [&](const host::StoredGrant& one) { return one.session_key == session_key; });
  if (session_key == kNamelessSession) return;
  forgotten_.insert(session_key);
  remove_forgotten();
}

}  // namespace talaria::policy
