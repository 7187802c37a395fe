// ClientScope: what belongs to one MCP client, if several share a program.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "api/asio_processes.h"
#include "api/asio_runtime.h"
#include "base/task.h"

namespace talaria::front::mcp {

namespace json = boost::json;

// The identity of a client.
struct McpPrincipal {
  std::string task;         // default task of its calls
  std::string session_key;  // for approvals and request state
  // If several clients share a program: the prefix of its tasks. It sees only processes of such
  // tasks. Empty: it sees all.
  std::string scope = {};
  bool may_answer = true;  // its user may approve commands
};

// With a random name, so that it shares no session.
McpPrincipal new_principal();

class ClientScope {
 public:
  ClientScope(const AsioRuntime& runtime, McpPrincipal principal)
      : principal_(std::move(principal)), processes_(runtime) {}

  const McpPrincipal& principal() const { return principal_; }
  // Who may use the handles of its calls. Empty: any client of a server with one client, as with
  // processes.
  std::string owner() const { return principal_.scope.empty() ? "" : principal_.session_key; }
  // For a call that names this task; empty: none.
  CallContext context_for(const std::string& task) const;
  // A path is not a process; every client can read it. An unknown process belongs to no client.
  Task<bool> is_own(std::string process);
  // Removes processes of others from the answer of `process list`.
  Task<void> leave_out_others(json::object& answer);

 private:
  McpPrincipal principal_;
  AsioProcesses processes_;
};

}  // namespace talaria::front::mcp
