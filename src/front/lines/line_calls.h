// LineCalls: the requests of one client of the JSON-lines protocol, from their lines to their
// answers. How the lines come and go is its owner's business. It belongs to the runtime's loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/call_queue.h"
#include "front/lines/line_method.h"
#include "front/lines/line_protocol.h"

namespace talaria::front::lines {

class LineCalls {
 public:
  struct Client {
    std::function<void(const std::string& line)> send;  // an answer, or a part of one
    // False: does not read now. Then no call begins, and events come later.
    std::function<bool()> reads;
    std::function<void(Task<void>)> start;  // runs a task, which the LineCalls outlives
  };

  // `runtime`, `places` and the client outlive it.
  LineCalls(AsioRuntime& runtime, LinePlaces& places, Client client);
  LineCalls(const LineCalls&) = delete;
  LineCalls& operator=(const LineCalls&) = delete;

  void feed(std::string_view bytes) { perform(protocol_.feed(bytes)); }
  void end_input() { perform(protocol_.end()); }
  void resume();  // the client reads again
  std::size_t waiting_bytes() const { return queue_.waiting_bytes(); }

  bool idle() const { return services_.requests.empty(); }  // all is answered
  void cancel(const std::string& key);
  void cancel_all();
  // The client sends nothing more: it cannot answer questions, give input, or ask for more output.
  void end_of_client();
  void end_events() { services_.events.end(); }

 private:
  using RequestPtr = std::shared_ptr<LineRequest>;

  void perform(std::vector<LineAction> actions);
  RequestPtr begin(const std::string& key);
  void finish(const RequestPtr& request, const Result<json::object>& result);
  void take_method(AskMethod method);
  Result<void> open_input(const Method& method, const LineParams& params, LineRequest& request);
  Task<void> run_method(const Method* method, MethodCall call);
  void take_call(StartCall call);
  Task<void> run_call(StartCall call, RequestPtr request);
  Task<Result<json::object>> answer_call(StartCall call, const LineRequest& request);
  bool push(const std::string& line);  // an event

  Client client_;
  LineProtocol protocol_;
  CallQueue queue_;
  LineServices services_;
};

}  // namespace talaria::front::lines
