#include "modal/report.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>

#include "base/secret_mask.h"
#include "json/json_text.h"
#include "os/file.h"

namespace talaria::modal {
namespace {

constexpr std::size_t kMostProgress = 256 * 1024;
constexpr std::size_t kLongestProgress = 8 * 1024;
constexpr std::size_t kLastLines = 16;

}  // namespace

void Report::keep_secret(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const bool known =
      std::ranges::any_of(secrets_, [&](const Secret& one) { return one.view() == text; });
  if (!text.empty() && !known) secrets_.emplace_back(text);
}

void Report::progress(std::string_view text) {
  text.remove_prefix(text.size() - std::min(text.size(), kLongestProgress));
  std::string line = to_line(json::object{{"progress", text}});
  const std::lock_guard lock(mutex_);
  if (written_ + line.size() <= kMostProgress) {
    written_ += line.size();
    return write_line(std::move(line));
  }
  last_.push_back(std::move(line));
  if (last_.size() > kLastLines) last_.pop_front();
}

void Report::failure(const CallFailure& failure) {
  const std::lock_guard lock(mutex_);
  for (std::string& line : std::exchange(last_, {})) write_line(std::move(line));
  write_line(failure_line(failure));
}

// Whatever the service says, it is one line.
void Report::for_people(const CallFailure& failure) {
  std::string line = "talaria-modal: " + message_of(failure);
  std::ranges::replace(line, '\n', ' ');
  const std::lock_guard lock(mutex_);
  write_line(std::move(line));
}

void Report::write_line(std::string line) {
  for (const Secret& secret : secrets_) line = without_secret(secret, line);
  // Who does not listen does not want to know.
  (void)os::write_all(fd_, line + "\n");
}

}  // namespace talaria::modal
