#include "runner/search/ripgrep_output.h"

#include <algorithm>
#include <utility>

#include "link/limits.h"

namespace talaria::runner {
namespace {

// Roots are given as "./" or "./NAME".
constexpr std::string_view kHere = "./";
constexpr std::string_view kSeparator = "--\n";  // between lines that are not neighbours

}  // namespace

void RipgrepOutput::take(std::string_view bytes) {
  while (!bytes.empty()) {
    switch (part_) {
      case Part::path:
        bytes = take_path(bytes);
        break;
      case Part::number:
        bytes = take_number(bytes);
        break;
      case Part::text:
        bytes = take_text(bytes);
        break;
    }
  }
}

void RipgrepOutput::finish() {
  // Cut short: an incomplete line is ignored.
  if (has_file_) file_ended();
}

std::string_view RipgrepOutput::take_path(std::string_view bytes) {
  const std::size_t end = bytes.find('\0');
  path_ += bytes.substr(0, end);
  if (end == std::string_view::npos) return {};
  path_ended();
  return bytes.substr(end + 1);
}

void RipgrepOutput::path_ended() {
  while (path_.starts_with(kSeparator)) path_.erase(0, kSeparator.size());
  drop_notice();
  std::string path = path_.starts_with(kHere) ? path_.substr(kHere.size()) : path_;
  path_.clear();
  if (options_.mode == link::SearchMode::files || options_.mode == link::SearchMode::names) {
    options_.on_file({.path = std::move(path)});
    return;
  }
  if (!has_file_ || file_.path != path) {
    if (has_file_) file_ended();
    file_ = {.path = std::move(path)};
    lines_ = {};
    has_file_ = true;
    most_ = options_.wanted_of(file_.path);
    matches_ = 0;
  }
  line_ = {};
  part_ = Part::number;
}

// Behind the lines of a file with a NUL byte ripgrep says so, in a line with no mark of its own: it
// begins with the name of that file, and looks like the beginning of the next one.
void RipgrepOutput::drop_notice() {
  if (!has_file_) return;
  const std::string name = std::string(kHere) + file_.path + ": ";
  if (!path_.starts_with(name)) return;
  const std::string_view rest = std::string_view(path_).substr(name.size());
  if (!rest.starts_with("WARNING: stopped searching binary file") &&
      !rest.starts_with("binary file matches")) {
    return;
  }
  const std::size_t end = rest.find(")\n");
  if (end == std::string_view::npos || options_.exists(path_.substr(kHere.size()))) return;
  path_.erase(0, name.size() + end + 2);
  while (path_.starts_with(kSeparator)) path_.erase(0, kSeparator.size());
}

std::string_view RipgrepOutput::take_number(std::string_view bytes) {
  std::size_t i = 0;
  for (; i < bytes.size() && bytes[i] >= '0' && bytes[i] <= '9'; ++i) {
    line_.number = line_.number * 10 + static_cast<std::uint64_t>(bytes[i] - '0');
  }
  if (i == bytes.size()) return {};
  if (options_.mode == link::SearchMode::count) {  // "PATH\0COUNT\n"
    file_.matches = line_.number;
    file_ended();
    part_ = Part::path;
  } else {
    line_.context = bytes[i] == '-';
    part_ = Part::text;
  }
  return bytes.substr(i + 1);
}

std::string_view RipgrepOutput::take_text(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::string_view text = bytes.substr(0, end);
  const std::size_t room = options_.max_line - line_.text.size();
  line_.cut |= text.size() > room;
  line_.text += text.substr(0, room);
  if (end == std::string_view::npos) return {};
  line_ended();
  return bytes.substr(end + 1);
}

void RipgrepOutput::line_ended() {
  part_ = Part::path;
  if (!line_.context) ++file_.matches;
  // What stands behind the last line that is kept is kept, too.
  const bool wanted = line_.context ? matches_ <= most_ && most_ > 0 : matches_ < most_;
  if (!line_.context) ++matches_;
  if (wanted) lines_.add(std::move(line_));
}

void RipgrepOutput::file_ended() {
  has_file_ = false;
  file_.lines = lines_.take();
  if (file_.matches > 0) options_.on_file(std::move(file_));
}

}  // namespace talaria::runner
