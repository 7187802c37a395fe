// How a command says what it has to say: JSON for programs, words for people.
#pragma once

#include <chrono>
#include <string>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "front/stdio.h"

namespace talaria::front::cli {

inline constexpr int kFailed = 1;

// The exit code. With `json` the error goes to standard output, as {"error": ...}.
int report_error(const Error& error, bool json, const Stdio& stdio);

// 0, or kFailed if it cannot be written.
int report_line(const boost::json::object& object, const Stdio& stdio);
int report_text(const std::string& text, const Stdio& stdio);

// "5s", "3m 5s", "2h 3m", "4d 2h".
std::string duration_text(std::chrono::milliseconds time);

// "1 command", "2 commands".
std::string counted(std::size_t count, const std::string& thing);

}  // namespace talaria::front::cli
