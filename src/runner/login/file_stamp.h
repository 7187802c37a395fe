// FileStamp: what a file was when it was looked at, to find out later whether it has changed.
#pragma once

#include <cstdint>
#include <string>

namespace talaria::runner {

struct FileStamp {
  std::string path;
  bool content = false;      // what is in it counts; else only what can be tested for
  std::uint32_t mode = 0;    // type and permissions; 0: there is nothing
  bool empty = false;        // a file without content
  std::uint64_t device = 0;  // this and the rest only if the content counts
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileStamp&) const = default;
};

FileStamp stamp_file(std::string path, bool content);

// The time now as files are stamped with it (they may lag behind by a few milliseconds), ns.
std::int64_t file_clock();

}  // namespace talaria::runner
