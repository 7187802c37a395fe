// What a bare target's /bin/sh is told to get a runner going: find the one that is there and become
// its link, or say what machine this is; take a runner on standard input and put it where programs
// may run. Nothing but POSIX sh, mkdir, cat, chmod, cp, mv, rm and uname is assumed; df and stat
// are used where they are. No I/O here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::environment::carrier {

// Where a runner may be at a target, and where it keeps what it needs.
struct RunnerPlaces {
  std::string mounted;  // a directory with runners that can only be read; empty: none
  // Directories of ours, first choice first, as sh words: for programs, where none is mounted, and
  // for what the runner keeps. What is in memory, or may be noexec, comes last. Runners of one
  // digest share a place.
  std::vector<std::string> own{"\"${HOME:-/root}/.talaria\"",
                               "/workspace/.talaria",
                               "/opt/talaria",
                               "/var/lib/talaria",
                               "/usr/local/lib/talaria",
                               "/dev/shm/talaria-$(id -u)",
                               "/var/tmp/talaria-$(id -u)",
                               "/tmp/talaria-$(id -u)"};
  // The runner's directory in its place, as in a quoted sh word. Targets that share a home must not
  // share it.
  std::string name = "run";
};

// In a `for d in` over the places: their words, and what goes on with the next one if $d is not
// ours alone, because others could have made it, or led it elsewhere by a link.
std::string place_words(const std::vector<std::string>& places);
std::string_view place_guard();
// Makes it first, for our eyes only.
std::string make_place();

// Why a runner cannot run there, if it is this and not that nothing can be written.
inline constexpr std::string_view kNowhereExecutable = "no place here lets programs run";

struct BootstrapRequest {
  RunnerPlaces places;
  std::vector<std::string> digests;  // of the runners we carry; any that is there will do
  std::string nonce;
  std::string mode;  // "connect" or "batch"
  std::chrono::seconds lifetime{0};
};

// Ends as the runner (which prints "TALARIA-LINK nonce"), or prints "TALARIA-NEED nonce MACHINE".
std::string connect_script(const BootstrapRequest& request);

// Reads the program, `size` bytes, on standard input. Prints "TALARIA-HAVE nonce", or "TALARIA-FAIL
// nonce REASON". Passes over places that are full, or on a filesystem that other machines see, too.
std::string install_script(const RunnerPlaces& places, std::string_view digest, std::size_t size,
                           std::string_view nonce);

// Removes the runner's directory, once the runner with this pid has ended, and what else of ours
// nobody uses. Prints what could not be removed.
std::string remove_script(const RunnerPlaces& places, std::uint64_t pid);

}  // namespace talaria::environment::carrier
