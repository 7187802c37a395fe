#include "os/process_status.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "os/file.h"

namespace talaria::os {
namespace {

constexpr std::size_t kLongest = 64u << 10;

// What stands behind "KEY:\t"; empty if there is no such line.
std::string_view value_of(std::string_view status, std::string_view key) {
  for (std::size_t at = 0; at < status.size();) {
    const std::size_t end = std::min(status.find('\n', at), status.size());
    const std::string_view line = status.substr(at, end - at);
    if (line.starts_with(key) && line.substr(key.size()).starts_with(":\t")) {
      return line.substr(key.size() + 2);
    }
    at = end + 1;
  }
  return {};
}

template <class Number>
bool read_number(std::string_view text, Number& number, int base = 10) {
  return std::from_chars(text.data(), text.data() + text.size(), number, base).ec == std::errc{};
}

}  // namespace

Result<ProcessStatus> read_process_status(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/status", kLongest);
  if (!text) return fail(text.error());
  ProcessStatus status{.name = std::string(value_of(*text, "Name"))};
  const std::string_view users = value_of(*text, "Uid");  // real, effective, saved, of files
  const std::size_t tab = users.find('\t');
  const bool whole = tab != std::string_view::npos &&
                     read_number(users.substr(tab + 1), status.effective_user) &&
                     read_number(value_of(*text, "PPid"), status.parent) &&
                     read_number(value_of(*text, "SigCgt"), status.caught, 16) &&
                     read_number(value_of(*text, "SigBlk"), status.blocked, 16);
  if (!whole) return fail(ErrorKind::system, "/proc says too little of " + std::to_string(pid));
  return status;
}

}  // namespace talaria::os
