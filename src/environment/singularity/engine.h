// SingularityEngine: the program `apptainer` or `singularity` of this machine, and what is asked of
// it. Each answer is the engine's own; nothing is kept here.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/singularity/instance_flags.h"

namespace talaria::environment::singularity {

class SingularityEngine {
 public:
  // The first of `apptainer` and `singularity` in PATH.
  static Result<SingularityEngine> find();

  const std::string& program() const { return program_; }  // its path

  // Equal where the same instances are visible. Machines may share a home, but not instances.
  std::string identity() const;

  // Whether it answers at all.
  Task<Result<void>> check() const;

  Task<Result<bool>> is_running(std::string instance) const;
  Task<Result<void>> start(InstanceSpec spec, std::string instance) const;
  // A missing one is not an error.
  Task<Result<void>> stop(std::string instance) const;

  // `cache` is where it keeps what it downloads.
  Task<Result<void>> build(std::string sif, std::string image, std::string cache) const;

 private:
  SingularityEngine(std::string name, std::string program)
      : name_(std::move(name)), program_(std::move(program)) {}

  std::string name_;  // "apptainer"
  std::string program_;
};

}  // namespace talaria::environment::singularity
