// PatternMatcher: finds the next line of a text that matches. One per thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace talaria::runner {

class PatternMatcher {
 public:
  // The error is the message of RE2, or says what the search of the runner does not support.
  static Result<PatternMatcher> make(const std::string& pattern);
  PatternMatcher(PatternMatcher&&) noexcept;
  ~PatternMatcher();

  // Where in `text`, which begins with the beginning of a line, the first match is.
  std::optional<std::size_t> find(std::string_view text) const;

 private:
  PatternMatcher();

  std::string literal_;  // if the pattern is one
  std::unique_ptr<const re2::RE2> regex_;
};

}  // namespace talaria::runner
