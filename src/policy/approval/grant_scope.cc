#include "policy/approval/grant_scope.h"

#include <algorithm>
#include <array>

#include <boost/algorithm/string/join.hpp>

#include "base/visible_text.h"
#include "policy/guard/rules/rule.h"

namespace talaria::policy {
namespace {

// From the narrowest to the widest.
constexpr auto kWidths =
    std::to_array<std::string_view>({"command", "directory", "task", "target"});

bool is_among(const std::string& one, const std::vector<std::string>& list) {
  return std::ranges::find(list, one) != list.end();
}

std::string in_quotes(std::string_view text) { return "'" + visible_text(text) + "'"; }

// What the grant of one finding would be. A finding that cannot be widened stays with its command.
host::StoredGrant grant_of(const Finding& finding, const GrantPlace& place,
                           std::string_view width) {
  host::StoredGrant grant{
      .rule = finding.rule, .target = place.target, .session_key = place.session_key};
  const bool narrow = width == "command" || !finding.widens;
  if (narrow || width != "target") grant.task = place.task;
  if (narrow || width == "directory") grant.directory = place.directory;
  if (narrow) {
    grant.digest = place.digest;
    grant.command = place.command;
  }
  return grant;
}

bool is_bound_to_directory(const host::StoredGrant& grant) { return grant.directory.has_value(); }

template <class T>
bool fits(const std::optional<T>& bound, const T& actual) {
  return !bound || *bound == actual;
}

}  // namespace

std::vector<host::StoredGrant> grants_for(const Findings& findings, const GrantPlace& place,
                                          std::string_view covers) {
  std::vector<host::StoredGrant> grants;
  if (covers.empty()) covers = kWidths.front();
  if (std::ranges::find(kWidths, covers) == kWidths.end()) return grants;
  for (const Finding& finding : findings) grants.push_back(grant_of(finding, place, covers));
  // Where the directory is not known, nothing can be bound to it.
  if (place.directory.empty() && std::ranges::any_of(grants, is_bound_to_directory)) grants.clear();
  return grants;
}

std::vector<GrantOffer> grant_offers(const Findings& findings, const GrantPlace& place) {
  std::vector<GrantOffer> offers;
  for (const std::string_view width : kWidths) {
    std::vector<std::string> sentences;
    bool wider = width == kWidths.front();
    for (const host::StoredGrant& grant : grants_for(findings, place, width)) {
      const std::string sentence = sentence_of(grant);
      if (!is_among(sentence, sentences)) sentences.push_back(sentence);
      wider = wider || !grant.digest;
    }
    if (sentences.empty() || !wider) continue;
    offers.push_back(
        {.covers = std::string(width), .sentence = boost::algorithm::join(sentences, "; and ")});
  }
  return offers;
}

bool means_rule(const std::string& entry, const std::string& rule) {
  return entry == rule || is_among(entry, guard::legacy_keys(rule));
}

bool covers(const host::StoredGrant& grant, const std::string& rule, const GrantPlace& place) {
  return grant.target == place.target && fits(grant.session_key, place.session_key) &&
         fits(grant.task, place.task) && fits(grant.digest, place.digest) &&
         (!grant.directory || (!place.directory.empty() && *grant.directory == place.directory)) &&
         means_rule(grant.rule, rule);
}

std::string_view width_of(const host::StoredGrant& grant) {
  if (grant.digest) return kWidths[0];
  if (grant.directory) return kWidths[1];
  return grant.task ? kWidths[2] : kWidths[3];
}

std::string sentence_of(const host::StoredGrant& grant) {
  std::string text;
  if (grant.digest) {
    text = grant.command.empty()
               ? "exactly one command (SHA-256 " + grant.digest->substr(0, 12) + ")"
               : "exactly the command " + in_quotes(grant.command);
    text += grant.directory ? " in " + visible_text(*grant.directory) : " in any directory";
  } else {
    text = "every command that matches the rule " + in_quotes(grant.rule);
    text +=
        grant.directory ? " and starts in " + visible_text(*grant.directory) : ", in any directory";
  }
  text += grant.task ? ", in task " + in_quotes(*grant.task) : ", in any task";
  return text + ", at target " + in_quotes(grant.target);
}

}  // namespace talaria::policy
