#include "tools/process_text.h"

#include <algorithm>
#include <array>

#include "base/ansi.h"
#include "base/limits.h"
#include "base/text.h"
#include "policy/redact.h"

namespace talaria::tool {
namespace {

constexpr std::size_t kForSequences = 16u << 10;

// What an interactive shell without a terminal complains of before it does anything.
constexpr auto kShellNoise = std::to_array<std::string_view>(
    {"cannot set terminal process group", "no job control in this shell",
     "tcsetattr: Inappropriate ioctl for device"});

bool is_shell_noise(std::string_view line) {
  return std::ranges::any_of(kShellNoise,
                             [&](std::string_view noise) { return line.contains(noise); });
}

std::string_view without_shell_noise(std::string_view text) {
  for (;;) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!is_shell_noise(line)) return text;
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::uint64_t bytes_for_chars(std::size_t chars) { return chars * kMaxUtf8Bytes + kForSequences; }

std::string shown_tail(const ProcessInfo& info, std::size_t chars, bool mask) {
  std::string text =
      info.tail_from == 0 ? sanitize_utf8(info.tail) : sanitize_utf8(without_cut_start(info.tail));
  text = strip_ansi(text);
  if (mask) text = policy::redact(text);
  std::string_view shown = text;
  if (info.tail_from == 0 && info.terminal.empty()) shown = without_shell_noise(shown);
  return std::string(last_chars(shown, chars));
}

std::vector<std::string_view> unicode_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end =
        text.substr(at).starts_with("\r\n") ? 2 : line_break_size(text.substr(at));
    if (end == 0) {
      ++at;
      continue;
    }
    lines.push_back(text.substr(begin, at - begin));
    at += end;
    begin = at;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

std::vector<std::string_view> page_of(const std::vector<std::string_view>& lines,
                                      std::size_t offset, std::size_t limit) {
  const std::size_t from =
      offset == 0 ? lines.size() - std::min(limit, lines.size()) : std::min(offset, lines.size());
  const std::size_t count = std::min(limit, lines.size() - from);
  const auto first = lines.begin() + static_cast<std::ptrdiff_t>(from);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace talaria::tool
