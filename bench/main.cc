// talaria_bench: measures the built programs against their floors and prints one table. Exit
// status: 0 when no row missed its bar, 1 when one did or failed, 2 for bad usage.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/machine.h"
#include "bench/numbers.h"
#include "bench/program.h"
#include "bench/report.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

struct Measurement {
  std::string_view name;
  std::vector<Row> (*measure)(const Options&);
};

// In the order of the table. To add one: write its function, then its line here.
constexpr std::array kMeasurements{
    Measurement{"interleaved", measure_interleaved},
    Measurement{"back-to-back", measure_back_to_back},
    Measurement{"sessions", measure_sessions},
    Measurement{"output", measure_output},
    Measurement{"exec", measure_exec},
    Measurement{"audit", measure_audit},
    Measurement{"first-command", measure_first_command},
    Measurement{"many-sessions", measure_many_sessions},
    Measurement{"bursts", measure_bursts},
    Measurement{"flat", measure_flat},
    Measurement{"start-up", measure_start_up},
    Measurement{"idle", measure_idle},
    Measurement{"process-start", measure_process_start},
    Measurement{"process-exit", measure_process_exit},
    Measurement{"many-processes", measure_many_processes},
    Measurement{"loud-process", measure_loud_process},
    Measurement{"restart", measure_restart},
    Measurement{"files", measure_files},
    Measurement{"file-writes", measure_file_writes},
    Measurement{"scripts", measure_scripts},
    Measurement{"guard", measure_guard},
    Measurement{"gateway", measure_gateway},
    Measurement{"idle-connections", measure_idle_connections},
    Measurement{"mcp", measure_mcp},
    Measurement{"carriers", measure_carriers},
    Measurement{"targets", measure_targets},
    Measurement{"environments", measure_environments},
    Measurement{"pools", measure_pools},
};

struct CommandLine {
  Options options;
  std::vector<std::string> only;  // names of measurements; empty: all
  bool json = false;
};

constexpr int kSkipped = 77;  // what ctest takes for a skipped test

// All rows in their short form: it is for every run of the tests. Where a cold bash takes longer,
// they may, too: the machine is slower, or busy with other tests.
constexpr std::chrono::seconds kShortLimit{120};
constexpr double kUsualBash = 1.5;  // milliseconds

std::chrono::milliseconds short_limit() {
  const Program bash = cold_bash("true", plain_environment());
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) times.push_back(milliseconds_of([&] { bash.run(); }));
  const double slower = std::max(1.0, median_of(std::move(times)) / kUsualBash);
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(slower * std::chrono::milliseconds(kShortLimit).count()));
}

struct Timed {
  std::string_view name;
  std::chrono::milliseconds took{0};
};

std::string usage() {
  std::string names;
  std::size_t width = 0;
  for (const Measurement& one : kMeasurements) {
    const bool full = width + one.name.size() > 90;
    names += full ? "\n       " : " ";
    names += one.name;
    width = (full ? 0 : width + 1) + one.name.size();
  }
  return "usage: talaria_bench --talaria PATH [--only NAME]... [--rounds N] [--json | --short]\n"
         "names:" +
         names +
         "\n"
         "rounds: how many the latency rows have; the default is 300, and fewer than 200 say "
         "little\n"
         "short: runs a twentieth of every row and reports only which rows failed; fails if that "
         "takes more\n"
         "       than two minutes (where a cold bash takes longer than 1.5 ms: longer)\n"
         "exit status: 1 when a row missed its bar or failed; NOISY rows are not judged; with "
         "--short 77\n"
         "             when a row has no engine here\n";
}

[[noreturn]] void refuse() {
  std::cerr << usage();
  std::exit(2);
}

CommandLine parse(std::span<char*> arguments) {
  CommandLine line;
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    const std::string_view word = *argument;
    if (word == "--json") {
      line.json = true;
      continue;
    }
    if (word == "--short") {
      line.options.short_form = true;
      line.options.rounds = line.options.count(line.options.rounds);
      continue;
    }
    if (++argument == arguments.end()) refuse();
    const std::string_view value = *argument;
    if (word == "--talaria") {
      line.options.talaria_path = value;
    } else if (word == "--only") {
      line.only.emplace_back(value);
    } else if (word == "--rounds") {
      std::from_chars(value.begin(), value.end(), line.options.rounds);
    } else {
      refuse();
    }
  }
  if (line.options.talaria_path.empty() || line.options.rounds < 1) refuse();
  return line;
}

// A row that cannot be measured says why and does not stop the others.
std::vector<Row> measure(const Measurement& measurement, const Options& options) {
  std::cerr << "bench: " << measurement.name << "\n";
  try {
    return measurement.measure(options);
  } catch (const std::exception& error) {
    return {Row{.work = std::string(measurement.name), .notes = {error.what()}, .failed = true}};
  }
}

std::string in_seconds(std::chrono::milliseconds time) {
  const std::string tenths = std::to_string(time.count() / 100);
  return (tenths.size() > 1 ? tenths.substr(0, tenths.size() - 1) : "0") + "." + tenths.back() +
         " s";
}

// Whether each row ran, and nothing about how fast; but all of them have to be done in time.
int report_short(const std::vector<Row>& rows, std::vector<Timed> times) {
  int status = 0;
  for (const Row& row : rows) {
    if (!row.failed && row.ours) continue;
    std::cout << (row.failed ? "FAILED: " : "not measured: ") << row.work;
    for (const std::string& note : row.notes) std::cout << ": " << note;
    std::cout << "\n";
    if (status != 1) status = row.failed ? 1 : kSkipped;
  }
  std::ranges::sort(times, std::ranges::greater(), &Timed::took);
  std::chrono::milliseconds all{0};
  for (const Timed& one : times) all += one.took;
  std::cout << rows.size() << " rows in " << in_seconds(all) << "; most took";
  for (const Timed& one : times | std::views::take(3)) {
    std::cout << " " << one.name << " (" << in_seconds(one.took) << ")";
  }
  std::cout << "\n";
  const std::chrono::milliseconds limit = short_limit();
  if (all <= limit) return status;
  std::cout << "FAILED: the short form may take " << in_seconds(limit)
            << " here: give these rows less to do\n";
  return 1;
}

int run(const CommandLine& line) {
  const Machine machine = describe_machine();
  std::vector<Row> rows;
  std::vector<Timed> times;
  for (const Measurement& measurement : kMeasurements) {
    if (!line.only.empty() && std::ranges::find(line.only, measurement.name) == line.only.end()) {
      continue;
    }
    const auto begun = std::chrono::steady_clock::now();
    for (Row& row : measure(measurement, line.options)) rows.push_back(std::move(row));
    times.push_back({measurement.name, std::chrono::duration_cast<std::chrono::milliseconds>(
                                           std::chrono::steady_clock::now() - begun)});
  }
  if (line.options.short_form) return report_short(rows, std::move(times));
  std::cout << (line.json ? as_json(machine, rows) : as_table(machine, rows));
  const bool badly = std::ranges::any_of(rows, [](const Row& row) {
    return row.verdict() == Verdict::missed || row.verdict() == Verdict::failed;
  });
  return badly ? 1 : 0;
}

}  // namespace
}  // namespace talaria::bench

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return talaria::bench::run(talaria::bench::parse({argv + 1, argv + argc}));
}
