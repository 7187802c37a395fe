// What a client costs the gateway that keeps its connection and asks for nothing: after one request
// that was answered, with 2,000 of them.
#include <list>
#include <stdexcept>

#include "bench/process_facts.h"
#include "bench/rows.h"
#include "bench/served_home.h"
#include "os/own_process.h"

namespace talaria::bench {
namespace {

constexpr int kConnections = 2000;
constexpr int kWarmUp = 50;

void connect(const ServedHome& served, std::list<test::HttpTestClient>& clients) {
  clients.push_back(served.client());
  const test::HttpAnswer answer = clients.back().get("/v1/sandboxes");
  if (answer.status != 200) throw std::runtime_error("no answer: " + answer.body);
}

}  // namespace

std::vector<Row> measure_idle_connections(const Options& options) {
  os::raise_descriptor_limit();  // ours, and that of the gateway
  const ServedHome served(options.talaria_path);
  std::list<test::HttpTestClient> clients;
  for (int i = 0; i < kWarmUp; ++i) connect(served, clients);
  const double before = resident_bytes(served.pid());
  const int connections = options.count(kConnections);
  for (int i = 0; i < connections; ++i) connect(served, clients);
  const double each = (resident_bytes(served.pid()) - before) / connections / 1024;
  Row row{.work = "memory of 2,000 idle connections of the gateway, each",
          .unit = "KB",
          .ours = spread_of({each})};
  row.judgements = {{.what = "each", .value = each, .bar = 8, .unit = " KB"}};
  return {row};
}

}  // namespace talaria::bench
