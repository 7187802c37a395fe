#include "edit/diff.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/limits.h"
#include "edit/line_diff.h"

namespace talaria::edit {
namespace {

constexpr std::size_t kContext = 3;

// With their ends, so that a line that lost its end is another line.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

using Numbers = std::unordered_map<std::string_view, std::uint32_t>;

std::vector<std::uint32_t> numbered(std::span<const std::string_view> lines, Numbers& numbers) {
  std::vector<std::uint32_t> all;
  all.reserve(lines.size());
  for (const std::string_view line : lines) {
    all.push_back(numbers.emplace(line, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return all;
}

// What both begin and end with is most of it, and is found without looking up a line.
LineDiff diff_between_common_ends(const std::vector<std::string_view>& before,
                                  const std::vector<std::string_view>& after) {
  const std::size_t most = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < most && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < most - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  Numbers numbers;
  const auto old_numbers =
      numbered(std::span(before).subspan(head, before.size() - head - tail), numbers);
  const auto new_numbers =
      numbered(std::span(after).subspan(head, after.size() - head - tail), numbers);
  LineDiff diff = diff_lines(old_numbers, new_numbers, kMaxDiffSteps);
  for (std::vector<bool>* lines : {&diff.removed, &diff.added}) {
    lines->insert(lines->begin(), head, false);
    lines->insert(lines->end(), tail, false);
  }
  return diff;
}

// A stretch of lines of both texts, in lines from 0.
struct Stretch {
  std::size_t old_begin, old_end, new_begin, new_end;
};

// Where the texts differ, each as far as it goes without a common line.
std::vector<Stretch> stretches(const LineDiff& diff) {
  std::vector<Stretch> all;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < diff.removed.size() || j < diff.added.size()) {
    Stretch stretch{i, i, j, j};
    while (i < diff.removed.size() && diff.removed[i]) ++i;
    while (j < diff.added.size() && diff.added[j]) ++j;
    stretch.old_end = i;
    stretch.new_end = j;
    if (i > stretch.old_begin || j > stretch.new_begin) {
      all.push_back(stretch);
    } else {
      ++i;
      ++j;
    }
  }
  return all;
}

class DiffWriter {
 public:
  DiffWriter(const std::vector<std::string_view>& before,
             const std::vector<std::string_view>& after)
      : before_(before), after_(after) {}

  // Changes that are near each other, with lines around them.
  void write(const std::vector<Stretch>& changes) {
    for (std::size_t first = 0; first < changes.size();) {
      std::size_t last = first;
      while (last + 1 < changes.size() &&
             changes[last + 1].old_begin - changes[last].old_end <= 2 * kContext) {
        ++last;
      }
      write_hunk({changes.begin() + static_cast<std::ptrdiff_t>(first),
                  changes.begin() + static_cast<std::ptrdiff_t>(last) + 1});
      first = last + 1;
    }
  }

  std::string text;

 private:
  void write_hunk(const std::vector<Stretch>& changes) {
    const std::size_t ahead = std::min(kContext, changes.front().old_begin);
    const std::size_t behind = std::min(kContext, before_.size() - changes.back().old_end);
    const Stretch whole{changes.front().old_begin - ahead, changes.back().old_end + behind,
                        changes.front().new_begin - ahead, changes.back().new_end + behind};
    text += "@@ -" + span_text(whole.old_begin, whole.old_end) + " +" +
            span_text(whole.new_begin, whole.new_end) + " @@\n";
    std::size_t line = whole.old_begin;
    for (const Stretch& change : changes) {
      for (; line < change.old_begin; ++line) write_line(' ', before_[line]);
      for (; line < change.old_end; ++line) write_line('-', before_[line]);
      for (std::size_t j = change.new_begin; j < change.new_end; ++j) write_line('+', after_[j]);
    }
    for (; line < whole.old_end; ++line) write_line(' ', before_[line]);
  }

  // The first line and how many; of none, the line behind which they would be.
  static std::string span_text(std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    const std::string first = std::to_string(count == 0 ? begin : begin + 1);
    return count == 1 ? first : first + "," + std::to_string(count);
  }

  void write_line(char mark, std::string_view line) {
    text += mark;
    text += line;
    if (!line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  }

  const std::vector<std::string_view>& before_;
  const std::vector<std::string_view>& after_;
};

// A name with a line feed in it would be more than one line of the diff.
std::string in_one_line(std::string_view name) {
  std::string line(name);
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return line;
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_name, std::string_view after_name) {
  if (before == after) return "";
  const auto old_lines = whole_lines(before);
  const auto new_lines = whole_lines(after);
  const LineDiff diff = diff_between_common_ends(old_lines, new_lines);

  DiffWriter writer(old_lines, new_lines);
  writer.text = "--- " + in_one_line(before_name) + "\n+++ " + in_one_line(after_name) + "\n";
  writer.write(stretches(diff));
  return std::move(writer.text);
}

}  // namespace talaria::edit
