// ManagedSandbox: the sandbox at the gateway that serves a task. A lease (lease.h) records it, so
// that other programs of the same home find it. One that the gateway has ended is replaced.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "environment/managed/gateway_client.h"
#include "environment/target_instance.h"

namespace talaria::environment::managed {

class ManagedSandbox final : public TargetInstance {
 public:
  ManagedSandbox(std::shared_ptr<GatewayClient> client, std::string image, EnvironmentSpec spec)
      : TargetInstance(std::move(spec)), client_(std::move(client)), image_(std::move(image)) {}

  // Finds the task's, or has one made. `*this` must outlive it, here and below.
  Task<Result<void>> acquire();
  // The gateway no longer has the sandbox with this id: acquires another one, unless another call
  // already did.
  Task<Result<void>> replace(std::string gone);

  const GatewaySandbox& facts() const { return facts_; }
  const std::shared_ptr<GatewayClient>& client() const { return client_; }
  std::string place() const override;
  EnvironmentLimits limits() const override { return {}; }  // the protocol does not report them
  // Terminates it with `remove`, or if its files are not kept and no other program uses it.
  // Otherwise the gateway ends it when it has been idle for long enough. A second call does
  // nothing.
  Task<Result<void>> close(bool remove) override;

 private:
  Task<Result<void>> find_or_make();
  Task<bool> find();
  Result<void> adopt(GatewaySandbox sandbox);
  LeaseFacts lease_facts(const GatewaySandbox& sandbox) const;

  std::shared_ptr<GatewayClient> client_;
  std::string image_;
  GatewaySandbox facts_;  // no id: there is none
};

}  // namespace talaria::environment::managed
