// DaytonaSandbox: the sandbox at Daytona that serves a task. It is found by its lease (lease.h),
// its name or its label, started if it is stopped, or made; and found again that way when it is
// gone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/daytona/daytona_client.h"
#include "environment/target_instance.h"

namespace talaria::environment::daytona {

inline constexpr std::string_view kDaytonaTarget = "daytona";

// The lease of a sandbox.
LeaseFacts daytona_lease(const std::string& identity, const std::string& task,
                         const std::string& name, bool persistent);

class DaytonaSandbox final : public TargetInstance {
 public:
  DaytonaSandbox(std::shared_ptr<DaytonaClient> client, EnvironmentSpec spec)
      : TargetInstance(std::move(spec)), client_(std::move(client)), starts_(!spec_.existing) {}

  // Finds or makes it, and waits until it runs; with EnvironmentSpec::existing it is not started.
  // `*this` must outlive it, here and below.
  Task<Result<void>> acquire();

  // To be called before connecting: checks whether it still runs. If not it is acquired once more,
  // and take_news() reports it.
  Task<Result<void>> be_ready();

  // Releases it. Unless another program has it, or `is_idle` returns false, it is stopped if its
  // files are kept (also for once, by leave_files()), else deleted. `remove`: deleted in any case.
  Task<Result<void>> close(bool remove, std::function<Task<bool>()> is_idle);
  Task<Result<void>> close(bool remove) override { return close(remove, nullptr); }

  const std::string& daemon() const { return daemon_; }
  const DaytonaConfig& config() const { return client_->config(); }
  // How often it was acquired: the same number means the same sandbox, not restarted.
  std::uint64_t generation() const { return generation_; }
  std::string place() const override;
  EnvironmentLimits limits() const override;

 private:
  LeaseFacts lease_facts(const std::string& name) const;
  Task<Result<void>> find_or_make();
  Task<Result<std::optional<DaytonaFacts>>> find();
  Task<Result<std::optional<DaytonaFacts>>> find_meant();
  Task<Result<std::optional<DaytonaFacts>>> find_leased();
  Task<Result<std::optional<DaytonaFacts>>> look(std::string name);
  Task<Result<DaytonaFacts>> make();
  Task<Result<DaytonaFacts>> bring_up(DaytonaFacts facts);
  Task<Result<void>> use(DaytonaFacts facts);
  Task<void> give_back(DaytonaFacts facts);

  std::shared_ptr<DaytonaClient> client_;
  DaytonaFacts facts_;  // no id: there is none
  std::string daemon_;
  std::uint64_t generation_ = 0;
  bool just_seen_ = false;  // running, and no connection was made since
  bool starts_;             // it must run; else it only has to exist
};

}  // namespace talaria::environment::daytona
