// Lists of names in one string, as the tables of the guard have them.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"

namespace talaria::guard {

inline bool among(std::string_view word, std::string_view list, char separator = ' ') {
  if (word.empty() || word.contains(separator)) return false;
  // most lists are asked for words they do not have: compare what has the right ends only
  for (std::size_t at = 0; (at = list.find(word.front(), at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if (end > list.size()) return false;
    if (at > 0 && list[at - 1] != separator) continue;
    if (end < list.size() && list[end] != separator) continue;
    if (list.substr(at, word.size()) == word) return true;
  }
  return false;
}

// The rows of a table by each of the names that one of their lists has.
template <class Row>
class NameIndex {
 public:
  NameIndex(std::span<const Row> rows, std::string_view Row::* names) {
    for (const Row& row : rows) {
      for (std::string_view rest = row.*names; !rest.empty();) {
        rows_[next_word(rest)].push_back(&row);
      }
    }
  }

  // In the order of the table.
  std::span<const Row* const> find(std::string_view name) const {
    const auto found = rows_.find(name);
    return found == rows_.end() ? std::span<const Row* const>() : found->second;
  }

 private:
  std::unordered_map<std::string_view, std::vector<const Row*>> rows_;
};

}  // namespace talaria::guard
