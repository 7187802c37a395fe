// LinkProcesses: Processes at a runner, over a link.
#pragma once

#include <memory>

#include "environment/link_starts.h"
#include "environment/processes.h"
#include "link/driver.h"

namespace talaria::environment {

class LinkProcesses final : public Processes {
 public:
  // `starts` outlives it.
  LinkProcesses(std::string target, std::shared_ptr<link::LinkDriver> driver, LinkStarts& starts)
      : target_(std::move(target)), driver_(std::move(driver)), starts_(starts) {}

  void set_prepare(Prepare prepare) override { prepare_ = std::move(prepare); }
  Task<Result<StartedProcess>> start(CommandSpec command, ProcessSpec spec,
                                     CancelToken cancel) override;
  Task<Result<StartedProcess>> start_as(std::string id, CommandSpec command, ProcessSpec spec,
                                        CancelToken cancel) override;
  Task<Result<std::vector<ProcessInfo>>> list(ProcessQuery query) override;
  Task<Result<ProcessInfo>> wait(ProcessQuery query, CancelToken cancel) override;
  Task<Result<KilledProcess>> kill(std::string id, std::string source) override;
  Task<Result<void>> signal(std::string id, int number) override;
  Task<Result<OutputRead>> read(OutputQuery query, OutputSink on_output,
                                CancelToken cancel) override;
  Task<Result<bool>> write(std::string id, std::string data, bool end, CancelToken cancel) override;
  Task<Result<void>> resize(std::string id, ScreenSize size) override;
  Task<Result<std::uint64_t>> events(EventQuery query,
                                     std::function<void(const NumberedEvent&)> on_event,
                                     CancelToken cancel) override;
  Task<Result<void>> acknowledge(std::string instance, std::uint64_t up_to) override;
  std::string instance() const override { return driver_->instance(); }

 private:
  Task<Result<OutputRead>> read_to_gap(OutputQuery query, OutputSink on_output, CancelToken cancel);
  // `id` empty: any. Else without a login.
  Task<Result<StartedProcess>> start_once(std::string id, CommandSpec command, ProcessSpec spec,
                                          CancelToken cancel);

  std::string target_;
  std::shared_ptr<link::LinkDriver> driver_;
  LinkStarts& starts_;
  Prepare prepare_;
};

}  // namespace talaria::environment
