// What is known to be at a target because it was copied there.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "host/shared/shared_files.h"

namespace talaria::host {

struct PushedFile {
  SharedFile from;  // with its time and size when it was copied
  std::string
      sha256;  // of what was copied; empty: it was there before, with the same time and size
};

using PushedFiles = std::map<std::string, PushedFile>;  // by the path below the target's base

inline bool is_unchanged(const os::FileFacts& now, const os::FileFacts& then) {
  return now.mtime_ns == then.mtime_ns && now.size == then.size;
}

}  // namespace talaria::host
