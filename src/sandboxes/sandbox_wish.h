// What whoever wants a sandbox asks for: whether it is more than the operator gives, and how the
// target is told.
#pragma once

#include <talaria/sandbox.h>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "host/config.h"

namespace talaria::sandboxes {

// An error (bad_request) names what is too much or not permitted, and the setting that says so.
Result<void> check_wish(const SandboxSpec& wish, const host::GatewayConfig& most);

// The override of a task (host/task_override.h) that has a container of `target` made as wished.
// What is not wished for is as configured, and no more than may be wished for.
boost::json::object override_for(const SandboxSpec& wish, const std::string& target,
                                 const host::Config& config);

}  // namespace talaria::sandboxes
