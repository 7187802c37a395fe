// Table: rows in aligned columns. If it would be wider than the terminal, the widest columns are
// made narrower and their cells are wrapped.
#pragma once

#include <string>
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

  std::vector<Row> rows_;
};

}  // namespace talaria::front::cli
