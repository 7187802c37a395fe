// Sessions: the sessions of a runner that are in memory, with their warm shells: those that run a
// command, and of the others the ones that were used last. The rest is only on disk, so nothing
// here takes longer because there are many.
#pragma once

#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "runner/limits.h"
#include "runner/run_table.h"
#include "runner/session.h"
#include "runner/session_store.h"
#include "runner/spare_shells.h"

namespace talaria::runner {

class Sessions {
 public:
  // All references outlive it. `directory`: where their states are stored.
  Sessions(asio::io_context& loop, const ShellHost& host, std::string directory, RunTable& runs);

  Session& get(const std::string& id);  // brought into memory if need be
  // Retires an idle session if there are too many for another one. An error of kind limit: all are
  // busy.
  Result<void> make_room_for(const std::string& id);

  // Where a session is, without starting anything in it.
  Result<SessionPlace> place_of(const std::string& id);
  // Removes it, also from disk. Refused while something of it runs.
  Result<void> end(const std::string& id);

  std::size_t size() const { return sessions_.size(); }
  std::size_t warm_shells() const { return spare_.all(); }
  void limit_warm_shells(std::size_t most) { warm_limit_ = most; }  // of all sessions
  void drop_warm_shells();
  void give_way();  // a command starts: leaves it the processes that there may be
  // Replaces the warm shells that were used, when there is nothing more urgent.
  void refill_soon(const std::string& id,
                   std::chrono::milliseconds pause = std::chrono::milliseconds(0));
  void refill_now();  // without waiting for the end of a pause

  void shut_down();  // the runner ends

 private:
  using Order = std::list<Session*>;
  struct Entry {
    std::unique_ptr<Session> session;
    Order* order;  // busy_ or idle_
    Order::iterator place;
  };

  void place_last(Session& session, Order& order);
  void session_is_idle(Session& session);
  bool retire_oldest();  // false: its state cannot be written
  void retire_unused();
  bool is_short() const;  // of processes
  bool are_many() const { return sessions_.size() >= kManySessions; }
  bool may_have_warm_shell(const Session& session);
  bool refill_session(const std::string& id);
  void refill_next();

  asio::io_context& loop_;
  const ShellHost& host_;
  SessionStore store_;
  RunTable& runs_;
  SpareShells spare_;
  std::unordered_map<std::string, Entry> sessions_;
  Order busy_;
  Order idle_;  // the longest idle first
  asio::steady_timer unused_;
  std::size_t warm_limit_;
  bool counted_;  // there may be so few processes that idle ones matter
  std::deque<std::string> to_refill_;
  std::unordered_set<std::string> in_refill_;  // the same
  asio::steady_timer refill_pause_;
  asio::steady_timer next_count_;
  bool counting_ = false;   // next_count_ runs
  bool refilling_ = false;  // a refill is posted to the loop
};

}  // namespace talaria::runner
