#include "runner/event_log.h"

#include <algorithm>
#include <utility>

namespace talaria::runner {
namespace {

std::size_t size_of(const link::RunnerEvent& event) {
  return sizeof event + event.process.size() + event.session.size() + event.owner.size() +
         event.command.size() + event.source.size() + event.output.size() + event.pattern.size() +
         event.message.size();
}

}  // namespace

void EventLog::add(link::RunnerEvent event) {
  event.number = ++last_;
  event.dropped += std::exchange(dropped_, 0);
  bytes_ += size_of(event);
  if (event.kind != link::RunnerEvent::Kind::exit) less_important_.insert(event.number);
  events_.emplace_hint(events_.end(), event.number, std::move(event));
  make_room();
  const std::vector<EventFollower*> now = followers_;  // a follower may leave during the calls
  for (EventFollower* follower : now) {
    if (std::ranges::find(followers_, follower) != followers_.end()) follower->event_added();
  }
}

void EventLog::make_room() {
  while (events_.size() > max_events_ || bytes_ > max_bytes_) {
    drop(less_important_.empty() ? events_.begin() : events_.find(*less_important_.begin()));
  }
}

void EventLog::drop(Events::iterator event) {
  const std::uint64_t missing = event->second.dropped + 1;
  const auto behind = std::next(event);
  if (behind == events_.end()) {
    dropped_ += missing;
  } else {
    behind->second.dropped += missing;
  }
  erase(event);
}

void EventLog::erase(Events::iterator event) {
  bytes_ -= size_of(event->second);
  less_important_.erase(event->first);
  events_.erase(event);
}

const link::RunnerEvent* EventLog::first_after(std::uint64_t number) const {
  const auto found = events_.upper_bound(number);
  return found == events_.end() ? nullptr : &found->second;
}

std::vector<std::string> EventLog::acknowledge(std::uint64_t up_to) {
  std::vector<std::string> ended;
  while (!events_.empty() && events_.begin()->first <= up_to) {
    const auto first = events_.begin();
    if (first->second.kind == link::RunnerEvent::Kind::exit) ended.push_back(first->second.process);
    erase(first);
  }
  return ended;
}

void EventLog::follow(EventFollower& follower) {
  if (std::ranges::find(followers_, &follower) == followers_.end()) followers_.push_back(&follower);
}

void EventLog::unfollow(EventFollower& follower) { std::erase(followers_, &follower); }

}  // namespace talaria::runner
