// The runner programs that are part of this one, and how one gets onto a disk of ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria::environment {

struct RunnerImage {
  std::string_view architecture;  // as `uname -m` says it
  std::string_view bytes;
  std::string_view digest;  // SHA-256 of the bytes, in hex
};

// Those this build has; x86_64 is always one of them.
std::vector<RunnerImage> runner_images();

// MAJOR.MINOR of the link they speak.
std::string runner_protocol();

// Fails for an architecture we carry no runner for, naming those we do.
Result<RunnerImage> runner_image(std::string_view architecture);

// The name of a runner's file is this and the start of its digest, so that versions do not collide.
inline constexpr std::string_view kRunnerFilePrefix = "talaria-runner-";
inline constexpr std::size_t kRunnerFileDigits = 16;
std::string runner_file_name(std::string_view digest);

// The path of an executable copy below `directory`, written there if it is not yet. A file whose
// content differs is replaced.
Result<std::string> install_runner(const RunnerImage& image, const std::string& directory);

}  // namespace talaria::environment
