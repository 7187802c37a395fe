#include "runner/search/text_search.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "runner/limits.h"

namespace talaria::runner {

TextSearch::TextSearch(PatternMatcher matcher, TextSearchOptions options,
                       const std::atomic<bool>& stop)
    : matcher_(std::move(matcher)), options_(options), stop_(stop), buffer_(kSearchBuffer) {}

Result<FileHits> TextSearch::search(int fd, std::uint64_t most) {
  at_ = filled_ = 0;
  number_ = 1;
  after_left_ = shown_until_ = 0;
  most_ = most;
  hits_ = {};
  lines_ = {};
  std::uint64_t offset = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (const auto room = make_room(); !room) return fail(room.error());
    const ssize_t got = ::read(fd, buffer_.data() + filled_, buffer_.size() - filled_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(Error::from_errno("read"));
    if (got == 0) {
      (void)search_lines(filled_);
      break;
    }
    const char* const fresh = buffer_.data() + filled_;
    const auto size = static_cast<std::size_t>(got);
    if (const void* nul = std::memchr(fresh, 0, size)) {
      hits_.binary_from = offset + static_cast<std::size_t>(static_cast<const char*>(nul) - fresh);
      break;
    }
    if (offset == 0) at_ = size - without_bom({fresh, size}).size();
    filled_ += size;
    offset += size;
    const void* last = ::memrchr(fresh, '\n', size);
    if (last == nullptr) continue;
    if (!search_lines(static_cast<std::size_t>(static_cast<const char*>(last) - buffer_.data()) +
                      1)) {
      break;
    }
  }
  hits_.lines = lines_.take();
  return std::move(hits_);
}

// Drops what has been searched, except the lines that may have to be shown before a match.
Result<void> TextSearch::make_room() {
  std::size_t keep = at_;
  for (std::uint64_t i = 0; i < options_.context && keep > 0; ++i) {
    const void* newline = keep < 2 ? nullptr : ::memrchr(buffer_.data(), '\n', keep - 1);
    keep = newline == nullptr
               ? 0
               : static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
  }
  std::memmove(buffer_.data(), buffer_.data() + keep, filled_ - keep);
  filled_ -= keep;
  at_ -= keep;
  if (filled_ < buffer_.size()) return {};
  if (buffer_.size() >= kLongestSearchedLine) {
    return fail(ErrorKind::limit, "a line of it is too long to be searched");
  }
  buffer_.resize(buffer_.size() * 2);
  return {};
}

std::size_t TextSearch::line_end(std::size_t from, std::size_t end) const {
  const void* newline = std::memchr(buffer_.data() + from, '\n', end - from);
  return newline == nullptr
             ? end
             : static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data());
}

bool TextSearch::search_lines(std::size_t end) {
  while (at_ < end) {
    const auto found = matcher_.find({buffer_.data() + at_, end - at_});
    // Behind the last newline there is no line.
    if (!found || at_ + *found >= end + (buffer_[end - 1] == '\n' ? 0u : 1u)) {
      show_after(end);
      skip_to(end);
      return true;
    }
    std::size_t line = at_ + *found;
    const void* before = ::memrchr(buffer_.data() + at_, '\n', *found);
    line = before == nullptr
               ? at_
               : static_cast<std::size_t>(static_cast<const char*>(before) - buffer_.data()) + 1;
    ++hits_.matches;
    if (options_.only_first) return false;
    const std::size_t stop = line_end(line, end);
    if (hits_.matches > most_) {  // only counted; what stands behind the last is still shown
      show_after(line);
      after_left_ = 0;
      skip_to(std::min(stop + 1, end));
      continue;
    }
    show_after(line);
    show_before(line);
    skip_to(line);
    add_line(line, stop, number_, false);
    after_left_ = options_.context;
    skip_to(std::min(stop + 1, end));
  }
  return true;
}

void TextSearch::skip_to(std::size_t place) {
  const char* const from = buffer_.data() + at_;
  const char* const to = buffer_.data() + place;
  number_ += static_cast<std::uint64_t>(std::count(from, to, '\n'));
  at_ = place;
}

// The lines from at_ on that belong to the last match, up to `until`.
void TextSearch::show_after(std::size_t until) {
  while (after_left_ > 0 && at_ < until) {
    const std::size_t stop = line_end(at_, until);
    add_line(at_, stop, number_, true);
    --after_left_;
    skip_to(std::min(stop + 1, until));
  }
}

void TextSearch::show_before(std::size_t line) {
  if (options_.context == 0) return;
  const std::uint64_t number = number_ + static_cast<std::uint64_t>(std::count(
                                             buffer_.data() + at_, buffer_.data() + line, '\n'));
  std::uint64_t first = number;
  std::size_t from = line;
  while (from > 0 && number - first < options_.context && first > shown_until_ + 1) {
    const void* newline = from < 2 ? nullptr : ::memrchr(buffer_.data(), '\n', from - 1);
    from = newline == nullptr
               ? 0
               : static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
    --first;
  }
  for (; from < line; ++first) {
    const std::size_t stop = line_end(from, line);
    add_line(from, stop, first, true);
    from = stop + 1;
  }
}

void TextSearch::add_line(std::size_t begin, std::size_t end, std::uint64_t number, bool context) {
  std::string_view text(buffer_.data() + begin, end - begin);
  if (number == 1) text = without_bom(text);
  link::FoundLine line{
      .number = number, .context = context, .cut = text.size() > options_.max_line};
  line.text = text.substr(0, options_.max_line);
  lines_.add(std::move(line));
  shown_until_ = number;
}

}  // namespace talaria::runner
