// Whether the operator permits the sandbox a client asks for, and the settings that it needs.
#pragma once

#include <talaria/sandbox.h>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "host/config.h"

namespace talaria::sandboxes {

// An error (bad_request) names what is too much or not permitted, and the setting that limits it.
Result<void> check_spec(const SandboxSpec& spec, const host::GatewayConfig& most);

// The override of a task (host/task_override.h) with which its container gets what `spec` asks for.
// The rest is as configured, but within the limits of the gateway.
boost::json::object override_for(const SandboxSpec& spec, const std::string& target,
                                 const host::Config& config);

}  // namespace talaria::sandboxes
