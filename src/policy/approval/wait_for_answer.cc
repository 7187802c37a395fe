// How an answer is waited for, of Approvers.

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
#include "policy/approval/approvers.h"
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
  EndOfWait(std::shared_ptr<OpenQuestion> wait, CancelToken cancel)
      : wait_(std::move(wait)), cancel_(std::move(cancel)) {}
  EndOfWait(const EndOfWait&) = delete;
  EndOfWait& operator=(const EndOfWait&) = delete;
  ~EndOfWait() {
    cancel_.on_cancel(nullptr);
    wait_->end();
  }

 private:
  std::shared_ptr<OpenQuestion> wait_;
  CancelToken cancel_;
};

// What became of a question.
struct Heard {
  std::optional<ApprovalAnswer> answer;
  std::optional<Error> flaw;  // it could not be put
  bool withdrawn = false;     // nobody was left to answer
  bool given_up = false;      // the call was
};

Decision conclude(const ApprovalRequest& request, const Heard& heard, bool by_hook) {
  Decision decision{.reason = Reason::user,
                    .message = refused_by_user(request.description),
                    .outcome = "denied",
                    .description = request.description,
                    .rules = request.pattern_keys,
                    .choice = "deny",
                    .id = request.id};
  if (heard.answer && heard.answer->word == "deny") {
    decision.words = heard.answer->words;
    decision.message += quoted_words(decision.words);
  }
  if (heard.given_up) {
    decision.reason = Reason::interrupted;
  } else if (heard.flaw && request.surface == "gateway") {
    decision.reason = Reason::not_asked;
    decision.outcome = "notify_failed";
    decision.message = refused_unasked() + " (" + heard.flaw->message() + ")";
  } else if (heard.answer && approves(heard.answer->word)) {
    decision.approved = true;
    decision.message.clear();
    decision.outcome.clear();
    decision.choice = heard.answer->word;
  } else if (heard.withdrawn && by_hook) {
    decision.reason = Reason::not_asked;
    decision.choice = "timeout";
    decision.message = refused_unanswered(request.description);
  } else if (heard.withdrawn) {
    decision.choice = "timeout";  // as nobody answered
  } else if (!heard.answer && !heard.flaw) {
    decision.reason = Reason::timeout;
    decision.outcome = "timeout";
    decision.choice = "timeout";
    decision.message = refused_by_silence(request.description);
  }
  return decision;
}

}  // namespace

// Another program signals its answer through the pipe. One on another machine cannot, so the queue
// is also checked from time to time.
Task<void> Approvers::watch_queue(std::shared_ptr<os::WakePipe> waiter, std::string id,
                                  std::shared_ptr<OpenQuestion> wait) {
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
    if (auto answer = queue_.answer_to(id)) wait->answer(std::move(*answer));
  }
}

Task<Result<void>> Approvers::ask_in_queue(ApprovalRequest& request, asio::any_io_executor executor,
                                           std::shared_ptr<OpenQuestion> wait) {
  auto waiter = co_await put(request, true);
  if (!waiter) co_return fail(waiter.error());
  if (*waiter) {
    spawn(executor,
          watch_queue(std::make_shared<os::WakePipe>(std::move(**waiter)), request.id, wait));
  }
  co_return Result<void>();
}

// The answer goes to `wait`. A person at the terminal is asked even if the queue is not available.
Task<Result<void>> Approvers::ask_one(Kind kind, ApprovalRequest& request,
                                      asio::any_io_executor executor,
                                      std::shared_ptr<OpenQuestion> wait) {
  if (kind == Kind::hook) {
    host::notify_requested(people_.hooks, request);
    co_return host::ask_by_hook(people_.hooks, request, make_reply(wait));
  }
  auto queued = co_await ask_in_queue(request, executor, wait);
  if (kind == Kind::queue) co_return queued;
  if (!queued) host::notify_requested(people_.hooks, request);
  ask_at_terminal(executor, request, make_reply(wait));
  co_return Result<void>();
}

Task<Approvers::Asked> Approvers::wait_for_answer(ApprovalRequest request, Kind kind,
                                                  CancelToken cancel) {
  const auto executor = co_await asio::this_coro::executor;
  const auto news = std::make_shared<AsyncEvent>();
  const auto wait = std::make_shared<OpenQuestion>(
      [executor, news] { asio::post(executor, [news] { news->notify_all(); }); });
  const Hooks& hooks = people_.hooks;
  if (waiting_.size() >= kMaxWaitingQuestions) {
    co_return Asked{
        .decision = {.reason = Reason::not_asked,
                     .message = refused_unasked() + " Too many commands already wait for approval.",
                     .outcome = "notify_failed",
                     .description = request.description,
                     .rules = request.pattern_keys}};
  }
  const auto place = waiting_.insert(waiting_.end(), {request, wait});
  const std::unique_ptr<void, std::function<void(void*)>> listed(
      this, [this, place](void*) { waiting_.erase(place); });
  std::optional<EndOfWait> ends(std::in_place, wait, cancel);
  cancel.on_cancel([news] { news->notify_all(); });

  const Result<void> asked = co_await ask_one(kind, request, executor, wait);
  const Clock::time_point start = Clock::now();
  const Clock::time_point until = start + request.timeout;
  while (asked && wait->wanted() && !cancel.cancelled() && Clock::now() < until) {
    const bool notified =
        co_await news->wait_until(std::min(until, Clock::now() + hooks.activity_interval));
    const auto elapsed = std::chrono::floor<std::chrono::seconds>(Clock::now() - start);
    if (!notified && wait->wanted() && Clock::now() < until) host::notify_waiting(hooks, elapsed);
  }

  Heard heard{.answer = wait->answered(),
              .flaw = asked ? std::nullopt : std::optional(asked.error()),
              .withdrawn = wait->abandoned(),
              .given_up = cancel.cancelled()};
  ends.reset();
  if (kind != Kind::hook && asked) {
    const ApprovalAnswer none;
    const ApprovalAnswer given = heard.given_up ? none : heard.answer.value_or(none);
    const auto closed =
        co_await database_->patiently([&] { return queue_.close(request.id, given); });
    ApprovalAnswer valid = closed.value_or(given);
    if (!valid.word.empty()) heard.answer = std::move(valid);
  }
  Asked result{.decision = conclude(request, heard, kind == Kind::hook),
               .answer = heard.answer.value_or(ApprovalAnswer())};
  host::notify_answered(hooks, request, result.decision.choice);
  co_return result;
}

}  // namespace talaria::policy
