// Events: what is told of processes without being asked for at that moment. The home's store keeps
// the last 10,000 of them for 30 days, whoever has had them, so that no end is missed by being
// away.
#pragma once

#include <talaria/process.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria {

enum class EventType {
  completion,               // a process has ended
  watch_match,              // it printed what somebody watches for
  watch_disabled,           // too often: its end is announced instead
  watch_overflow_tripped,   // so many processes did that none is told of for a while
  watch_overflow_released,  // that is over
  target_lost,              // the runner of a target is gone
};

// "completion", "watch_match", ...
std::string_view event_name(EventType type);

struct ProcessEvent {
  std::uint64_t id = 0;  // in the store: 1, 2, 3, ...; 0: not there yet
  EventType type = EventType::completion;
  std::string process;      // its id. This and the next two are empty if it is about all of them
  std::string task;         // in whose session it was started
  std::string session_key;  // who started it
  std::string target;       // where it is, as in TERMINAL_ENV
  std::string command;      // the beginning of it
  std::chrono::system_clock::time_point time;
  bool announced = false;  // of a completion: somebody asked to be told
  ProcessEnd ended = ProcessEnd::exited;
  int exit_code = 0;             // as in ProcessInfo
  std::string source;            // who ended it, if it did not itself: process.kill, max_age, ...
  std::string output;            // the end of it, or the lines that matched: as printed
  std::string pattern;           // that matched
  std::uint64_t suppressed = 0;  // lines that matched and were not told since the last that was
  std::string message;           // for people
};

// What a program that follows events wants of them (AsioProcesses::follow_events).
//
//   an agent    {.session_key = "chat-7"}                what concerns it, as it comes; the home
//                                                        remembers how far it has got
//   a script    {.consumer = "mailer", .acknowledges = true}
//                                                        the same under a name of its own; one it
//                                                        did not acknowledge is told again
//   a history   {.history = true, .after = last_seen}    everything, for somebody who looks
struct EventOptions {
  std::string consumer = "default";  // under this name the home remembers what it has had
  std::string session_key;           // not empty: only events of this one, of nobody and of those
                                     //   whom nobody else in this program follows events for
  bool from_now = false;             // skip what is there already
  bool acknowledges = false;         // it says itself what it has had; else what was handed over
  bool history = false;              // everything behind `after`, also ends that nobody needs to be
                                     //   told of; it is no consumer's, and nothing is remembered
  std::uint64_t after = 0;           // of history only: the id of the last event to leave out
};

// As an agent reads it: "[IMPORTANT: Background process ... completed normally (exit code 0). ...".
std::string event_text(const ProcessEvent& event);

}  // namespace talaria
