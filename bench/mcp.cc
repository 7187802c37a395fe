// What an agent pays for speaking MCP: a command, against the same session over JSON lines, and the
// start of the server up to its first list of tools.
#include <stdexcept>
#include <utility>

#include <boost/json/serialize.hpp>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

namespace json = boost::json;

constexpr int kWarmUp = 20;
constexpr int kStarts = 50;
constexpr double kMoreThanLines = 0.5;  // ms
constexpr double kFirstList = 30;       // ms

json::object request(std::string_view method, json::object params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

void run_true(LinesClient& client) {
  const json::object arguments{{"command", "true"}, {"task", "bench"}};
  const Answer answer =
      client.ask(request("tools/call", {{"name", "terminal"}, {"arguments", arguments}}));
  const json::value* content = answer.result.if_contains("structuredContent");
  if (!content || content->at("exit_code") != 0) {
    throw std::runtime_error(json::serialize(answer.result));
  }
}

Row call_row(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient lines(home);
  LinesClient mcp(home, {}, {"mcp"});
  for (int i = 0; i < kWarmUp; ++i) {
    run_true(mcp);
    lines.run("bench", "true");
  }
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.rounds; ++i) {
    ours.push_back(milliseconds_of([&] { run_true(mcp); }));
    floor.push_back(milliseconds_of([&] { lines.run("bench", "true"); }));
  }
  Row row{.work = "tools/call terminal true over stdio / JSON lines",
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = {{.what = "p50 more",
                     .value = row.ours->p50 - row.floor->p50,
                     .bar = kMoreThanLines,
                     .unit = " ms"}};
  return row;
}

Row start_row(const Options& options) {
  const Home home(options.talaria_path);
  std::vector<double> times;
  for (int i = 0; i <= options.count(kStarts); ++i) {
    std::optional<LinesClient> client;
    const double time = milliseconds_of([&] {
      client.emplace(home, std::vector<std::string>(), std::vector<const char*>{"mcp"});
      client->ask(request("tools/list", {}));
    });
    if (i > 0) times.push_back(time);
  }
  Row row{.work = "talaria mcp, start to first tools/list",
          .unit = "ms",
          .ours = spread_of(std::move(times))};
  row.judgements = {{.what = "p50", .value = row.ours->p50, .bar = kFirstList, .unit = " ms"}};
  return row;
}

}  // namespace

std::vector<Row> measure_mcp(const Options& options) {
  return {call_row(options), start_row(options)};
}

}  // namespace talaria::bench
