// What the gateway tells, as JSON.
#pragma once

#include <talaria/sandbox.h>

#include <chrono>
#include <string>

#include <boost/json/object.hpp>

namespace talaria::front::gateway {

boost::json::object sandbox_json(const SandboxInfo& sandbox);
boost::json::object exec_json(const ExecInfo& exec, bool with_output);

std::string new_request_id();

}  // namespace talaria::front::gateway
