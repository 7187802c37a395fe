// Program: a program under test, with its three standard descriptors in our hands. Whatever we wait
// for, its output is read meanwhile, so it never hangs on a full pipe. Destroying a Program kills
// and reaps it (only it: what it started is for the leak check to find).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_status.h"
#include "os/unique_fd.h"
#include "support/eventually.h"

namespace talaria::test {

struct ProgramSpec {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // all of it
  std::string cwd;               // empty: ours
  bool keep_stdin_open = false;  // else standard input is at its end
  bool read_output = true;       // else its output stays in the pipe, as with a slow reader
};

class Program {
 public:
  explicit Program(const ProgramSpec& spec);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  void write(std::string_view bytes);  // returns once it has all been taken
  void close_stdin();
  void close_output();  // as a reader that goes away
  void kill(int signal) const;

  // False if the time is up, or the program ended first.
  bool read_until(const std::function<bool()>& enough,
                  std::chrono::milliseconds patience = kPatience);
  bool read_until_contains(std::string_view text, std::chrono::milliseconds patience = kPatience);

  // How it ended, and its output to the end; nothing if the time is up.
  std::optional<ExitStatus> wait(std::chrono::milliseconds patience = kPatience);

  pid_t pid() const { return pid_; }
  bool running() const { return !status_; }
  // Its output was closed by all who had it: nobody it started still holds it.
  bool output_closed() const { return !out_; }
  std::string& out() { return out_text_; }
  const std::string& err() const { return err_text_; }

  // Children of ours that belong to some Program, which reaps them.
  static bool owns(pid_t pid);

 private:
  void step(std::chrono::steady_clock::time_point until);
  void read_some(os::UniqueFd& fd, std::string& text);
  void reap();

  pid_t pid_ = -1;
  os::UniqueFd pidfd_;
  os::UniqueFd in_;
  os::UniqueFd out_;
  os::UniqueFd err_;
  bool read_output_ = true;
  std::string_view to_write_;
  std::string out_text_;
  std::string err_text_;
  std::optional<ExitStatus> status_;
};

}  // namespace talaria::test
