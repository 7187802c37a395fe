// The bytes of an open file, piece by piece: for files that need not fit into memory.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::os {

// From the file's position to its end. Stops at the first piece that is not taken.
Result<void> read_pieces(int fd, const std::function<Result<void>(std::string_view)>& take);

Result<void> copy_bytes(int from, int to);

// SHA-256 of them, in hexadecimal.
Result<std::string> digest_of(int fd);

}  // namespace talaria::os
