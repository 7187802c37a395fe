#include "support/lines_client.h"

#include <stdexcept>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace talaria::test {
namespace {

ProgramSpec lines_spec(World& world, std::vector<std::string> words) {
  ProgramSpec spec = world.spec(std::move(words));
  spec.keep_stdin_open = true;
  return spec;
}

}  // namespace

LinesClient::LinesClient(World& world, std::vector<std::string> words)
    : program_(std::make_unique<Program>(lines_spec(world, std::move(words)))) {}

void LinesClient::send_line(const std::string& line) { program_->write(line + "\n"); }

int LinesClient::send(const TerminalCall& call) {
  json::object arguments{{"command", call.command}};
  if (call.timeout > 0) arguments["timeout"] = call.timeout;
  if (!call.workdir.empty()) arguments["workdir"] = call.workdir;
  if (call.force) arguments["force"] = true;
  return send("terminal", std::move(arguments), call.task);
}

int LinesClient::send(const std::string& tool, json::object arguments, const std::string& task,
                      const std::string& session_key) {
  const int id = ++last_id_;
  json::object request{{"id", id}, {"tool", tool}, {"args", std::move(arguments)}};
  if (!task.empty()) request["task"] = task;
  if (!session_key.empty()) request["session_key"] = session_key;
  send_line(json::serialize(request));
  return id;
}

json::object LinesClient::start(const std::string& command, json::object more) {
  more["command"] = command;
  more["background"] = true;
  return call("terminal", std::move(more));
}

std::string LinesClient::start_process(const std::string& command, json::object more) {
  const json::object started = start(command, std::move(more));
  if (!started.contains("session_id")) throw std::runtime_error(json::serialize(started));
  return std::string(started.at("session_id").as_string());
}

int LinesClient::send_method(const std::string& method, json::object params) {
  const int id = ++last_id_;
  send_line(
      json::serialize(json::object{{"id", id}, {"method", method}, {"params", std::move(params)}}));
  return id;
}

json::object LinesClient::ask(const std::string& method, json::object params) {
  const json::object whole = answer(send_method(method, std::move(params)));
  return whole.at(whole.contains("result") ? "result" : "error").as_object();
}

json::object LinesClient::event(std::chrono::milliseconds patience) {
  program_->read_until([&] { return take_lines(), !unasked_.empty(); }, patience);
  if (unasked_.empty()) throw std::runtime_error("no event came");
  json::object first = std::move(unasked_.front());
  unasked_.erase(unasked_.begin());
  return first.at("event").as_object();
}

std::vector<json::object> LinesClient::events_within(std::chrono::milliseconds time) {
  program_->read_until([] { return false; }, time);
  take_lines();
  std::vector<json::object> events;
  for (json::object& line : std::exchange(unasked_, {})) {
    events.push_back(line.at("event").as_object());
  }
  return events;
}

int LinesClient::cancel(int id) {
  const int own = ++last_id_;
  send_line(json::serialize(json::object{{"id", own}, {"cancel", id}}));
  return own;
}

// False if there was no whole line.
bool LinesClient::take_lines() {
  std::string& text = program_->out();
  const std::size_t end = text.rfind('\n');
  if (end == std::string::npos) return false;
  for (std::size_t at = 0; at <= end;) {
    const std::size_t line_end = text.find('\n', at);
    json::object line = json::parse(std::string_view(text).substr(at, line_end - at)).as_object();
    if (line.contains("id") && line.at("id").is_int64()) {
      answers_[static_cast<int>(line.at("id").as_int64())] = std::move(line);
    } else {
      unasked_.push_back(std::move(line));
    }
    at = line_end + 1;
  }
  text.erase(0, end + 1);
  return true;
}

bool LinesClient::is_answered(int id) {
  program_->read_until([] { return false; }, std::chrono::milliseconds(1));
  take_lines();
  return answers_.contains(id);
}

json::object LinesClient::answer(int id, std::chrono::milliseconds patience) {
  program_->read_until([&] { return take_lines(), answers_.contains(id); }, patience);
  take_lines();
  if (!answers_.contains(id)) {
    throw std::runtime_error("no answer to request " + std::to_string(id) +
                             (program_->running() ? "" : ": talaria has ended") +
                             "; it said: " + program_->err());
  }
  json::object found = std::move(answers_[id]);
  answers_.erase(id);
  return found;
}

json::object LinesClient::result(int id, std::chrono::milliseconds patience) {
  const json::object whole = answer(id, patience);
  if (!whole.contains("result")) throw std::runtime_error(json::serialize(whole));
  return whole.at("result").as_object();
}

json::object LinesClient::unasked_answer() {
  program_->read_until([&] { return take_lines(), !unasked_.empty(); });
  if (unasked_.empty()) throw std::runtime_error("no line came");
  json::object first = std::move(unasked_.front());
  unasked_.erase(unasked_.begin());
  return first;
}

int LinesClient::end() {
  program_->close_stdin();
  const auto status = program_->wait();
  if (!status) throw std::runtime_error("talaria does not end at the end of its input");
  take_lines();
  return exit_code_of(*status);
}

std::string output_of(const json::object& result) {
  return std::string(result.at("output").as_string());
}

int code_of(const json::object& result) {
  return static_cast<int>(result.at("exit_code").as_int64());
}

std::string error_of(const json::object& result) {
  const json::value* error = result.if_contains("error");
  return error && error->is_string() ? std::string(error->as_string()) : std::string();
}

std::string notices_of(const json::object& result) {
  std::string text;
  if (const json::value* notices = result.if_contains("notices")) {
    for (const json::value& notice : notices->as_array()) {
      text += std::string(notice.as_string()) + "\n";
    }
  }
  return text;
}

}  // namespace talaria::test
