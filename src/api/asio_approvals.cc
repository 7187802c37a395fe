#include <talaria/asio_approvals.h>

#include <utility>

#include "api/core.h"
#include "api/queued_approval.h"

namespace talaria {
namespace {

policy::Approvals& approvals_of(const std::shared_ptr<AsioRuntime::Core>& core) {
  return core->policy().approvals();
}

}  // namespace

AsioApprovals::AsioApprovals(const AsioRuntime& runtime) : core_(runtime.core()) {}

Result<std::vector<QueuedApproval>> AsioApprovals::list(bool all) {
  const auto found = approvals_of(core_).queue().list(all);
  if (!found) return fail(found.error());
  std::vector<QueuedApproval> shown;
  for (const host::StoredApproval& one : *found) shown.push_back(to_queued(one));
  return shown;
}

Result<QueuedApproval> AsioApprovals::answer(const std::string& id, std::string_view word) {
  const auto answered = approvals_of(core_).queue().answer(id, word, answerer_here());
  if (!answered) return fail(answered.error());
  return to_queued(*answered);
}

std::size_t AsioApprovals::resolve(const std::string& session_key, std::string_view word,
                                   bool all) {
  return approvals_of(core_).resolve(session_key, word, all);
}

void AsioApprovals::set_yolo(const std::string& session_key, bool on) {
  approvals_of(core_).set_yolo(session_key, on);
}

void AsioApprovals::clear_session(const std::string& session_key) {
  approvals_of(core_).clear_session(session_key);
}

std::uint64_t AsioApprovals::listen(std::string session_key,
                                    std::function<void(const ApprovalRequest&)> on_ask) {
  return approvals_of(core_).listen(std::move(session_key), std::move(on_ask));
}

void AsioApprovals::leave(std::uint64_t id) { approvals_of(core_).leave(id); }

}  // namespace talaria
