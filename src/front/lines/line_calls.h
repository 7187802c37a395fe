// LineCalls: the requests of one client of the JSON-lines protocol, from their lines to their
// answers. How the lines come and go is its owner's business. It belongs to the runtime's loop.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/call_queue.h"
#include "front/lines/line_approvals.h"
#include "front/lines/line_events.h"
#include "front/lines/line_protocol.h"

namespace talaria::front::lines {

class LineCalls {
 public:
  struct Client {
    std::function<void(const std::string& line)> send;  // an answer
    // False: does not read now. Then no call begins, and events come later.
    std::function<bool()> reads;
    std::function<void(Task<void>)> start;  // runs a task, which the LineCalls outlives
  };

  // `runtime` and the client outlive it.
  LineCalls(AsioRuntime& runtime, Client client);
  LineCalls(const LineCalls&) = delete;
  LineCalls& operator=(const LineCalls&) = delete;

  void feed(std::string_view bytes) { perform(protocol_.feed(bytes)); }
  void end_input() { perform(protocol_.end()); }
  void resume() { queue_.resume(); }  // the client reads again
  std::size_t waiting_bytes() const { return queue_.waiting_bytes(); }

  bool idle() const { return cancels_.empty(); }  // all is answered
  void cancel(const std::string& key);
  void cancel_all();
  void end_approvals() { approvals_.end(); }
  void end_events() { events_.end(); }

 private:
  void perform(std::vector<LineAction> actions);
  void take_method(const AskMethod& method);
  Task<void> run_method(AskMethod method);
  void take_call(StartCall call);
  Task<void> run_call(StartCall call);
  bool push(const std::string& line);  // an event

  AsioRuntime& runtime_;
  Client client_;
  LineProtocol protocol_;
  std::map<std::string, Cancel> cancels_;  // of every call that is not answered yet
  CallQueue queue_;
  LineEvents events_;
  LineApprovals approvals_;
};

}  // namespace talaria::front::lines
