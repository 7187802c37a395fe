#include "bench/background.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <boost/json/serialize.hpp>

#include "bench/process_facts.h"

namespace talaria::bench {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto kPatience = 60s;  // for thousands of processes to come or go
constexpr int kAtOnce = 16;      // starts under way

json::object start_arguments(std::string_view command) {
  return {{"command", command}, {"background", true}};
}

Process started(const Answer& answer) {
  const json::value* id = answer.result.if_contains("session_id");
  if (!id) throw std::runtime_error("no process was started: " + json::serialize(answer.result));
  return {.id = std::string(id->as_string()), .pid = answer.result.at("pid").to_number<pid_t>()};
}

}  // namespace

Process start_process(LinesClient& client, std::string_view task, std::string_view command) {
  return started(client.call(task, "terminal", start_arguments(command)));
}

std::vector<Process> start_processes(LinesClient& client, std::string_view task,
                                     std::string_view command, int count) {
  std::vector<Process> processes;
  int sent = 0;
  for (; sent < std::min(kAtOnce, count); ++sent) {
    client.send_call(task, "terminal", start_arguments(command));
  }
  while (std::ssize(processes) < count) {
    processes.push_back(started(client.receive()));
    if (sent == count) continue;
    client.send_call(task, "terminal", start_arguments(command));
    ++sent;
  }
  return processes;
}

void kill_processes(LinesClient& client, std::string_view task,
                    const std::vector<Process>& processes) {
  for (const Process& process : processes) {
    client.send_call(task, "process", {{"action", "kill"}, {"session_id", process.id}});
  }
  for (std::size_t answers = 0; answers < processes.size(); ++answers) {
    const Answer answer = client.receive();
    const json::value* status = answer.result.if_contains("status");
    if (!status || *status != "killed") {
      throw std::runtime_error("a process was not killed: " + json::serialize(answer.result));
    }
  }
}

std::string sleep_command() { return "sleep 600." + std::to_string(::getpid()); }

void wait_for_sleepers(int count) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const auto there = static_cast<int>(count_processes(sleep_command()));
    if (there == count) return;
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error(std::to_string(there) + " sleeping children, expected " +
                               std::to_string(count));
    }
    std::this_thread::sleep_for(50ms);
  }
}

}  // namespace talaria::bench
