// What the process of a call is to be: what the call says, within what the configuration allows.
#pragma once

#include "environment/process_spec.h"
#include "tools/terminal_request.h"
#include "tools/tool.h"

namespace talaria::tool {

environment::ProcessSpec wanted_process(const ToolCall& call, const BackgroundRequest& request,
                                        const host::Config& config);

}  // namespace talaria::tool
