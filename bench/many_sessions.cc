// Five hundred sessions in one runner, each with one command per second: how long a command takes,
// and whether memory grows while it goes on.
#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/process_facts.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSessions = 500;
constexpr auto kPace = std::chrono::milliseconds(2);  // between two commands of the 500
constexpr int kSettleRounds = 4;                      // one command of each session, a second
constexpr int kRounds = 6;
constexpr int kFloorRuns = 200;

std::string task_name(int i) { return "many-" + std::to_string(i % kSessions); }

// Sends `count` commands at the pace, whether answers come or not; returns what each took.
std::vector<double> send_at_pace(LinesClient& client, int count) {
  std::mutex mutex;
  std::map<std::int64_t, Clock::time_point> sent;
  const auto begin = Clock::now();
  std::jthread sender([&] {
    for (int i = 0; i < count; ++i) {
      std::this_thread::sleep_until(begin + i * kPace);
      const std::scoped_lock lock(mutex);
      const auto now = Clock::now();
      sent[client.send(task_name(i), "true")] = now;
    }
  });
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const Answer answer = client.receive();
    const auto now = Clock::now();
    expect_success(answer);
    const std::scoped_lock lock(mutex);
    times.push_back(std::chrono::duration<double, std::milli>(now - sent.at(answer.id)).count());
  }
  return times;
}

}  // namespace

std::vector<Row> measure_many_sessions(const Options& options) {
  const Program bash = cold_bash("true", plain_environment());
  std::vector<double> floor;
  for (int i = 0; i < options.count(kFloorRuns); ++i)
    floor.push_back(milliseconds_of([&] { bash.run(); }));

  const Home home(options.talaria_path);
  LinesClient client(home);
  send_at_pace(client, options.count(kSettleRounds * kSessions));
  const MemoryWatch memory({home.runner_pid()});
  Row row{.work = "500 sessions, one command per second each",
          .unit = "ms",
          .ours = spread_of(send_at_pace(client, options.count(kRounds * kSessions))),
          .floor = spread_of(std::move(floor))};
  row.judgements = {{.what = "p95", .value = row.ours->p95 / row.floor->p50, .bar = 5},
                    {.what = "memory",
                     .value = memory.extra_bytes() / (1024.0 * 1024.0),
                     .bar = 4,
                     .unit = " MB"}};
  row.notes = {"memory: what the runner had more at its peak of the last 6 s than before them"};
  return {std::move(row)};
}

}  // namespace talaria::bench
