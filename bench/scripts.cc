// Scripts: how long a small one takes against its interpreter alone, and one tool call of a script
// against a message between two programs in Python.
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/json/serialize.hpp>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "bench/target.h"

namespace talaria::bench {
namespace {

constexpr int kWarmUp = 10;
constexpr double kMostOverPython = 1.3;
constexpr double kMostPings = 3;
constexpr double kMostMore = 1;  // ms, at another target

std::string output_of(const Answer& answer) {
  const auto* output = answer.result.if_contains("output");
  const auto* status = answer.result.if_contains("status");
  if (!output || !status || status->as_string() != "success") {
    throw std::runtime_error("the script failed: " + boost::json::serialize(answer.result));
  }
  return std::string(output->as_string());
}

std::string run_script(LinesClient& client, std::string_view code) {
  return output_of(client.call("bench", "execute_code", {{"code", code}}));
}

Row measure_print(const Options& options) {
  const Home home(options.talaria_path);
  // The interpreter itself, for both: what a person's PATH finds first may be a script around it.
  const std::string found = output_of_bash("python3 -c 'import sys; print(sys.executable)'");
  const std::string python = found.substr(0, found.find('\n'));
  std::ofstream(home.directory() + "/config.yaml")
      << "code_execution: {python: " << python << "}\n";
  const std::string file = home.directory() + "/one.py";
  std::ofstream(file) << "print(1)\n";
  LinesClient client(home);
  const Program bare({python, file}, home.environment());
  for (int i = 0; i < kWarmUp; ++i) {
    run_script(client, "print(1)\n");
    bare.run();
  }
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.rounds; ++i) {
    ours.push_back(milliseconds_of([&] { run_script(client, "print(1)\n"); }));
    floor.push_back(milliseconds_of([&] { bare.run(); }));
  }
  Row row{.work = "execute_code(\"print(1)\") / python3 script.py",
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = judge_latency(*row.ours, *row.floor, kMostOverPython, std::nullopt);
  return row;
}

// Prints the microseconds of a tool call and of a ping, one pair a line.
constexpr const char* kCalls = R"py(
import os, socket, time
from hermes_tools import _call, read_file
near, far = socket.socketpair()
if os.fork() == 0:
    near.close()
    while far.recv(4096): far.sendall(b"x\n")
    os._exit(0)
far.close()
def ping():
    near.sendall(b"x\n")
    near.recv(4096)
def took(what):
    start = time.perf_counter()
    what()
    return (time.perf_counter() - start) * 1e6
for i in range(20): CALLS; ping()
for i in range(ROUNDS): print(took(lambda: CALLS), took(ping))
)py";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
  return text;
}

struct Calls {
  std::vector<double> tool;
  std::vector<double> ping;
};

Calls measure_calls(const Options& options, LinesClient& client, const std::string& call) {
  const std::string code =
      replaced(replaced(kCalls, "CALLS", call), "ROUNDS", std::to_string(options.rounds));
  const std::string output = run_script(client, code);
  Calls calls;
  for (std::size_t at = 0; at < output.size();) {
    std::size_t used = 0;
    calls.tool.push_back(std::stod(output.substr(at), &used));
    at += used;
    calls.ping.push_back(std::stod(output.substr(at), &used));
    at += used + 1;
  }
  return calls;
}

// Of two lines, at the target.
std::string read_file_in(LinesClient& client) {
  const std::string file = "/tmp/talaria-bench-call.txt";
  client.run("bench", "printf 'one\\ntwo\\n' > " + file);
  return "read_file('" + file + "')";
}

Row over_ping(const std::string& what, const Calls& calls) {
  Row row{.work = what + " from a script / a ping in Python",
          .unit = "us",
          .ours = spread_of(calls.tool),
          .floor = spread_of(calls.ping)};
  row.judgements = judge_latency(*row.ours, *row.floor, kMostPings, std::nullopt);
  return row;
}

}  // namespace

std::vector<Row> measure_scripts(const Options& options) {
  const Home home(options.talaria_path);
  std::ofstream(home.directory() + "/config.yaml") << "code_execution: {max_tool_calls: 100000}\n";
  std::vector<Row> rows{measure_print(options)};
  LinesClient local(home);
  // Answered by the controller alone: what the way there and back costs.
  rows.push_back(
      over_ping("a call that is refused,", measure_calls(options, local, "_call('none', {})")));
  const Calls here = measure_calls(options, local, read_file_in(local));
  rows.push_back(over_ping("read_file", here));
  for (const char* name : {"docker", "ssh"}) {
    const auto found = bench_target(home.directory(), name);
    if (!found) {
      rows.push_back({.work = std::string("read_file from a script at ") + name,
                      .notes = {"there is no such engine here"}});
      continue;
    }
    const BenchTarget& target = *found;
    LinesClient remote(home, target.settings);
    Calls there = measure_calls(options, remote, read_file_in(remote));
    Row far{.work = "read_file from a script at " + target.name + " / local",
            .unit = "us",
            .ours = spread_of(std::move(there.tool)),
            .floor = spread_of(here.tool)};
    constexpr double kMicroseconds = 1000;
    far.judgements = {{.what = "p50 +",
                       .value = (far.ours->p50 - far.floor->p50) / kMicroseconds,
                       .bar = kMostMore,
                       .unit = " ms"}};
    rows.push_back(std::move(far));
    if (!target.clean.empty()) output_of_bash(target.clean);
  }
  return rows;
}

}  // namespace talaria::bench
