#include "policy/guard/run/descriptors.h"

#include <charconv>

namespace talaria::guard {

int descriptor_of(std::string_view path) {
  if (path == "/dev/stdin") return 0;
  for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/", "/proc/$$/fd/"}) {
    if (!path.starts_with(directory)) continue;
    const std::string_view rest = path.substr(directory.size());
    int number = -1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error == std::errc() && end == rest.data() + rest.size()) return number;
  }
  return -1;
}

}  // namespace talaria::guard
