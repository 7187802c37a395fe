#include "edit/insertion.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "edit/lines.h"

namespace talaria::edit {
namespace {

void replace_all(std::string& text, std::string_view escape, char real) {
  for (std::size_t at = 0; (at = text.find(escape, at)) != std::string::npos; ++at) {
    text.replace(at, escape.size(), 1, real);
  }
}

// The ending of the line before `count`, or of the nearest one before that.
std::string_view ending_before(const std::vector<EndedLine>& lines, std::size_t count,
                               std::string_view otherwise) {
  while (count > 0 && lines[count - 1].ending.empty()) --count;
  return count > 0 ? lines[count - 1].ending : otherwise;
}

}  // namespace

std::optional<std::string> escape_drift(std::string_view old_text, std::string_view new_text,
                                        std::string_view matched) {
  for (const std::string_view escape : {"\\'", "\\\""}) {
    if (!old_text.contains(escape) || !new_text.contains(escape) || matched.contains(escape))
      continue;
    return "Escape-drift detected: old_string and new_string contain " + std::string(escape) +
           " but the text in the file has no backslash there. Read the file again and send the "
           "quotes as they are in it.";
  }
  return std::nullopt;
}

std::string with_real_controls(std::string_view new_text, std::string_view matched,
                               std::string_view beside) {
  std::string text(new_text);
  for (const auto& [escape, real] : {std::pair("\\t", '\t'), std::pair("\\r", '\r')}) {
    const bool file_has_real = matched.contains(real) && !matched.contains(escape);
    if (file_has_real && !text.contains(real) && !beside.contains(real)) {
      replace_all(text, escape, real);
    }
  }
  return text;
}

std::string reindented(std::string_view new_text, std::string_view pattern_indent,
                       std::string_view matched_indent) {
  if (pattern_indent == matched_indent) return std::string(new_text);
  std::string text;
  while (!new_text.empty()) {
    const bool ended = new_text.contains('\n');
    std::string_view line = next_word(new_text, '\n');
    if (!strip(line).empty()) {
      text += matched_indent;
      const bool has_it = line.starts_with(pattern_indent);
      line.remove_prefix(has_it ? pattern_indent.size() : indent_of(line).size());
    }
    text += line;
    if (ended) text += '\n';
  }
  return text;
}

std::string with_line_endings(std::string_view new_text, std::string_view matched,
                              std::string_view otherwise) {
  if (otherwise == "\n" && !matched.contains('\r')) return std::string(new_text);
  const std::vector<EndedLine> before = ended_lines(matched);
  const std::vector<EndedLine> after = ended_lines(new_text);
  const std::size_t most = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < most && before[head].text == after[head].text) ++head;
  std::size_t tail = 0;
  while (tail < most - head &&
         before[before.size() - 1 - tail].text == after[after.size() - 1 - tail].text) {
    ++tail;
  }

  std::string text;
  for (std::size_t i = 0; i < after.size(); ++i) {
    text += after[i].text;
    if (after[i].ending.empty()) break;
    const bool in_tail = i >= after.size() - tail;
    const std::size_t same = in_tail ? before.size() - (after.size() - i) : i;
    const std::size_t last = in_tail ? before.size() : before.size() - tail;
    const std::size_t count = std::max(std::min(same + 1, last), std::size_t{1});
    text += ending_before(before, std::min(count, before.size()), otherwise);
  }
  return text;
}

}  // namespace talaria::edit
