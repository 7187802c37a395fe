// The runner programs that are part of this one, and how one gets onto a disk of ours.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

struct RunnerImage {
  std::string_view architecture;  // as `uname -m` says it
  std::string_view bytes;
  std::string_view digest;  // SHA-256 of the bytes, in hex
};

// Fails for an architecture we carry no runner for, naming those we do.
Result<RunnerImage> runner_image(std::string_view architecture);

// The path of an executable copy below `directory`, written there if it is not yet. The name holds
// the digest; a file whose content differs is replaced.
Result<std::string> install_runner(const RunnerImage& image, const std::string& directory);

}  // namespace talaria
