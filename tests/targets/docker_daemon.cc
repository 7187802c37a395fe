#include "targets/docker_daemon.h"

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <stdexcept>

#include "os/file.h"
#include "os/proc.h"

namespace talaria::test {
namespace {

pid_t pid_of(const std::string& directory) {
  const auto text = os::read_file(directory + "/docker/pid", 64);
  if (!text || text->empty()) throw std::runtime_error("dockerd has no pid");
  return std::stoi(*text);
}

// Our own environment: the script needs programs of administrators.
std::vector<std::string> own_variables() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

}  // namespace

DockerDaemon::DockerDaemon(const World& world) : directory_(world.directory("dockerd")) {
  const Finished started = run("start");
  if (started.code() != 0) trouble_ = "dockerd did not start: " + started.err;
}

DockerDaemon::~DockerDaemon() { run("stop"); }

void DockerDaemon::let_containers_live() const {
  std::ofstream(directory_ + "/docker/daemon.json") << R"({"live-restore": true})";
  ::kill(pid_of(directory_), SIGHUP);
  const ProgramSpec ask{
      .argv = {"docker", "-H", host(), "info", "--format", "{{.LiveRestoreEnabled}}"},
      .env = own_variables()};
  if (!eventually([&] {
        Program info(ask);
        return info.wait() && info.out() == "true\n";
      })) {
    throw std::runtime_error("dockerd does not read its configuration again");
  }
}

void DockerDaemon::kill() const {
  const pid_t pid = pid_of(directory_);
  ::kill(pid, SIGKILL);
  if (!eventually([&] {
        const auto stat = os::read_process_stat(pid);
        return !stat || stat->state == 'Z';
      })) {
    throw std::runtime_error("dockerd does not die");
  }
}

void DockerDaemon::resume() const {
  const Finished resumed = run("resume");
  if (resumed.code() != 0) throw std::runtime_error("dockerd: " + resumed.err);
}

Finished DockerDaemon::run(const std::string& verb) const {
  Program program(
      {.argv = {TALARIA_ENGINE_SCRIPTS "/docker", verb, directory_}, .env = own_variables()});
  const auto status = program.wait(std::chrono::seconds(120));
  return {status.value_or(Signaled{SIGALRM}), program.out(), program.err()};
}

}  // namespace talaria::test
