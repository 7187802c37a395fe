// Row: one line of the table. It holds what was measured, the floor it is held against, and what is
// asked of it. A floor that itself varies too much judges nothing: the row is then noisy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/numbers.h"

namespace talaria::bench {

// Above this a floor's p95 says more about the machine than about the floor.
inline constexpr double kNoisyFloor = 2;

struct Judgement {
  std::string what;  // "p50", "rate"
  double value = 0;
  double bar = 0;
  bool at_most = true;    // else at least
  std::string unit{"x"};  // of value and bar
  int digits = 2;         // shown of the value

  bool holds() const { return at_most ? value <= bar : value >= bar; }
};

enum class Verdict { pass, missed, noisy, few_cores, failed, not_measured };

struct Row {
  std::string work;
  std::string unit;  // of ours and floor
  std::optional<Spread> ours;
  std::optional<Spread> floor;
  std::vector<Judgement> judgements;
  std::vector<std::string> notes;  // what a reader of the numbers should know
  unsigned cores = 1;              // it is judged where there are so many
  bool failed = false;             // it could not be measured; the notes say why

  Verdict verdict() const;
};

// "p50 <= 0.8 x" and "p95 <= 2 x the floor's p50": how the latency bars are written.
std::vector<Judgement> judge_latency(Spread ours, Spread floor, double p50_bar,
                                     std::optional<double> p95_bar);

}  // namespace talaria::bench
