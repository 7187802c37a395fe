#include "bench/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "support/program.h"

namespace talaria::bench {
namespace {

constexpr const char* kBash = "/bin/bash";
constexpr auto kBashPatience = std::chrono::minutes(30);  // for a target to be made

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Program::Program(std::vector<std::string> argv, std::vector<std::string> environment)
    : argv_(std::move(argv)),
      environment_(std::move(environment)),
      argv_pointers_(pointers_to(argv_)),
      environment_pointers_(pointers_to(environment_)) {
  posix_spawn_file_actions_init(&actions_);
  posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
}

Program::~Program() { posix_spawn_file_actions_destroy(&actions_); }

pid_t Program::start() const {
  pid_t pid = -1;
  const int code = ::posix_spawn(&pid, argv_pointers_[0], &actions_, nullptr, argv_pointers_.data(),
                                 environment_pointers_.data());
  if (code != 0) throw std::runtime_error("spawn " + argv_[0] + ": " + std::strerror(code));
  return pid;
}

void Program::run() const {
  const int status = wait_for(start());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(argv_[0] + " ended with wait status " + std::to_string(status));
  }
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(std::string("waitpid: ") + std::strerror(errno));
  }
  return status;
}

std::vector<std::string> plain_environment() {
  std::vector<std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("TALARIA_") && !text.starts_with("TERMINAL_")) kept.emplace_back(text);
  }
  return kept;
}

Program cold_bash(std::string command, std::vector<std::string> environment) {
  return {{kBash, "-c", std::move(command)}, std::move(environment)};
}

std::string output_of_bash(const std::string& command) {
  test::ProgramSpec spec{.argv = {kBash, "-c", command}};
  for (char** entry = environ; *entry != nullptr; ++entry) spec.env.emplace_back(*entry);
  test::Program bash(spec);
  if (!bash.wait(kBashPatience)) throw std::runtime_error("bash does not end: " + command);
  std::fputs(bash.err().c_str(), stderr);
  return bash.out();
}

}  // namespace talaria::bench
