// Lists of names in one string, as the tables of the guard have them.
#pragma once

#include <atomic>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"

namespace talaria::guard {

inline bool among(std::string_view word, std::string_view list, char separator = ' ') {
  if (word.empty()) return false;
  // most lists are asked for words they do not have: compare what has the right ends only
  for (std::size_t at = 0; (at = list.find(word.front(), at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if (end > list.size()) return false;
    if (at > 0 && list[at - 1] != separator) continue;
    if (end < list.size() && list[end] != separator) continue;
    if (list.substr(at, word.size()) == word) return !word.contains(separator);
  }
  return false;
}

// Counts the searches in a table: a program that judges one command is done before an index of the
// table would be made. Several threads may search.
class IndexNeed {
 public:
  bool is_there() {
    return searches_.load(std::memory_order_relaxed) >= kSearches ||
           searches_.fetch_add(1, std::memory_order_relaxed) >= kSearches;
  }

 private:
  static constexpr int kSearches = 8;
  std::atomic<int> searches_ = 0;
};

// The rows of a table by each of the names that one of their lists has. Never destroyed: it is used
// until the process ends.
template <class Row>
class NameIndex {
 public:
  NameIndex(std::span<const Row> rows, std::string_view Row::* names)
      : rows_(rows), names_(names) {}

  // In the order of the table.
  std::vector<const Row*> find(std::string_view name) const {
    if (!need_.is_there()) return searched(name);
    std::call_once(made_, [this] { by_name_ = new ByName(make()); });
    const auto found = by_name_->find(name);
    return found == by_name_->end() ? std::vector<const Row*>() : found->second;
  }

 private:
  using ByName = std::unordered_map<std::string_view, std::vector<const Row*>>;

  std::vector<const Row*> searched(std::string_view name) const {
    std::vector<const Row*> found;
    for (const Row& row : rows_) {
      if (among(name, row.*names_)) found.push_back(&row);
    }
    return found;
  }

  ByName make() const {
    ByName rows;
    for (const Row& row : rows_) {
      for (std::string_view rest = row.*names_; !rest.empty();) {
        rows[next_word(rest)].push_back(&row);
      }
    }
    return rows;
  }

  std::span<const Row> rows_;
  std::string_view Row::* names_;
  mutable IndexNeed need_;
  mutable std::once_flag made_;
  mutable const ByName* by_name_ = nullptr;
};

}  // namespace talaria::guard
