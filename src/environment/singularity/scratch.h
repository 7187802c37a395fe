// Where a singularity target keeps what is big: overlays and image files.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment::singularity {

struct ScratchWish {
  std::string scratch_dir;  // as it was said; empty: by rule
  std::string cache_dir;    // the same
  std::string sandbox_dir;
  std::string user;                       // empty: "hermes"
  std::string site_scratch = "/scratch";  // where clusters have room
};

struct Scratch {
  std::string directory;
  std::string cache;
};

// TERMINAL_SCRATCH_DIR, else /scratch/USER/hermes-agent where that can be, else below the sandbox
// directory. Makes what is not there.
Result<Scratch> make_scratch(const ScratchWish& wish);

// The task's overlay, and the same made if it is not there.
std::string overlay_directory(const Scratch& scratch, const std::string& task);
Result<std::string> make_overlay(const Scratch& scratch, const std::string& task);

// A sentence if all that is kept in `scratch` is more than so much; empty also if nobody can tell.
Task<std::string> disk_warning(std::string scratch, double most_gb);

}  // namespace talaria::environment::singularity
