#include "runner/warm_limit.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "os/cgroup.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

std::size_t descriptor_limit() {
  const long limit = ::sysconf(_SC_OPEN_MAX);
  return limit > 0 ? static_cast<std::size_t>(limit) : 1024;
}

}  // namespace

// Shells that wait take at most a quarter of what there is for all.
std::size_t warm_shell_limit() {
  const auto processes = static_cast<std::size_t>(os::process_limit().value_or(UINT32_MAX));
  return std::min({kMaxWarmShells, descriptor_limit() / 4 / kDescriptorsPerShell,
                   processes / 4 / kProcessesPerShell});
}

}  // namespace talaria::runner
