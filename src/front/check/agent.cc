#include "front/check/agent.h"

#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "json/fields.h"

namespace talaria::front::check {

Agent::Agent(std::shared_ptr<AsioRuntime> runtime, AgentName name, Cancel cancel)
    : runtime_(std::move(runtime)),
      name_(std::move(name)),
      cancel_(std::move(cancel)),
      started_(std::make_shared<std::vector<std::string>>()) {}

Agent Agent::with_task(const std::string& suffix) const {
  Agent other = *this;
  other.name_.task += "-" + suffix;
  return other;
}

Agent Agent::with_runtime(std::shared_ptr<AsioRuntime> runtime) const {
  Agent other = *this;
  other.runtime_ = std::move(runtime);
  return other;
}

Task<json::object> Agent::call(std::string tool, json::object arguments, Cancel cancel) {
  CallContext context{.task = name_.task, .session_key = name_.session_key, .tools = std::nullopt};
  auto answer = co_await runtime_->call(std::move(tool), std::move(arguments), std::move(context),
                                        std::move(cancel));
  if (answer) co_return std::move(*answer);
  co_return json::object{{"error", answer.error().message()}};
}

Task<json::object> Agent::tool(std::string name, json::object arguments) {
  return call(std::move(name), std::move(arguments), cancel_);
}

Task<json::object> Agent::terminal(json::object arguments) {
  return terminal(std::move(arguments), cancel_);
}

Task<json::object> Agent::terminal(json::object arguments, Cancel cancel) {
  json::object answer = co_await call("terminal", std::move(arguments), std::move(cancel));
  if (const std::string id = text_field(answer, "session_id"); !id.empty()) started_->push_back(id);
  co_return answer;
}

Task<json::object> Agent::script(std::string code) { return script(std::move(code), cancel_); }

Task<json::object> Agent::script(std::string code, Cancel cancel) {
  return call("execute_code", {{"code", std::move(code)}}, std::move(cancel));
}

Task<json::object> Agent::command(std::string text) {
  return terminal({{"command", std::move(text)}, {"workdir", name_.directory}, {"force", true}});
}

Task<std::string> Agent::output_of(std::string text) {
  const json::object answer = co_await command(std::move(text));
  const std::string error = text_field(answer, "error");
  co_return error.empty() ? text_field(answer, "output") : "not run: " + error;
}

Task<Result<Outcome>> Agent::run(Command command) {
  if (!command.task) command.task = name_.task;
  if (!command.workdir) command.workdir = name_.directory;
  return runtime_->run(std::move(command), cancel_);
}

Task<std::string> Agent::bytes_of(std::string text) {
  std::string bytes;
  Command command{.text = std::move(text),
                  .on_output = [&bytes](std::string_view piece) { bytes += piece; }};
  const Result<Outcome> outcome = co_await run(std::move(command));
  if (!outcome) co_return "not run: " + outcome.error().message();
  co_return bytes;
}

Task<json::object> Agent::start_answer(const std::string& command, json::object more) {
  more["command"] = command;
  more["background"] = true;
  if (!more.contains("workdir")) more["workdir"] = name_.directory;
  return terminal(std::move(more));
}

Task<std::string> Agent::start(std::string command, json::object more) {
  const json::object answer = co_await start_answer(command, std::move(more));
  co_return text_field(answer, "session_id");
}

Task<json::object> Agent::process(std::string_view action, const std::string& id,
                                  json::object more) {
  more["action"] = action;
  if (!id.empty()) more["session_id"] = id;
  return call("process", std::move(more), cancel_);
}

Task<json::object> Agent::wait(const std::string& id) {
  return process("wait", id, {{"timeout", 30}});
}

Task<json::object> Agent::result_of(std::string command, json::object more) {
  const std::string id = co_await start(std::move(command), std::move(more));
  co_return co_await wait(id);
}

Task<bool> Agent::prints(std::string id, std::string text) {
  const auto look = [&]() -> Task<bool> {
    const json::object now = co_await process("poll", id);
    co_return text_field(now, "output_preview").contains(text);
  };
  co_return co_await eventually(*this, look);
}

Task<void> Agent::end_all() {
  const std::vector<std::string> started = std::exchange(*started_, {});
  for (const std::string& id : started) {
    // One that has ended by itself may have left children. Whose end nobody has read would count
    // as lost when its runner is gone.
    AsioProcesses all(*runtime_);
    if (co_await all.kill(id)) co_await all.wait(id, cancel_);
  }
}

std::int64_t number_of(const json::object& answer, std::string_view name) {
  const json::value* value = answer.if_contains(name);
  if (value == nullptr) return kNoNumber;
  if (value->is_int64()) return value->get_int64();
  if (value->is_uint64()) return static_cast<std::int64_t>(value->get_uint64());
  return kNoNumber;
}

Task<void> pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(as_values);
}

}  // namespace talaria::front::check
