// Scripts for /bin/sh of a bare target that get a runner started: find an installed one and become
// its link, or report the machine type; read a runner from standard input and store it where
// programs may run. They need only POSIX sh, mkdir, cat, chmod, cp, mv, rm and uname; df and stat
// are used if they exist. No I/O here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::environment::carrier {

// Where a runner may be at a target, and where it keeps its files.
struct RunnerPlaces {
  std::string mounted;  // a read-only directory with runners; empty: none
  // Our directories, first choice first, as text of sh: for the program if none is mounted, and for
  // the files of the runner. Those in memory, or perhaps noexec, come last. Runners of one digest
  // share a place.
  std::vector<std::string> own{"\"${HOME:-/root}/.talaria\"",
                               "/workspace/.talaria",
                               "/opt/talaria",
                               "/var/lib/talaria",
                               "/usr/local/lib/talaria",
                               "/dev/shm/talaria-$(id -u)",
                               "/var/tmp/talaria-$(id -u)",
                               "/tmp/talaria-$(id -u)"};
  // The runner's directory in its place, as part of a quoted sh word. Targets that share a home
  // must not share it.
  std::string name = "run";
};

// A directory for the runner that homes which reach the same account do not share.
inline std::string own_name(const std::string& name, const std::string& home_mark) {
  return home_mark.empty() ? name : name + "-" + home_mark;
}

// For a `for d in` loop over the places: the list, and the test that skips $d if it is not ours
// alone, because another user could have made it or replaced it by a link.
std::string place_list(const std::vector<std::string>& places);
std::string_view place_guard();
// Creates it first, with mode 0700.
std::string make_place();

// The reason a runner cannot run there, as opposed to: no place is writable.
inline constexpr std::string_view kNowhereExecutable = "no place here lets programs run";

struct BootstrapRequest {
  RunnerPlaces places;
  std::vector<std::string> digests;  // of the runners we carry; any of them will do
  std::string nonce;
  std::string mode;  // "connect" or "batch"
  std::chrono::seconds lifetime{0};
};

// Ends as the runner (which prints "TALARIA-LINK nonce"), or prints "TALARIA-NEED nonce MACHINE".
// With " here" at the end of that line it then reads a line "DIGITS SIZE" (the first ones of a
// digest) and the program on standard input, stores it as below and ends as the runner.
std::string connect_script(const BootstrapRequest& request);

// Starts a runner whose program is there already, if none lives, and then is as good as gone: what
// it prints and reads is nothing. For a target that begins with it.
std::string start_script(const RunnerPlaces& places, const std::vector<std::string>& digests,
                         std::chrono::seconds lifetime);

// Reads the program, `size` bytes, on standard input. Prints "TALARIA-HAVE nonce", or "TALARIA-FAIL
// nonce REASON". Skips places that are full, or on a network filesystem.
std::string install_script(const RunnerPlaces& places, std::string_view digest, std::size_t size,
                           std::string_view nonce);

// Removes the runner's directory once the runner with this pid has ended, and other files of ours
// that are not in use. Prints what could not be removed.
std::string remove_script(const RunnerPlaces& places, std::uint64_t pid);

}  // namespace talaria::environment::carrier
