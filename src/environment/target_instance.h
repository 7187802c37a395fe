// TargetInstance: the container, instance or sandbox that serves a task, for its environment. A
// lease (lease.h) records it, so that other programs of the same home find it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "environment/environment.h"
#include "environment/environment_spec.h"
#include "environment/lease.h"
#include "environment/session_record.h"
#include "os/unique_fd.h"

namespace talaria::environment {

class TargetInstance {
 public:
  explicit TargetInstance(EnvironmentSpec spec) : spec_(std::move(spec)) {}
  TargetInstance(const TargetInstance&) = delete;
  TargetInstance& operator=(const TargetInstance&) = delete;
  virtual ~TargetInstance() = default;

  virtual std::string place() const = 0;  // see Environment, here and below
  virtual EnvironmentLimits limits() const = 0;
  virtual Task<Result<void>> close(bool remove) = 0;

  // See Environment. No sweep deletes them for so long.
  static constexpr auto kLeftFor = std::chrono::hours(24);
  void leave_files() { leaves_files_ = true; }

  const EnvironmentSpec& spec() const { return spec_; }
  // A command is started in it.
  void used() {
    if (lease_) lease_->touch();
  }
  // Takes the notices since the last call, for the agent to read.
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }

 protected:
  Result<void> take_lease(const LeaseFacts& facts) {
    auto lease = Lease::take(spec_.home, facts);
    if (!lease) return fail(lease.error());
    lease_.emplace(std::move(*lease));
    return {};
  }
  static std::unexpected<Error> was_closed() {
    return fail(ErrorKind::unavailable, "the environment was closed");
  }

  EnvironmentSpec spec_;
  std::optional<Lease> lease_;
  std::vector<std::string> news_;
  bool leaves_files_ = false;
  bool closed_ = false;
};

// The target of an environment, whether it has a runner or not.
struct TargetOptions {
  std::string target;
  std::shared_ptr<TargetInstance> instance = {};  // null: it is not one of ours
  std::string place = {};                         // see Environment, here and below
  bool persistent = false;
  std::optional<bool> isolated = {};
  std::function<Task<Result<void>>(bool remove)> close = {};  // null: that of the instance
  // Connects to another socket in the directory of the runner. Null: it cannot be reached from
  // here.
  std::function<Result<os::UniqueFd>(const std::string& name)> reach_socket = {};
  // Commands inherit the target's own environment, not ours, which means nothing there.
  bool elsewhere = false;
  LoginFiles login = {};
  std::uint32_t batch_ms = 0;  // see LinkDriverOptions
  // Null: sessions are known to this program only.
  std::shared_ptr<SessionRecord> sessions = {};
};

// An instance with the options that all of them have in common.
inline TargetOptions target_options(const std::shared_ptr<TargetInstance>& instance) {
  const EnvironmentSpec& spec = instance->spec();
  return {.target = spec.target,
          .instance = instance,
          .persistent = spec.container.persistent,
          .elsewhere = true,
          .login = spec.login};
}

}  // namespace talaria::environment
