// What the terminal of a background process shows.
#pragma once

#include <talaria/process.h>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "tools/process_service.h"

namespace talaria::tool {

// `info`: of the process, which has a terminal. Both outlive the call.
Task<Result<ScreenView>> look_at_screen(const BackgroundProcess& process, const ProcessInfo& info,
                                        CancelToken cancel);

}  // namespace talaria::tool
