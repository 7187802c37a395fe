#include "bench/row.h"

#include <algorithm>
#include <thread>

namespace talaria::bench {

Verdict Row::verdict() const {
  if (failed) return Verdict::failed;
  if (judgements.empty()) return Verdict::not_measured;
  if (floor && floor->p95 > kNoisyFloor * floor->p50) return Verdict::noisy;
  if (std::thread::hardware_concurrency() < cores) return Verdict::few_cores;
  return std::ranges::all_of(judgements, &Judgement::holds) ? Verdict::pass : Verdict::missed;
}

std::vector<Judgement> judge_latency(Spread ours, Spread floor, double p50_bar,
                                     std::optional<double> p95_bar) {
  std::vector<Judgement> judgements{{.what = "p50", .value = ours.p50 / floor.p50, .bar = p50_bar}};
  if (p95_bar) {
    judgements.push_back({.what = "p95", .value = ours.p95 / floor.p50, .bar = *p95_bar});
  }
  return judgements;
}

}  // namespace talaria::bench
