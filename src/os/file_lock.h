// A file as a lock between processes: held by the owner of the descriptor, and free again when that
// process is gone, however it went.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

// Makes the file if need be and takes the lock; the file then holds our pid, for people. nullopt:
// somebody else has it.
Result<std::optional<UniqueFd>> try_lock_file(const std::string& path);

// The same for one of many who use what others may lock; it need not exist. nullopt: somebody has
// locked it.
Result<std::optional<UniqueFd>> try_share_file(const std::string& path);

// Whether somebody has it.
bool is_locked(const std::string& path);

// Whether `lock` still is the file of that path, and not one that was removed or replaced since.
bool is_file_at(int lock, const std::string& path);

// "pid N", as the file says; for messages.
std::string describe_lock(const std::string& path);

}  // namespace talaria::os
