// Any file, any old and new text: what is replaced is replaced, what stands before the first place
// is not touched, and the diff of the two leads from one to the other.

#include <algorithm>
#include <charconv>
#include <string>

#include "base/text.h"
#include "edit/diff.h"
#include "edit/file_text.h"
#include "edit/replace.h"
#include "fuzz/input.h"

namespace talaria {
namespace {

// What is at the start of the line, which counts from 1.
std::size_t line_start(std::string_view text, std::size_t line) {
  std::size_t at = 0;
  for (; line > 1; --line) at = text.find('\n', at) + 1;
  return at;
}

std::string_view next_line(std::string_view& text) {
  const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, size);
  text.remove_prefix(size);
  return line;
}

// "@@ -12,3 +..." : the number of the first line, or of the one before if there is none.
std::size_t lines_ahead(std::string_view header) {
  header.remove_prefix(std::string_view("@@ -").size());
  const std::string_view span = header.substr(0, header.find(' '));
  std::size_t first = 0;
  std::from_chars(span.data(), span.data() + span.size(), first);
  return span.ends_with(",0") ? first : first - 1;
}

// What `patch` does.
std::string patched(std::string_view before, std::string_view diff) {
  std::string after;
  std::size_t taken = 0;
  next_line(diff);
  next_line(diff);
  while (!diff.empty()) {
    std::string_view line = next_line(diff);
    if (line.starts_with("@@")) {
      for (; taken < lines_ahead(line); ++taken) after += next_line(before);
      continue;
    }
    const char mark = line.front();
    line.remove_prefix(1);
    if (diff.starts_with('\\')) {
      line.remove_suffix(1);
      next_line(diff);
    }
    if (mark != '+') {
      require(next_line(before) == line);
      ++taken;
    }
    if (mark != '-') after += line;
  }
  return after.append(before);
}

void check(Input input) {
  const bool all = input.choice() % 2 == 1;
  std::string_view rest = input.rest();
  const std::string_view content = next_word(rest, '\x1e');
  const std::string_view old_text = next_word(rest, '\x1e');
  const auto replaced = edit::replace_text(content, {old_text, rest, all});
  if (!replaced) {
    require(is_valid_utf8(old_text) ? is_valid_utf8(replaced.error().message) : true);
    return;
  }
  require(!replaced->lines.empty() && (all || replaced->lines.size() == 1));
  require(std::ranges::is_sorted(replaced->lines));
  const std::size_t untouched = line_start(content, replaced->lines.front());
  require(replaced->content.starts_with(content.substr(0, untouched)));
  if (content == replaced->content) return;
  require(patched(content, edit::unified_diff(content, replaced->content, "a", "b")) ==
          replaced->content);
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size));
  return 0;
}
