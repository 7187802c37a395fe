#include "runner/watch/line_matcher.h"

#include <algorithm>

#include "base/text.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

constexpr std::size_t kShownBytes = kWatchChars * 4 + 4;

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
  for (std::size_t at = known - std::min(known, kLongestLineBreak - 1); at < text.size();) {
    const std::size_t size = line_break_size(text.substr(at));
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
  const std::size_t needed = counted_ ? kLongestLineBreak - 1 : kWatchLine;
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
