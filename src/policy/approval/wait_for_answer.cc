// How an answer is waited for, of Approvals.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/event.h"
#include "base/limits.h"
#include "base/time_limit.h"
#include "host/hooks.h"
#include "os/file.h"
#include "policy/approval/approvals.h"
#include "policy/approval/refusals.h"
#include "policy/approval/terminal_approver.h"

namespace talaria::policy {
namespace {

using Clock = std::chrono::steady_clock;

bool approves(std::string_view word) {
  return word == "once" || word == "session" || word == "always";
}

// Ends a question when the call that asked it goes, however it goes.
class EndOfWait {
 public:
  EndOfWait(std::shared_ptr<ApprovalWait> wait, CancelToken cancel)
      : wait_(std::move(wait)), cancel_(std::move(cancel)) {}
  EndOfWait(const EndOfWait&) = delete;
  EndOfWait& operator=(const EndOfWait&) = delete;
  ~EndOfWait() {
    cancel_.on_cancel(nullptr);
    wait_->end();
  }

 private:
  std::shared_ptr<ApprovalWait> wait_;
  CancelToken cancel_;
};

// What became of a question.
struct Heard {
  std::optional<std::string> word;  // that was answered
  std::optional<Error> flaw;        // it could not be put
  bool withdrawn = false;           // nobody was left to answer
  bool given_up = false;            // the call was
};

Decision conclude(const ApprovalRequest& request, const Heard& heard) {
  Decision decision{.reason = Reason::user,
                    .message = refused_by_user(request.description),
                    .outcome = "denied",
                    .description = request.description,
                    .rules = request.pattern_keys,
                    .choice = "deny",
                    .id = request.id};
  if (heard.given_up) {
    decision.reason = Reason::interrupted;
  } else if (heard.flaw && request.surface == "gateway") {
    decision.reason = Reason::not_asked;
    decision.outcome = "notify_failed";
    decision.message = refused_unasked() + " (" + heard.flaw->message() + ")";
  } else if (heard.word && approves(*heard.word)) {
    decision.approved = true;
    decision.message.clear();
    decision.outcome.clear();
    decision.choice = *heard.word;
  } else if (heard.withdrawn) {
    decision.choice = "timeout";  // as nobody answered
  } else if (!heard.word && !heard.flaw) {
    decision.reason = Reason::timeout;
    decision.outcome = "timeout";
    decision.choice = "timeout";
    decision.message = refused_by_silence(request.description);
  }
  return decision;
}

}  // namespace

host::StoredApproval Approvals::stored(const ApprovalRequest& request, bool waits) {
  const auto now = std::chrono::system_clock::now();
  return {.id = request.id,
          .session_key = request.session_key,
          .task = request.task,
          .command = request.command,
          .description = request.description,
          .rules = request.pattern_keys,
          .target = request.target,
          .cwd = request.cwd,
          .permanent = request.allow_permanent,
          .created = now,
          .expires = waits ? now + request.timeout : now + kUnwaitedAnswerLife};
}

Result<std::optional<os::WakePipe>> Approvals::put(const ApprovalRequest& request, bool waits) {
  auto put = queue_.put(stored(request, waits), waits);
  if (!put) return fail(put.error());
  // After the question is in the queue, so that a listener can answer at once.
  const auto listeners = subscribed_;
  for (const auto& [id, one] : listeners) {
    if (one.session_key.empty() || one.session_key == request.session_key) one.listener(request);
  }
  return std::move(put->waiter);
}

// Another program signals its answer through the pipe. One on another machine cannot, so the queue
// is also checked from time to time.
Task<void> Approvals::watch_queue(std::shared_ptr<os::WakePipe> waiter, std::string id,
                                  std::shared_ptr<ApprovalWait> wait) {
  const auto executor = co_await asio::this_coro::executor;
  auto copy = os::duplicate(waiter->fd());
  if (!copy) co_return;
  using Stream = asio::posix::stream_descriptor;
  const auto pipe = std::make_shared<Stream>(executor, copy->release());
  wait->on_unwanted([still_there = std::weak_ptr<Stream>(pipe)] {
    if (const auto there = still_there.lock()) there->cancel();
  });
  while (wait->wanted()) {
    co_await within(kAnswerLook, pipe->async_wait(Stream::wait_read, as_values));
    if (!wait->wanted()) break;
    waiter->drain();
    if (const auto word = queue_.answer_to(id)) wait->answer(*word);
  }
}

// The answer goes to `wait`.
Result<void> Approvals::ask_approver(Approver approver, const ApprovalRequest& request,
                                     const asio::any_io_executor& executor,
                                     const std::shared_ptr<ApprovalWait>& wait) {
  if (approver == Approver::hook)
    return host::ask_by_hook(people_.hooks, request, make_reply(wait));
  if (approver == Approver::terminal) {
    ask_at_terminal(executor, request, make_reply(wait));
    return {};
  }
  auto waiter = put(request, true);
  if (!waiter) return fail(waiter.error());
  if (*waiter) {
    spawn(executor,
          watch_queue(std::make_shared<os::WakePipe>(std::move(**waiter)), request.id, wait));
  }
  return {};
}

Task<Decision> Approvals::wait_for_answer(ApprovalRequest request, Approver approver,
                                          CancelToken cancel) {
  const auto executor = co_await asio::this_coro::executor;
  const auto news = std::make_shared<AsyncEvent>();
  const auto wait = std::make_shared<ApprovalWait>(
      [executor, news] { asio::post(executor, [news] { news->notify_all(); }); });
  const Hooks& hooks = people_.hooks;
  if (waiting_.size() >= kMaxWaitingQuestions) {
    co_return Decision{
        .reason = Reason::not_asked,
        .message = refused_unasked() + " Too many commands already wait for approval.",
        .outcome = "notify_failed",
        .description = request.description,
        .rules = request.pattern_keys};
  }
  const auto place = waiting_.insert(waiting_.end(), {request, wait});
  const std::unique_ptr<void, std::function<void(void*)>> listed(
      this, [this, place](void*) { waiting_.erase(place); });
  std::optional<EndOfWait> ends(std::in_place, wait, cancel);
  cancel.on_cancel([news] { news->notify_all(); });

  host::notify_requested(hooks, request);
  const Result<void> asked = ask_approver(approver, request, executor, wait);
  const Clock::time_point start = Clock::now();
  const Clock::time_point until = start + request.timeout;
  while (asked && wait->wanted() && !cancel.cancelled() && Clock::now() < until) {
    const bool notified =
        co_await news->wait_until(std::min(until, Clock::now() + hooks.activity_interval));
    const auto elapsed = std::chrono::floor<std::chrono::seconds>(Clock::now() - start);
    if (!notified && wait->wanted() && Clock::now() < until) host::notify_waiting(hooks, elapsed);
  }

  Heard heard{.word = wait->word(),
              .flaw = asked ? std::nullopt : std::optional(asked.error()),
              .withdrawn = wait->abandoned(),
              .given_up = cancel.cancelled()};
  ends.reset();
  if (approver == Approver::queue && asked) {
    const std::string word = heard.given_up ? "" : heard.word.value_or("");
    const std::string valid = queue_.close(request.id, word);
    if (!valid.empty()) heard.word = valid;
  }
  Decision decision = conclude(request, heard);
  if (decision.approved) grant(request, decision.choice, decision);
  host::notify_answered(hooks, request, decision.choice);
  co_return decision;
}

}  // namespace talaria::policy
