// GrantScope: what an answer beyond "once" would cover, in words and as it is stored. It is narrow
// unless the person widens it: exactly this command, in its directory, its task and at its target.
// The words are shown with the question, before anything is granted.
#pragma once

#include <talaria/approval.h>

#include <string>
#include <string_view>
#include <vector>

#include "host/store/stored_grant.h"

namespace talaria::policy {

// A rule that the command matches.
struct Finding {
  std::string rule;  // its key
  std::string description;
  bool permanent = true;  // may be allowed for good
  bool widens = true;     // may be allowed for other commands; if not, only for this very one
};
using Findings = std::vector<Finding>;  // the most important first

// A command and its circumstances, as far as grants depend on them.
struct GrantPlace {
  std::string session_key;
  std::string target;
  std::string task;
  std::string directory;  // where the command starts; empty: not known, so that no grant fits that
                          // is bound to one
  std::string digest;     // of the command
  std::string command;    // how it begins, without secrets
};

// Every way of covering these findings, the narrowest first.
std::vector<GrantOffer> grant_offers(const Findings& findings, const GrantPlace& place);

// What is granted with one of them, without id and times; "" is the first. Nothing if the place has
// no such offer.
std::vector<host::StoredGrant> grants_for(const Findings& findings, const GrantPlace& place,
                                          std::string_view covers);

// Whether a grant covers a rule there.
bool covers(const host::StoredGrant& grant, const std::string& rule, const GrantPlace& place);

// What it covers: the name of the offer, and the sentence.
std::string_view width_of(const host::StoredGrant& grant);
std::string sentence_of(const host::StoredGrant& grant);

// Whether an entry of a list of rules means this one. Rules have had other names, which several may
// share: an entry of such a name means them all. The names of today never mean more than one.
bool means_rule(const std::string& entry, const std::string& rule);

}  // namespace talaria::policy
