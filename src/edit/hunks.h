// HunkEditor: the lines of one file, changed hunk by hunk. Lines a hunk does not remove keep their
// bytes and their endings, also those it shows as context; added lines get the endings of those
// they replace or are next to.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edit/strategies.h"
#include "edit/v4a.h"

namespace talaria::edit {

class HunkEditor {
 public:
  explicit HunkEditor(std::string_view bytes);  // which must outlive it

  HunkEditor(const HunkEditor&) = delete;
  HunkEditor& operator=(const HunkEditor&) = delete;

  // Returns why it could not be applied; the lines are then unchanged.
  std::optional<std::string> apply(const Hunk& hunk);

  std::string bytes() const;

 private:
  std::optional<std::string> add_only(const Hunk& hunk);
  std::optional<std::string> choose(const Hunk& hunk, const FoundLines& found, std::size_t size,
                                    std::size_t& start) const;
  std::optional<std::string> locate(const std::vector<std::string>& hints, std::size_t& line) const;
  std::vector<std::string_view> fitted(const Hunk& hunk, const FoundLines& found,
                                       std::string_view matched);
  void splice(const Hunk& hunk, std::size_t start, std::size_t size,
              const std::vector<std::string_view>& added);
  void insert(std::size_t at, const std::vector<std::string_view>& added);
  std::string_view ending_near(std::size_t line) const;

  std::string_view bom_;
  std::vector<std::string_view> lines_;
  std::vector<std::string_view> endings_;  // of each: only the last one may have none
  std::deque<std::string> added_;          // owns the text of added lines
  WorkBudget budget_;                      // of all hunks together
};

}  // namespace talaria::edit
