// Agent: calls tools like an agent, and runs commands like an embedding program, for one case of
// the contract kit. A call that failed returns an object with the error, so that a case sees a
// wrong answer.
//
// An Agent is one controller. A second controller of a case has its own runtime.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "api/asio_processes.h"
#include "api/asio_runtime.h"
#include "base/task.h"

namespace talaria::front::check {

namespace json = boost::json;

// What the controllers of a case share.
struct AgentName {
  std::string task;
  std::string session_key;
  std::string directory;                  // of the case, at the target
  std::chrono::milliseconds patience{0};  // how long to wait for expected events
};

class Agent {
 public:
  Agent(std::shared_ptr<AsioRuntime> runtime, AgentName name, Cancel cancel);

  const AgentName& name() const { return name_; }
  const Cancel& cancel() const { return cancel_; }
  AsioProcesses processes() const { return AsioProcesses(*runtime_); }
  // The same controller, with another session.
  Agent with_task(const std::string& suffix) const;
  // The same session, with another controller.
  Agent with_runtime(std::shared_ptr<AsioRuntime> runtime) const;

  // The tool `terminal` in this session.
  Task<json::object> terminal(json::object arguments);
  Task<json::object> terminal(json::object arguments, Cancel cancel);
  // The tool `execute_code`.
  Task<json::object> script(std::string code);
  Task<json::object> script(std::string code, Cancel cancel);
  // `terminal` in the directory of the case, without the advice for models.
  Task<json::object> command(std::string text);
  // Its output; the error if it was not run.
  Task<std::string> output_of(std::string text);

  // Any other tool, in this session.
  Task<json::object> tool(std::string name, json::object arguments);

  // In this session and the directory of the case, unless `command` sets others.
  Task<Result<Outcome>> run(Command command);
  // Its output as raw bytes.
  Task<std::string> bytes_of(std::string text);

  // The ID of the started process; "" if it failed. end_all() ends it.
  Task<std::string> start(std::string command, json::object more = {});
  Task<json::object> start_answer(const std::string& command, json::object more = {});
  // The tool `process`.
  Task<json::object> process(std::string_view action, const std::string& id,
                             json::object more = {});
  // `process wait` with a timeout that is enough for every case.
  Task<json::object> wait(const std::string& id);
  Task<json::object> result_of(std::string command, json::object more = {});  // start and wait
  // False: it did not print that in time.
  Task<bool> prints(std::string id, std::string text);

  // Ends all processes that were started here, and reads their ends.
  Task<void> end_all();

  // Releases the runtime, which ends with its last owner.
  void drop() { runtime_.reset(); }

 private:
  Task<json::object> call(std::string tool, json::object arguments, Cancel cancel);

  std::shared_ptr<AsioRuntime> runtime_;
  AgentName name_;
  Cancel cancel_;
  std::shared_ptr<std::vector<std::string>> started_;  // by all agents of the case
};

// A number in an answer; kNoNumber if it has none.
std::int64_t number_of(const json::object& answer, std::string_view name);
inline constexpr std::int64_t kNoNumber = -987'654'321;

Task<void> pause(std::chrono::milliseconds time);

// Repeats `look` until it returns true; false: not within the patience of the agent.
template <class Look>
Task<bool> eventually(const Agent& agent, Look look) {
  const Cancel& cancel = agent.cancel();
  const auto until = std::chrono::steady_clock::now() + agent.name().patience;
  while (!co_await look()) {
    if (cancel.cancelled() || std::chrono::steady_clock::now() > until) co_return false;
    co_await pause(std::chrono::milliseconds(20));
  }
  co_return true;
}

}  // namespace talaria::front::check
