#include "runner/watch/line_matcher.h"

#include <algorithm>

#include "runner/limits.h"

namespace talaria::runner {
namespace {

constexpr std::size_t kLongestBreak = 3;  // bytes
constexpr std::size_t kShownBytes = kWatchChars * 4 + 4;

// How many bytes the line break at `at` has; 0: there is none, or not all of it yet. CR and LF each
// are one: what is between them is an empty line, which contains nothing.
std::size_t break_at(std::string_view text, std::size_t at) {
  switch (static_cast<unsigned char>(text[at])) {
    case '\n':
    case '\v':
    case '\f':
    case '\r':
    case 0x1c:
    case 0x1d:
    case 0x1e:
      return 1;
    case 0xc2:  // U+0085
      return text.substr(at, 2) == "\xc2\x85" ? 2 : 0;
    case 0xe2: {  // U+2028, U+2029
      const std::string_view bytes = text.substr(at, 3);
      return bytes == "\xe2\x80\xa8" || bytes == "\xe2\x80\xa9" ? 3 : 0;
    }
    default:
      return 0;
  }
}

std::string_view without_white_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

LineMatcher::LineMatcher(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {
  std::erase(patterns_, "");
}

LineMatches LineMatcher::feed(std::string_view bytes) {
  LineMatches matches;
  if (patterns_.empty()) return matches;
  const std::size_t known = line_.size();
  line_ += bytes;
  const std::string_view text = line_;
  std::size_t begin = 0;
  // The end of what was there may be the beginning of a break.
  for (std::size_t at = known - std::min(known, kLongestBreak - 1); at < text.size();) {
    const std::size_t size = break_at(text, at);
    if (size == 0) {
      ++at;
      continue;
    }
    look_at(text.substr(begin, at - begin), matches);
    counted_ = false;
    at += size;
    begin = at;
  }
  look_at(text.substr(begin), matches);
  const std::size_t needed = counted_ ? kLongestBreak - 1 : kWatchLine;
  line_.erase(0, std::max(begin, text.size() - std::min(text.size(), needed)));
  if (line_.capacity() > 2 * kWatchLine) line_.shrink_to_fit();
  return matches;
}

void LineMatcher::look_at(std::string_view line, LineMatches& matches) {
  if (counted_) return;
  const auto found = std::ranges::find_if(
      patterns_, [&](const std::string& pattern) { return line.contains(pattern); });
  if (found == patterns_.end()) return;
  counted_ = true;
  if (matches.lines++ == 0) matches.pattern = *found;
  if (matches.shown.size() >= kWatchLines) return;
  matches.shown.emplace_back(without_white_end(line).substr(0, kShownBytes));
}

}  // namespace talaria::runner
