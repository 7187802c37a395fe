// ScriptKeeper: the scripts of a gateway run in another process of ours (keeper_front.h), so that
// those that continue outlive the gateway. This is the gateway's end of the two pipes to it. Their
// lines are those of JSON lines:
//   {"id":1,"method":"call","params":{"owner","tool","arguments","task","session_key","variables",
//                                     "progress","wait_ms"}}      BackgroundCalls::call()
//   {"id":2,"method":"look","params":{"owner","arguments"}}       BackgroundCalls::look()
//   {"id":0,"cancel":1}                                           the client gave it up
// and besides answers {"id":1,"progress":TEXT}, what the script printed last.
#pragma once

#include <talaria/cancel.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/json/object.hpp>

#include "base/event.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/task.h"
#include "front/line_splitter.h"

namespace talaria::front::mcp {

namespace json = boost::json;

class ScriptKeeper : public std::enable_shared_from_this<ScriptKeeper> {
 public:
  // Descriptors of a keeper that runs.
  struct Pipes {
    int input;  // we write
    int output;
  };
  // Starts one. Nothing: it cannot be started.
  using Start = std::function<std::optional<Pipes>()>;

  // Takes the descriptors over.
  static std::shared_ptr<ScriptKeeper> with(const asio::any_io_executor& executor, Pipes pipes);

  struct Request {
    std::string method;
    json::object params;
    std::optional<Cancel> cancel = {};  // absent: notifying `given_up` cancels it
    std::function<void(std::string_view)> on_progress = {};
  };
  // A request that is cancelled is answered soon. `given_up` is notified when `cancel` is.
  Task<Result<json::object>> ask(Request request, AsyncEvent& given_up);

  bool is_gone() const { return gone_; }
  // It finishes the scripts that continue, stores their answers, and ends.
  void close();

 private:
  struct UnderWay {
    AsyncEvent* answered;
    std::function<void(std::string_view)> on_progress;
    std::optional<Result<json::object>> answer;
  };

  ScriptKeeper(const asio::any_io_executor& executor, Pipes pipes)
      : input_(executor, pipes.input), output_(executor, pipes.output) {}
  Task<void> read();
  Task<void> write();
  void send(json::object line);
  void take(std::string_view line);

  asio::posix::stream_descriptor input_;
  asio::posix::stream_descriptor output_;
  LineSplitter lines_{kMaxLineBytes};
  std::deque<std::string> unsent_;
  std::map<std::int64_t, UnderWay> under_way_;  // by id
  std::int64_t last_id_ = 0;
  bool writing_ = false;
  bool gone_ = false;
};

}  // namespace talaria::front::mcp
