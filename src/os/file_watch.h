// Being told that a file went away, instead of looking for it again and again.
#pragma once

#include <initializer_list>
#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

// A descriptor that becomes readable when one of them was removed, moved or had its mode changed.
// For directories that means themselves, not what is in them. Fails if one is not there, or the
// user has as many watches as the kernel allows.
Result<UniqueFd> watch_files(std::initializer_list<std::string> paths);

}  // namespace talaria::os
