#include "front/gateway/metrics.h"

#include <array>
#include <cstdio>

namespace talaria::front::gateway {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15g", value);
  return text.data();
}

std::string line(std::string_view name, std::string_view labels, double value) {
  const std::string shown = labels.empty() ? "" : "{" + std::string(labels) + "}";
  return std::string(name) + shown + " " + number(value) + "\n";
}

std::string head(std::string_view name, std::string_view help, std::string_view type) {
  return "# HELP " + std::string(name) + " " + std::string(help) + "\n# TYPE " + std::string(name) +
         " " + std::string(type) + "\n";
}

std::string label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + std::string(value) + "\"";
}

}  // namespace

void Metrics::served(std::string_view method, std::string_view route, int status,
                     std::chrono::microseconds duration) {
  ++requests_[{std::string(method), std::string(route), status}];
  Histogram& histogram = durations_[{std::string(method), std::string(route)}];
  const double seconds = std::chrono::duration<double>(duration).count();
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  ++histogram.counts[bucket];
  histogram.sum += seconds;
  ++histogram.total;
}

std::string Metrics::text(const std::vector<Gauge>& gauges) const {
  std::string text;
  for (const Gauge& gauge : gauges) {
    text += head(gauge.name, gauge.help, gauge.counts_up ? "counter" : "gauge");
    text += line(gauge.name, "", gauge.value);
  }
  const std::string requests = "talaria_gateway_requests_total";
  text += head(requests, "Answered requests.", "counter");
  for (const auto& [key, count] : requests_) {
    const auto& [method, route, status] = key;
    text += line(requests,
                 label("method", method) + "," + label("route", route) + "," +
                     label("status", std::to_string(status)),
                 static_cast<double>(count));
  }
  const std::string seconds = "talaria_gateway_request_seconds";
  text += head(seconds, "Duration of requests.", "histogram");
  for (const auto& [route, histogram] : durations_) {
    const std::string labels = label("method", route.first) + "," + label("route", route.second) +
                               "," + label("target", target_);
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      so_far += histogram.counts[i];
      text += line(seconds + "_bucket", labels + "," + label("le", number(kBounds[i])),
                   static_cast<double>(so_far));
    }
    const auto total = static_cast<double>(histogram.total);
    text += line(seconds + "_bucket", labels + "," + label("le", "+Inf"), total);
    text += line(seconds + "_sum", labels, histogram.sum);
    text += line(seconds + "_count", labels, total);
  }
  return text;
}

}  // namespace talaria::front::gateway
