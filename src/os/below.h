// Paths below a directory that must not lead out of it. The directory itself may be reached by
// links; behind it none is followed, and "..", "." and empty parts are refused.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

// Whether it can be a path below something: "a/b", and nothing that means another place.
bool is_path_below(std::string_view path);

// A file's directory, open, and its name there.
struct PlaceBelow {
  UniqueFd directory;
  std::string name;
};

// `parents`: makes the directories that are missing behind the root, with this mode.
Result<PlaceBelow> find_below(const std::string& root, const std::string& path,
                              std::optional<mode_t> parents = std::nullopt);

// To read it: a regular file.
Result<UniqueFd> open_file_below(const std::string& root, const std::string& path);

}  // namespace talaria::os
