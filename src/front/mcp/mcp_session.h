// McpSession: does what one MCP client asks for. Its messages go in, over whatever transport; what
// is to be sent comes out by `send`, any time later. The protocol itself is McpServer.
//
// Stdio has one session as long as its client is there. HTTP has one for each Mcp-Session-Id, and
// one for each request of 2026-07-28, which knows no sessions.
#pragma once

#include <talaria/asio.h>
#include <talaria/asio_approvals.h>
#include <talaria/asio_processes.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "base/event.h"
#include "base/task.h"
#include "front/call_queue.h"
#include "front/mcp/mcp_server.h"
#include "front/task_group.h"

namespace talaria::front::mcp {

class KeptCalls;
class RequestState;

// Who the client is, for what is done on its behalf.
struct McpPrincipal {
  std::string task;         // whose shell its calls use unless they name another
  std::string session_key;  // who is asking, for approvals; also what request state is bound to
  // Where several clients share a program: every task it names begins with this, and it sees no
  // process of a task that does not. Empty: all are its own.
  std::string scope = {};
  bool may_answer = true;  // a person behind it may answer questions about commands
};

// A random name for a client that has none: nobody else's shell.
McpPrincipal new_principal();

// What a runtime that serves MCP clients needs beside what it was given: questions about commands
// go into the queue, and no call waits for their answer.
void add_mcp_settings(Options& options);

class McpSession {
 public:
  // All outlive it; `state` is shared by the sessions of one program.
  McpSession(const asio::any_io_executor& executor, AsioRuntime& runtime, const McpOffer& offer,
             const RequestState& state, McpPrincipal principal,
             std::function<void(const McpSend&)> send);
  McpSession(const McpSession&) = delete;
  McpSession& operator=(const McpSession&) = delete;

  // One message. What can be said at once is sent before it returns. Without `may_ask` no request
  // of ours can be sent about it.
  void take(std::string_view message, bool may_ask = true);
  // The client has closed the stream of that request.
  void give_up(const std::string& key);

  // Calls under way are cancelled, and nothing is sent any more.
  void close();
  // Until everything it started has ended.
  Task<void> ended() { return tasks_.ended(); }

  // From now on scripts that take long are kept there. It outlives us.
  void keep_calls(KeptCalls& kept) { kept_ = &kept; }

  const McpServer& server() const { return server_; }
  // Of messages whose calls have not begun: above a bound, a client should not be read any more.
  std::size_t waiting_bytes() const { return queue_.waiting_bytes(); }
  // What was asked for begins only while `held` says no: its client does not read what it gets.
  // Whoever says yes calls go_on() when that has changed.
  void hold_while(std::function<bool()> held) { queue_.hold_while(std::move(held)); }
  void go_on();
  // Called whenever something has ended.
  void on_change(std::function<void()> action) { on_change_ = std::move(action); }

 private:
  // A call that has not ended. The client may have cancelled it, and use its id again.
  struct UnderWay {
    Cancel cancel;
    bool unwanted = false;  // cancelled: nothing is said about it any more
    bool ended = false;
    AsyncEvent answered;   // by a person, or it is unwanted
    AsyncEvent heartbeat;  // it has ended, or is unwanted
    std::optional<McpElicited> answer;
  };
  using CallPointer = std::shared_ptr<UnderWay>;

  void perform(std::vector<McpAction> actions);
  void send(const std::optional<McpSend>& message);
  void start(Task<void> task);
  Task<void> told(Task<void> task);

  void take_call(McpCall call);
  void take_read(McpRead wanted);
  void end_call(const std::string& key);
  void take_answer(McpElicited elicited);
  Task<void> run_call(McpCall call, CallPointer under_way);
  Task<void> tell_progress(std::string key, std::string tool, CallPointer call);
  Task<McpAnswer> result_of(const McpCall& call, CallPointer under_way);
  Task<McpAnswer> handled(const McpCall& call, CallPointer under_way);
  CallContext context_for(const std::string& task) const;
  Task<bool> is_own(std::string process);
  Task<void> leave_out_others(json::object& answer);
  Task<Result<json::object>> call_tool(const McpCall& call, CallPointer under_way);
  Task<void> end_untold(const json::object& answer, CallContext context);
  Task<std::optional<json::object>> ask_client(std::string key, std::string method,
                                               json::object params, CallPointer under_way,
                                               std::function<bool()> settled = {});
  std::optional<ApprovalRequest> open_question(const std::string& id);
  bool take_responses(const McpCall& call);

  Task<void> read(McpRead wanted, CallPointer under_way);
  Task<McpAnswer> contents_of(McpRead wanted, Cancel cancel);
  void set_watch(const McpWatch& change);
  void tell_change(const std::string& uri);
  Task<void> watch(std::string uri, std::string process, Cancel cancel);

  asio::any_io_executor executor_;
  AsioRuntime& runtime_;
  AsioApprovals approvals_;
  AsioProcesses processes_;
  const McpOffer& offer_;
  const RequestState& state_;
  KeptCalls* kept_ = nullptr;
  McpPrincipal principal_;
  std::function<void(const McpSend&)> send_;
  std::function<void()> on_change_;
  McpServer server_;
  std::map<std::string, CallPointer> calls_;  // by key: those the client waits for, and reads
  std::map<std::string, Cancel> watches_;     // by the address of a resource
  std::set<std::string> untold_changes_;      // likewise
  TaskGroup tasks_;
  CallQueue queue_{[this](Task<void> task) { start(std::move(task)); }};
  bool closed_ = false;
};

}  // namespace talaria::front::mcp
