// KeptCalls: calls that take longer than their client waits and that nobody at a target keeps: a
// script calls tools through this program. They go on here; their client has a handle (call_...),
// by which it asks for the answer with the words of the process tool: wait, poll, kill. Whoever did
// not make a call does not know it.
#pragma once

#include <talaria/asio.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>

#include "base/event.h"
#include "base/task.h"

namespace talaria::front::mcp {

namespace json = boost::json;

class KeptCalls {
 public:
  // `runtime` outlives it.
  KeptCalls(const asio::any_io_executor& executor, AsioRuntime& runtime)
      : executor_(executor), runtime_(runtime) {}
  KeptCalls(const KeptCalls&) = delete;
  KeptCalls& operator=(const KeptCalls&) = delete;

  // The answer, if it comes within `wait`; else {"status":"running","session_id",...}. To notify
  // `given_up` ends the wait.
  Task<Result<json::object>> call(std::string tool, json::object arguments, CallContext context,
                                  Cancel cancel, std::chrono::milliseconds wait,
                                  AsyncEvent& given_up);

  static bool is_handle(std::string_view id) { return id.starts_with("call_"); }
  // What the process tool would say of such a call. `owner`: the session key it was made with.
  Task<json::object> look(std::string owner, json::object arguments, AsyncEvent& given_up);

  void close();        // those under way are cancelled
  Task<void> ended();  // until they are
  std::size_t size() const { return calls_.size(); }

 private:
  struct Kept {
    std::string owner;
    std::string tool;
    Cancel cancel;
    std::chrono::steady_clock::time_point began;
    std::optional<Result<json::object>> answer;
    std::vector<AsyncEvent*> waiting;  // notified when it has ended
    std::size_t number = 0;            // those that ended first are forgotten first
  };
  using KeptPointer = std::shared_ptr<Kept>;

  Task<void> run(KeptPointer kept, json::object arguments, CallContext context);
  static Task<void> wait_for(KeptPointer kept, std::chrono::milliseconds wait,
                             AsyncEvent& given_up);
  static json::object running(const std::string& id, const Kept& kept);
  void forget_some();

  asio::any_io_executor executor_;
  AsioRuntime& runtime_;
  std::map<std::string, KeptPointer> calls_;  // by handle: those that outlived their wait
  std::size_t under_way_ = 0;
  std::size_t ended_ = 0;
  AsyncEvent changed_;  // one has ended
};

}  // namespace talaria::front::mcp
