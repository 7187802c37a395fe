#include "host/event_feed.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/event.h"
#include "host/lost_event.h"

namespace talaria::host {
namespace {

constexpr std::size_t kEventsAtOnce = 100;
// A wait that ends with the same process is answered first; then nobody needs to be notified.
constexpr auto kSettleTime = std::chrono::milliseconds(20);
// When a store that could not be written is tried again; the runner keeps the events until then.
constexpr auto kStoreAgain = std::chrono::milliseconds(1000);

// What to do when a call is given up, for as long as this lives.
class CancelWatch {
 public:
  CancelWatch(CancelToken token, std::function<void()> action) : token_(std::move(token)) {
    token_.on_cancel(std::move(action));
  }
  CancelWatch(const CancelWatch&) = delete;
  CancelWatch& operator=(const CancelWatch&) = delete;
  ~CancelWatch() { token_.on_cancel(nullptr); }

 private:
  CancelToken token_;
};
// A process is written down before its runner knows it.
constexpr auto kStartUnderWay = std::chrono::minutes(1);

Task<void> acknowledge(std::shared_ptr<environment::Environment> environment, std::string instance,
                       std::uint64_t number) {
  (void)co_await environment->processes().acknowledge(std::move(instance), number);
}

}  // namespace

struct EventFeed::Subscriber {
  Subscriber(EventOptions its_options, std::function<bool(const ProcessEvent&)> its_sink)
      : options(std::move(its_options)), sink(std::move(its_sink)) {}

