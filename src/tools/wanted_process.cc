#include "tools/wanted_process.h"

namespace talaria::tool {

environment::ProcessSpec wanted_process(const ToolCall& call, const BackgroundRequest& request,
                                        const host::Config& config) {
  const host::ProcessConfig& bounds = config.processes;
  const bool keeps = request.lifespan == Lifespan::keep;
  environment::ProcessSpec spec{
      .takes_input = request.takes_input,
      .lifespan = request.lifespan,
      .max_age = request.max_age.value_or(keeps ? std::chrono::seconds(0) : bounds.max_age),
      .notify = request.notify,
      .watch_patterns = request.watch_patterns,
      .session_key = call.context.session_key,
      .caps = {.running = bounds.max_running,
               .terminals = bounds.max_terminals,
               .finished = bounds.max_finished,
               .retention = bounds.retention}};
  if (request.terminal) spec.terminal = ScreenSize{};
  return spec;
}

}  // namespace talaria::tool
