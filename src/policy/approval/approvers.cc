#include "policy/approval/approvers.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/limits.h"
#include "environment/command_origin.h"
#include "host/hooks.h"
#include "os/terminal_question.h"
#include "policy/approval/refusals.h"

namespace talaria::policy {
namespace {

host::StoredApproval stored_question(const ApprovalRequest& request) {
  const auto now = std::chrono::system_clock::now();
  // If its program is killed, the next one may still use the answer.
  const auto life = std::max<std::chrono::seconds>(request.timeout, kUnwaitedAnswerLife);
  return {.id = request.id,
          .session_key = request.session_key,
          .task = request.task,
          .command = request.command,
          .details = request.details,
          .description = request.description,
          .rules = request.pattern_keys,
          .target = request.target,
          .cwd = request.cwd,
          .permanent = request.allow_permanent,
          .created = now,
          .expires = now + life,
          .offers = request.offers,
          .notices = request.notices,
          .digest = request.digest};
}

Decision about(const ApprovalRequest& request, Reason reason, std::string message,
               std::string outcome) {
  return {.reason = reason,
          .message = std::move(message),
          .outcome = std::move(outcome),
          .description = request.description,
          .rules = request.pattern_keys,
          .id = request.id};
}

// What an answer to the same question, put earlier, means for it now.
Approvers::Asked asked_before(const ApprovalRequest& request,
                              const host::StoredApproval& answered) {
  Approvers::Asked asked{.answer = answer_of(answered)};
  const bool approved = asked.answer.word != "deny";
  asked.decision =
      approved ? about(request, Reason::user, "", "")
               : about(request, Reason::user, refused_by_user(request.description), "denied");
  if (!approved) {
    asked.decision.words = asked.answer.words;
    asked.decision.message += quoted_words(asked.answer.words);
  }
  asked.decision.approved = approved;
  asked.decision.choice = asked.answer.word;
  asked.decision.id = answered.id;
  return asked;
}

// What a person types at the terminal of a command is typed by the command's owner: the model.
bool has_a_terminal() {
  return os::TerminalQuestion::is_possible() && !environment::is_command_process(::getpid());
}

}  // namespace

bool in_chat(const host::ApprovalConfig& config) {
  return (config.gateway && !config.cron) || config.ask;
}

Approvers::Approvers(host::Settings& settings, std::shared_ptr<host::HomeDatabase> database,
                     const host::Interaction& people)
    : settings_(settings),
      people_(people),
      database_(std::move(database)),
      queue_(settings.config() ? settings.config()->home : "", database_) {}

bool Approvers::has_listener(const std::string& session_key, Role least) const {
  return std::ranges::any_of(subscribed_, [&](const auto& entry) {
    const Subscribed& one = entry.second;
    const bool hears = one.session_key.empty() || one.session_key == session_key;
    return hears && (one.role == Role::answers || least == Role::watches);
  });
}

Approvers::Kind Approvers::kind_for(const std::string& session_key,
                                    const host::ApprovalConfig& config) const {
  if (people_.hooks.ask) return Kind::hook;
  if (people_.at_terminal && has_a_terminal()) return Kind::terminal;
  if (in_chat(config) || config.queue || has_listener(session_key, Role::answers)) {
    return Kind::queue;
  }
  return Kind::nobody;
}

Task<Approvers::Asked> Approvers::ask(ApprovalRequest request, Kind kind, bool waits,
                                      CancelToken cancel) {
  if (kind != Kind::hook) {
    const host::StoredApproval question = stored_question(request);
    const auto answered =
        co_await database_->patiently([&] { return queue_.take_answer(question); });
    if (answered && *answered) co_return asked_before(request, **answered);
  }
  if (kind == Kind::queue && !waits) co_return co_await leave_in_queue(std::move(request));
  co_return co_await wait_for_answer(std::move(request), kind, std::move(cancel));
}

// The caller is informed, and calls again after it was answered.
Task<Approvers::Asked> Approvers::leave_in_queue(ApprovalRequest request) {
  if (const auto there = co_await put(request, false); !there) {
    co_return Asked{.decision = about(request, Reason::not_asked,
                                      refused_unasked() + " (" + there.error().message() + ")",
                                      "notify_failed")};
  }
  co_return Asked{.decision = about(request, Reason::pending,
                                    waits_for_approval(request.description, request.command), "")};
}

// Those who hear of a question hear of it once, after it is in the queue, so that they can answer
// at once.
Task<Result<std::optional<os::WakePipe>>> Approvers::put(ApprovalRequest& request, bool waits) {
  const host::StoredApproval question = stored_question(request);
  auto put = co_await database_->patiently([&] { return queue_.put(question, waits); });
  if (!put) co_return fail(put.error());
  const bool asked_before = put->id != request.id;
  request.id = put->id;
  if (asked_before && !waits) co_return std::move(put->waiter);
  host::notify_requested(people_.hooks, request);
  notify_listeners(request);
  co_return std::move(put->waiter);
}

void Approvers::notify_listeners(const ApprovalRequest& request) const {
  const auto listeners = subscribed_;
  for (const auto& [id, one] : listeners) {
    if (one.session_key.empty() || one.session_key == request.session_key) one.listener(request);
  }
}

std::size_t Approvers::resolve(const std::string& session_key, const ApprovalAnswer& answer,
                               bool all) {
  // A command cannot approve what it has asked for itself.
  if (answer.word != "deny" && environment::is_command_process(::getpid())) return 0;
  std::size_t count = 0;
  for (const Waiting& one : waiting_) {
    if (one.request.session_key != session_key || !one.wait->wanted()) continue;
    one.wait->answer(answer);
    ++count;
    if (!all) break;
  }
  return count;
}

std::uint64_t Approvers::listen(std::string session_key, Role role, Listener listener) {
  subscribed_.emplace(++subscriptions_,
                      Subscribed{std::move(session_key), role, std::move(listener)});
  return subscriptions_;
}

void Approvers::leave(std::uint64_t id) {
  const auto found = subscribed_.find(id);
  if (found == subscribed_.end()) return;
  subscribed_.erase(found);
  for (const Waiting& one : waiting_) {
    const auto config = settings_.of(one.request.task);
    const bool heard =
        config && ((*config)->approvals.headless == host::HeadlessMode::queue ||
                   kind_for(one.request.session_key, (*config)->approvals) != Kind::nobody);
    if (!heard) one.wait->abandon();
  }
}

}  // namespace talaria::policy
