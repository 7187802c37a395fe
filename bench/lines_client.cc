#include "bench/lines_client.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "bench/program.h"
#include "os/file.h"
#include "os/spawn.h"

namespace talaria::bench {

namespace json = boost::json;

constexpr int kTimeout = 600;  // seconds: the longest a command in the foreground may have

LinesClient::LinesClient(const Home& home, const std::vector<std::string>& settings,
                         const std::vector<const char*>& words) {
  auto requests = os::make_pipe();
  auto answers = os::make_pipe();
  if (!requests || !answers) throw std::runtime_error("pipe failed");
  const std::vector<std::string> environment = home.environment();
  os::SpawnSpec spec{.path = home.talaria_path().c_str(),
                     .argv = {"talaria"},
                     .fds = {requests->reader.get(), answers->writer.get(), STDERR_FILENO},
                     .new_session = false};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  for (const std::string& entry : environment) spec.env.push_back(entry.c_str());
  for (const std::string& entry : settings) spec.env.push_back(entry.c_str());
  const auto pid = os::spawn_process(spec);
  if (!pid) throw std::runtime_error(pid.error().message());
  pid_ = *pid;
  requests_ = std::move(requests->writer);
  answers_ = std::move(answers->reader);
}

LinesClient::~LinesClient() {
  requests_.reset();
  answers_.reset();
  wait_for(pid_);
}

Answer LinesClient::run(std::string_view task, std::string_view command) {
  Answer answer = receive_answer_to(send(task, command));
  expect_success(answer);
  return answer;
}

Answer LinesClient::call(std::string_view task, std::string_view tool, json::object arguments) {
  return receive_answer_to(send_call(task, tool, std::move(arguments)));
}

Answer LinesClient::receive_answer_to(std::int64_t id) {
  Answer answer = receive();
  if (answer.id != id) throw std::runtime_error("an answer to another request");
  return answer;
}

std::int64_t LinesClient::send(std::string_view task, std::string_view command) {
  json::object arguments{{"command", command}, {"timeout", kTimeout}};
  if (command.contains('&')) arguments["force"] = true;  // the sleepers are meant
  return send_call(task, "terminal", std::move(arguments));
}

std::int64_t LinesClient::send_call(std::string_view task, std::string_view tool,
                                    json::object arguments) {
  const json::object request{
      {"id", ++last_id_}, {"tool", tool}, {"args", std::move(arguments)}, {"task", task}};
  write_line(json::serialize(request));
  return last_id_;
}

std::int64_t LinesClient::send_method(std::string_view method, json::object params) {
  const json::object request{{"id", ++last_id_}, {"method", method}, {"params", std::move(params)}};
  write_line(json::serialize(request));
  return last_id_;
}

Answer LinesClient::ask(json::object request) {
  request["id"] = ++last_id_;
  write_line(json::serialize(request));
  return receive_answer_to(last_id_);
}

void LinesClient::cancel(std::int64_t id) {
  write_line(json::serialize(json::object{{"id", ++last_id_}, {"cancel", id}}));
}

Answer LinesClient::receive() {
  json::object line = json::parse(read_line()).as_object();
  while (line.contains("event")) line = json::parse(read_line()).as_object();
  Answer answer{.id = line.at("id").as_int64()};
  if (json::value* result = line.if_contains("result")) {
    answer.result = std::move(result->as_object());
  } else {
    answer.result = std::move(line);
  }
  return answer;
}

void LinesClient::write_line(std::string line) {
  line += '\n';
  if (const auto written = os::write_all(requests_.get(), line); !written) {
    throw std::runtime_error("talaria takes no requests: " + written.error().message());
  }
}

std::string LinesClient::read_line() {
  std::size_t end = 0;
  while ((end = unread_.find('\n')) == std::string::npos) {
    std::array<char, 65536> chunk;
    const ssize_t size = ::read(answers_.get(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) throw std::runtime_error("talaria gives no answers any more");
    unread_.append(chunk.data(), static_cast<std::size_t>(size));
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

void expect_success(const Answer& answer) {
  const json::value* code = answer.result.if_contains("exit_code");
  if (!code || !code->is_int64() || code->get_int64() != 0) {
    throw std::runtime_error("a command failed: " + json::serialize(answer.result));
  }
}

}  // namespace talaria::bench
