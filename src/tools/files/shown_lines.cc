#include "tools/files/shown_lines.h"

#include "base/limits.h"
#include "base/text.h"
#include "policy/redact.h"

namespace talaria::tool {

void ShownLines::add(std::string_view line, bool cut) {
  const std::string prefix = (text_.empty() ? "" : "\n") + std::to_string(next_++) + "|";
  // What could not be shown anyway need not be looked at.
  const std::size_t most = limits_.line_chars * kMaxUtf8Bytes + policy::kSecretBytes;
  if (line.size() > most) {
    line = without_cut_end(line.substr(0, most));
    cut = true;
  }
  std::string shown = sanitize_utf8(line);
  cut = cut || count_chars(shown) > limits_.line_chars;
  if (cut) {
    if (limits_.redact) shown = policy::redact(shown, {.code_file = true});
    shown = std::string(first_chars(shown, limits_.line_chars)) + "... [truncated]";
  }
  chars_ += prefix.size() + count_chars(shown);
  text_ += prefix;
  text_ += shown;
}

void ShownLines::add_all(std::string_view lines, bool cut) {
  while (!lines.empty()) {
    const std::size_t newline = lines.find('\n');
    const bool is_last = newline == std::string_view::npos;
    add(lines.substr(0, newline), cut && is_last);
    lines.remove_prefix(is_last ? lines.size() : newline + 1);
  }
}

}  // namespace talaria::tool
