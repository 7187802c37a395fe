#include "runner/search/pattern_matcher.h"

#include <re2/re2.h>

#include <cstring>

#include "base/text.h"

namespace talaria::runner {
namespace {

constexpr std::int64_t kRegexMemory = 32 << 20;

std::unexpected<Error> unknown(std::string_view what) {
  return fail(ErrorKind::bad_request, "the search of the runner does not support " +
                                          std::string(what) +
                                          "; ripgrep, if installed at the target, may");
}

// What RE2 takes but ripgrep understands otherwise, or not at all. Looking at it byte by byte is
// enough: all that counts is ASCII.
Result<void> check_meaning(const std::string& pattern) {
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const std::string_view rest = std::string_view(pattern).substr(i);
    if (c == '\n')
      return fail(ErrorKind::bad_request, "a pattern is for one line: it cannot contain a newline");
    if (c == '\\' && i + 1 < pattern.size()) {
      const char next = pattern[++i];
      if (next == 'n')
        return fail(ErrorKind::bad_request, "a pattern is for one line: it cannot contain \\n");
      if (std::string_view("QECAzZ").contains(next)) return unknown(std::string("\\") + next);
      continue;
    }
    if (!in_class) {
      if (c != '[') continue;
      in_class = true;
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') ++i;
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') ++i;
      continue;
    }
    if (rest.starts_with("[:")) {
      const std::size_t end = rest.find(":]");
      if (end == std::string_view::npos) return unknown("a [ in [ ]; write \\[");
      i += end + 1;
    } else if (c == '[') {
      return unknown("a [ in [ ]; write \\[");
    } else if (rest.starts_with("&&") || rest.starts_with("--") || rest.starts_with("~~")) {
      return unknown(std::string(rest.substr(0, 2)) + " in [ ]");
    } else if (c == ']') {
      in_class = false;
    }
  }
  return {};
}

bool is_literal(const std::string& pattern) {
  return !pattern.empty() && pattern.find_first_of("\\^$.|?*+()[]{}") == std::string::npos &&
         is_valid_utf8(pattern);
}

Error error_of(const re2::RE2& regex) {
  const std::string message = sanitize_utf8(regex.error());
  switch (regex.error_code()) {
    case re2::RE2::ErrorBadEscape:
    case re2::RE2::ErrorBadCharRange:
    case re2::RE2::ErrorBadPerlOp:
    case re2::RE2::ErrorRepeatSize:
    case re2::RE2::ErrorPatternTooLarge:
      return unknown("this: " + message).error();
    default:
      return Error(ErrorKind::bad_request, message);
  }
}

}  // namespace

PatternMatcher::PatternMatcher() = default;
PatternMatcher::PatternMatcher(PatternMatcher&&) noexcept = default;
PatternMatcher::~PatternMatcher() = default;

Result<PatternMatcher> PatternMatcher::make(const std::string& pattern) {
  if (const auto fine = check_meaning(pattern); !fine) return fail(fine.error());
  PatternMatcher matcher;
  if (is_literal(pattern)) {
    matcher.literal_ = pattern;
    return matcher;
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_nl(true);
  options.set_max_mem(kRegexMemory);
  const re2::RE2 as_given(pattern, options);  // whose errors are about what was written
  if (!as_given.ok()) return fail(error_of(as_given));
  matcher.regex_ = std::make_unique<const re2::RE2>("(?m)" + pattern, options);
  if (!matcher.regex_->ok()) return fail(error_of(*matcher.regex_));
  return matcher;
}

std::optional<std::size_t> PatternMatcher::find(std::string_view text) const {
  if (!regex_) {
    const void* found = ::memmem(text.data(), text.size(), literal_.data(), literal_.size());
    if (found == nullptr) return std::nullopt;
    return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  }
  re2::StringPiece match;
  const re2::StringPiece whole(text.data(), text.size());
  if (!regex_->Match(whole, 0, whole.size(), re2::RE2::UNANCHORED, &match, 1)) return std::nullopt;
  return static_cast<std::size_t>(match.data() - text.data());
}

}  // namespace talaria::runner
