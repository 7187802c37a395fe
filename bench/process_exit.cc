// How long after the end of a process `process wait` returns. A pidfd tells us the end as early as
// anybody outside of its own tree can know it.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include <boost/json/serialize.hpp>

#include "bench/background.h"
#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/ping.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "os/file.h"
#include "os/unique_fd.h"

namespace talaria::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kWarmUp = 20;           // rounds that do not count
constexpr auto kWaiting = 5ms;        // until the wait has surely reached the runner
constexpr int kEndPatience = 10'000;  // ms

// A command that lasts until the FIFO is written to.
class Gate {
 public:
  explicit Gate(const std::string& path) : path_(path) {
    if (::mkfifo(path_.c_str(), 0600) != 0) {
      throw std::runtime_error("mkfifo " + path_ + ": " + std::strerror(errno));
    }
  }

  std::string command() const { return "read -r line <" + path_; }

  // Opening it waits until the command has opened it, too.
  os::UniqueFd open() const {
    auto writer = os::open_file(path_, O_WRONLY);
    if (!writer) throw std::runtime_error(writer.error().message());
    return std::move(*writer);
  }

 private:
  std::string path_;
};

double one_exit(LinesClient& client, const Gate& gate) {
  const Process process = start_process(client, "bench", gate.command());
  const os::UniqueFd writer = gate.open();
  const os::UniqueFd end(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (!end) throw std::runtime_error(std::string("pidfd_open: ") + std::strerror(errno));
  client.send_call("bench", "process", {{"action", "wait"}, {"session_id", process.id}});
  std::this_thread::sleep_for(kWaiting);
  if (const auto written = os::write_all(writer.get(), "\n"); !written) {
    throw std::runtime_error(written.error().message());
  }
  pollfd ended{.fd = end.get(), .events = POLLIN, .revents = 0};
  if (::poll(&ended, 1, kEndPatience) != 1) throw std::runtime_error("a process did not end");
  Answer answer;
  const double took = milliseconds_of([&] { answer = client.receive(); });
  const auto* status = answer.result.if_contains("status");
  if (!status || *status != "exited") {
    throw std::runtime_error("wait did not see the end: " + boost::json::serialize(answer.result));
  }
  return took;
}

}  // namespace

std::vector<Row> measure_process_exit(const Options& options) {
  const Home home(options.talaria_path);
  const Gate gate(home.directory() + "/gate");
  const Ping ping;
  LinesClient client(home);
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = -kWarmUp; i < options.rounds; ++i) {
    const double our_time = one_exit(client, gate);
    std::this_thread::sleep_for(kWaiting);  // the relays, too, were woken from sleep
    const double floor_time = milliseconds_of([&] { ping.go(); });
    if (i < 0) continue;
    ours.push_back(our_time);
    floor.push_back(floor_time);
  }
  Row row{.work = "exit of a process until wait returns / ping through two processes",
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = {
      {.what = "p95", .value = row.ours->p95, .bar = 2 * row.floor->p50 + 1, .unit = " ms"}};
  row.notes = {"the bar is twice the ping's p50 and 1 ms"};
  return {std::move(row)};
}

}  // namespace talaria::bench
