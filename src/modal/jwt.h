// When a token that we were given ends, by what it says itself. It is not verified: that is the
// task of the service.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace talaria::modal {

using UnixTime = std::chrono::sys_seconds;

std::optional<UnixTime> jwt_expiry(std::string_view token);

// When to ask for the next one: after half of its life, and of twenty minutes if it does not say.
UnixTime renewal_time(std::string_view token, UnixTime now);

}  // namespace talaria::modal
