// One process prints as fast as it can while twenty others print a line each second, and all are
// followed: how late the lines of the twenty are.
#include <chrono>
#include <string>
#include <utility>

#include "bench/background.h"
#include "bench/home.h"
#include "bench/late_lines.h"
#include "bench/lines_client.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kQuiet = 20;
constexpr auto kSettle = 3s;  // until all are followed and what they printed before has come
constexpr auto kWindow = 10s;

// 502 MB, again and again.
constexpr std::string_view kLoud = "while :; do seq 57000000; done";
constexpr std::string_view kOnTheSecond = "while :; do echo \"$EPOCHREALTIME\"; sleep 1; done";

std::vector<double> delays(const Options& options, LateLines& lines) {
  const auto begin = Clock::now() + options.time(kSettle);
  while (Clock::now() < begin) lines.next();
  std::vector<double> all;
  while (Clock::now() < begin + options.time(kWindow)) all.push_back(lines.next());
  return all;
}

// How much it has printed so far, in MB.
double printed(LinesClient& client, const Process& process) {
  const Answer answer =
      client.call("bench", "process",
                  {{"action", "read"}, {"session_id", process.id}, {"from", 0}, {"max", 1}});
  return answer.result.at("total").to_number<double>() / 1e6;
}

using Follow = std::unique_ptr<LateLines>(const Home&, const Process&, const std::vector<Process>&);

Row measure(const Options& options, std::string work, Follow follow) {
  const Home home(options.talaria_path);
  LinesClient client(home);
  const auto quiet = start_processes(client, "bench", kOnTheSecond, kQuiet);
  const Process loud = start_process(client, "bench", kLoud);
  const auto lines = follow(home, loud, quiet);
  const std::vector<double> late = delays(options, *lines);
  Row row{.work = std::move(work), .unit = "ms", .ours = spread_of(late)};
  row.judgements = {{.what = "p95", .value = row.ours->p95, .bar = 50, .unit = " ms"}};
  row.notes = {std::to_string(late.size()) + " lines; the loud one printed " +
               fixed(printed(client, loud), 0) + " MB"};
  return row;
}

}  // namespace

std::vector<Row> measure_loud_process(const Options& options) {
  return {measure(options, "lines of 20 processes while one prints 500 MB again and again",
                  follow_with_one),
          measure(options, "the same, each followed by a `talaria logs -f`", follow_with_logs)};
}

}  // namespace talaria::bench
