#include "api/asio_approvals.h"

#include <utility>

#include "api/approval_conversion.h"
#include "api/checks.h"
#include "api/core.h"
#include "tools/exec.h"

namespace talaria {
namespace {

policy::Approvals& approvals_of(const std::shared_ptr<AsioRuntime::Core>& core) {
  return core->policy().approvals();
}

policy::Approvers& approvers_of(const std::shared_ptr<AsioRuntime::Core>& core) {
  return approvals_of(core).approvers();
}

// As it would be asked about if it were run.
Result<policy::CommandQuestion> question_about(const std::shared_ptr<AsioRuntime::Core>& core,
                                               const CommandToJudge& command) {
  for (const auto& fine :
       {check_text("command", command.text), check_task(command.task),
        check_text("session_key", command.session_key),
        check_text("cwd", command.workdir.value_or("")), check_variables(command.variables)}) {
    if (!fine) return fail(fine.error());
  }
  Command whole{.text = command.text,
                .task = command.task,
                .session_key = command.session_key,
                .workdir = command.workdir,
                .variables = command.variables,
                .stdin_data = command.stdin_data};
  return tool::question_of(core->services(), std::move(whole));
}

ApprovalPreview to_public(policy::Approvals::Preview preview) {
  using Verdict = ApprovalPreview::Verdict;
  policy::Decision& decision = preview.decision;
  const bool asks = decision.reason == policy::Reason::pending;
  return {.verdict = decision.approved ? Verdict::allowed
                     : asks            ? Verdict::ask
                                       : Verdict::denied,
          .rules = std::move(decision.rules),
          .description = std::move(decision.description),
          .message = std::move(decision.message),
          .offers = std::move(preview.request.offers)};
}

Task<Result<ApprovalPreview>> judged(std::shared_ptr<AsioRuntime::Core> core,
                                     CommandToJudge command) {
  const auto question = question_about(core, command);
  if (!question) co_return fail(question.error());
  co_return to_public(co_await approvals_of(core).preview(*question));
}

Task<Result<std::vector<ApprovalGrant>>> granted(std::shared_ptr<AsioRuntime::Core> core,
                                                 CommandToJudge command, ApprovalAnswer answer) {
  const auto question = question_about(core, command);
  if (!question) co_return fail(question.error());
  const auto stored = co_await approvals_of(core).grant(*question, answer);
  if (!stored) co_return fail(stored.error());
  std::vector<ApprovalGrant> grants;
  for (const host::StoredGrant& one : *stored) grants.push_back(to_grant(one));
  co_return grants;
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

Result<QueuedApproval> AsioApprovals::find(const std::string& id) {
  auto all = list(true);
  if (!all) return fail(all.error());
  for (QueuedApproval& one : *all) {
    if (one.request.id == id) return std::move(one);
  }
  return fail(ErrorKind::not_found, "unknown approval request '" + id + "'");
}

Task<Result<ApprovalPreview>> AsioApprovals::judge(CommandToJudge command) {
  return judged(core_, std::move(command));
}

Task<Result<std::vector<ApprovalGrant>>> AsioApprovals::grant(CommandToJudge command,
                                                              ApprovalAnswer answer) {
  return granted(core_, std::move(command), std::move(answer));
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
