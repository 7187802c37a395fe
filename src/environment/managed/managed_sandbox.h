// ManagedSandbox: the one at the gateway that serves a task. The home remembers it (lease.h), so
// that other programs of the same home find it; one that the gateway has ended is replaced.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "environment/lease.h"
#include "environment/managed/gateway_client.h"
#include "environment/managed/managed_options.h"

namespace talaria::environment::managed {

class ManagedSandbox {
 public:
  ManagedSandbox(std::shared_ptr<GatewayClient> client, ManagedOptions options)
      : client_(std::move(client)), options_(std::move(options)) {}

  // Finds the task's, or has one made. `*this` must outlive it, here and below.
  Task<Result<void>> acquire();
  // The gateway no longer has the one with this id: another one, unless somebody has seen to that.
  Task<Result<void>> replace(std::string gone);

  const GatewaySandbox& facts() const { return facts_; }
  const ManagedOptions& options() const { return options_; }
  const std::shared_ptr<GatewayClient>& client() const { return client_; }
  std::string place() const;  // see Environment
  void used();
  // What happened since the last time, for the agent to read.
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }

  // Has it terminated, with `remove` or if nothing of it is to be kept and nobody else uses it.
  // Else the gateway ends it when it was idle for long enough. The second time nothing is left to
  // do.
  Task<Result<void>> close(bool remove);

 private:
  Task<Result<void>> find_or_make();
  Task<bool> find();
  Result<void> adopt(GatewaySandbox sandbox);
  LeaseFacts lease_facts(const GatewaySandbox& sandbox) const;
  std::string identity() const;

  std::shared_ptr<GatewayClient> client_;
  ManagedOptions options_;
  GatewaySandbox facts_;  // no id: there is none
  std::optional<Lease> lease_;
  std::vector<std::string> news_;
  bool closed_ = false;
};

}  // namespace talaria::environment::managed
