// Which files a command reads and writes by its own words: `cp A B` reads A and writes B.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

// Where it writes, from the root where that is known; without redirections.
std::vector<SeenWord> destinations(const Arguments& arguments);

// The directory that git clone and its like make: the one that is named, or what the address ends
// in.
std::optional<SeenWord> cloned_directory(const Arguments& arguments);

// What cp, mv, scp and their like take from.
std::vector<SeenWord> sources(const Arguments& arguments);

// host:path, rsync://host/path, remote: of rclone, s3://bucket.
bool is_remote(std::string_view path);

}  // namespace talaria::guard
