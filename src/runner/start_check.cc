#include "runner/start_check.h"

#include <string>
#include <string_view>

#include "runner/limits.h"
#include "runner/terminal_size.h"

namespace talaria::runner {
namespace {

// The id names files of ours, so it may not lead anywhere else.
bool is_plain_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 && id.front() != '.' &&
         id.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
             std::string_view::npos;
}

}  // namespace

Result<void> check_start(const link::Start& start) {
  if (!is_plain_id(start.start_id)) {
    return fail(ErrorKind::bad_request, "start_id: 1 to 128 letters, digits, '_', '-' and '.'");
  }
  if (start.command.contains('\0')) {
    return fail(ErrorKind::bad_request, "the command contains a NUL byte, which no shell can run");
  }
  if (start.command.size() > kMaxCommandBytes) {
    return fail(ErrorKind::limit, "the command has " + std::to_string(start.command.size()) +
                                      " bytes; at most " + std::to_string(kMaxCommandBytes) +
                                      " can be run: put it in a file");
  }
  for (const std::string& path : {start.cwd.value_or("/"), start.first_cwd, start.move_to}) {
    if (!path.empty() && path.contains('\0')) {
      return fail(ErrorKind::bad_request, "a directory's name cannot contain a NUL byte");
    }
  }
  if (!start.first_cwd.empty() && !start.first_cwd.starts_with('/') && start.first_cwd != "~" &&
      !start.first_cwd.starts_with("~/")) {
    return fail(ErrorKind::bad_request, "first_cwd: a path that begins with / or ~ is required");
  }
  if (start.timeout_ms > kLongestTimeout) {
    return fail(ErrorKind::bad_request, "timeout_ms: at most " + std::to_string(kLongestTimeout));
  }
  if (start.grace_ms > kLongestGrace) {
    return fail(ErrorKind::bad_request, "grace_ms: at most " + std::to_string(kLongestGrace));
  }
  if (start.max_age_ms > kLongestTimeout) {
    return fail(ErrorKind::bad_request, "max_age_ms: at most " + std::to_string(kLongestTimeout));
  }
  if (start.watch.size() > kMaxWatched) {
    return fail(ErrorKind::bad_request, "watch: " + std::to_string(start.watch.size()) +
                                            " patterns; at most " + std::to_string(kMaxWatched));
  }
  for (const std::string& pattern : start.watch) {
    if (pattern.size() <= kMaxWatchedBytes) continue;
    return fail(ErrorKind::bad_request, "watch: a pattern has " + std::to_string(pattern.size()) +
                                            " bytes; at most " + std::to_string(kMaxWatchedBytes));
  }
  if (start.sudo_password && start.lifetime != link::ProcessLifetime::foreground) {
    return fail(ErrorKind::bad_request, "sudo_password: not of a process in the background");
  }
  if (start.script && (start.lifetime != link::ProcessLifetime::foreground || start.hand_over)) {
    return fail(ErrorKind::bad_request, "script: not of a process in the background");
  }
  if (start.pty) {
    if (const auto size = terminal_size_or_default(*start.pty); !size) return fail(size.error());
  }
  return {};
}

}  // namespace talaria::runner
