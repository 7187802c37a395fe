#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/late_lines.h"
#include "bench/program.h"
#include "os/file.h"
#include "os/spawn.h"

namespace talaria::bench {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);

class OneFollower final : public LateLines {
 public:
  OneFollower(const Home& home, const Process& loud, const std::vector<Process>& quiet) {
    auto input = os::make_pipe();
    auto output = os::make_pipe();
    if (!input || !output) throw std::runtime_error("pipe failed");
    const std::vector<std::string> environment = home.environment();
    os::SpawnSpec spec{.path = TALARIA_BENCH_FOLLOW,
                       .argv = {"talaria_bench_follow", loud.id.c_str()},
                       .fds = {input->reader.get(), output->writer.get(), STDERR_FILENO},
                       .new_session = false};
    for (const Process& process : quiet) spec.argv.push_back(process.id.c_str());
    for (const std::string& entry : environment) spec.env.push_back(entry.c_str());
    const auto pid = os::spawn_process(spec);
    if (!pid) throw std::runtime_error(pid.error().message());
    pid_ = *pid;
    input_ = std::move(input->writer);
    output_ = std::move(output->reader);
  }
  ~OneFollower() override {
    input_.reset();  // its sign to end
    wait_for(pid_);
  }

  double next() override {
    if (!os::wait_readable(output_.get(), kPatience)) throw std::runtime_error("no line in 10 s");
    const std::string line = os::read_line(output_.get());
    if (line.empty()) throw std::runtime_error("the program that follows them ended");
    return std::stod(line);
  }

 private:
  os::UniqueFd input_;
  os::UniqueFd output_;
  pid_t pid_ = -1;
};

}  // namespace

std::unique_ptr<LateLines> follow_with_one(const Home& home, const Process& loud,
                                           const std::vector<Process>& quiet) {
  return std::make_unique<OneFollower>(home, loud, quiet);
}

}  // namespace talaria::bench
