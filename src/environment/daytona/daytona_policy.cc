#include "environment/daytona/daytona_policy.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace talaria::environment::daytona {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr unsigned kTooMany = 429;
constexpr int kMostTries = 5;  // of what the service refuses for now, or is not well enough for
constexpr int kMostConnections = 3;  // where the line is at fault
constexpr auto kFirstPause = milliseconds(200);
constexpr auto kFirstRefusedPause = milliseconds(1000);
constexpr auto kLongestRetryAfter = seconds(60);  // a longer one is cut

milliseconds doubled(milliseconds first, int number) { return first * (1 << (number - 1)); }

// As seconds; a date is not understood.
std::optional<milliseconds> retry_after_in(std::string_view text) {
  text = trim(text);
  unsigned count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::min<milliseconds>(seconds(count), kLongestRetryAfter);
}

}  // namespace

std::optional<milliseconds> pause_before_repeat(const DaytonaTry& failed) {
  if (failed.status == kTooMany) {  // whatever it was, it was not done
    if (failed.number >= kMostTries) return std::nullopt;
    return retry_after_in(failed.retry_after).value_or(doubled(kFirstRefusedPause, failed.number));
  }
  if (failed.status == 0) {
    const bool may_again = !failed.sent || failed.repeatable;
    if (!may_again || failed.number >= kMostConnections) return std::nullopt;
    return doubled(kFirstPause, failed.number);
  }
  if (failed.status < 500 || !failed.repeatable || failed.number >= kMostTries) return std::nullopt;
  return retry_after_in(failed.retry_after).value_or(doubled(kFirstPause, failed.number));
}

bool may_have_been_done(const DaytonaTry& failed) {
  return failed.status == 0 ? failed.sent : failed.status >= 500;
}

ErrorKind daytona_error_kind(unsigned status, std::string_view message) {
  // A quota and a key that may not do this have the same status.
  constexpr auto kQuota = std::to_array<std::string_view>({"limit", "quota", "exceed"});
  const std::string said = lower_case(message);
  const auto is_said = [&](std::string_view word) { return said.contains(word); };
  if (status == kTooMany || status == 402) return ErrorKind::limit;
  if (status == 403 && std::ranges::any_of(kQuota, is_said)) return ErrorKind::limit;
  if (status == 404) return ErrorKind::not_found;
  const bool is_our_fault = status < 500 && status != 401 && status != 403;
  return is_our_fault ? ErrorKind::bad_request : ErrorKind::unavailable;
}

}  // namespace talaria::environment::daytona
