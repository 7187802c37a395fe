#include "bench/served_home.h"

#include <signal.h>
#include <unistd.h>

#include <stdexcept>

#include "bench/program.h"
#include "os/file.h"
#include "os/spawn.h"

namespace talaria::bench {

ServedHome::ServedHome(const std::string& talaria_path) : home(talaria_path) {
  token_ = first_line({"token", "add", "bench"});
  while (token_.ends_with('\n')) token_.pop_back();
  start();
}

void ServedHome::start() {
  auto pipe = os::make_pipe();
  if (!pipe) throw std::runtime_error("pipe failed");
  pid_ = spawn({"serve", "--listen", "127.0.0.1:0", "--log", "off"}, pipe->writer.get());
  pipe->writer.reset();
  const std::string line = os::read_line(pipe->reader.get());
  const std::size_t at = line.find("127.0.0.1:");
  if (at == std::string::npos) throw std::runtime_error("the gateway does not listen: " + line);
  port_ = static_cast<std::uint16_t>(std::stoi(line.substr(at + 10)));
}

void ServedHome::stop() const {
  ::kill(pid_, SIGTERM);
  wait_for(pid_);
}

test::HttpTestClient ServedHome::client() const {
  test::HttpTestClient one(port_);
  one.token = token_;
  return one;
}

pid_t ServedHome::spawn(const std::vector<const char*>& words, int out) const {
  const std::vector<std::string> environment = home.environment();
  os::SpawnSpec spec{.path = home.talaria_path().c_str(),
                     .argv = {"talaria"},
                     .fds = {STDIN_FILENO, out, STDERR_FILENO},
                     .new_session = false};
  for (const char* word : words) spec.argv.push_back(word);
  for (const std::string& entry : environment) spec.env.push_back(entry.c_str());
  const auto pid = os::spawn_process(spec);
  if (!pid) throw std::runtime_error(pid.error().message());
  return *pid;
}

std::string ServedHome::first_line(const std::vector<const char*>& words) const {
  auto pipe = os::make_pipe();
  if (!pipe) throw std::runtime_error("pipe failed");
  const pid_t pid = spawn(words, pipe->writer.get());
  pipe->writer.reset();
  std::string text = os::read_line(pipe->reader.get());
  wait_for(pid);
  return text;
}

}  // namespace talaria::bench
