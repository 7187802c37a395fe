#include "environment/docker/disk_limit.h"

#include <sys/stat.h>

#include <chrono>

#include "base/sha256.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr auto kKnownFor = std::chrono::hours(24);

}  // namespace

std::string disk_limit_note(const std::string& home, const std::string& engine) {
  return home + "/talaria/disk-limit-" + sha256_hex(engine).substr(0, 16);
}

std::optional<bool> read_disk_limit(const std::string& note) {
  struct stat seen{};
  if (::stat(note.c_str(), &seen) < 0) return std::nullopt;
  const auto written = std::chrono::system_clock::from_time_t(seen.st_mtime);
  if (std::chrono::system_clock::now() - written > kKnownFor) return std::nullopt;
  const auto text = read_file(note, 16);
  return text ? std::optional(*text == "yes\n") : std::nullopt;
}

void write_disk_limit(const std::string& note, bool can) {
  (void)replace_file(note, can ? "yes\n" : "no\n");  // else it is found out again
}

}  // namespace talaria
