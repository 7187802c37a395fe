// Calls of tools in tests.
#pragma once

#include <utility>

#include "host/host.h"
#include "tools/tool.h"

namespace talaria::test {

inline tool::Services services(host::Host& host, policy::CommandPolicy& policy) {
  return {host.settings, host.environments, host.journal, host.interaction, policy};
}

inline tool::ToolCall tool_call(host::Host& host, policy::CommandPolicy& policy,
                                boost::json::object arguments = {}, CallContext context = {},
                                CancelToken cancel = {}) {
  tool::ToolCall call =
      tool::begin_call(services(host, policy), std::move(context), std::move(cancel));
  call.arguments = std::move(arguments);
  return call;
}

}  // namespace talaria::test
