#include "front/cli/process/process_front.h"

#include <utility>

#include "front/cli/exec_front.h"
#include "front/cli/process/process_fronts.h"
#include "front/cli/report.h"

namespace talaria::front::cli {
namespace {

struct Fronts {
  using Front = std::optional<Task<int>>;
  AsioRuntime& runtime;
  Stdio stdio;

  Front operator()(StartOptions& options) const {
    return start_front(runtime, std::move(options), stdio);
  }
  Front operator()(PsOptions& options) const {
    return ps_front(runtime, std::move(options), stdio);
  }
  Front operator()(LogsOptions& options) const {
    return logs_front(runtime, std::move(options), stdio);
  }
  Front operator()(AttachOptions& options) const {
    return attach_front(runtime, std::move(options), stdio);
  }
  Front operator()(KillOptions& options) const {
    return kill_front(runtime, std::move(options), stdio);
  }
  Front operator()(WaitOptions& options) const {
    return wait_front(runtime, std::move(options), stdio);
  }
  Front operator()(EventsOptions& options) const {
    return events_front(runtime, std::move(options), stdio);
  }
  Front operator()(const auto&) const { return std::nullopt; }
};

}  // namespace

std::optional<Task<int>> process_front(AsioRuntime& runtime, CommandLine& line, Stdio stdio) {
  return std::visit(Fronts{runtime, stdio}, line);
}

// Those whose exit code is a process's have one of their own for what is ours.
int failure_code(const CommandLine& line) {
  const bool is_theirs =
      std::holds_alternative<AttachOptions>(line) || std::holds_alternative<WaitOptions>(line);
  return is_theirs ? kExecFailed : kFailed;
}

}  // namespace talaria::front::cli
