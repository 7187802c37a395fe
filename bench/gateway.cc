// What it costs to run a command through the gateway, at target local: with one client that keeps
// its connection, with many, and until it listens. Against the same command over JSON lines.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "bench/served_home.h"
#include "support/http_test_client.h"

namespace talaria::bench {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

constexpr int kWarmUp = 20;
constexpr int kClients = 64;
constexpr int kStarts = 20;
constexpr int kWindows = 3;
constexpr auto kWindow = std::chrono::milliseconds(2000);

// One client with a sandbox of its own.
class Customer {
 public:
  explicit Customer(const ServedHome& served) : http_(served.client()) {
    sandbox_ = http_.post("/v1/sandboxes").text("id");
    if (sandbox_.empty()) throw std::runtime_error("no sandbox");
  }
  ~Customer() { http_.post("/v1/sandboxes/" + sandbox_ + "/terminate"); }

  void run() {
    const json::object wanted{{"execId", std::to_string(++count_)}, {"command", "true"}};
    const test::HttpAnswer answer =
        http_.post("/v1/sandboxes/" + sandbox_ + "/execs?wait=30000", json::serialize(wanted));
    if (answer.status != 200 || answer.text("status") != "completed") {
      throw std::runtime_error("an exec failed: " + answer.body);
    }
  }

 private:
  test::HttpTestClient http_;
  std::string sandbox_;
  int count_ = 0;
};

Row measure_one_client(const Options& options) {
  const ServedHome served(options.talaria_path);
  Customer customer(served);
  LinesClient local(served.home);
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = -kWarmUp; i < options.rounds; ++i) {
    const double there = milliseconds_of([&] { customer.run(); });
    const double here = milliseconds_of([&] { local.run("bench", "true"); });
    if (i < 0) continue;
    ours.push_back(there);
    floor.push_back(here);
  }
  Row row{.work = "true through the gateway, one client / true over JSON lines",
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = {
      {.what = "p50 over it", .value = row.ours->p50 - row.floor->p50, .bar = 1, .unit = " ms"}};
  return row;
}

double local_rate(LinesClient& client, Clock::duration window) {
  std::map<std::int64_t, int> under_way;  // request, session
  const auto name = [](int i) { return "bench-" + std::to_string(i); };
  const auto begin = Clock::now();
  int count = 0;
  for (int i = 0; i < kClients; ++i) under_way[client.send(name(i), "true")] = i;
  while (!under_way.empty()) {
    const Answer answer = client.receive();
    expect_success(answer);
    const auto request = under_way.extract(answer.id);
    ++count;
    if (Clock::now() - begin < window) {
      under_way[client.send(name(request.mapped()), "true")] = request.mapped();
    }
  }
  return count / std::chrono::duration<double>(Clock::now() - begin).count();
}

double gateway_rate(std::vector<std::unique_ptr<Customer>>& customers, Clock::duration window,
                    std::vector<double>& times) {
  std::mutex guard;
  std::string failure;
  const auto begin = Clock::now();
  const std::size_t before = times.size();
  {
    std::vector<std::jthread> threads;
    for (const auto& customer : customers) {
      threads.emplace_back([&guard, &failure, &times, &customer, begin, window] {
        std::vector<double> own;
        try {
          while (Clock::now() - begin < window) {
            own.push_back(milliseconds_of([&] { customer->run(); }));
          }
        } catch (const std::exception& error) {
          const std::lock_guard lock(guard);
          failure = error.what();
        }
        const std::lock_guard lock(guard);
        times.insert(times.end(), own.begin(), own.end());
      });
    }
  }
  if (!failure.empty()) throw std::runtime_error(failure);
  const auto count = static_cast<double>(times.size() - before);
  return count / std::chrono::duration<double>(Clock::now() - begin).count();
}

Row measure_many_clients(const Options& options) {
  const ServedHome served(options.talaria_path);
  std::vector<std::unique_ptr<Customer>> customers;
  for (int i = 0; i < kClients; ++i) customers.push_back(std::make_unique<Customer>(served));
  LinesClient local(served.home);
  const auto window = options.time(kWindow);
  std::vector<double> times;
  gateway_rate(customers, window, times);
  local_rate(local, window);
  times.clear();
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.count(kWindows); ++i) {
    ours.push_back(gateway_rate(customers, window, times));
    floor.push_back(local_rate(local, window));
  }
  std::ranges::sort(times);
  const double p50 = times[times.size() / 2];
  const double p99 = times[times.size() * 99 / 100];
  Row row{.work = "64 clients of the gateway / 64 sessions over JSON lines",
          .unit = "/s",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = {
      {.what = "rate", .value = row.ours->p50 / row.floor->p50, .bar = 0.9, .at_most = false},
      {.what = "p99 of p50", .value = p99 / p50, .bar = 20}};
  row.notes = {"second number: the best window"};
  return row;
}

Row measure_start(const Options& options) {
  ServedHome served(options.talaria_path);
  std::vector<double> times;
  for (int i = 0; i < options.count(kStarts); ++i) {
    served.stop();
    times.push_back(milliseconds_of([&] { served.start(); }));
  }
  Row row{.work = "the gateway, until it listens", .unit = "ms", .ours = spread_of(times)};
  row.judgements = {{.what = "p50", .value = row.ours->p50, .bar = 50, .unit = " ms"}};
  return row;
}

}  // namespace

std::vector<Row> measure_gateway(const Options& options) {
  return {measure_one_client(options), measure_many_clients(options), measure_start(options)};
}

}  // namespace talaria::bench
