// InstanceMaker: starts an instance as the configuration says, for a task or for a pool.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/carrier.h"
#include "environment/environment.h"
#include "environment/environment_spec.h"
#include "environment/singularity/engine.h"
#include "environment/singularity/scratch.h"

namespace talaria::environment::singularity {

// The kind of its lease.
inline constexpr std::string_view kInstanceLease = "instance";

// How the runner in an instance is reached.
carrier::CarrierOptions instance_carrier(const SingularityEngine& engine, const std::string& name,
                                         std::chrono::seconds lifetime = {});

class InstanceMaker {
 public:
  InstanceMaker(SingularityEngine engine, SingularityConfig config, EnvironmentSpec spec)
      : engine_(std::move(engine)), config_(std::move(config)), spec_(std::move(spec)) {}

  const SingularityEngine& engine() const { return engine_; }
  const EnvironmentSpec& spec() const { return spec_; }
  const std::string& image() const { return config_.image; }

  // The settings that decide how an instance is started.
  std::string settings() const;
  Result<Scratch> scratch() const;

  // What start() needs. The image may have to be built. `overlay` keeps the changes; empty: they
  // are lost.
  Task<Result<InstanceSpec>> prepare(std::string overlay);
  Task<Result<void>> start(InstanceSpec spec, std::string name);

  // Since the last call, for the agent to read.
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }
  EnvironmentLimits limits() const { return limits_; }  // of the last one that was started

 private:
  SingularityEngine engine_;
  SingularityConfig config_;
  EnvironmentSpec spec_;
  std::vector<std::string> news_;
  EnvironmentLimits limits_;
};

}  // namespace talaria::environment::singularity
