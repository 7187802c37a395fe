// What a bare target's /bin/sh is told to get a runner going: find the one that is there and become
// its link, or say what machine this is; take a runner on standard input and put it where programs
// may run. Nothing but POSIX sh, mkdir, cat, chmod, cp, mv, rm and uname is assumed. No I/O here.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// Where a runner may be at a target, and where it keeps what it needs.
struct RunnerPlaces {
  std::string mounted;  // a directory with runners that can only be read; empty: none
  // Directories of ours, first choice first, as sh words: for programs, where none is mounted, and
  // for what the runner keeps. /tmp is not among them: containers mount it noexec. Runners of one
  // digest share a place.
  std::vector<std::string> own{
      "\"${HOME:-/root}/.talaria\"", "/workspace/.talaria",      "/opt/talaria", "/var/lib/talaria",
      "/usr/local/lib/talaria",      "/dev/shm/talaria-$(id -u)"};
  // The runner's directory in its place. Targets that share a home must not share it.
  std::string name = "run";
};

struct BootstrapRequest {
  RunnerPlaces places;
  std::vector<std::string> digests;  // of the runners we carry; any that is there will do
  std::string nonce;
  std::string mode;  // "connect" or "batch"
  std::chrono::seconds lifetime{0};
};

// Ends as the runner (which prints "TALARIA-LINK nonce"), or prints "TALARIA-NEED nonce MACHINE".
std::string connect_script(const BootstrapRequest& request);

// Reads the program on standard input. Prints "TALARIA-HAVE nonce", or "TALARIA-FAIL nonce REASON".
std::string install_script(const RunnerPlaces& places, std::string_view digest,
                           std::string_view nonce);

}  // namespace talaria
