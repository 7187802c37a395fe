// Events: what happens to background processes. The home's store keeps the last 10,000 of them for
// 30 days, so that a program that was not running misses nothing.
#pragma once

#include <talaria/export.h>
#include <talaria/process.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria {

enum class EventType {
  completion,               // a process has ended
  watch_match,              // it printed a line that matches a watch pattern
  watch_disabled,           // too many matches: only its end is announced
  watch_overflow_tripped,   // too many matches of all processes: none is reported for a while
  watch_overflow_released,  // matches are reported again
  target_lost,              // the runner of a target is gone
};

// "completion", "watch_match", ...
TALARIA_API std::string_view event_name(EventType type);

struct ProcessEvent {
  std::uint64_t id = 0;  // in the store: 1, 2, 3, ...; 0: not stored yet
  EventType type = EventType::completion;
  std::string process = {};      // this and the next two are empty if it is about all processes
  std::string task = {};         // that started it
  std::string session_key = {};  // who started it
  std::string target = {};       // where it is, as in TERMINAL_ENV
  std::string command = {};      // the beginning of it
  std::chrono::system_clock::time_point time = {};
  bool announced = false;  // completion: it was started with notify
  ProcessEnd ended = ProcessEnd::exited;
  int exit_code = 0;             // as in ProcessInfo
  std::string source = {};       // who ended it: process.kill, max_age, ...; empty: itself
  std::string output = {};       // its last output, or the lines that matched; as printed
  std::string pattern = {};      // that matched
  std::uint64_t suppressed = 0;  // matches that were not reported since the last event
  std::string message = {};      // for people
};

// Which events a program follows (Processes::follow_events).
//
//   an agent    {.session_key = "chat-7"}                its own events; the home remembers what it
//                                                        has received
//   a script    {.consumer = "mailer", .acknowledges = true}
//                                                        the same under a name of its own; events
//                                                        without acknowledgement come again
//   a history   {.history = true, .after = last_seen}    all events
struct EventOptions {
  std::string consumer = "default";  // the name under which the home remembers what it received
  std::string session_key = {};      // not empty: only events of this session, of none, and of
                                     //   sessions that nobody else in this program follows
  bool from_now = false;             // skip stored events
  bool acknowledges = false;         // false: an event counts as received when it was passed on
  bool history = false;              // everything after `after`, also ends that are not announced;
                                     //   not for a consumer, and nothing is remembered
  std::uint64_t after = 0;           // history: the id of the last event to leave out
};

// As an agent reads it: "[IMPORTANT: Background process ... completed normally (exit code 0). ...".
TALARIA_API std::string event_text(const ProcessEvent& event);

}  // namespace talaria
