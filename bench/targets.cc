// What it costs that the target is elsewhere: one command there, round by round with the same
// command on this machine and, less often, with the bare way to run one there; an environment from
// nothing to its first command; much output, kept and streamed.
#include <algorithm>
#include <utility>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/process_facts.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "bench/session_state.h"
#include "bench/target.h"
#include "bench/target_rows.h"

namespace talaria::bench {
namespace {

constexpr int kWarmUp = 20;
constexpr int kBareEvery = 10;  // rounds: the bare way takes a tenth of a second
constexpr int kFreshRounds = 20;
constexpr double kMostMore = 2;  // ms above the same command here
constexpr double kMostFresh = 1.1;
constexpr double kUpstream = 35;  // MB/s that upstream Hermes has, the better of its two
constexpr double kOutputTimes = 10;
constexpr double kOutputRate = 400;   // MB/s, or ...
constexpr double kOfLocalRate = 0.8;  // ... so much of the local rate, whichever is lower
constexpr int kOutputRounds = 5;
constexpr const char* kPrint200 = "head -c 200000000 /dev/zero | tr '\\0' x";

// What a target made is removed with it.
class Cleaner {
 public:
  explicit Cleaner(std::string words) : words_(std::move(words)) {}
  ~Cleaner() {
    if (!words_.empty()) output_of_bash(words_);
  }
  Cleaner(const Cleaner&) = delete;
  Cleaner& operator=(const Cleaner&) = delete;

 private:
  std::string words_;
};

Row measure_true(const Options& options, const Home& home, const BenchTarget& target) {
  LinesClient local(home, {"TERMINAL_CWD=/"});
  LinesClient remote(home, target.settings);
  for (LinesClient* client : {&local, &remote}) client->run("bench", state_script());
  for (int i = 0; i < kWarmUp; ++i) {
    remote.run("bench", "true");
    local.run("bench", "true");
  }
  const Program bare = cold_bash(target.bare, plain_environment());
  bare.run();
  std::vector<double> ours;
  std::vector<double> here;
  std::vector<double> bares;
  for (int i = 0; i < options.rounds; ++i) {
    ours.push_back(milliseconds_of([&] { remote.run("bench", "true"); }));
    here.push_back(milliseconds_of([&] { local.run("bench", "true"); }));
    if (i % kBareEvery == 0) bares.push_back(milliseconds_of([&] { bare.run(); }));
  }
  const double bare_p50 = median_of(std::move(bares));
  Row row{.work = "true in a session at " + target.name + " / local",
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(here)),
          .notes = {"the bare way there (" + target.bare.substr(0, target.bare.find(' ')) +
                    "): p50 " + fixed(bare_p50, 2) + " ms"}};
  row.judgements = {
      {.what = "p50 +", .value = row.ours->p50 - row.floor->p50, .bar = kMostMore, .unit = " ms"},
      {.what = "bare way /",
       .value = bare_p50 / row.ours->p50,
       .bar = target.times,
       .at_most = false,
       .digits = 0}};
  return row;
}

Row measure_fresh(const Options& options, const Home& home, const BenchTarget& target) {
  std::vector<double> ours;
  std::vector<double> floor;
  const Program bare = cold_bash(target.fresh, plain_environment());
  bare.run();
  // The first one finds out what the engine can do, and sweeps.
  for (int i = 0; i <= options.count(kFreshRounds); ++i) {
    LinesClient client(home, target.settings);
    const double took = milliseconds_of([&] { client.run("bench", "true"); });
    if (i > 0) ours.push_back(took);
    // By us: what was removed behind our back is looked for first.
    client.send_method("env.remove", {{"id", "default"}, {"force", true}});
    client.receive();
    if (i > 0) floor.push_back(milliseconds_of([&] { bare.run(); }));
  }
  Row row{.work = target.name + " environment made, and its first command / docker run --rm",
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = judge_latency(*row.ours, *row.floor, kMostFresh, std::nullopt);
  return row;
}

Row measure_output_there(const Options& options, const Home& home, const BenchTarget& target) {
  LinesClient client(home, target.settings);
  LinesClient local(home, {"TERMINAL_CWD=/"});
  for (LinesClient* one : {&client, &local}) one->run("bench", "true");
  const MemoryWatch memory({client.pid()});
  const auto rate_of = [](LinesClient& one) {
    return 200 / (milliseconds_of([&] { one.run("bench", kPrint200); }) / 1000);
  };
  std::vector<double> rates;
  std::vector<double> here;
  for (int i = 0; i < options.count(kOutputRounds); ++i) {
    rates.push_back(rate_of(client));
    here.push_back(rate_of(local));
  }
  const double rate = median_of(rates);
  const double local_rate = median_of(here);
  Row row{.work = "200 MB printed in the foreground at " + target.name + " / local",
          .unit = "MB/s",
          .ours = Spread{rate, *std::ranges::max_element(rates)},
          .floor = Spread{local_rate, *std::ranges::max_element(here)}};
  row.judgements = {
      {.what = "rate / what is wanted",
       .value = rate / std::min(kOutputRate, kOfLocalRate * local_rate),
       .bar = 1,
       .at_most = false},
      {.what = "rate / upstream's",
       .value = rate / kUpstream,
       .bar = kOutputTimes,
       .at_most = false,
       .digits = 1},
      {.what = "controller +", .value = memory.extra_bytes() / 1e6, .bar = 8, .unit = " MB"}};
  return row;
}

}  // namespace

std::vector<Row> measure_targets(const Options& options) {
  std::vector<Row> rows;
  for (const char* name : {"docker", "ssh", "singularity"}) {
    const Home home(options.talaria_path);
    const auto target = bench_target(home.directory(), name);
    if (!target) {
      rows.push_back(
          {.work = std::string("target ") + name, .notes = {"there is no such engine here"}});
      continue;
    }
    const Cleaner cleaner(target->clean);
    rows.push_back(measure_true(options, home, *target));
    if (target->name != "singularity") rows.push_back(measure_output_there(options, home, *target));
    if (!target->shell.empty()) rows.push_back(measure_streamed(options, home, *target));
    if (target->fresh.empty()) continue;
    output_of_bash(target->clean);
    rows.push_back(measure_fresh(options, home, *target));
  }
  return rows;
}

}  // namespace talaria::bench
