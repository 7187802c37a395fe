// SpawnRequest: the message, with descriptors, that asks a reaper to start a program. The first one
// goes to the nursery, which forks the reaper; later ones directly to a reaper whose tree is empty.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/channel.h"
#include "os/unique_fd.h"

namespace talaria::runner {

struct ReaperSpec {
  std::string path;  // the program
  std::vector<std::string> argv;
  std::string env;  // NAME=value strings, each with its NUL
  std::string cwd;
  std::string cgroup;             // with what its path begins; empty: none is made
  std::uint64_t descriptors = 0;  // the program's soft limit of open ones; 0: as ours
  bool has_room = false;          // its last argument becomes room for a command
  bool on_terminal = false;       // its input is a terminal, and that is its output, too
};

// The program's ends; all descriptors are borrowed. Input -1: /dev/null. For a program on a
// terminal both are the terminal.
struct ProgramEnds {
  int output = -1;
  int input = -1;
  int channel = -1;  // the reaper's end of its channel; -1: it has one
};

struct SpawnRequest {
  ReaperSpec spec;
  os::UniqueFd output;
  os::UniqueFd input;  // none: /dev/null
  os::UniqueFd channel;
};

inline constexpr std::size_t kInlineRequest = 64 * 1024;  // a longer one goes in a memory file

Result<void> send_spawn_request(int to, const ReaperSpec& spec, const ProgramEnds& ends);

// What send_spawn_request() sent. On failure the descriptors stay in `received`, the channel first
// if there is one.
Result<SpawnRequest> read_spawn_request(std::span<const std::byte> message, os::Received& received);

}  // namespace talaria::runner
