#include "front/cli/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "front/wrap.h"

namespace talaria::front::cli {
namespace {

constexpr std::size_t kGap = 2;              // between columns
constexpr std::size_t kNarrowestColumn = 8;  // columns are not made narrower than this
constexpr std::size_t kShortestCut = 16;     // a cell is not cut shorter before others are wrapped

std::string cut(const std::string& cell, std::size_t width) {
  if (count_chars(cell) <= width) return cell;
  return std::string(first_chars(cell, width - 1)) + "…";
}

std::string drawn_row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                      std::size_t cut_column, Look look, const TextStyle& style) {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 1;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    columns.push_back(at == cut_column ? std::vector{cut(cells[at], widths[at])}
                                       : wrapped(cells[at], widths[at]));
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
  const std::size_t cut_column = column("COMMAND");
  const std::size_t id_column = column("ID");
  for (; limit > 0 && total > limit; --total) {
    std::size_t chosen = cut_column;
    if (chosen == widths.size() || widths[chosen] <= kShortestCut) {
      chosen = widths.size();
      for (std::size_t at = 0; at < widths.size(); ++at) {
        if (at == id_column || widths[at] <= kNarrowestColumn) continue;
        if (chosen == widths.size() || widths[at] > widths[chosen]) chosen = at;
      }
    }
    if (chosen == widths.size()) break;
    --widths[chosen];
  }
  return widths;
}

std::size_t Table::column(std::string_view head) const {
  const std::vector<std::string>& heads = rows_.front().cells;
  return static_cast<std::size_t>(std::ranges::find(heads, head) - heads.begin());
}

std::string Table::drawn(const TextStyle& style) const {
  const std::vector<std::size_t> columns = widths(style.width);
  std::string text;
  for (const Row& row : rows_) {
    text += drawn_row(row.cells, columns, column("COMMAND"), row.look, style);
  }
  return text;
}

}  // namespace talaria::front::cli
