// Programs started and waited for, the way the floors are measured: a bare posix_spawn and a
// waitpid, nothing else, so not as tests/support/program.h does it. What cannot be measured is
// thrown as std::runtime_error.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace talaria::bench {

// Argument and environment vectors in the shape exec wants, made once and used many times. What it
// prints is dropped.
class Program {
 public:
  Program(std::vector<std::string> argv, std::vector<std::string> environment);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Both are safe to call from many threads.
  pid_t start() const;
  void run() const;  // start, wait; throws if it does not exit with 0

 private:
  std::vector<std::string> argv_;
  std::vector<std::string> environment_;
  std::vector<char*> argv_pointers_;
  std::vector<char*> environment_pointers_;
  posix_spawn_file_actions_t actions_{};
};

int wait_for(pid_t pid);  // its wait status

// Our environment without what configures talaria.
std::vector<std::string> plain_environment();

Program cold_bash(std::string command, std::vector<std::string> environment);
std::string output_of_bash(const std::string& command);

template <class Action>
double milliseconds_of(Action action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  return took.count();
}

}  // namespace talaria::bench
