// SingularityInstance: the instance that serves a task, found by its lease or started; found or
// started again when it is gone. Only the engine knows whether it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/carrier.h"
#include "environment/singularity/engine.h"
#include "environment/singularity/scratch.h"
#include "environment/target_instance.h"
#include "environment/wait_for_lock.h"

namespace talaria::environment::singularity {

// The kind of its lease.
inline constexpr std::string_view kInstanceLease = "instance";

// How the runner in an instance is reached.
carrier::CarrierOptions instance_carrier(const SingularityEngine& engine, const std::string& name,
                                         std::chrono::seconds lifetime = {});

class SingularityInstance final : public TargetInstance {
 public:
  SingularityInstance(asio::any_io_executor executor, SingularityEngine engine,
                      SingularityConfig config, EnvironmentSpec spec);

  // Takes the instance that the lease names, or starts one. To be called first.
  Task<Result<void>> find_or_start();

  // A stream to its runner. One that is gone is replaced.
  Task<Result<link::ByteStream>> connect();

  // Other programs find it again, unless it is removed. One that keeps no files, or was not used
  // for its lifetime, is stopped if no process runs in it.
  Task<Result<void>> close(bool remove) override;

  std::string place() const override { return "instance " + name_; }
  EnvironmentLimits limits() const override { return limits_; }

 private:
  std::string wanted_settings() const;
  Result<Scratch> scratch() const;
  LeaseFacts lease_facts(const std::string& name) const;
  Result<void> use(const std::string& name);
  Task<Result<PassingLock>> lock() const;
  Task<Result<void>> find_running_or_start();
  Task<Result<void>> start();
  Task<Result<InstanceSpec>> make_spec();
  Task<Result<void>> start_with_limits(InstanceSpec spec, std::string name);
  Task<Result<void>> stop_if_unneeded(bool always);

  asio::any_io_executor executor_;
  SingularityEngine engine_;
  SingularityConfig config_;
  std::string name_;
  std::shared_ptr<carrier::Carrier> carrier_;
  EnvironmentLimits limits_;  // of one we started
};

}  // namespace talaria::environment::singularity
