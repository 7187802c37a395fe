// What a runner reports without being asked at that moment: that a process which is not in the
// foreground has ended, and that its output shows what somebody watches for. Events are numbered
// within one instance of the runner, from 1, and kept until a controller has them in safety
// (Acknowledge) or there is no more room for them.
#pragma once

#include <cstdint>
#include <string>

#include "link/messages.h"

namespace talaria::link {

struct RunnerEvent {
  enum class Kind : std::uint32_t {
    exit = 0,            // the process has ended; reported once
    watch_match = 1,     // `output`: the lines that contain a pattern
    watch_disabled = 2,  // too many of them: its end is announced instead
    watch_muted = 3,     // too many of all processes together: none for a while
    watch_unmuted = 4,   // that is over
  };

  std::uint64_t number = 0;
  Kind kind = Kind::exit;
  std::string process;  // this and the next three are empty if it is about all of them
  std::string session;
  std::string owner;
  std::string command;        // the beginning of it
  std::uint64_t time_ms = 0;  // since 1970, by the target's clock
  bool announced = false;     // of exit: a caller asked for it (Start::notify)
  Ended ended = Ended::exited;
  std::int32_t code = 0;
  std::uint32_t signal = 0;
  std::string source;            // see ExitReport
  std::string output;            // of exit: the end of it
  std::string pattern;           // the first that was found
  std::uint64_t suppressed = 0;  // matches since the last reported one that were not reported
  std::string message;           // for people
  std::uint64_t dropped = 0;     // events before this one for which there was no room
  friend bool operator==(const RunnerEvent&, const RunnerEvent&) = default;
};

// Every event behind `after` comes as a note (RunnerEvent). Answered by EventsReport: when all that
// are there were sent or, following, never.
struct Events {
  static constexpr Method kMethod = Method::events;

  std::uint64_t after = 0;
  bool follow = false;
  friend bool operator==(const Events&, const Events&) = default;
};

struct EventsReport {
  std::uint64_t last = 0;  // the number of the newest event there has been
  friend bool operator==(const EventsReport&, const EventsReport&) = default;
};

// Events up to this number need not be kept. Answered by an empty body, also by another instance,
// whose numbers they are not: one that was not sent yet when its runner went reaches the next.
struct Acknowledge {
  static constexpr Method kMethod = Method::acknowledge;

  std::uint64_t up_to = 0;
  std::string instance;  // whose numbers; empty: of the runner that gets it
  friend bool operator==(const Acknowledge&, const Acknowledge&) = default;
};

}  // namespace talaria::link
