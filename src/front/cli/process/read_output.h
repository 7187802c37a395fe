// What a process has printed so far, all of it. The answer to one read ends where output is no
// longer kept; this one goes on behind that.
#pragma once

#include <talaria/asio_processes.h>

#include <functional>
#include <string>
#include <string_view>

#include "base/task.h"

namespace talaria {

// `lost` of the result: of all that was skipped.
Task<Result<OutputRead>> read_output(AsioProcesses processes, std::string id, std::uint64_t from,
                                     std::function<void(std::string_view)> on_output,
                                     Cancel cancel);

}  // namespace talaria
