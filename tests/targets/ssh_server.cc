#include "targets/ssh_server.h"

#include <csignal>
#include <fstream>
#include <stdexcept>

#include "os/file.h"
#include "os/proc.h"
#include "support/eventually.h"

namespace talaria::test {
namespace {

pid_t pid_in(const std::string& path) {
  const auto text = os::read_file(path, 64);
  return text && !text->empty() ? std::stoi(*text) : -1;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const pid_t pid : os::descendants(parent)) {
    const auto stat = os::read_process_stat(pid);
    if (stat && stat->parent == parent) children.push_back(pid);
  }
  return children;
}

}  // namespace

SshServer::SshServer(const World& world)
    : program_(world.spec({})), directory_(world.directory("sshd")) {
  const Finished started = run(TALARIA_ENGINE_SCRIPTS "/ssh start " + directory_);
  if (started.code() != 0) trouble_ = started.err;
}

SshServer::~SshServer() { run(TALARIA_ENGINE_SCRIPTS "/ssh stop " + directory_); }

std::string SshServer::port() const {
  std::string text = os::read_file(directory_ + "/ssh/port", 64).value_or("");
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

void SshServer::write(const std::string& name, const std::string& text) const {
  std::ofstream(home() + "/" + name) << text;
}

std::string SshServer::read(const std::string& name) const {
  return os::read_file(home() + "/" + name, 1u << 20).value_or("");
}

std::vector<pid_t> SshServer::connections() const {
  return children_of(pid_in(directory_ + "/ssh/pid"));
}

void SshServer::kill_connections() const {
  for (const pid_t pid : connections()) ::kill(pid, SIGKILL);
}

void SshServer::stop() {
  const pid_t server = pid_in(directory_ + "/ssh/pid");
  kill_connections();
  ::kill(server, SIGTERM);
  if (!eventually([&] {
        const auto stat = os::read_process_stat(server);
        return !stat || stat->state == 'Z';
      })) {
    throw std::runtime_error("sshd does not end");
  }
}

void SshServer::start() {
  const Finished started =
      run("/usr/sbin/sshd -f " + directory_ + "/ssh/server_config -E " + directory_ + "/ssh/log");
  if (started.code() != 0) throw std::runtime_error("sshd: " + started.err);
  // It writes its pid when it listens, and removes it at its end.
  if (!eventually([&] { return pid_in(directory_ + "/ssh/pid") > 0; })) {
    throw std::runtime_error("sshd does not listen");
  }
}

void SshServer::configure(const std::string& lines) {
  stop();
  const std::string path = directory_ + "/ssh/server_config";
  const std::string before = os::read_file(path, 1u << 16).value_or("");
  std::ofstream(path) << lines << "\n" << before;  // the first value counts
  start();
}

Finished SshServer::run(const std::string& line) const {
  ProgramSpec spec = program_;
  spec.argv = {"/bin/sh", "-c", line};
  Program program(spec);
  const auto status = program.wait(std::chrono::seconds(60));
  return {status.value_or(Signaled{SIGALRM}), program.out(), program.err()};
}

}  // namespace talaria::test
