#include "edit/hunks.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "edit/file_text.h"
#include "edit/insertion.h"
#include "edit/search.h"
#include "edit/shown.h"

namespace talaria::edit {
namespace {

using LineKind = HunkLine::Kind;

std::vector<std::string_view> texts(const Hunk& hunk, bool added) {
  std::vector<std::string_view> lines;
  for (const HunkLine& line : hunk.lines) {
    if ((line.kind == LineKind::added) == added) lines.push_back(line.text);
  }
  return lines;
}

std::string text_of_lines(std::span<const std::string_view> lines) {
  std::string text;
  for (const std::string_view line : lines) text.append(line).append("\n");
  return text;
}

// The lines before and after, to see whether there is a difference at all.
bool changes_nothing(const Hunk& hunk) {
  std::string before;
  std::string after;
  for (const HunkLine& line : hunk.lines) {
    if (line.kind != LineKind::added) before.append(line.text).append("\n");
    if (line.kind != LineKind::removed) after.append(line.text).append("\n");
  }
  return before == after;
}

std::string label(const Hunk& hunk) {
  return hunk.hints.empty() ? "hunk (no hint)" : "hunk '" + shown_line(hunk.hints.back()) + "'";
}

std::string where(const Hunk& hunk) {
  return " (patch line " + std::to_string(hunk.patch_line) + ")";
}

std::string listed(const std::vector<std::size_t>& starts) {
  std::string text;
  for (std::size_t i = 0; i < std::min(starts.size(), kMaxShownPlaces); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(starts[i] + 1);
  }
  return starts.size() > kMaxShownPlaces ? text + ", ..." : text;
}

}  // namespace

HunkEditor::HunkEditor(std::string_view bytes)
    : bom_(bytes.substr(0, bytes.size() - without_bom(bytes).size())),
      budget_(kMaxSimilaritySteps) {
  for (const EndedLine& line : ended_lines(without_bom(bytes))) {
    lines_.push_back(line.text);
    endings_.push_back(line.ending);
  }
}

std::string HunkEditor::bytes() const {
  std::string bytes(bom_);
  for (std::size_t i = 0; i < lines_.size(); ++i) bytes.append(lines_[i]).append(endings_[i]);
  return bytes;
}

std::optional<std::string> HunkEditor::apply(const Hunk& hunk) {
  if (changes_nothing(hunk)) {
    return label(hunk) + " changes nothing: old and new lines are identical" + where(hunk);
  }
  const std::vector<std::string_view> pattern = texts(hunk, false);
  if (pattern.empty()) return add_only(hunk);

  const auto found = find_lines(lines_, pattern, budget_);
  if (!found) {
    return label(hunk) + " not found — " + std::string(kNotFound) + where(hunk) +
           did_you_mean(lines_, pattern);
  }
  std::size_t start = 0;
  if (auto problem = choose(hunk, *found, pattern.size(), start)) return problem;

  const std::string matched = text_of_lines(std::span(lines_).subspan(start, pattern.size()));
  if (found->strategy != Strategy::exact) {
    if (auto drift =
            escape_drift(text_of_lines(pattern), text_of_lines(texts(hunk, true)), matched)) {
      return label(hunk) + " not found — " + *drift + where(hunk);
    }
  }
  splice(hunk, start, pattern.size(), fitted(hunk, *found, matched));
  return std::nullopt;
}

// Of several places: the one at the end if the hunk says that it is there, else the first one that
// is not in front of its hint.
std::optional<std::string> HunkEditor::choose(const Hunk& hunk, const FoundLines& found,
                                              std::size_t size, std::size_t& start) const {
  start = found.starts.back();
  if (found.starts.size() == 1 || (hunk.at_end && start + size == lines_.size()))
    return std::nullopt;
  const std::string problem = label(hunk) + " not found — " +
                              ambiguous_message(found.starts.size()) + " (lines " +
                              listed(found.starts) + ")";
  if (hunk.hints.empty()) return problem + where(hunk);
  std::size_t hint = 0;
  if (const auto reason = locate(hunk.hints, hint)) {
    return problem + "; the hint " + *reason + where(hunk);
  }
  const auto first = std::ranges::find_if(
      found.starts, [&](std::size_t candidate) { return candidate + size > hint; });
  if (first == found.starts.end()) return problem + "; none is behind the hint" + where(hunk);
  start = *first;
  return std::nullopt;
}

// The line with the hint, which has to occur once in the file; of further hints, each the first
// line behind the one before.
std::optional<std::string> HunkEditor::locate(const std::vector<std::string>& hints,
                                              std::size_t& line) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::size_t here = occurrences(lines_[i], hints.front(), kMaxEditPlaces).size();
    if (here > 0 && count == 0) line = i;
    count += here;
  }
  const auto quoted = [](const std::string& hint) { return "'" + shown_line(hint) + "'"; };
  if (count == 0) return quoted(hints.front()) + " not found";
  if (count > 1) {
    return quoted(hints.front()) + " is ambiguous (" + std::to_string(count) + " occurrences)";
  }
  for (std::size_t i = 1; i < hints.size(); ++i) {
    const auto behind = lines_.begin() + static_cast<std::ptrdiff_t>(line) + 1;
    const auto next = std::find_if(behind, lines_.end(),
                                   [&](std::string_view text) { return text.contains(hints[i]); });
    if (next == lines_.end()) return quoted(hints[i]) + " not found";
    line = static_cast<std::size_t>(next - lines_.begin());
  }
  return std::nullopt;
}

