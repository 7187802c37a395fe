// Events: what is told of processes without being asked for at that moment. They are kept in the
// home's store until every consumer has had them, so that no end is missed by being away.
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
  std::string process;
  std::string task;
  std::string session_key;  // who started it
  std::string target;
  std::string command;
  std::chrono::system_clock::time_point time;
  bool announced = false;  // of a completion: somebody asked to be told
  ProcessEnd ended = ProcessEnd::exited;
  int exit_code = 0;  // as in ProcessInfo
  std::string source;
  std::string output;   // the end of it, or the lines that matched: as printed
  std::string pattern;  // that matched
  std::uint64_t suppressed = 0;
  std::string message;  // for people
};

// What a program that follows events wants of them.
struct EventOptions {
  std::string consumer = "default";  // under this name the home remembers what it has had
  std::string session_key;           // not empty: only events of this one, of nobody and of those
                                     //   whom nobody else in this program follows events for
  bool from_now = false;             // skip what is there already
  bool acknowledges = false;         // it says itself what it has had; else what was handed over
  bool history = false;              // everything behind `after`, also ends that nobody needs to be
                                     //   told of; it is no consumer's, and nothing is remembered
  std::uint64_t after = 0;
};

// As an agent reads it: "[IMPORTANT: Background process ... completed normally (exit code 0). ...".
std::string event_text(const ProcessEvent& event);

}  // namespace talaria
