// What is reported of a file.
#pragma once

#include <string>
#include <utility>

#include "link/file_messages.h"
#include "os/file_facts.h"

namespace talaria::runner {

inline link::FileEntry entry_of(std::string path, const os::FileFacts& facts) {
  return {.path = std::move(path),
          .kind = static_cast<link::EntryKind>(facts.kind),
          .size = facts.size,
          .mtime_ns = facts.mtime_ns,
          .mode = facts.mode};
}

}  // namespace talaria::runner