std::optional<std::string> HunkEditor::add_only(const Hunk& hunk) {
  std::vector<std::string_view> added;
  for (const HunkLine& line : hunk.lines) added.push_back(added_.emplace_back(line.text));
  if (hunk.hints.empty() || hunk.at_end) {
    insert(lines_.size(), added);
    return std::nullopt;
  }
  std::size_t line = 0;
  if (const auto reason = locate(hunk.hints, line)) {
    return "addition-only hunk context hint " + *reason + where(hunk);
  }
  insert(line + 1, added);
  return std::nullopt;
}

// The added lines as they go into the file, one for one.
std::vector<std::string_view> HunkEditor::fitted(const Hunk& hunk, const FoundLines& found,
                                                 std::string_view matched) {
  std::string context;
  for (const HunkLine& line : hunk.lines) {
    if (line.kind == LineKind::context) context.append(line.text).append("\n");
  }
  std::string text = with_real_controls(text_of_lines(texts(hunk, true)), matched, context);
  if (found.strategy != Strategy::exact) {
    text = reindented(text, found.indent, first_indent(matched));
  }
  return split_lines(added_.emplace_back(std::move(text)));
}

void HunkEditor::splice(const Hunk& hunk, std::size_t start, std::size_t size,
                        const std::vector<std::string_view>& added) {
  std::vector<std::string_view> lines;
  std::vector<std::string_view> endings;
  std::deque<std::string_view> free_endings;  // of lines removed just before
  std::string_view near = ending_near(start);
  bool open = false;  // the last line has no end, and no line follows it
  std::size_t next = start;
  std::size_t next_added = 0;
  for (const HunkLine& line : hunk.lines) {
    if (line.kind == LineKind::added) {
      lines.push_back(added[next_added++]);
      endings.push_back(free_endings.empty() ? near : free_endings.front());
      if (!free_endings.empty()) free_endings.pop_front();
      continue;
    }
    const std::string_view ending = endings_[next].empty() ? near : endings_[next];
    open = open || endings_[next].empty();
    near = ending;
    if (line.kind == LineKind::context) {
      lines.push_back(lines_[next]);
      endings.push_back(ending);
      free_endings.clear();
    } else {
      free_endings.push_back(ending);
    }
    ++next;
  }
  // A file whose last line has no end stays so, unless that line goes and nothing comes for it.
  const auto last =
      std::ranges::find_if(hunk.lines.rbegin(), hunk.lines.rend(),
                           [](const HunkLine& line) { return line.kind != LineKind::removed; });
  const bool stands_for_last = hunk.lines.back().kind != LineKind::removed ||
                               (last != hunk.lines.rend() && last->kind == LineKind::added);
  // (A blank line without an end would be none.)
  if (open && stands_for_last && !lines.back().empty()) endings.back() = {};

  const auto replace = [&](std::vector<std::string_view>& all, const auto& part) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(start);
    const auto at = all.erase(from, from + static_cast<std::ptrdiff_t>(size));
    all.insert(at, part.begin(), part.end());
  };
  replace(lines_, lines);
  replace(endings_, endings);
}

void HunkEditor::insert(std::size_t at, const std::vector<std::string_view>& added) {
  const std::string_view ending = lines_.empty() ? "\n" : ending_near(at == 0 ? 0 : at - 1);
  if (at > 0 && endings_[at - 1].empty()) endings_[at - 1] = ending;
  const auto offset = static_cast<std::ptrdiff_t>(at);
  lines_.insert(lines_.begin() + offset, added.begin(), added.end());
  endings_.insert(endings_.begin() + offset, added.size(), ending);
}

// What ends this line, or else the one before; LF in a file that has no example.
std::string_view HunkEditor::ending_near(std::size_t line) const {
  if (!endings_[line].empty()) return endings_[line];
  return line > 0 ? endings_[line - 1] : "\n";
}

}  // namespace talaria::edit
