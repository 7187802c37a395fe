// Processes at a target without a runner: there are none, and none can be started.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "environment/processes.h"

namespace talaria::environment::plain {

class PlainProcesses final : public Processes {
 public:
  // `why` no runner is there.
  explicit PlainProcesses(std::string why) : why_(std::move(why)) {}

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
  std::string instance() const override { return {}; }

 private:
  std::unexpected<Error> none() const;

  std::string why_;
};

}  // namespace talaria::environment::plain
