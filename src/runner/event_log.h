// EventLog: what has happened to processes in the background, numbered from 1, until a controller
// has stored it. Bounded: without room, matches of watch patterns are dropped before ends, the
// oldest first, and the event after a gap has the number of those that are missing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "link/runner_event.h"
#include "runner/limits.h"

namespace talaria::runner {

class EventFollower {
 public:
  virtual ~EventFollower() = default;
  virtual void event_added() = 0;
};

class EventLog {
 public:
  explicit EventLog(std::size_t max_events = kMaxQueuedEvents,
                    std::size_t max_bytes = kMaxQueuedEventBytes)
      : max_events_(max_events), max_bytes_(max_bytes) {}

  void add(link::RunnerEvent event);  // the log gives it its number

  const link::RunnerEvent* first_after(std::uint64_t number) const;  // null: there is none
  std::uint64_t last() const { return last_; }

  // Drops all up to this number. Returns the processes whose end was among them.
  std::vector<std::string> acknowledge(std::uint64_t up_to);

  void follow(EventFollower& follower);
  void unfollow(EventFollower& follower);

 private:
  using Events = std::map<std::uint64_t, link::RunnerEvent>;

  void make_room();
  void drop(Events::iterator event);
  void erase(Events::iterator event);

  std::size_t max_events_;
  std::size_t max_bytes_;
  Events events_;
  std::set<std::uint64_t> less_important_;  // numbers of those that are not ends
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t dropped_ = 0;  // since the last event
  std::vector<EventFollower*> followers_;
};

}  // namespace talaria::runner
