#include "api/approval_conversion.h"

#include <unistd.h>

#include "policy/approval/grant_scope.h"

namespace talaria {
namespace {

ApprovalState to_state(host::ApprovalState state) {
  switch (state) {
    case host::ApprovalState::open:
      return ApprovalState::open;
    case host::ApprovalState::answered:
      return ApprovalState::answered;
    case host::ApprovalState::used:
      return ApprovalState::used;
    case host::ApprovalState::expired:
      break;
  }
  return ApprovalState::expired;
}

}  // namespace

std::string_view approval_state_name(ApprovalState state) {
  switch (state) {
    case ApprovalState::open:
      return "open";
    case ApprovalState::answered:
      return "answered";
    case ApprovalState::used:
      return "used";
    case ApprovalState::expired:
      break;
  }
  return "expired";
}

QueuedApproval to_queued(const host::ApprovalQueue::Listed& listed) {
  const host::StoredApproval& stored = listed.question;
  return {.request = {.id = stored.id,
                      .command = stored.command,
                      .details = stored.details,
                      .description = stored.description,
                      .pattern_key = stored.rules.empty() ? "" : stored.rules.front(),
                      .pattern_keys = stored.rules,
                      .offers = stored.offers,
                      .notices = stored.notices,
                      .session_key = stored.session_key,
                      .task = stored.task,
                      .target = stored.target,
                      .cwd = stored.cwd,
                      .digest = stored.digest,
                      .surface = "gateway",
                      .allow_permanent = stored.permanent},
          .created = stored.created,
          .expires = stored.expires,
          .state = to_state(stored.state),
          .answer = host::answer_of(stored),
          .answerer = stored.answerer,
          .waited_for = listed.waited_for,
          .asker_gone = listed.asker_gone,
          .pid = stored.pid};
}

Result<std::vector<QueuedApproval>> queued_approvals(host::ApprovalQueue& queue, bool all) {
  const auto found = queue.list(all);
  if (!found) return fail(found.error());
  std::vector<QueuedApproval> shown;
  for (const host::ApprovalQueue::Listed& one : *found) shown.push_back(to_queued(one));
  return shown;
}

ApprovalGrant to_grant(const host::StoredGrant& grant) {
  return {.id = grant.id,
          .rule = grant.rule,
          .covers = std::string(policy::width_of(grant)),
          .sentence = policy::sentence_of(grant),
          .target = grant.target,
          .session_key = grant.session_key,
          .task = grant.task,
          .directory = grant.directory,
          .granted = grant.granted,
          .grantor = grant.grantor,
          .until = grant.until,
          .confirmed = grant.confirmed};
}

std::string answerer_here() { return "process " + std::to_string(::getpid()); }

}  // namespace talaria
