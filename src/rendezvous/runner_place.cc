#include "rendezvous/runner_place.h"

#include "link/handshake.h"
#include "os/directory.h"
#include "os/file.h"

namespace talaria::rendezvous {
namespace {

constexpr std::string_view kReady = "ready ";
constexpr std::string_view kTaken = "another runner serves ";
constexpr std::size_t kLongestPath = 4096;

std::string moved_from(const std::string& directory) { return directory + "/moved-from"; }

std::string versioned(const std::string& directory, const char* name, const char* suffix) {
  return directory + "/" + name + "-v" + std::to_string(link::kProtocolMajor) + suffix;
}

}  // namespace

std::string RunnerPlace::socket() const { return versioned(directory, "link", ".sock"); }
std::string RunnerPlace::lock() const { return versioned(directory, "runner", ".lock"); }
std::string RunnerPlace::identity() const { return versioned(directory, "runner", ""); }
std::string RunnerPlace::start_lock() const { return directory + "/start.lock"; }
std::string RunnerPlace::moved_to() const { return directory + "/moved-to"; }
std::string RunnerPlace::log() const { return directory + "/runner.log"; }

std::string ready_line(std::string_view instance) {
  return std::string(kReady) + std::string(instance);
}

std::string taken_line(std::string_view directory) {
  return std::string(kTaken) + std::string(directory);
}

Served read_serve_line(std::string_view line) {
  if (line.starts_with(kReady)) return Served::ready;
  if (line.starts_with(kTaken)) return Served::taken;
  return Served::failed;
}

std::string moved_place(const std::string& directory) {
  const auto to = os::read_file(RunnerPlace{directory}.moved_to(), kLongestPath);
  if (!to) return directory;
  const auto from = os::read_file(moved_from(*to), kLongestPath);
  return from && *from == directory ? *to : directory;
}

Result<void> note_move(const std::string& directory, const std::string& to) {
  if (const auto written = os::replace_file(moved_from(to), directory); !written) return written;
  return os::replace_file(RunnerPlace{directory}.moved_to(), to);
}

Result<std::string> socket_directory(const std::string& wanted, std::size_t longest) {
  if (const auto made = os::make_private_directory(wanted); !made) return fail(made.error());
  if (wanted.size() <= longest && os::is_on_local_filesystem(wanted)) return wanted;

  if (std::string moved = moved_place(wanted);
      moved != wanted && os::make_private_directory(moved)) {
    return moved;
  }
  auto fresh = os::make_fresh_directory("/var/tmp/talaria-");
  if (!fresh) return fresh;
  if (const auto noted = note_move(wanted, *fresh); !noted) return fail(noted.error());
  return fresh;
}

}  // namespace talaria::rendezvous
