// LineIndex: where the lines of a file are, roughly: how many newlines stand before each block of
// it. A line is then found by looking through one block. LineScan makes one, bit by bit;
// LineIndexes keeps those of the files that were asked for last.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace talaria::runner {

// By this a file is known to be the one that was looked at, and unchanged.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};

FileIdentity identity_of(const struct stat& info);

struct LineIndex {
  FileIdentity file;
  std::uint64_t size = 0;  // bytes that were looked at
  std::uint64_t block = 0;
  std::vector<std::uint64_t> before;  // newlines before each block
  std::uint64_t newlines = 0;
  bool ends_with_newline = false;

  std::uint64_t lines() const { return newlines + (size > 0 && !ends_with_newline ? 1 : 0); }
  // Where a line (the first is 1) begins; `size` if there is no such line. Nothing if the file is
  // no longer what it was.
  std::optional<std::uint64_t> begin_of(int fd, std::uint64_t line) const;
};

// Reads a file as far as it went when this began: what is added later is ignored.
class LineScan {
 public:
  LineScan(int fd, const struct stat& info);

  // Does some of it; true once that is all. It is an error if the file cannot be read.
  Result<bool> go_on();
  std::shared_ptr<const LineIndex> index() const { return index_; }

 private:
  int fd_;
  bool unknown_size_;  // files of /proc report a size of 0
  std::shared_ptr<LineIndex> index_;
};

class LineIndexes {
 public:
  // Null if there is none.
  std::shared_ptr<const LineIndex> find(const FileIdentity& file);
  void keep(std::shared_ptr<const LineIndex> index);
  std::size_t size() const { return indexes_.size(); }

 private:
  std::list<std::shared_ptr<const LineIndex>> indexes_;  // those used last are in front
  std::size_t bytes_ = 0;
};

}  // namespace talaria::runner
