// Where the path of a file request leads (link/file_messages.h).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "link/file_messages.h"
#include "os/below.h"
#include "os/file_facts.h"
#include "os/unique_fd.h"

namespace talaria::runner {

struct FileAddress {
  std::string path;
  std::string below;  // empty: `path` is absolute or begins with "~"
};

struct FilePlace {
  os::PlaceBelow at;
  std::string path;  // absolute, for people and reports
};

// The kind of failure an errno stands for.
Error file_error(const Error& error);
Error file_error(const std::string& path, int code);

// "~" and "~/x" are the home. Anything that is then not absolute is refused.
Result<std::string> absolute_path(const std::string& home, const std::string& path);

// Without links, as far as there is anything; also where a link leads that leads to nothing yet.
Result<std::string> real_path(const std::string& path);

// `follow`: what the path leads to if it is a link (never with `below`). `parents`: makes missing
// directories with this mode, and adds them to `made`.
Result<FilePlace> find_place(const std::string& home, const FileAddress& address, bool follow,
                             std::optional<std::uint32_t> parents = std::nullopt,
                             std::vector<std::string>* made = nullptr);

// To read it. Only a regular file is opened; nothing else waits or changes by being asked for.
Result<os::UniqueFd> open_to_read(const FilePlace& place);

// A directory, to look into.
Result<os::UniqueFd> open_directory(const std::string& home, const FileAddress& address);

inline link::FileEntry entry_of(std::string path, const os::FileFacts& facts) {
  return {.path = std::move(path),
          .kind = static_cast<link::EntryKind>(facts.kind),
          .size = facts.size,
          .mtime_ns = facts.mtime_ns,
          .mode = facts.mode};
}

}  // namespace talaria::runner