  EventOptions options;
  std::function<bool(const ProcessEvent&)> sink;
  std::uint64_t position = 0;  // the last event it was asked about
  AsyncEvent news;             // ends the present wait
  bool look_again = true;
};

void EventFeed::follow(const asio::any_io_executor& executor, const std::string& key,
                       std::shared_ptr<environment::Environment> environment) {
  if (subscribers_.empty() || followed_.contains(key)) return;
  const CancelToken stop;
  const std::uint64_t number = ++follows_;
  followed_.emplace(key, Followed{number, stop});
  spawn(executor, keep_following(key, std::move(environment), stop, number));
}

void EventFeed::unfollow(const std::string& key) {
  const auto found = followed_.find(key);
  if (found != followed_.end()) CancelToken(found->second.stop).cancel();
}

// A runner that ended in order is not looked for: that would start it again. The next call that
// needs its environment follows it once more.
Task<void> EventFeed::keep_following(std::string key,
                                     std::shared_ptr<environment::Environment> environment,
                                     CancelToken stop, std::uint64_t number) {
  const std::weak_ptr<EventFeed*> alive = alive_;
  asio::steady_timer pause(co_await asio::this_coro::executor);
  while (!stop.cancelled()) {
    FollowEnd end = co_await follow_once(key, environment, stop);
    if (alive.expired()) co_return;
    if (stop.cancelled() || !end.error) break;
    if (!end.ours) co_await target_lost(environment, end.instance, *end.error);
    if (alive.expired()) co_return;
    const bool another_may_come = end.error->kind() == ErrorKind::runner_lost;
    if (!end.ours && !another_may_come) break;
    pause.expires_after(end.ours ? kStoreAgain : std::chrono::milliseconds(0));
    co_await pause.async_wait(as_values);
    if (alive.expired()) co_return;
  }
  const auto found = followed_.find(key);
  if (found != followed_.end() && found->second.number == number) followed_.erase(found);
}

Task<Result<void>> EventFeed::collect(std::string key,
                                      std::shared_ptr<environment::Environment> environment) {
  const FollowEnd end =
      co_await collect_once(std::move(key), std::move(environment), CancelToken());
  if (end.error) co_return fail(*end.error);
  co_return Result<void>();
}

// What the runner has now, then what the store knows of processes the runner does not.
Task<EventFeed::FollowEnd> EventFeed::collect_once(
    std::string key, std::shared_ptr<environment::Environment> environment, CancelToken stop) {
  const std::weak_ptr<EventFeed*> alive = alive_;
  environment::Processes& processes = environment->processes();
  std::vector<environment::NumberedEvent> events;
  const auto last = co_await processes.events(
      {}, [&events](const environment::NumberedEvent& event) { events.push_back(event); }, stop);
  FollowEnd end{.instance = processes.instance()};
  if (alive.expired()) co_return end;
  if (!last) co_return FollowEnd{.error = last.error(), .instance = end.instance};
  const std::uint64_t newest = events.empty() ? 0 : events.back().number;
  const auto taken = co_await take(end.instance, std::move(events));
  if (alive.expired()) co_return end;
  if (!taken) {
    co_return FollowEnd{.error = taken.error(), .ours = true, .instance = end.instance};
  }
  if (newest > 0) {
    const auto acknowledged = co_await processes.acknowledge(end.instance, newest);
    if (alive.expired()) co_return end;
    if (!acknowledged) co_return FollowEnd{.error = acknowledged.error(), .instance = end.instance};
  }
  notify_subscribers();  // another program may have brought them
  co_return co_await settle(std::move(key), std::move(environment));
}

Task<EventFeed::FollowEnd> EventFeed::follow_once(
    std::string key, std::shared_ptr<environment::Environment> environment, CancelToken stop) {
  const std::weak_ptr<EventFeed*> alive = alive_;
  const auto executor = co_await asio::this_coro::executor;
  FollowEnd end = co_await collect_once(key, environment, stop);
  if (end.error || alive.expired() || stop.cancelled()) co_return end;
  CancelToken enough;
  const auto on_event = [&, this](const environment::NumberedEvent& event) {
    if (alive.expired() || end.error) return;
    // If another program holds the store, the runner keeps the event and reports it again.
    const std::vector<environment::NumberedEvent> one{event};
    if (const auto added = store_.add_all(end.instance, one); !added) {
      end.error = added.error();
      end.ours = true;
      return enough.cancel();
    }
    notify_subscribers();
    spawn(executor, acknowledge(environment, end.instance, event.number));
  };
  stop.on_cancel([enough]() mutable { enough.cancel(); });
  const auto last = co_await environment->processes().events({.follow = true}, on_event, enough);
  stop.on_cancel(nullptr);
  if (!last && !end.error) end.error = last.error();
  co_return end;
}

Task<Result<void>> EventFeed::take(std::string instance,
                                   std::vector<environment::NumberedEvent> events) {
  if (events.empty()) co_return Result<void>();
  const std::weak_ptr<EventFeed*> alive = alive_;
  const auto added = co_await ledger_->database()->patiently(
      [store = store_, &instance, &events]() mutable { return store.add_all(instance, events); });
  if (!added) co_return fail(added.error());
  // Also if another program was faster: what counts is what our subscribers have had.
  if (!alive.expired()) notify_subscribers();
  co_return Result<void>();
}

// Processes that are written down as running there, but that its runner does not know: they were
// lost with the runner before it, or their end was forgotten.
Task<EventFeed::FollowEnd> EventFeed::settle(
    std::string key, std::shared_ptr<environment::Environment> environment) {
  const std::weak_ptr<EventFeed*> alive = alive_;
  const FollowEnd end{.instance = environment->processes().instance()};
  const auto written = ledger_->running_at(key);
  if (!written) {
    co_return FollowEnd{.error = written.error(), .ours = true, .instance = end.instance};
  }
  if (written->empty()) co_return end;
  const auto listed = co_await environment->processes().list({});
  if (!listed) co_return FollowEnd{.error = listed.error(), .instance = end.instance};
  if (alive.expired()) co_return end;
  std::set<std::string> known;
  for (const ProcessInfo& info : *listed) known.insert(info.id);
  for (const StoredProcess& process : *written) {
    if (known.contains(process.id)) continue;
    const auto done = co_await not_there(process, end.instance);
    if (alive.expired()) co_return end;
    if (!done) {
      co_return FollowEnd{.error = done.error(), .ours = true, .instance = end.instance};
    }
  }
  co_return end;
}

// It was lost with a runner before this one, or its end was forgotten by this one.
Task<Result<void>> EventFeed::not_there(StoredProcess process, std::string instance) {
  const std::weak_ptr<EventFeed*> alive = alive_;
  HomeDatabase& database = *ledger_->database();
  if (process.instance == instance) {
    const auto age = std::chrono::system_clock::now() - process.started;
    if (age < kStartUnderWay) co_return Result<void>();  // it may not have come there yet
    co_return co_await database.patiently(
        [store = processes_, &process]() mutable { return store.end(process.id); });
  }
  const auto added = co_await database.patiently([store = store_, &process]() mutable {
    return store.add({.instance = process.instance}, lost_event(process));
  });
  if (!added) co_return fail(added.error());
  if (!alive.expired()) notify_subscribers();
  co_return Result<void>();
}

Task<void> EventFeed::target_lost(std::shared_ptr<environment::Environment> environment,
                                  std::string instance, Error error) {
  if (instance.empty()) co_return;
  const std::weak_ptr<EventFeed*> alive = alive_;
  const std::string target(environment->target());
  const ProcessEvent lost{
      .type = EventType::target_lost,
      .target = target,
      .time = std::chrono::system_clock::now(),
      .message = "The runner of target " + target + " is gone: " + error.message()};
  const auto added =
      co_await ledger_->database()->patiently([store = store_, &instance, &lost]() mutable {
        return store.add({.instance = instance}, lost);
      });
  if (added.value_or(false) && !alive.expired()) notify_subscribers();
}

void EventFeed::notify_subscribers() {
  for (Subscriber* subscriber : subscribers_) {
    subscriber->look_again = true;
    subscriber->news.notify_all();  // deliver() waits anew
  }
}

// An event of a session that somebody else here subscribed for is theirs; one of a session nobody
// is there for is anybody's.
bool EventFeed::is_for(const Subscriber& subscriber, const ProcessEvent& event) const {
  const std::string& wanted = subscriber.options.session_key;
  if (wanted.empty() || event.session_key.empty() || event.session_key == wanted) return true;
  return std::ranges::none_of(subscribers_, [&](const Subscriber* other) {
    return other->options.session_key == event.session_key;
  });
}

Task<Result<void>> EventFeed::hand_over(Subscriber& subscriber) {
  const std::weak_ptr<EventFeed*> alive = alive_;
  const auto newest = store_.last();
  if (!newest) co_return fail(newest.error());
  // Somebody removed the store, and it begins anew.
  if (*newest < subscriber.position) subscriber.position = 0;
  for (;;) {
    const auto events = store_.after(subscriber.position, kEventsAtOnce);
    if (!events) co_return fail(events.error());
    if (events->empty()) co_return Result<void>();
    bool behind = false;
    for (const ProcessEvent& event : *events) {
      const bool is_end = event.type == EventType::completion;
      const bool unreported =
          is_end && !subscriber.options.history &&
          (!event.announced || store_.is_consumed(event.process).value_or(false));
      behind = !unreported && is_for(subscriber, event) && !subscriber.sink(event);
      if (behind) break;
      subscriber.position = event.id;
    }
    if (!subscriber.options.acknowledges && !subscriber.options.history) {
      const auto moved =
          co_await ledger_->database()->patiently([store = store_, &subscriber]() mutable {
            return store.move_cursor(subscriber.options.consumer, subscriber.position);
          });
      if (!moved || alive.expired()) co_return moved;
    }
    subscriber.look_again = behind;
    if (behind) co_return Result<void>();
  }
}

Task<Result<void>> EventFeed::deliver(EventOptions options,
                                      std::function<bool(const ProcessEvent&)> sink,
                                      CancelToken cancel) {
  const std::weak_ptr<EventFeed*> alive = alive_;
  Subscriber subscriber(std::move(options), std::move(sink));
  const auto cursor =
      subscriber.options.from_now ? store_.last() : store_.cursor(subscriber.options.consumer);
  if (!cursor) co_return fail(cursor.error());
  subscriber.position = subscriber.options.history ? subscriber.options.after : *cursor;
  subscribers_.push_back(&subscriber);
  const CancelWatch watch(cancel, [&subscriber] { subscriber.news.notify_all(); });
  Result<void> result;
  while (!cancel.cancelled() && result) {
    const bool look = subscriber.look_again;
    while (std::exchange(subscriber.look_again, false)) {
      co_await subscriber.news.wait_for(kSettleTime);
      if (alive.expired()) co_return Result<void>();
    }
    if (look) {
      result = co_await hand_over(subscriber);
      if (alive.expired()) co_return result;
      continue;
    }
    co_await subscriber.news.wait();
    if (alive.expired()) co_return Result<void>();
  }
  subscribers_.remove(&subscriber);
  if (subscribers_.empty()) {
    for (auto& [key, followed] : std::exchange(followed_, {})) followed.stop.cancel();
  }
  co_return result;
}

}  // namespace talaria::host
