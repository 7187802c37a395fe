// RipgrepOutput: what ripgrep prints with --null, read piece by piece and without I/O. Paths end
// with a NUL byte, so that no name can be mistaken for anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "link/search_messages.h"
#include "runner/search/findings.h"

namespace talaria::runner {

class RipgrepOutput {
 public:
  struct Options {
    link::SearchMode mode = link::SearchMode::content;
    std::uint64_t max_line = 0;
    // How many lines that match to keep of a file; not more than FileLines takes.
    std::function<std::uint64_t(const std::string& path)> wanted_of;
    // A file is complete.
    std::function<void(link::FoundFile)> on_file;
    // Whether there is a file of that name.
    std::function<bool(const std::string& path)> exists;
  };

  explicit RipgrepOutput(Options options) : options_(std::move(options)) {}

  void take(std::string_view bytes);
  void finish();

 private:
  enum class Part { path, number, text };

  std::string_view take_path(std::string_view bytes);
  std::string_view take_number(std::string_view bytes);
  std::string_view take_text(std::string_view bytes);
  void path_ended();
  void line_ended();
  void file_ended();
  void drop_notice();

  Options options_;
  Part part_ = Part::path;
  std::string path_;      // as printed, of what is read now
  link::FoundFile file_;  // the one whose lines come ...
  FileLines lines_;       // ... and they
  bool has_file_ = false;
  std::uint64_t most_ = 0;
  std::uint64_t matches_ = 0;
  link::FoundLine line_;
};

}  // namespace talaria::runner
