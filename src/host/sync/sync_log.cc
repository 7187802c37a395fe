#include "host/sync/sync_log.h"

#include <cstdio>

#include "base/wall_time.h"
#include "os/file.h"
#include "os/file_facts.h"

namespace talaria::host {
namespace {

constexpr std::uint64_t kLongest = 1u << 20;

}  // namespace

Result<void> append_to_log(const std::string& path, std::string_view target,
                           const std::vector<std::string>& notices) {
  const auto made = os::make_private_directory(path.substr(0, path.rfind('/')));
  if (!made) return made;
  if (const auto facts = os::file_facts(path); facts && facts->size > kLongest) {
    std::rename(path.c_str(), (path + ".1").c_str());
  }
  const auto file = os::open_file(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600);
  if (!file) return fail(file.error());
  std::string text;
  const std::string now = utc_time(std::chrono::system_clock::now()) + "Z";
  for (const std::string& notice : notices) {
    text += now + " " + std::string(target) + ": " + notice + "\n";
  }
  return os::write_all(file->get(), text);
}

}  // namespace talaria::host
