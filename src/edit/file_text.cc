#include "edit/file_text.h"

#include <algorithm>

#include "base/limits.h"

namespace talaria::edit {

bool too_large_to_edit(std::string_view bytes) {
  return bytes.size() > kMaxEditBytes ||
         static_cast<std::size_t>(std::ranges::count(bytes, '\n')) > kMaxEditLines;
}

FileText::FileText(std::string_view bytes)
    : bytes_(bytes),
      bom_(bytes.starts_with(kBom) ? kBom.size() : 0),
      fold_(fold_line_endings(bytes.substr(bom_))),
      lines_(fold_.text()) {}

Range FileText::source(Range range) const {
  // A line ending is one character here, so no range begins or ends within it.
  const Range found = *fold_.source(range);
  return {found.begin + bom_, found.end + bom_};
}

std::string_view FileText::ending(std::size_t line) const {
  const std::size_t end = lines_.range(line, 1, false).end;
  if (end == text().size()) return {};
  return source({end, end + 1}).end - source({end, end + 1}).begin == 2 ? "\r\n" : "\n";
}

std::string_view FileText::ending_near(std::size_t line) const {
  const std::string_view own = ending(line);
  return own.empty() && line > 0 ? ending(line - 1) : own;
}

}  // namespace talaria::edit
