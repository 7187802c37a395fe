// ProcessTree: all processes that one shell started, and the shell, seen through their reaper. The
// tree is alive, is being killed, or is over: empty, or lost because another process killed the
// reaper.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/task.h"
#include "link/messages.h"
#include "runner/shell/shell_launch.h"

namespace talaria::runner {

class ProcessTree {
 public:
  // A call may come from inside kill(), when that finds the reaper gone.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void shell_started() = 0;
    virtual void shell_failed(int code) = 0;  // errno of its exec
    // `program`: see ReaperReport::exited.
    virtual void shell_exited(int wait_status, std::string_view program,
                              std::uint32_t children) = 0;
    virtual void kill_ended() = 0;             // it is done, or the tree is empty
    virtual void reaper_did_not_answer() = 0;  // and was killed
    virtual void reaper_lost() = 0;  // the end of the shell is unknown if it was not reported
    virtual void tree_closed() = 0;  // over: the last call
  };

  // `shell` and `owner` outlive it. A shell without a channel has ended.
  ProcessTree(const asio::any_io_executor& executor, const ShellHost& host, Shell& shell,
              Owner& owner);
  ~ProcessTree();
  ProcessTree(const ProcessTree&) = delete;
  ProcessTree& operator=(const ProcessTree&) = delete;

  // The owner is this; follow() keeps it alive until the tree is over.
  void belong_to(const std::weak_ptr<void>& owner) { alive_ = owner; }

  // Follows the reaper's reports until the tree is over. A tree whose reports nobody waits for need
  // not be followed: it wakes nobody, and look() takes what has been reported. kill() follows it.
  void follow();
  void look();

  // TERM, then KILL after `grace`. A reaper that does not answer in time is killed itself.
  void kill(std::chrono::milliseconds grace);
  void signal(int number);  // to the process group of the shell
  int last_signal() const { return last_signal_; }
  // The runner ends: stops following. The reaper notices, and ends the tree.
  void abandon();

  bool empty() const { return is<Empty>() || is<Lost>(); }
  bool lost() const { return is<Lost>(); }
  bool being_killed() const { return is<Killing>(); }
  bool closed() const { return closed_; }  // over, and its owner was notified
  const std::vector<link::Survivor>& survivors() const { return survivors_; }  // of the last kill

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Alive {};
  struct Killing {
    TimePoint until;
  };
  struct Empty {};
  struct Lost {};

  template <class State>
  bool is() const {
    return std::holds_alternative<State>(state_);
  }
  Task<void> read_reports(std::shared_ptr<void> alive);
  void take_reports();
  void take(const FromReaper& report);
  void close();
  void become_empty();
  void order(std::chrono::milliseconds grace);
  void kill_reaper();
  void enter(std::variant<Alive, Killing, Empty, Lost> state);
  void lose();

  const ShellHost& host_;
  Shell& shell_;
  Owner& owner_;
  std::weak_ptr<void> alive_;               // the owner
  asio::posix::stream_descriptor channel_;  // borrows shell_.channel; open: it is followed
  asio::steady_timer deadline_;             // of the kill
  std::variant<Alive, Killing, Empty, Lost> state_;
  std::vector<link::Survivor> survivors_;
  int last_signal_ = 0;
  bool closed_ = false;
};

}  // namespace talaria::runner
