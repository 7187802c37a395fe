// TextSearch: the lines of one file that match, with what stands around them. It reads a file in
// pieces, the way ripgrep does, and so takes the same files for binary: those with a NUL byte in
// the first piece; where one comes later, what is before its piece has been searched.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "link/search_messages.h"
#include "runner/search/findings.h"
#include "runner/search/pattern_matcher.h"

namespace talaria::runner {

struct TextSearchOptions {
  std::uint64_t context = 0;
  std::uint64_t max_line = 0;
  bool only_first = false;  // one match is enough
};

struct FileHits {
  std::uint64_t matches = 0;
  std::vector<link::FoundLine> lines;
  std::optional<std::uint64_t> binary_from;  // where the first NUL byte is
};

class TextSearch {
 public:
  // `stop` may be set by another thread.
  TextSearch(PatternMatcher matcher, TextSearchOptions options, const std::atomic<bool>& stop);

  // Of the lines that match only the first `most` are kept, and not more than FileLines takes. An
  // error: it cannot be read.
  Result<FileHits> search(int fd, std::uint64_t most);

 private:
  // What is in the buffer and has not been searched, up to the last newline or, at the end of the
  // file, all of it. False if the search can stop.
  bool search_lines(std::size_t end);
  void skip_to(std::size_t place);
  void show_before(std::size_t line);
  void show_after(std::size_t until);
  void add_line(std::size_t begin, std::size_t end, std::uint64_t number, bool context);
  std::size_t line_end(std::size_t from, std::size_t end) const;
  Result<void> make_room();

  PatternMatcher matcher_;
  TextSearchOptions options_;
  const std::atomic<bool>& stop_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;  // the beginning of the next line to look at
  std::size_t filled_ = 0;
  std::uint64_t number_ = 1;       // of that line
  std::uint64_t after_left_ = 0;   // lines still to be shown behind a match
  std::uint64_t shown_until_ = 0;  // the number of the last line that was shown
  std::uint64_t most_ = 0;
  FileHits hits_;
  FileLines lines_;
};

}  // namespace talaria::runner
