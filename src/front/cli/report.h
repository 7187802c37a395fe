// How a command reports its result: JSON for programs, text for people.
#pragma once

#include <talaria/process.h>

#include <chrono>
#include <string>

#include <boost/json/object.hpp>

#include "base/message.h"
#include "base/result.h"
#include "front/stdio.h"

namespace talaria::front::cli {

inline constexpr int kFailed = 1;

// Returns kFailed. With `json` the error goes to standard output, as {"error": ...}.
int report_error(const Error& error, bool json, const Stdio& stdio);

// Returns 0, or kFailed if it cannot be written.
int report_line(const boost::json::object& object, const Stdio& stdio);
int report_text(const std::string& text, const Stdio& stdio);

// "5s", "3m 5s", "2h", "4d 2h".
std::string duration_text(std::chrono::milliseconds time);

// The time since then; 0 if it is in the future (the clock of a target may be ahead of ours).
std::chrono::milliseconds age_of(std::chrono::system_clock::time_point time);
std::string age_text(std::chrono::system_clock::time_point time);

// Of a result of the terminal tool that has no process or output: why. Empty: nothing failed.
struct NotStarted {
  std::string text;
  bool refused = false;  // by policy, or it waits for approval
};
NotStarted not_started(const boost::json::object& result);

// "process 12 (sleep) could not be ended: ...".
std::string survivor_text(const Leftover& survivor);

}  // namespace talaria::front::cli
