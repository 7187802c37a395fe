#include "host/disk_usage.h"

#include <cmath>
#include <cstdint>
#include <filesystem>

namespace talaria::host {

namespace fs = std::filesystem;

double disk_usage_mb(const std::vector<std::string>& directories) {
  std::uintmax_t bytes = 0;
  for (const std::string& directory : directories) {
    std::error_code error;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(directory, options, error), end; !error && at != end;
         at.increment(error)) {
      std::error_code ignored;
      const bool counts = at->is_regular_file(ignored) && !at->is_symlink(ignored);
      const std::uintmax_t size = counts ? at->file_size(ignored) : 0;
      if (!ignored) bytes += size;
    }
  }
  return std::round(static_cast<double>(bytes) / (1 << 20) * 100) / 100;
}

}  // namespace talaria::host
