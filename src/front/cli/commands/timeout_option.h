// --timeout SECONDS, which several commands have.
#pragma once

#include <charconv>
#include <chrono>
#include <cmath>
#include <string>

#include "base/limits.h"
#include "base/result.h"

namespace talaria::front::cli {

// Seconds with a fraction.
inline Result<std::chrono::milliseconds> read_timeout(const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0.001) ||
      seconds > static_cast<double>(kMaxDuration.count())) {
    return fail(ErrorKind::bad_request, "--timeout: expected seconds, from 0.001 to " +
                                            std::to_string(kMaxDuration.count()) + ", got '" +
                                            text + "'");
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

}  // namespace talaria::front::cli
