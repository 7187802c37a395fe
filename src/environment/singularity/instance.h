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
#include "environment/singularity/instance_maker.h"
#include "environment/target_instance.h"
#include "environment/wait_for_lock.h"
#include "environment/warm_pool.h"

namespace talaria::environment::singularity {

class SingularityInstance final : public TargetInstance {
 public:
  // `pool`: may be null.
  SingularityInstance(asio::any_io_executor executor, SingularityEngine engine,
                      SingularityConfig config, EnvironmentSpec spec,
                      std::shared_ptr<WarmPool> pool = nullptr);

  // Takes the instance that the lease names, or starts one. To be called first.
  Task<Result<void>> find_or_start();

  // A stream to its runner. One that is gone is replaced.
  Task<Result<link::ByteStream>> connect();

  // Other programs find it again, unless it is removed. One that keeps no files, or was not used
  // for its lifetime, is stopped if no process runs in it.
  Task<Result<void>> close(bool remove) override;

  std::string place() const override { return "instance " + name_; }
  EnvironmentLimits limits() const override { return maker_.limits(); }

 private:
  LeaseFacts lease_facts(const std::string& name) const;
  Result<void> use(const std::string& name);
  Task<Result<PassingLock>> lock() const;
  Task<Result<void>> find_running_or_start();
  Task<Result<void>> start();
  Task<Result<InstanceSpec>> prepare();
  void add_news();
  Task<bool> take_from_pool();
  Result<void> hand_over(const LeaseFacts& facts) const;
  Task<Result<void>> stop_if_unneeded(bool always);

  asio::any_io_executor executor_;
  SingularityEngine engine_;
  InstanceMaker maker_;
  std::shared_ptr<WarmPool> pool_;
  std::string name_;
  std::shared_ptr<carrier::Carrier> carrier_;
  std::optional<link::ByteStream> first_stream_;  // of one that waited
};

}  // namespace talaria::environment::singularity
