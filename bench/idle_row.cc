#include "bench/idle_row.h"

#include <chrono>
#include <thread>
#include <utility>

#include "bench/process_facts.h"

namespace talaria::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kSettle = 3s;  // for warm shells to be brought back
constexpr auto kWindow = 5s;

std::uint64_t switches_of(const std::vector<pid_t>& pids) {
  std::uint64_t sum = 0;
  for (const pid_t pid : pids) sum += context_switches(pid);
  return sum;
}

}  // namespace

Row idle_row(const Options& options, std::string work, const std::vector<pid_t>& pids) {
  std::this_thread::sleep_for(options.time(kSettle));
  const auto window = options.time(kWindow);
  const std::uint64_t before = switches_of(pids);
  std::this_thread::sleep_for(window);
  const auto switches = static_cast<double>(switches_of(pids) - before);
  const double per_second = switches / std::chrono::duration<double>(window).count();
  return {.work = std::move(work),
          .unit = "/s",
          .ours = Spread{per_second, per_second},
          .floor = std::nullopt,
          .judgements = {{.what = "wake-ups", .value = per_second, .bar = 0, .unit = " /s"}}};
}

}  // namespace talaria::bench
