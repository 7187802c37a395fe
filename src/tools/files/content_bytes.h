// Content on its way to and from a file at a target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/files/file_call.h"

namespace talaria::tool {

// All of it, or an error if it is over `most` bytes.
Task<Result<std::string>> read_bytes(const FileCall& files, const LocatedFile& file,
                                     std::uint64_t most);

// The mode of a new file, and of a new directory.
std::uint32_t new_file_mode(const FileCall& files, const LocatedFile& file);
std::uint32_t new_directory_mode(const FileCall& files, const LocatedFile& file);

}  // namespace talaria::tool
