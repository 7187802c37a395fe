// What can be asked of a runner about the content and the names of many files at its target:
// docs/reference/search.md says what is searched, and what a pattern and a glob mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "link/file_messages.h"

namespace talaria::link {

enum class SearchMode : std::uint32_t {
  content = 0,  // lines that match
  files = 1,    // files with such lines
  count = 2,    // how many such lines are in each of those
  names = 3,    // files by their names: there is no pattern
};

enum class SearchEngine : std::uint32_t {
  any = 0,  // in a query: ripgrep, if it is at the target
  ripgrep = 1,
  runner = 2,  // the runner's own
};

// Answered by SearchReport.
struct SearchFiles {
  static constexpr Method kMethod = Method::search_files;

  std::string path;  // a directory or a file: absolute, "~" or "~/x"
  std::string pattern;
  SearchMode mode = SearchMode::content;
  std::vector<std::string> globs;   // which files; "!x": which not; the last that fits decides
  std::uint64_t offset = 0;         // so many results are passed over
  std::uint64_t limit = 0;          // lines, or files; 0: as many as go into one answer
  std::uint64_t context = 0;        // lines before and behind each that matches
  std::uint64_t max_line = 0;       // bytes of a line; 0: 64 KiB
  std::uint64_t time_limit_ms = 0;  // then what was found so far is the answer; 0: a minute
  SearchEngine engine = SearchEngine::any;
  friend bool operator==(const SearchFiles&, const SearchFiles&) = default;
};

struct FoundLine {
  std::uint64_t number = 0;
  std::string text;      // without its newline
  bool context = false;  // it does not match, but stands near one that does
  bool cut = false;      // `text` is only its beginning
  friend bool operator==(const FoundLine&, const FoundLine&) = default;
};

struct FoundFile {
  std::string path;           // below the root; empty: the root itself
  std::uint64_t matches = 0;  // lines of it that match, if they are counted
  std::int64_t mtime_ns = 0;  // of a file found by its name
  std::vector<FoundLine> lines;
  friend bool operator==(const FoundFile&, const FoundFile&) = default;
};

// Lines come in the order of paths, part by part, and of their numbers; files by name come newest
// first, the others in the order of paths.
struct SearchReport {
  std::string root;  // absolute
  SearchEngine engine = SearchEngine::any;
  std::string engine_version;  // of ripgrep
  std::string engine_path;     // where it is
  std::vector<FoundFile> files;
  std::uint64_t total_lines = 0;  // that matched, and ...
  std::uint64_t total_files = 0;  // ... in which they are: all there are, unless `timed_out`
  bool more = false;              // behind the last that is shown
  bool timed_out = false;         // not all was searched
  std::vector<FileFlaw> failed;   // the first of those that could not be read
  std::uint64_t total_failed = 0;
  friend bool operator==(const SearchReport&, const SearchReport&) = default;
};

}  // namespace talaria::link
