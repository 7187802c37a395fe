#include "environment/docker/engine_note.h"

#include <sys/stat.h>

#include <chrono>

#include "base/sha256.h"
#include "os/file.h"

namespace talaria::environment::docker {
namespace {

constexpr auto kKnownFor = std::chrono::hours(24);

}  // namespace

EngineNote::EngineNote(const std::string& home, const std::string& what, const std::string& about)
    : path_(home + "/talaria/" + what + "-" + sha256_hex(about).substr(0, 16)) {}

std::optional<bool> EngineNote::read() const {
  struct stat seen{};
  if (::stat(path_.c_str(), &seen) < 0) return std::nullopt;
  const auto written = std::chrono::system_clock::from_time_t(seen.st_mtime);
  if (std::chrono::system_clock::now() - written > kKnownFor) return std::nullopt;
  const auto text = os::read_file(path_, 16);
  return text ? std::optional(*text == "yes\n") : std::nullopt;
}

void EngineNote::write(bool yes) const {
  (void)os::replace_file(path_, yes ? "yes\n" : "no\n");  // else it is found out again
}

void EngineNote::forget() const { os::remove_file(path_); }

}  // namespace talaria::environment::docker
