// Agent: calls tools as an agent does, and runs commands as an embedding program does, for one case
// of the contract kit. What it is answered comes back as it is; a call that failed is an object
// with the error in it, so that a case sees a wrong answer instead of none.
//
// An Agent is one controller. Those of a case's second controller have a runtime of their own.
#pragma once

#include <talaria/asio.h>
#include <talaria/asio_processes.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/task.h"

namespace talaria::front::check {

namespace json = boost::json;

// Who an agent is: what a case's controllers have in common.
struct AgentName {
  std::string task;
  std::string session_key;
  std::string directory;                  // at the target; the case's own
  std::chrono::milliseconds patience{0};  // with what should come by itself
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

  // The tool `terminal` in this session, with these arguments as they are.
  Task<json::object> terminal(json::object arguments);
  Task<json::object> terminal(json::object arguments, Cancel cancel);
  // The tool `execute_code`.
  Task<json::object> script(std::string code);
  Task<json::object> script(std::string code, Cancel cancel);
  // The same for a command in the case's own directory, without the advice for models.
  Task<json::object> command(std::string text);
  // What that printed; in place of it what went wrong, if it was not run.
  Task<std::string> output_of(std::string text);

  // Any other tool, in this session.
  Task<json::object> tool(std::string name, json::object arguments);

  // With this session and the case's directory, unless `command` says otherwise.
  Task<Result<Outcome>> run(Command command);
  // The bytes it printed, as they came.
  Task<std::string> bytes_of(std::string text);

  // The id of a process that was started; "" if it was not. Remembered, so that whatever becomes of
  // the case it is ended.
  Task<std::string> start(std::string command, json::object more = {});
  Task<json::object> start_and_tell(std::string command, json::object more = {});
  // The tool `process`.
  Task<json::object> process(std::string action, std::string id, json::object more = {});
  // Its answer to `process wait`, which is enough time for every case.
  Task<json::object> wait(std::string id);
  Task<json::object> result_of(std::string command, json::object more = {});  // start and wait
  // False: it did not print that in time.
  Task<bool> prints(std::string id, std::string text);

  // Ends what was started here and still runs.
  Task<void> end_all();

  // Lets go of the runtime, which ends when nobody else has it.
  void drop() { runtime_.reset(); }

 private:
  Task<json::object> call(std::string tool, json::object arguments, Cancel cancel);

  std::shared_ptr<AsioRuntime> runtime_;
  AgentName name_;
  Cancel cancel_;
  std::shared_ptr<std::vector<std::string>> started_;  // of all agents of the case
};

// A field of an answer, "" or a number nobody expects if it has none.
std::int64_t number_of(const json::object& answer, std::string_view name);
inline constexpr std::int64_t kNoNumber = -987'654'321;

Task<void> pause(std::chrono::milliseconds time);

// Looks again and again, by the coroutine that `look` makes; false if it did not come true in time.
template <class Look>
Task<bool> eventually(const Agent& agent, Look look) {
  const Cancel cancel = agent.cancel();
  const auto until = std::chrono::steady_clock::now() + agent.name().patience;
  while (!co_await look()) {
    if (cancel.cancelled() || std::chrono::steady_clock::now() > until) co_return false;
    co_await pause(std::chrono::milliseconds(20));
  }
  co_return true;
}

}  // namespace talaria::front::check
