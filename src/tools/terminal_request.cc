#include "tools/terminal_request.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "tools/arguments.h"
#include "tools/foreground_guidance.h"

namespace talaria::tool {
namespace {

// Workdirs are simple paths, so that none is taken for shell text. Letters of any script are fine.
bool is_allowed(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || std::string_view("/\\:_-.~ +@=,").contains(c);
}

// As Python writes it.
std::string quoted(char c) {
  switch (c) {
    case '\n':
      return "'\\n'";
    case '\t':
      return "'\\t'";
    case '\r':
      return "'\\r'";
    case '\'':
      return "\"'\"";
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7F) return std::string("'") + c + "'";
  char text[8];
  std::snprintf(text, sizeof text, "'\\x%02x'", byte);
  return text;
}

std::string workdir_flaw(std::string_view workdir) {
  for (const char c : workdir) {
    if (is_allowed(c)) continue;
    return "Blocked: workdir contains disallowed character " + quoted(c) +
           ". Use a simple filesystem path without shell metacharacters.";
  }
  return {};
}

using std::unexpected;

// Why bash cannot take this text; empty: it can.
std::string unusable(std::string_view text) {
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    return "contains a NUL byte at offset " + std::to_string(at) +
           ", which no shell command can hold. Write it as an escape, for example with printf.";
  }
  if (!is_valid_utf8(text))
    return "is not valid Unicode text (an unpaired surrogate or stray byte)";
  return "";
}

std::expected<std::string, Refusal> parse_command(const json::object& arguments) {
  const json::value* command = arguments.if_contains("command");
  if (!command || !command->is_string()) {
    const std::string_view type = command ? python_type_name(*command) : "nothing";
    return unexpected(Refusal{"Invalid command: expected string, got " + std::string(type)});
  }
  if (const std::string flaw = unusable(command->get_string()); !flaw.empty()) {
    return unexpected(Refusal{"Invalid command: it " + flaw});
  }
  return std::string(command->get_string());
}

bool says_timeout(const json::object& arguments) {
  const json::value* timeout = given(arguments, "timeout");
  return timeout && !(timeout->is_number() && !is_truthy(*timeout));
}

// `bounded`: somebody waits that long.
std::expected<std::chrono::seconds, Refusal> parse_timeout(const json::object& arguments,
                                                           const host::Config& config,
                                                           bool bounded) {
  if (!says_timeout(arguments)) return config.timeout;
  const json::value* timeout = given(arguments, "timeout");

  const auto seconds = whole_seconds(*timeout);
  if (!seconds || *seconds < 1) {
    return unexpected(
        Refusal{"Invalid timeout: expected a whole number of seconds, at least 1, got " +
                (timeout->is_int64() ? std::to_string(*seconds)
                                     : std::string(python_type_name(*timeout)))});
  }
  if (bounded && *seconds > config.max_foreground_timeout.count()) {
    return unexpected(Refusal{"Foreground timeout " + std::to_string(*seconds) +
                                  "s exceeds the maximum of " +
                                  std::to_string(config.max_foreground_timeout.count()) +
                                  "s. Use background=true with notify_on_complete=true for "
                                  "long-running commands.",
                              true});
  }
  return std::chrono::seconds(*seconds);
}

std::expected<std::optional<std::string>, Refusal> parse_workdir(const json::object& arguments) {
  const json::value* workdir = given(arguments, "workdir");
  if (!workdir) return std::nullopt;
  if (!workdir->is_string()) {
    return unexpected(Refusal{"Invalid workdir: expected string, got " +
                              std::string(python_type_name(*workdir))});
  }
  if (const std::string flaw = unusable(workdir->get_string()); !flaw.empty()) {
    return unexpected(Refusal{"Invalid workdir: it " + flaw});
  }
  if (workdir->get_string().empty()) return std::nullopt;
  if (std::string flaw = workdir_flaw(workdir->get_string()); !flaw.empty()) {
    return unexpected(Refusal{.error = std::move(flaw), .status = "blocked"});
  }
  return std::string(workdir->get_string());
}

bool flag(const json::object& arguments, std::string_view name) {
  const json::value* value = given(arguments, name);
  return value && is_true(*value);
}

std::expected<std::vector<std::string>, Refusal> parse_patterns(const json::object& arguments) {
  const json::value* patterns = given(arguments, "watch_patterns");
  std::vector<std::string> found;
  if (!patterns) return found;
  if (!patterns->is_array()) {
    return unexpected(Refusal{"Invalid watch_patterns: expected a list of texts, got " +
                              std::string(python_type_name(*patterns))});
  }
  for (const json::value& pattern : patterns->get_array()) {
    if (!pattern.is_string()) {
      return unexpected(Refusal{"Invalid watch_patterns: expected a list of texts, with " +
                                std::string(python_type_name(pattern)) + " in it"});
    }
    if (pattern.get_string().size() > kMaxWatchPatternBytes) {
      return unexpected(Refusal{"Invalid watch_patterns: a pattern may have " +
                                std::to_string(kMaxWatchPatternBytes) + " bytes"});
    }
    if (!pattern.get_string().empty()) found.emplace_back(pattern.get_string());
  }
  if (found.size() > kMaxWatchPatterns) {
    return unexpected(Refusal{"Invalid watch_patterns: " + std::to_string(found.size()) +
                              " patterns; at most " + std::to_string(kMaxWatchPatterns)});
  }
  return found;
}

std::expected<std::optional<std::chrono::seconds>, Refusal> parse_max_age(
    const json::object& arguments) {
  const json::value* age = given(arguments, "max_age");
  if (!age) return std::nullopt;
  const auto seconds = whole_seconds(*age);
  if (!seconds || *seconds < 0 || *seconds > kMaxDuration.count()) {
    return unexpected(Refusal{
        "Invalid max_age: expected a whole number of seconds or a time such as 2h, 0 for no "
        "limit"});
  }
  return std::chrono::seconds(*seconds);
}

std::expected<Lifespan, Refusal> parse_lifespan(const json::object& arguments) {
  const json::value* lifetime = given(arguments, "lifetime");
  if (!lifetime) return Lifespan::session;
  const auto lifespan =
      lifetime->is_string() ? lifespan_of(lifetime->get_string()) : std::optional<Lifespan>();
  if (!lifespan) {
    return unexpected(Refusal{"Invalid lifetime: expected 'call', 'session' or 'keep'"});
  }
  return *lifespan;
}

// Older chat gateways send it. It has no effect, but its minimum is still reported.
std::optional<std::int64_t> short_check_interval(const json::object& arguments) {
  constexpr std::int64_t kLeast = 30;
  const json::value* interval = given(arguments, "check_interval");
  if (!interval || !interval->is_int64()) return std::nullopt;
  const std::int64_t seconds = interval->get_int64();
  return seconds > 0 && seconds < kLeast ? std::optional(seconds) : std::nullopt;
}

std::expected<BackgroundRequest, Refusal> parse_background(const json::object& arguments) {
  BackgroundRequest request{.terminal = flag(arguments, "pty"),
                            .takes_input = flag(arguments, "stdin"),
                            .notify = flag(arguments, "notify_on_complete"),
                            .short_check = short_check_interval(arguments)};
  const auto lifespan = parse_lifespan(arguments);
  if (!lifespan) return unexpected(lifespan.error());
  request.lifespan = *lifespan;
  const auto age = parse_max_age(arguments);
  if (!age) return unexpected(age.error());
  request.max_age = *age;
  auto patterns = parse_patterns(arguments);
  if (!patterns) return unexpected(patterns.error());
  request.watch_ignored = request.notify && !patterns->empty();
  if (!request.watch_ignored) request.watch_patterns = std::move(*patterns);
  return request;
}

// What it is as soon as nobody waits for it any more. It has begun by then: without a terminal, and
// with the input it has.
std::expected<BackgroundRequest, Refusal> parse_going_on(const json::object& arguments) {
  auto request = parse_background(arguments);
  if (!request) return unexpected(request.error());
  request->terminal = false;
  request->takes_input = false;
  request->lifespan = Lifespan::session;
  return *request;
}

std::expected<std::optional<BackgroundRequest>, Refusal> parse_hand_over(
    const json::object& arguments) {
  const json::value* on_timeout = given(arguments, "on_timeout");
  if (!on_timeout) return std::nullopt;
  if (on_timeout->is_string() && on_timeout->get_string() == "kill") return std::nullopt;
  if (!on_timeout->is_string() || on_timeout->get_string() != "background") {
    return unexpected(Refusal{"Invalid on_timeout: expected 'kill' or 'background'"});
  }
  auto request = parse_going_on(arguments);
  if (!request) return unexpected(request.error());
  return *request;
}

// How long the caller wants to wait; 0: until the timeout.
std::expected<std::chrono::milliseconds, Refusal> parse_yield(const json::object& arguments) {
  const json::value* yield = given(arguments, "yield_ms");
  if (!yield) return std::chrono::milliseconds(0);
  if (!yield->is_int64() || yield->get_int64() < 0) {
    return unexpected(Refusal{"Invalid yield_ms: expected a whole number of milliseconds"});
  }
  const std::chrono::milliseconds wait(yield->get_int64());
  return std::min<std::chrono::milliseconds>(wait, kMaxDuration);
}

// It then continues in the background, until the timeout if one kills it.
std::expected<void, Refusal> hand_over_early(const json::object& arguments,
                                             std::chrono::milliseconds yield,
                                             TerminalRequest& request) {
  if (!request.if_handed_over) {
    auto goes_on = parse_going_on(arguments);
    if (!goes_on) return unexpected(goes_on.error());
    if (says_timeout(arguments)) {
      goes_on->max_age = std::chrono::duration_cast<std::chrono::seconds>(request.timeout);
    }
    request.if_handed_over = std::move(*goes_on);
  }
  request.timeout = yield;
  return {};
}

// For a command that the call waits for.
std::expected<void, Refusal> parse_foreground(const json::object& arguments,
                                              const host::Config& config, bool has_background,
                                              TerminalRequest& request) {
  const auto yield = parse_yield(arguments);
  if (!yield) return unexpected(yield.error());
  const bool yields = yield->count() > 0;
  const auto timeout = parse_timeout(arguments, config, !yields);
  if (!timeout) return unexpected(timeout.error());
  request.timeout = *timeout;
  auto hand_over = parse_hand_over(arguments);
  if (!hand_over) return unexpected(hand_over.error());
  request.if_handed_over = std::move(*hand_over);
  if (yields && *yield < request.timeout) {
    if (const auto early = hand_over_early(arguments, *yield, request); !early) {
      return unexpected(early.error());
    }
  }
  if (flag(arguments, "force")) return {};
  const std::string_view advice = foreground_guidance(request.command, has_background);
  if (!advice.empty()) return unexpected(Refusal{std::string(advice)});
  return {};
}

}  // namespace

std::expected<TerminalRequest, Refusal> parse_terminal(const json::object& arguments,
                                                       const host::Config& config,
                                                       bool has_background) {
  TerminalRequest request;
  auto command = parse_command(arguments);
  if (!command) return unexpected(command.error());
  request.command = std::move(*command);
  if (flag(arguments, "background")) {
    auto background = parse_background(arguments);
    if (!background) return unexpected(background.error());
    request.background = std::move(*background);
  } else if (const auto foreground = parse_foreground(arguments, config, has_background, request);
             !foreground) {
    return unexpected(foreground.error());
  }
  auto workdir = parse_workdir(arguments);
  if (!workdir) return unexpected(workdir.error());
  request.workdir = std::move(*workdir);
  return request;
}

}  // namespace talaria::tool
