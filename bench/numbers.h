// What is made of many measurements: a median and a 95th percentile, and how both are written.
#pragma once

#include <string>
#include <vector>

namespace talaria::bench {

struct Spread {
  double p50 = 0;
  double p95 = 0;
};

// Nearest rank, so each is one of the values. `values` must not be empty.
Spread spread_of(std::vector<double> values);

double median_of(std::vector<double> values);

// With `digits` behind the point.
std::string fixed(double value, int digits);

}  // namespace talaria::bench
