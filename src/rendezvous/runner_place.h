// RunnerPlace: the directory of a runner and the files in it, for the runner and for programs that
// look for one. Different protocol majors (here v1) have different files.
//
// The directory may have moved, because its path was too long for a socket or its filesystem has no
// sockets. Then both directories name each other: a copy of one (of a whole home, say) is not taken
// for the original.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::rendezvous {

// What the kernel calls the process of every runner. Its commands cannot change that.
inline constexpr const char* kRunnerProcessName = "talaria-runner";

struct RunnerPlace {
  std::string directory;

  std::string socket() const;      // link-v1.sock: where the runner listens
  std::string lock() const;        // runner-v1.lock: held as long as it lives
  std::string identity() const;    // runner-v1: its pid, instance, version and cgroup, one per
                                   //   line
  std::string start_lock() const;  // start.lock: held while a program starts one
  std::string moved_to() const;    // moved-to: names the directory that is used instead of this one
  std::string log() const;         // runner.log: its log
};

// The one line that `talaria-runner serve` prints, and what it means.
enum class Served {
  ready,   // a runner serves now
  taken,   // another one has the directory: it serves, is about to, or is about to end
  failed,  // the line says why
};

std::string ready_line(std::string_view instance);
std::string taken_line(std::string_view directory);

Served read_serve_line(std::string_view line);

// Where the runner of `directory` is; `directory` itself if it did not move.
std::string moved_place(const std::string& directory);

Result<void> note_move(const std::string& directory, const std::string& to);

// A private directory where sockets work: `wanted`, or, if its path is longer than `longest` or its
// filesystem is not local, one below /var/tmp that it names. Created if it does not exist.
Result<std::string> socket_directory(const std::string& wanted, std::size_t longest);

}  // namespace talaria::rendezvous
