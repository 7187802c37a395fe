// DaytonaSandbox: the one at Daytona that serves a task. It is found by what the home remembers
// (lease.h), by its name or by its label, started if it is stopped, or made; and found again that
// way when it turns out to be gone.
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
#include "environment/daytona/daytona_options.h"
#include "environment/environment.h"
#include "environment/lease.h"

namespace talaria::environment::daytona {

inline constexpr std::string_view kDaytonaTarget = "daytona";

// What the home remembers of one.
LeaseFacts daytona_lease(const std::string& identity, const std::string& task,
                         const std::string& name, bool persistent);

class DaytonaSandbox {
 public:
  DaytonaSandbox(std::shared_ptr<DaytonaClient> client, DaytonaOptions options)
      : client_(std::move(client)), options_(std::move(options)), starts_(!options_.existing) {}

  // Finds it, or has one made, and waits until it runs; one that only has to be there (`existing`)
  // is not started. `*this` must outlive it, here and below.
  Task<Result<void>> acquire();

  // Before somebody connects to it: looks whether it still runs. If not it is acquired once more,
  // and take_news() tells.
  Task<Result<void>> be_ready();

  // Lets go of it. Unless another program has it, or `is_idle`, which is asked then, says that it
  // is needed: stopped if its files are to be kept, else deleted. `remove`: deleted in any case.
  Task<Result<void>> close(bool remove, std::function<Task<bool>()> is_idle = nullptr);

  const std::string& daemon() const { return daemon_; }
  const DaytonaOptions& options() const { return options_; }
  // How often it was acquired: whether it is the same, and has not been started since.
  std::uint64_t generation() const { return generation_; }
  std::string place() const;  // see Environment
  EnvironmentLimits limits() const;
  void used();  // now
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }

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
  Result<void> hold(const std::string& name);
  Task<void> give_back(DaytonaFacts facts);

  std::shared_ptr<DaytonaClient> client_;
  DaytonaOptions options_;
  DaytonaFacts facts_;  // no id: there is none
  std::string daemon_;
  std::optional<Lease> lease_;
  std::vector<std::string> news_;
  std::uint64_t generation_ = 0;
  bool just_seen_ = false;  // running, and nobody has connected since
  bool starts_;             // it is to run; else it only has to be there
  bool closed_ = false;
};

}  // namespace talaria::environment::daytona
