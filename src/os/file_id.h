// FileId: which file a name or a descriptor leads to, so that one that was replaced can be told
// from the one that was there. Unique as long as the file is open or has a name.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace talaria::os {

struct FileId {
  dev_t device = 0;
  ino_t number = 0;

  friend bool operator==(const FileId&, const FileId&) = default;
};

std::optional<FileId> file_id(int fd);
std::optional<FileId> file_id(const std::string& path);  // of the link, if it is one

}  // namespace talaria::os
