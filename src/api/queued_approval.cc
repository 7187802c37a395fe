#include "api/queued_approval.h"

#include <unistd.h>

namespace talaria {
namespace {

std::string state_name(host::ApprovalState state) {
  switch (state) {
    case host::ApprovalState::open:
      return "open";
    case host::ApprovalState::answered:
      return "answered";
    case host::ApprovalState::expired:
      return "expired";
    case host::ApprovalState::used:
      return "used";
  }
  return "";
}

}  // namespace

QueuedApproval to_queued(const host::StoredApproval& stored) {
  return {.request = {.id = stored.id,
                      .command = stored.command,
                      .description = stored.description,
                      .pattern_key = stored.rules.empty() ? "" : stored.rules.front(),
                      .pattern_keys = stored.rules,
                      .session_key = stored.session_key,
                      .task = stored.task,
                      .target = stored.target,
                      .cwd = stored.cwd,
                      .surface = "gateway",
                      .allow_permanent = stored.permanent},
          .created = stored.created,
          .expires = stored.expires,
          .state = state_name(stored.state),
          .choice = stored.choice,
          .waited_for = !stored.machine.empty(),
          .pid = stored.pid};
}

std::string answerer_here() { return "pid " + std::to_string(::getpid()); }

}  // namespace talaria
