// Directories for files of ours that others must not touch.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace talaria::os {

// A new private directory, named by the prefix, our user and letters nobody has used.
Result<std::string> make_fresh_directory(const std::string& prefix);

// The names in it, without . and ..; none if it cannot be read.
std::vector<std::string> names_in(const std::string& directory);

// An Error: it is there, and its names cannot be read.
Result<void> check_names(const std::string& directory);

// Whether it is a directory, and no link to one.
bool is_plain_directory(const std::string& path);

// False where files are shared with other machines: sockets and locks do not work there.
bool is_on_local_filesystem(const std::string& path);

}  // namespace talaria::os
