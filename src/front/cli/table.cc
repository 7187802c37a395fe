#include "front/cli/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "front/cli/wrap.h"

namespace talaria::front::cli {
namespace {

constexpr std::size_t kGap = 2;              // between columns
constexpr std::size_t kNarrowestColumn = 8;  // columns are not made narrower than this

std::string drawn_row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                      Look look, const TextStyle& style) {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 1;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    columns.push_back(wrapped(cells[at], widths[at]));
    height = std::max(height, columns.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string drawn;
    for (std::size_t at = 0; at < columns.size(); ++at) {
      const std::string part = line < columns[at].size() ? columns[at][line] : "";
      drawn += part;
      drawn.append(widths[at] - count_chars(part) + kGap, ' ');
    }
    drawn.resize(drawn.find_last_not_of(' ') + 1);
    text += dressed(drawn, look, style) + "\n";
  }
  return text;
}

}  // namespace

Table::Table(std::vector<std::string> heads) { rows_.push_back({std::move(heads), Look::bold}); }

void Table::add(std::vector<std::string> cells, Look look) {
  for (std::string& cell : cells) cell = one_line(cell);
  cells.resize(rows_.front().cells.size());
  rows_.push_back({std::move(cells), look});
}

std::vector<std::size_t> Table::widths(std::size_t limit) const {
  std::vector<std::size_t> widths(rows_.front().cells.size());
  for (const Row& row : rows_) {
    for (std::size_t at = 0; at < widths.size(); ++at) {
      widths[at] = std::max(widths[at], count_chars(row.cells[at]));
    }
  }
  std::size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  for (; limit > 0 && total > limit; --total) {
    std::size_t& widest = *std::ranges::max_element(widths);
    if (widest <= kNarrowestColumn) break;
    --widest;
  }
  return widths;
}

std::string Table::drawn(const TextStyle& style) const {
  const std::vector<std::size_t> columns = widths(style.width);
  std::string text;
  for (const Row& row : rows_) text += drawn_row(row.cells, columns, row.look, style);
  return text;
}

}  // namespace talaria::front::cli
