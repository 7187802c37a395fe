#include "api/asio_approvals.h"

#include <utility>

#include "api/approval_conversion.h"
#include "api/core.h"

namespace talaria {
namespace {

policy::Approvals& approvals_of(const std::shared_ptr<AsioRuntime::Core>& core) {
  return core->policy().approvals();
}

policy::Approvers& approvers_of(const std::shared_ptr<AsioRuntime::Core>& core) {
  return approvals_of(core).approvers();
}

}  // namespace

AsioApprovals::AsioApprovals(const AsioRuntime& runtime) : core_(runtime.core()) {}

Result<std::vector<QueuedApproval>> AsioApprovals::list(bool all) {
  return queued_approvals(approvers_of(core_).queue(), all);
}

asio::awaitable<Result<QueuedApproval>> AsioApprovals::answer(std::string id,
                                                              ApprovalAnswer answer) {
  const auto& database = core_->host().journal.ledger().database();
  return database->patiently(
      [core = core_, id = std::move(id), answer = std::move(answer)]() -> Result<QueuedApproval> {
        const auto answered = approvers_of(core).queue().answer(id, answer, answerer_here());
        if (!answered) return fail(answered.error());
        return to_queued({.question = *answered});
      });
}

std::size_t AsioApprovals::resolve(const std::string& session_key, const ApprovalAnswer& answer,
                                   bool all) {
  return approvers_of(core_).resolve(session_key, answer, all);
}

Result<void> AsioApprovals::set_yolo(const std::string& session_key, bool on) {
  if (const auto allowed = host::refuse_commands(); on && !allowed) return fail(allowed.error());
  approvals_of(core_).set_yolo(session_key, on);
  return {};
}

void AsioApprovals::clear_session(const std::string& session_key) {
  approvals_of(core_).clear_session(session_key);
}

std::uint64_t AsioApprovals::listen(std::string session_key,
                                    std::function<void(const ApprovalRequest&)> on_ask) {
  return approvers_of(core_).listen(std::move(session_key), policy::Approvers::Role::answers,
                                    std::move(on_ask));
}

void AsioApprovals::leave(std::uint64_t id) { approvers_of(core_).leave(id); }

}  // namespace talaria
