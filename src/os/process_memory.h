// The memory of a descendant: where its arguments lie, and a way to write there. Reaching it needs
// the rights of a debugger over one's own descendants, which some hardened places refuse; then
// open() fails and the caller does without.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

struct ArgumentMemory {
  UniqueFd memory;          // bound to this one program image: useless, not dangerous, when it ends
  std::uint64_t start = 0;  // where argv[0] begins
};

// `pid` must be a descendant that nobody has reaped. `expected` is what its arguments begin with
// (NULs included); anything else there is an error, also an exec that has not finished.
Result<ArgumentMemory> open_arguments(pid_t pid, std::string_view expected);

Result<void> write_argument(const ArgumentMemory& arguments, std::uint64_t offset,
                            std::string_view bytes);

}  // namespace talaria::os
