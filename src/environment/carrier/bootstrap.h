// What a bare target's /bin/sh is told to get a runner going: find the one that is there and become
// its link, or say what machine this is; take a runner on standard input and put it where programs
// may run. Nothing but POSIX sh, mkdir, cat, chmod, cp, mv, rm and uname is assumed. No I/O here.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// Where a runner may live at a target, first choice first, as sh words. /tmp is not among them:
// containers mount it noexec. Runners of one digest share a place.
const std::vector<std::string>& runner_places();

struct BootstrapRequest {
  std::vector<std::string> digests;  // of the runners we carry; any that is there will do
  std::string nonce;
  std::string mode;  // "connect" or "batch"
  std::chrono::seconds lifetime{0};
};

// Ends as the runner (which prints "TALARIA-LINK nonce"), or prints "TALARIA-NEED nonce MACHINE".
std::string connect_script(const BootstrapRequest& request);

// Reads the program on standard input. Prints "TALARIA-HAVE nonce", or "TALARIA-FAIL nonce REASON".
std::string install_script(std::string_view digest, std::string_view nonce);

}  // namespace talaria
