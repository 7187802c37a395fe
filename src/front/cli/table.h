// Table: rows in aligned columns. If it would be wider than the terminal, a column COMMAND is cut;
// if that is not enough, the widest columns are made narrower and their cells are wrapped. IDs stay
// whole, so that they can be copied.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "front/cli/text_style.h"

namespace talaria::front::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> heads);

  // As many cells as there are heads.
  void add(std::vector<std::string> cells, Look look = Look::plain);

  std::string drawn(const TextStyle& style) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Look look;
  };

  std::vector<std::size_t> widths(std::size_t limit) const;
  std::size_t column(std::string_view head) const;  // the number of columns if there is none

  std::vector<Row> rows_;
};

}  // namespace talaria::front::cli
