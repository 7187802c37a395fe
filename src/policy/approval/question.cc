#include "policy/approval/question.h"

#include <algorithm>
#include <utility>

#include <boost/algorithm/string/join.hpp>

#include "base/text.h"
#include "policy/approval/details.h"
#include "policy/approval/outside_judges.h"
#include "policy/redact.h"

namespace talaria::policy {
namespace {

// Of a command, where it is only to be recognised.
constexpr std::size_t kShownCommandBytes = 120;

}  // namespace

Task<Findings> gather(const CommandQuestion& question, const guard::Judgement& judgement) {
  const host::ApprovalConfig& settings = question.config->approvals;
  Findings all;
  const auto add = [&all](Finding finding) {
    const bool known = std::ranges::find(all, finding.rule, &Finding::rule) != all.end();
    if (!known) all.push_back(std::move(finding));
  };
  if (settings.scanner.enabled && question.judged.empty()) {
    const auto found = co_await scan_command(settings.scanner, question.command);
    if (found) add({found->key, found->description, false, false});
  }
  if (judgement.answer == guard::Answer::allow) co_return all;
  for (const guard::Concern& concern : judgement.concerns) {
    const bool clear = concern.rule_class != guard::RuleClass::unclear;
    add({.rule = concern.key, .description = concern.description, .widens = clear});
  }
  if (judgement.concerns.empty()) {
    const std::string key(kUnclear);
    add({.rule = key, .description = key, .widens = false});
  }
  co_return all;
}

GrantPlace place_of(const CommandQuestion& question, const shell::JudgedStart& start,
                    const std::string& session_key) {
  const std::string text = sanitize_utf8(question.command);
  const std::string_view head = first_bytes(text, kShownCommandBytes);
  return {.session_key = session_key,
          .target = question.target,
          .task = question.task,
          .directory = question.cwd,
          .digest = digest_of(question, start),
          .command = redact(head, {.command_line = true, .shows_commands = true}) +
                     (head.size() < text.size() ? "…" : "")};
}

ApprovalRequest request_for(const CommandQuestion& question, const shell::JudgedStart& start,
                            const Findings& findings, const GrantPlace& place,
                            Approvers::Kind approver) {
  const host::ApprovalConfig& config = question.config->approvals;
  const bool by_person = approver == Approvers::Kind::terminal || approver == Approvers::Kind::hook;
  const bool at_terminal = by_person && !in_chat(config);
  return {.id = host::ApprovalQueue::new_id(),
          .command = question.command,
          .details = details_of(question, start),
          .description = boost::algorithm::join(values(findings, &Finding::description), "; "),
          .pattern_key = findings.front().rule,
          .pattern_keys = values(findings, &Finding::rule),
          .offers = grant_offers(findings, place),
          .session_key = place.session_key,
          .task = question.task,
          .call = question.call,
          .target = question.target,
          .cwd = question.cwd,
          .digest = place.digest,
          .surface = at_terminal ? "cli" : "gateway",
          .allow_permanent = std::ranges::all_of(findings, &Finding::permanent),
          .timeout = at_terminal ? config.timeout : config.gateway_timeout};
}

}  // namespace talaria::policy
