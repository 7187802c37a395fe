// Table: rows for a person to read, in aligned columns. Where it would be wider than the terminal,
// the widest columns give way and their cells go over several lines.
#pragma once

#include <string>
#include <vector>

#include "front/cli/terminal.h"

namespace talaria::front::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> heads);

  // As many cells as there are heads; each is shown in one line unless it has to be broken.
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
