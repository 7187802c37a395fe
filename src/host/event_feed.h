// EventFeed: brings the events of environments into the store, and from there to
// subscribers. What a subscriber gets always comes from the store, so that it is the same whichever
// program brought it there, and nothing is missed by one that was away.
//
// Environments are followed only while there is a subscriber.
#pragma once

#include <talaria/event.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "host/process_ledger.h"

namespace talaria::host {

class EventFeed {
 public:
  explicit EventFeed(std::shared_ptr<ProcessLedger> ledger) : ledger_(std::move(ledger)) {}
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;

  bool has_subscribers() const { return !subscribers_.empty(); }

  // Follows the environment (`key` names it in the store) if there is a subscriber and nobody
  // follows it yet.
  void follow(const asio::any_io_executor& executor, const std::string& key,
              std::shared_ptr<environment::Environment> environment);

  // It is not wanted any more.
  void unfollow(const std::string& key);

  // Has every subscriber look what there is in the store: another program may have put it there.
  void look_again() { notify_subscribers(); }

  // Brings in what is there now, once.
  Task<Result<void>> collect(std::string key,
                             std::shared_ptr<environment::Environment> environment);

  // Hands events to `sink`, in order, until cancelled.
  Task<Result<void>> deliver(EventOptions options, std::function<bool(const ProcessEvent&)> sink,
                             CancelToken cancel);

 private:
  struct Subscriber;

  // Why an environment is not followed any more.
  struct FollowEnd {
    std::optional<Error> error;  // none: its runner ended in order, or there is no subscriber
    bool ours = false;           // the error is the store's, not the environment's
    std::string instance;        // of the runner
  };
  struct Followed {
    std::uint64_t number = 0;
    CancelToken stop;
  };

  Task<void> keep_following(std::string key, std::shared_ptr<environment::Environment> environment,
                            CancelToken stop, std::uint64_t number);
  Task<FollowEnd> follow_once(std::string key,
                              std::shared_ptr<environment::Environment> environment,
                              CancelToken stop);
  Task<FollowEnd> collect_once(std::string key,
                               std::shared_ptr<environment::Environment> environment,
                               CancelToken stop);
  Task<Result<void>> take(std::string instance, std::vector<environment::NumberedEvent> events);
  Task<FollowEnd> settle(std::string key, std::shared_ptr<environment::Environment> environment);
  Task<Result<void>> not_there(StoredProcess process, std::string instance);
  Task<void> target_lost(std::shared_ptr<environment::Environment> environment,
                         std::string instance, Error error);
  Task<Result<void>> hand_over(Subscriber& subscriber);
  bool is_for(const Subscriber& subscriber, const ProcessEvent& event) const;
  void notify_subscribers();

  std::shared_ptr<ProcessLedger> ledger_;
  EventStore store_{ledger_->database()};
  ProcessStore processes_{ledger_->database()};
  std::list<Subscriber*> subscribers_;
  std::map<std::string, Followed> followed_;  // by key
  std::uint64_t follows_ = 0;
  std::shared_ptr<EventFeed*> alive_ = std::make_shared<EventFeed*>(this);
};

}  // namespace talaria::host
