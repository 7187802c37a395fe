// ProcessService: the background processes of a home, for the `process` tool and for the API.
// BackgroundProcess: one of them, and what can be done with it.
#pragma once

#include <talaria/process.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "tools/tool.h"

namespace talaria::tool {

// Errors (not_found): the target does not know it. `*this` outlives each call.
class BackgroundProcess {
 public:
  BackgroundProcess(const Services& services, host::EnvironmentPtr environment, std::string id)
      : services_(services), environment_(std::move(environment)), id_(std::move(id)) {}

  const std::string& id() const { return id_; }
  environment::Environment& environment() const { return *environment_; }

  // With up to `tail_limit` bytes of its last output.
  Task<Result<ProcessInfo>> find(std::uint64_t tail_limit = 0) const;
  // Returns when it has ended, with what is known of the end and of the output.
  Task<Result<ProcessInfo>> wait(std::uint64_t tail_limit, CancelToken cancel) const;
  // The same, with all that is known of it.
  Task<Result<ProcessInfo>> watch_end(CancelToken cancel) const;
  // The end has been reported to somebody, so no event about it is needed.
  Task<void> end_reported() const { return services_.journal.ledger().end_reported(id_); }

  Task<Result<KilledProcess>> kill(std::string source) const;
  Task<Result<void>> signal(int number) const;
  Task<Result<OutputRead>> read(OutputQuery query, environment::OutputSink on_output,
                                CancelToken cancel) const;
  // False: it takes no input. The second is for what a model writes to `process`, which is this
  // one: an error (denied) if policy refuses it.
  Task<Result<bool>> write(std::string data, bool end, CancelToken cancel) const;
  Task<Result<bool>> write_judged(const ProcessInfo& process, std::string data,
                                  CancelToken cancel) const;
  Task<Result<void>> resize(ScreenSize size) const;

 private:
  template <class T>
  Result<T> explained(Result<T> answer) const;
  // If the answer of the target is that it does not know it: how it was lost.
  template <class T>
  std::optional<ProcessInfo> lost(const Result<T>& answer) const;

  Services services_;
  host::EnvironmentPtr environment_;
  std::string id_;
};

// An error (denied) if policy does not let `data` be written to the process, whose command may read
// it as commands.
Result<void> check_input(const Services& services, const ProcessInfo& process,
                         std::string_view data);

// `*this` outlives each call.
class ProcessService {
 public:
  explicit ProcessService(const Services& services) : services_(services) {}

  // At the target where it was started; if that is not recorded, at the target of `task`.
  Task<Result<BackgroundProcess>> open(std::string id, std::string task) const;
  // Those of all targets. Targets where nothing was started are not asked.
  Task<Result<ProcessList>> list(std::uint64_t tail_limit) const;
  // Continues with the others if one cannot be ended.
  Task<Result<KilledAll>> kill_all(KillAll which) const;

 private:
  struct Found {
    std::vector<std::pair<host::EnvironmentPtr, ProcessInfo>> processes;
    std::vector<Error> away;
  };
  Task<Result<Found>> find_all(std::uint64_t tail_limit) const;

  Services services_;
};

}  // namespace talaria::tool
