// The line that says: from here on this stream is a link. Over ssh or `docker exec` a login script
// may print whatever it likes before the runner gets to speak, so the runner prints one line with a
// nonce its caller chose, then frames; the caller skips everything before that line.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "link/limits.h"

namespace talaria::link {

// "TALARIA-LINK <nonce>\n". The nonce is 1 to kMaxNonce letters and digits.
std::string preamble_line(std::string_view nonce);
bool is_valid_nonce(std::string_view nonce);

class PreambleScanner {
 public:
  explicit PreambleScanner(std::string_view nonce) : line_(preamble_line(nonce)) {}

  // True once the line has been seen: what followed it is in rest(). Fails (kind unavailable, with
  // an excerpt of what came instead) when kMaxPreamble bytes hold no such line.
  Result<bool> feed(std::string_view bytes);

  // The stream ended before the line: the error to report, with an excerpt.
  Error ended() const;

  std::string_view rest() const { return std::string_view(seen_).substr(rest_at_); }

 private:
  std::string excerpt() const;

  std::string line_;
  std::string seen_;
  std::size_t rest_at_ = 0;
};

}  // namespace talaria::link
