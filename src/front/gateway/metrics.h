// Metrics: the metrics of the gateway for Prometheus.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace talaria::front::gateway {

struct Gauge {
  std::string_view name;
  std::string_view help;
  double value = 0;
  bool counts_up = false;  // it is a counter
};

class Metrics {
 public:
  explicit Metrics(std::string target) : target_(std::move(target)) {}

  // `route`: its pattern, never text of the request.
  void served(std::string_view method, std::string_view route, int status,
              std::chrono::microseconds duration);
  // In the text format of Prometheus.
  std::string text(const std::vector<Gauge>& gauges) const;

 private:
  static constexpr auto kBounds = std::to_array<double>(
      {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30});
  struct Histogram {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};
    double sum = 0;
    std::uint64_t total = 0;
  };
  using Route = std::pair<std::string, std::string>;  // method, pattern

  std::string target_;
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t> requests_;
  std::map<Route, Histogram> durations_;
};

}  // namespace talaria::front::gateway
