// Findings: what a search has found so far, and what of it will be shown. Files may be found in any
// order and by several threads; of the results only so many are kept as there could be in the
// answer, those that come first, and the others are counted.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "link/search_messages.h"

namespace talaria::runner {

// Part by part: "a/b" before "a-b".
bool path_before(std::string_view a, std::string_view b);

// FileLines: the lines of one file that are kept while it is searched. Once they take too much
// memory the others are only counted; Findings sees that some are missing.
class FileLines {
 public:
  void add(link::FoundLine line);
  std::vector<link::FoundLine> take() { return std::move(lines_); }

 private:
  std::vector<link::FoundLine> lines_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

class Findings {
 public:
  explicit Findings(const link::SearchFiles& query);

  // How many of its lines may be shown. Of a file that is too far behind none is.
  std::uint64_t wanted_of(const std::string& path) const;
  void add(link::FoundFile file);
  void add_flaw(std::string path, std::string reason);

  // An error if the page cannot be shown because what is before it takes too much memory.
  Result<link::SearchReport> report();

 private:
  // Newest first, then by path. By path alone if files have no times.
  struct Order {
    bool operator()(const link::FoundFile& a, const link::FoundFile& b) const;
  };

  void drop_far();
  static std::uint64_t weight(const link::FoundFile& file, link::SearchMode mode);
  static std::size_t bytes_of(const link::FoundFile& file);
  // False if there was no room for all of it.
  bool show(link::SearchReport& report, const link::FoundFile& file, std::uint64_t skip,
            std::uint64_t most);

  const link::SearchMode mode_;
  const std::uint64_t offset_;
  const std::uint64_t limit_;
  const std::uint64_t context_;
  mutable std::mutex mutex_;
  std::map<link::FoundFile, std::uint64_t, Order> found_;  // with how many results each is
  std::uint64_t found_results_ = 0;
  std::size_t found_bytes_ = 0;
  std::size_t shown_bytes_ = 0;
  bool out_of_memory_ = false;
  std::optional<std::string> last_path_;  // of a file that lacks lines: nothing behind it is kept
  link::SearchReport totals_;
};

}  // namespace talaria::runner
