#include "support/tmux.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "os/proc.h"
#include "support/eventually.h"
#include "support/runner.h"

namespace talaria::test {
namespace {

ProgramSpec tmux(World& world, const std::string& socket, std::vector<std::string> words) {
  std::vector<std::string> argv{"/usr/bin/tmux", "-u", "-S", socket, "-f", "/dev/null"};
  argv.insert(argv.end(), words.begin(), words.end());
  return {.argv = std::move(argv), .env = world.env(), .cwd = world.path("work")};
}

}  // namespace

Tmux::Tmux(World& world)
    : world_(world),
      socket_(world.path("tmux")),
      server_(tmux(world, socket_, {"-D"})) {  // in the foreground: ours to end
  const auto answers = [&] {                   // the socket is there before somebody listens
    Program client(tmux(world, socket_, {"show-options", "-g", "status"}));
    const auto status = client.wait();
    return status && exit_code_of(*status) == 0;
  };
  if (!eventually(answers)) {
    throw std::runtime_error("tmux does not start: " + server_.err());
  }
  ask({"set-option", "-g", "status", "off"});
  ask({"set-option", "-g", "remain-on-exit", "on"});
  ask({"set-option", "-g", "escape-time", "0"});
}

// One that still ends while the runner is stopped would start the next one.
Tmux::~Tmux() {
  std::vector<ProcessName> inside;
  for (const pid_t pid : os::descendants(server_.pid())) {
    if (const auto name = name_process(pid)) inside.push_back(*name);
  }
  server_.kill(SIGTERM);
  server_.wait();
  eventually([&] { return std::ranges::none_of(inside, is_alive); });
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
}

std::string Tmux::ask(std::vector<std::string> words) {
  Program client(tmux(world_, socket_, words));
  const auto status = client.wait();
  if (!status || exit_code_of(*status) != 0) {
    throw std::runtime_error("tmux " + words.at(0) + ": " + client.err());
  }
  return client.out();
}

void Tmux::open(const std::string& window, const std::string& text, int columns, int rows) {
  ask({"new-session", "-d", "-s", window, "-x", std::to_string(columns), "-y", std::to_string(rows),
       text});
}

void Tmux::resize(const std::string& window, int columns, int rows) {
  ask({"resize-window", "-t", window + ":", "-x", std::to_string(columns), "-y",
       std::to_string(rows)});
}

void Tmux::type(const std::string& window, const std::string& text) {
  ask({"send-keys", "-t", window + ":", "-l", text});
}

void Tmux::press(const std::string& window, std::vector<std::string> keys) {
  keys.insert(keys.begin(), {"send-keys", "-t", window + ":"});
  ask(std::move(keys));
}

void Tmux::enter(const std::string& window, const std::string& line) {
  type(window, line);
  press(window, {"Enter"});
}

std::string Tmux::screen(const std::string& window) {
  std::string text = ask({"capture-pane", "-p", "-t", window + ":"});
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

bool Tmux::shows(const std::string& window, const std::string& text) {
  return eventually([&] { return screen(window).contains(text); });
}

}  // namespace talaria::test
