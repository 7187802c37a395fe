// How an instance is started: the arguments of the program, in the order upstream Hermes
// has them. No I/O here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "environment/target_config.h"

namespace talaria::environment::singularity {

struct InstanceSpec {
  std::string image;
  std::string overlay;           // a directory that keeps changes; empty: they are lost
  std::vector<BoundPath> binds;  // can only be read there
  std::int64_t memory_mb = 0;    // 0: no limit
  double cpus = 0;               // 0: no limit
};

// The engine takes commas and colons in paths for separators; they cannot be escaped.
bool can_be_bound(const BoundPath& bind);
Result<void> check_overlay(const std::string& directory);

std::vector<std::string> instance_arguments(const InstanceSpec& spec, const std::string& name);

bool has_limits(const InstanceSpec& spec);
InstanceSpec without_limits(InstanceSpec spec);

}  // namespace talaria::environment::singularity
