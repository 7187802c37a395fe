// Sandboxes and execs as JSON.
#pragma once

#include <talaria/sandbox.h>

#include <boost/json/object.hpp>

namespace talaria::front::gateway {

boost::json::object sandbox_json(const SandboxInfo& sandbox);
boost::json::object exec_json(const ExecInfo& exec, bool with_output);

}  // namespace talaria::front::gateway
