// McpSession: executes the requests of one MCP client, over any transport. It sends messages with
// `send`. The protocol is McpProtocol.
//
// Stdio has one session. HTTP has one per Mcp-Session-Id and, since 2026-07-28, one per request.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "api/asio_approvals.h"
#include "api/asio_processes.h"
#include "api/asio_runtime.h"
#include "base/event.h"
#include "base/task.h"
#include "front/call_queue.h"
#include "front/mcp/client_scope.h"
#include "front/mcp/mcp_elicitation.h"
#include "front/mcp/mcp_protocol.h"
#include "front/task_group.h"

namespace talaria::front::mcp {

class BackgroundCalls;
class ProcessNews;
class RequestState;

// Settings for MCP clients: approvals go into the queue, and calls do not wait for the answer.
void add_mcp_settings(Options& options);

class McpSession {
 public:
  // All outlive it; `state` is shared by the sessions of one program.
  McpSession(const asio::any_io_executor& executor, AsioRuntime& runtime, const McpOffer& offer,
             const RequestState& state, McpPrincipal principal,
             std::function<void(const McpSend&)> send);
  McpSession(const McpSession&) = delete;
  McpSession& operator=(const McpSession&) = delete;

  // Handles one message; sends immediate answers before it returns. Without `may_ask`, no request
  // is sent to the client about it.
  void take(std::string_view message, bool may_ask = true);
  // The client has closed the stream of that request.
  void give_up(const std::string& key);
  // The same without cancelling it: it may still end by itself, but nothing of it stays behind.
  void abandon(const std::string& key);

  // Cancels all calls and sends nothing more.
  void close();
  // Waits until everything it started has ended.
  Task<void> ended() { return tasks_.ended(); }

  // Where long scripts continue. It outlives the session.
  void use_background_calls(BackgroundCalls& calls) { background_ = &calls; }
  // What its results carry of background processes. It outlives the session.
  void use_news(ProcessNews& news) { news_ = &news; }
  // Notifies the client of an event of a background process, before a result does.
  void report(const json::object& event) { send(server_.log(event)); }

  const McpProtocol& server() const { return server_; }
  // Of messages whose calls have not begun; above a limit, stop reading from the client.
  std::size_t waiting_bytes() const { return queue_.waiting_bytes(); }
  // No call begins while `held` is true (the client does not read). After it has become false, call
  // resume().
  void hold_while(std::function<bool()> held) { queue_.hold_while(std::move(held)); }
  void resume();
  // Called after a task has ended.
  void on_change(std::function<void()> action) { on_change_ = std::move(action); }

 private:
  // A running call. If the client cancelled it, it may use the id again.
  struct UnderWay {
    Cancel cancel;
    bool unwanted = false;   // cancelled: nothing more is sent about it
    bool abandoned = false;  // nobody reads its answer
    bool ended = false;
    AsyncEvent answered;   // by a person, or it was cancelled
    AsyncEvent heartbeat;  // it has ended, or was cancelled
    std::string printed;   // what its command printed last
    std::optional<McpElicited> answer;

    bool is_unread() const { return unwanted || abandoned; }
  };
  using CallPointer = std::shared_ptr<UnderWay>;

  void perform(std::vector<McpAction> actions);
  void send(const std::optional<McpSend>& message);
  void start(Task<void> task);
  Task<void> run_and_notify(Task<void> task);

  void take_call(McpCall call);
  void take_read(McpRead wanted);
  void end_call(const std::string& key);
  void take_answer(McpElicited elicited);
  Task<void> run_call(McpCall call, CallPointer under_way);
  Task<void> report_progress(std::string key, std::string tool, CallPointer call);
  Task<McpAnswer> result_of(const McpCall& call, CallPointer under_way);
  Task<McpAnswer> handled(const McpCall& call, CallPointer under_way);
  json::object with_news_for(const McpCall& call, json::object answer);
  Task<Result<json::object>> call_tool(const McpCall& call, CallPointer under_way);
  Task<void> kill_unreported(const json::object& answer, CallContext context);
  Task<std::optional<json::object>> ask_client(std::string key, std::string method,
                                               json::object params, CallPointer under_way,
                                               std::function<bool()> settled = {});
  std::optional<QueuedApproval> open_question(const std::string& id);
  enum class Responses {
    taken,     // or there were none
    declined,  // by the client, which asked no person
    invalid,   // they are not for this call
  };
  Task<Responses> take_responses(const McpCall& call);
  Task<bool> take_form(std::string question, std::optional<ClientAnswer> said, bool& declined);

  Task<void> read(McpRead wanted, CallPointer under_way);
  Task<McpAnswer> contents_of(McpRead wanted, Cancel cancel);
  void set_watch(const McpWatch& change);
  void report_change(const std::string& uri);
  Task<void> watch(std::string uri, std::string process, Cancel cancel);

  asio::any_io_executor executor_;
  AsioRuntime& runtime_;
  AsioApprovals approvals_;
  AsioProcesses processes_;
  const McpOffer& offer_;
  const RequestState& state_;
  BackgroundCalls* background_ = nullptr;
  ProcessNews* news_ = nullptr;
  ClientScope scope_;
  std::function<void(const McpSend&)> send_;
  std::function<void()> on_change_;
  McpProtocol server_;
  std::map<std::string, CallPointer> calls_;  // by key: calls and reads in progress
  std::map<std::string, Cancel> watches_;     // by URI
  std::set<std::string> unreported_changes_;  // URIs
  TaskGroup tasks_;
  CallQueue queue_{[this](Task<void> task) { start(std::move(task)); }};
  bool closed_ = false;
};

}  // namespace talaria::front::mcp
