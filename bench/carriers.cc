// What it costs that the target is elsewhere: the same command over `docker exec -i` and over ssh,
// round by round with the same command on this machine. The engines are somebody else's to start:
// bench/run does it, or the environment names them as tests/engines prints it.
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "bench/session_state.h"

namespace talaria::bench {
namespace {

constexpr int kWarmUp = 20;
constexpr double kBar = 2;  // ms

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// A container that waits. Destroying it removes it.
class Container {
 public:
  explicit Container(const std::string& image)
      : id_(output_of_bash("docker run -d --rm --network none " + image + " sleep infinity")) {
    while (id_.ends_with('\n')) id_.pop_back();
    if (id_.empty()) throw std::runtime_error("docker run started no container");
  }
  ~Container() { output_of_bash("docker rm -f " + id_); }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  std::string carrier() const { return "docker exec -i " + id_; }

 private:
  std::string id_;
};

Row measure_carrier(const Options& options, std::string work, const std::string& carrier) {
  const Home home(options.talaria_path);
  LinesClient local(home, {"TERMINAL_CWD=/"});
  // The runner at the target is not in our home, so it must end by itself.
  LinesClient remote(home, {"TERMINAL_CWD=/", "TERMINAL_ENV=carrier", "TERMINAL_CARRIER=" + carrier,
                            "TERMINAL_LIFETIME_SECONDS=1"});
  for (LinesClient* client : {&local, &remote}) client->run("bench", state_script());
  for (int i = 0; i < kWarmUp; ++i) {
    remote.run("bench", "true");
    local.run("bench", "true");
  }
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.rounds; ++i) {
    ours.push_back(milliseconds_of([&] { remote.run("bench", "true"); }));
    floor.push_back(milliseconds_of([&] { local.run("bench", "true"); }));
  }
  Row row{.work = std::move(work),
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor)),
          .notes = {"the floor is the same command on this machine"}};
  row.judgements = {
      {.what = "p50 +", .value = row.ours->p50 - row.floor->p50, .bar = kBar, .unit = " ms"}};
  return row;
}

Row without_engine(std::string work) {
  return {.work = std::move(work), .notes = {"there is no such engine here"}};
}

}  // namespace

std::vector<Row> measure_carriers(const Options& options) {
  std::vector<Row> rows;
  const std::string over_docker = "true in a session over docker exec -i / local";
  if (const auto image = variable("TALARIA_DOCKER_IMAGE")) {
    const Container container(*image);
    rows.push_back(measure_carrier(options, over_docker, container.carrier()));
  } else {
    rows.push_back(without_engine(over_docker));
  }
  const std::string over_ssh = "true in a session over ssh / local";
  if (const auto carrier = variable("TALARIA_SSH")) {
    rows.push_back(measure_carrier(options, over_ssh, *carrier));
  } else {
    rows.push_back(without_engine(over_ssh));
  }
  return rows;
}

}  // namespace talaria::bench
