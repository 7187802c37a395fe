// What a call of the terminal tool asks for, read from its arguments.
#pragma once

#include <talaria/process.h>

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "host/config.h"

namespace talaria::tool {

namespace json = boost::json;

// Used only with background=true, or from the timeout on.
struct BackgroundRequest {
  bool terminal = false;
  bool takes_input = false;
  Lifespan lifespan = Lifespan::session;
  std::optional<std::chrono::seconds> max_age;
  bool notify = false;
  std::vector<std::string> watch_patterns;
  bool watch_ignored = false;               // patterns were given, but notify wins
  std::optional<std::int64_t> short_check;  // check_interval, if it was below its minimum
};

struct TerminalRequest {
  std::string command;
  std::chrono::milliseconds timeout{0};             // or what is waited, if that is less
  std::optional<BackgroundRequest> if_handed_over;  // how it continues then
  std::optional<std::string> workdir;
  std::optional<BackgroundRequest> background;
};

// Why a request is not run, and the form of the answer.
struct Refusal {
  std::string error;
  bool nothing_else = false;  // {"error"} alone
  std::string_view status = "error";
};

// `has_background`: the target can run processes in the background; else a command may do that by
// itself.
std::expected<TerminalRequest, Refusal> parse_terminal(const json::object& arguments,
                                                       const host::Config& config,
                                                       bool has_background = true);

}  // namespace talaria::tool
