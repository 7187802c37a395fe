// Where the singularity target keeps large files: overlays and images.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "environment/target_config.h"

namespace talaria::environment::singularity {

// What decides where it is.
struct ScratchRules {
  std::string scratch_dir;  // TERMINAL_SCRATCH_DIR; empty: by rule
  std::string cache_dir;    // APPTAINER_CACHEDIR; likewise
  std::string sandbox_dir;
  std::string user;                       // empty: "hermes"
  std::string site_scratch = "/scratch";  // where clusters have room
};

// For the user of this process.
ScratchRules scratch_rules(const SingularityConfig& config, const std::string& sandbox_dir);

struct Scratch {
  std::string directory;
  std::string cache;
};

// TERMINAL_SCRATCH_DIR, else /scratch/USER/hermes-agent if that can be created, else below the
// sandbox directory. Creates the directories.
Result<Scratch> make_scratch(const ScratchRules& rules);

// An overlay by its name (names.h); make_overlay() also creates it.
std::string overlay_directory(const Scratch& scratch, const std::string& name);
Result<std::string> make_overlay(const Scratch& scratch, const std::string& name);
// Where they are.
std::string overlays_directory(const Scratch& scratch);

// Of an instance that uses it, too. Nothing happens if that is done already. Fails if `to` exists.
Result<void> rename_overlay(const Scratch& scratch, const std::string& from, const std::string& to);

// A sentence if `scratch` holds more than that; empty also if its size is unknown.
Task<std::string> disk_warning(std::string scratch, double most_gb);

}  // namespace talaria::environment::singularity
