#include "os/find_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace talaria::os {

bool is_program(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> find_program(std::string_view name, std::string_view path) {
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find(':', from), path.size());
    std::string file(path.substr(from, end - from));
    if (!file.empty() && !file.ends_with('/')) file += '/';
    file += name;
    if (is_program(file)) return file;
    from = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  return path == nullptr ? std::nullopt : find_program(name, path);
}

}  // namespace talaria::os
