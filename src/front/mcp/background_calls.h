// BackgroundCalls: calls of execute_code that take longer than their client waits. Such a script
// calls tools through this program, so the call keeps running here, not at the target. The client
// gets a handle (call_...) for the actions wait, poll and kill of the process tool. The home stores
// the answer, so that the handle also works in another program, but not for another owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>

#include "api/asio_calls.h"
#include "api/asio_runtime.h"
#include "base/event.h"
#include "base/task.h"
#include "front/mcp/script_keeper.h"
#include "front/stdio_client.h"

namespace talaria::front::mcp {

namespace json = boost::json;

class BackgroundCalls {
 public:
  // `runtime` outlives it.
  BackgroundCalls(const asio::any_io_executor& executor, AsioRuntime& runtime)
      : executor_(executor), runtime_(runtime), stored_(runtime) {}
  BackgroundCalls(const BackgroundCalls&) = delete;
  BackgroundCalls& operator=(const BackgroundCalls&) = delete;

  // From now on calls are made by a keeper, which is started with the first, if that is possible.
  void use_keeper(ScriptKeeper::Start start) { start_keeper_ = std::move(start); }

  // The answer, if it comes within `wait`; else {"status":"running","session_id",...}. Notifying
  // `given_up` ends the wait. `owner`: who may use the handle.
  Task<Result<json::object>> call(std::string owner, std::string tool, json::object arguments,
                                  CallContext context, Cancel cancel,
                                  std::chrono::milliseconds wait, AsyncEvent& given_up);

  static bool is_handle(std::string_view id) { return id.starts_with("call_"); }
  // Answers the process tool about such a call.
  Task<json::object> look(std::string owner, json::object arguments, AsyncEvent& given_up);

  void close();        // cancels running calls, but not those of a keeper
  Task<void> ended();  // waits until they have ended
  std::size_t size() const { return calls_.size(); }

  // For a program with one client, which has gone: ends the client, and waits until the calls have
  // ended. If some still run, `leave` is called before with the exit code, which is returned.
  Task<int> finish(StdioClient& client, std::function<void(int exit_code)> leave);
  // A stop signal: cancels running calls if the client was left.
  void stop() {
    if (left_client_) close();
  }

 private:
  struct Call {
    std::string id;  // empty: it has no handle yet
    std::string owner;
    std::string tool;
    Cancel cancel;
    std::chrono::system_clock::time_point began;
    std::optional<Result<json::object>> answer;
    std::vector<AsyncEvent*> waiting;  // notified when it has ended
    std::size_t number = 0;  // the order in which calls ended; the oldest is removed first
  };
  using CallPointer = std::shared_ptr<Call>;

  Task<void> run(CallPointer call, json::object arguments, CallContext context);
  static Task<void> wait_for(CallPointer call, std::chrono::milliseconds wait,
                             AsyncEvent& given_up);
  Task<void> end_if_wanted(CallPointer call);
  Task<json::object> look_elsewhere(std::string owner, json::object arguments,
                                    AsyncEvent& given_up);
  void forget_some();
  std::shared_ptr<ScriptKeeper> reach_keeper();  // null: there is none

  asio::any_io_executor executor_;
  AsioRuntime& runtime_;
  AsioCalls stored_;
  std::map<std::string, CallPointer> calls_;  // by handle: calls that outlived their wait
  std::size_t under_way_ = 0;
  std::size_t ended_ = 0;
  AsyncEvent changed_;  // one has ended
  bool left_client_ = false;
  ScriptKeeper::Start start_keeper_;
  std::shared_ptr<ScriptKeeper> keeper_;  // null: none was needed yet
};

}  // namespace talaria::front::mcp
