// SandboxPlaces: creates and removes the places of sandboxes at their target: a container of its
// own, or a directory.
#pragma once

#include <talaria/sandbox.h>

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "sandboxes/snapshots.h"
#include "tools/tool.h"

namespace talaria::sandboxes {

// Removes the files that the engine of a container stored on this machine for it.
using RemoveEngineFiles =
    std::function<Task<void>(host::Config config, std::string target, std::string sandbox)>;

class SandboxPlaces {
 public:
  SandboxPlaces(tool::Services services, Snapshots& snapshots, RemoveEngineFiles remove_files)
      : services_(services), snapshots_(snapshots), remove_files_(std::move(remove_files)) {}

  // The task of the sandbox gets a container with the resources it asked for.
  Result<void> set_override(const SandboxInfo& sandbox);
  // Restores the snapshot of its key, too. Sets `directory`, `limits` and `restored`.
  Task<Result<void>> create(SandboxInfo& sandbox);
  Task<void> remove(const SandboxInfo& sandbox);

 private:
  Task<Result<void>> create_container(SandboxInfo& sandbox);
  Task<Result<void>> create_directory(SandboxInfo& sandbox);

  tool::Services services_;
  Snapshots& snapshots_;
  RemoveEngineFiles remove_files_;
};

}  // namespace talaria::sandboxes
