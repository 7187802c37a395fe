#include "edit/replace.h"

#include <optional>
#include <utility>

#include "base/limits.h"
#include "edit/file_text.h"
#include "edit/insertion.h"
#include "edit/search.h"
#include "edit/shown.h"

namespace talaria::edit {
namespace {

std::unexpected<EditFailure> failed(EditFailureKind kind, std::string message) {
  return std::unexpected(EditFailure{kind, std::move(message)});
}

std::unexpected<EditFailure> too_large() {
  return failed(EditFailureKind::too_large,
                "The file, or what would become of it, is larger than " +
                    std::to_string(kMaxEditBytes >> 20) + " MiB or " +
                    std::to_string(kMaxEditLines) + " lines, or the change has more than " +
                    std::to_string(kMaxEditPlaces) + " places");
}

// What is asked for, with LF and without a BOM, as it is compared with the text of a file.
struct Wanted {
  std::string old_text;
  std::string new_text;
  std::string_view given_ending;  // of the lines of the new text, where the file has no example
  bool all;

  explicit Wanted(const Replacement& replacement)
      : old_text(fold_line_endings(without_bom(replacement.old_text)).text()),
        new_text(fold_line_endings(without_bom(replacement.new_text)).text()),
        given_ending(replacement.new_text.contains("\r\n") ? "\r\n" : "\n"),
        all(replacement.all) {}
};

std::vector<Range> without_overlaps(const std::vector<Range>& ranges) {
  std::vector<Range> apart;
  for (const Range& range : ranges) {
    if (apart.empty() || range.begin >= apart.back().end) apart.push_back(range);
  }
  return apart;
}

std::vector<std::size_t> lines_of(const Lines& lines, const std::vector<Range>& ranges) {
  std::vector<std::size_t> starts;
  starts.reserve(ranges.size());
  for (const Range& range : ranges) starts.push_back(lines.line_at(range.begin));
  return starts;
}

EditFailure ambiguous(const Lines& lines, const std::vector<Range>& ranges) {
  const auto starts = lines_of(lines, ranges);
  return {EditFailureKind::ambiguous, ambiguous_message(ranges.size()),
          shown_places(lines.all(), starts)};
}

// Were it not for backslashes before quotes, would there be a place?
std::optional<EditFailure> drifted(const FileText& file, const Wanted& wanted) {
  std::string bare;
  for (std::size_t i = 0; i < wanted.old_text.size(); ++i) {
    const char next = i + 1 < wanted.old_text.size() ? wanted.old_text[i + 1] : '\0';
    if (wanted.old_text[i] != '\\' || (next != '\'' && next != '"')) bare += wanted.old_text[i];
  }
  if (bare.empty() || bare == wanted.old_text) return std::nullopt;
  WorkBudget nothing(0);  // by what fits, not by what resembles
  const auto found = find_text(file.lines(), bare, nothing);
  if (!found) return std::nullopt;
  const Range& first = found->ranges.front();
  auto drift = escape_drift(wanted.old_text, wanted.new_text,
                            file.text().substr(first.begin, first.end - first.begin));
  if (!drift) return std::nullopt;
  return EditFailure{EditFailureKind::escape_drift, std::move(*drift)};
}

EditFailure not_found(const FileText& file, const Wanted& wanted) {
  if (auto drift = drifted(file, wanted)) return *drift;
  const auto pattern = split_lines(wanted.old_text);
  return {EditFailureKind::not_found,
          std::string(kNotFound) + did_you_mean(file.lines().all(), pattern)};
}

// What goes to one place, as bytes of the file.
Edit<std::string> fitted(const FileText& file, const Wanted& wanted, const Found& found,
                         const Range& range) {
  const std::string_view matched = file.text().substr(range.begin, range.end - range.begin);
  std::string text = with_real_controls(wanted.new_text, matched);
  if (found.strategy != Strategy::exact) {
    if (auto drift = escape_drift(wanted.old_text, wanted.new_text, matched)) {
      return failed(EditFailureKind::escape_drift, std::move(*drift));
    }
    text = reindented(text, found.indent, first_indent(matched));
    // The last line of a file that does not end is found as if it did, and stays as it is.
    const bool end_is_missing = wanted.old_text.ends_with('\n') && !matched.ends_with('\n');
    if (end_is_missing && text.ends_with('\n')) text.pop_back();
  }
  const std::string_view near = file.ending_near(file.lines().line_at(range.begin));
  const Range source = file.source(range);
  return with_line_endings(text, file.bytes().substr(source.begin, source.end - source.begin),
                           near.empty() ? wanted.given_ending : near);
}

// Old and new differ only in how lines end, so that is what shall change.
Edit<Replaced> replace_endings(const FileText& file, const Replacement& replacement) {
  const std::size_t size = replacement.old_text.size();
  std::vector<Range> ranges;
  for (const std::size_t at : occurrences(file.bytes(), replacement.old_text, kMaxEditPlaces + 1)) {
    ranges.push_back({at, at + size});
  }
  if (ranges.size() > kMaxEditPlaces) return too_large();
  if (ranges.empty()) {
    return failed(
        EditFailureKind::not_found,
        std::string(kNotFound) +
            ": it differs from new_string only in its line endings, so those have to fit");
  }
  const Lines lines(file.bytes());
  if (ranges.size() > 1 && !replacement.all) return std::unexpected(ambiguous(lines, ranges));

  Replaced replaced;
  std::size_t copied = 0;
  for (const Range& range : without_overlaps(ranges)) {
    replaced.content.append(file.bytes(), copied, range.begin - copied)
        .append(replacement.new_text);
    replaced.lines.push_back(lines.line_at(range.begin) + 1);
    copied = range.end;
    if (replaced.content.size() > kMaxEditBytes) return too_large();
  }
  replaced.content.append(file.bytes().substr(copied));
  return replaced;
}

Edit<Replaced> replace_found(const FileText& file, const Wanted& wanted, const Found& found) {
  if (found.ranges.size() > 1 && !wanted.all) {
    return std::unexpected(ambiguous(file.lines(), found.ranges));
  }
  if (found.ranges.size() > kMaxEditPlaces) return too_large();

  Replaced replaced{.strategy = found.strategy};
  std::size_t copied = 0;
  for (const Range& range : without_overlaps(found.ranges)) {
    Edit<std::string> text = fitted(file, wanted, found, range);
    if (!text) return std::unexpected(std::move(text.error()));
    const Range source = file.source(range);
    replaced.content.append(file.bytes(), copied, source.begin - copied).append(*text);
    replaced.lines.push_back(file.lines().line_at(range.begin) + 1);
    copied = source.end;
    if (replaced.content.size() > kMaxEditBytes) return too_large();
  }
  replaced.content.append(file.bytes().substr(copied));
  return replaced;
}

}  // namespace

Edit<Replaced> replace_text(std::string_view content, const Replacement& replacement) {
  if (replacement.old_text.empty()) {
    return failed(EditFailureKind::empty, "old_string cannot be empty");
  }
  if (replacement.old_text == replacement.new_text) {
    return failed(EditFailureKind::identical, "old_string and new_string are identical");
  }
  if (too_large_to_edit(content)) return too_large();

  const Wanted wanted(replacement);
  const FileText file(content);
  if (wanted.old_text == wanted.new_text) return replace_endings(file, replacement);
  if (wanted.old_text.empty()) {
    return failed(EditFailureKind::empty, "old_string cannot be empty");
  }
  WorkBudget budget(kMaxSimilaritySteps);
  const auto found = find_text(file.lines(), wanted.old_text, budget);
  if (!found) return std::unexpected(not_found(file, wanted));
  return replace_found(file, wanted, *found);
}

}  // namespace talaria::edit
