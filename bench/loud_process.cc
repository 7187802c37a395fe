// One process prints as fast as it can while twenty others print a line each second: how late those
// lines are with a controller that follows them all.
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/background.h"
#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "os/file.h"
#include "os/spawn.h"

namespace talaria::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kQuiet = 20;
constexpr auto kSettle = 3s;  // until all are followed and what they printed before has come
constexpr auto kWindow = 10s;
constexpr auto kPatience = 10s;
constexpr std::string_view kBytes = "bytes ";

// 502 MB, again and again.
constexpr std::string_view kLoud = "while :; do seq 57000000; done";
constexpr std::string_view kOnTheSecond = "while :; do echo \"$EPOCHREALTIME\"; sleep 1; done";

// The program that follows them, until it is destroyed.
class Follower {
 public:
  Follower(const Home& home, const Process& loud, const std::vector<Process>& quiet) {
    auto input = make_pipe();
    auto output = make_pipe();
    if (!input || !output) throw std::runtime_error("pipe failed");
    const std::vector<std::string> environment = home.environment();
    SpawnSpec spec{.path = TALARIA_BENCH_FOLLOW,
                   .argv = {"talaria_bench_follow", loud.id.c_str()},
                   .fds = {input->reader.get(), output->writer.get(), STDERR_FILENO},
                   .new_session = false};
    for (const Process& process : quiet) spec.argv.push_back(process.id.c_str());
    for (const std::string& entry : environment) spec.env.push_back(entry.c_str());
    const auto pid = spawn_process(spec);
    if (!pid) throw std::runtime_error(pid.error().message());
    pid_ = *pid;
    input_ = std::move(input->writer);
    output_ = std::move(output->reader);
  }
  ~Follower() {
    input_.reset();
    wait_for(pid_);
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  double next_delay() const { return std::stod(next_line()); }  // ms

  // Ends it. What it was given of the loud one, in MB.
  double end() {
    input_.reset();
    std::string line = next_line();
    while (!line.starts_with(kBytes)) line = next_line();
    return std::stod(line.substr(kBytes.size())) / 1e6;
  }

 private:
  std::string next_line() const {
    if (!wait_readable(output_.get(), kPatience)) throw std::runtime_error("no line in 10 s");
    std::string line = read_line(output_.get());
    if (line.empty()) throw std::runtime_error("the program that follows them ended");
    return line;
  }

  UniqueFd input_;
  UniqueFd output_;
  pid_t pid_ = -1;
};

std::vector<double> delays(const Follower& follower) {
  const auto begin = Clock::now() + kSettle;
  while (Clock::now() < begin) follower.next_delay();
  std::vector<double> all;
  while (Clock::now() < begin + kWindow) all.push_back(follower.next_delay());
  return all;
}

// How much it has printed so far, in MB.
double printed(LinesClient& client, const Process& process) {
  const Answer answer =
      client.call("bench", "process",
                  {{"action", "read"}, {"session_id", process.id}, {"from", 0}, {"max", 1}});
  return answer.result.at("total").to_number<double>() / 1e6;
}

}  // namespace

std::vector<Row> measure_loud_process(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient client(home);
  const auto quiet = start_processes(client, "bench", kOnTheSecond, kQuiet);
  const Process loud = start_process(client, "bench", kLoud);
  Follower follower(home, loud, quiet);
  const std::vector<double> late = delays(follower);
  const double was_printed = printed(client, loud);
  const double was_given = follower.end();
  Row row{.work = "lines of 20 processes while one prints 500 MB again and again",
          .unit = "ms",
          .ours = spread_of(late)};
  row.judgements = {{.what = "p95", .value = row.ours->p95, .bar = 50, .unit = " ms"}};
  row.notes = {std::to_string(late.size()) + " lines; the loud one printed " +
               fixed(was_printed, 0) + " MB, " + fixed(was_given, 0) +
               " MB of it came to the controller that follows all 21"};
  home.stop_runner();
  return {std::move(row)};
}

}  // namespace talaria::bench
