// Runner: the talaria-runner that serves one home, seen from outside: through the files in its
// directory and through /proc.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/eventually.h"

namespace talaria::test {

// The first directory below `parent` whose name begins like this.
std::string directory_below(const std::string& parent, const std::string& prefix);

class Runner {
 public:
  // The one that serves `directory` now; nothing if none ever did.
  static std::optional<Runner> in(const std::string& directory);

  pid_t pid() const { return pid_; }
  const std::string& instance() const { return instance_; }
  bool alive() const;
  void kill(int signal) const;
  bool wait_gone(std::chrono::milliseconds patience = kPatience) const;

  pid_t nursery() const;  // the process its reapers are born from; -1 if there is none
  std::vector<pid_t> reapers() const;
  // Every process of every command, warm shells included, reapers not.
  std::vector<pid_t> shells() const;
  // Of its tree, zombies nobody has reaped.
  std::vector<pid_t> zombies() const;
  std::size_t open_descriptors() const;
  std::size_t open_sockets() const;

 private:
  pid_t pid_ = -1;
  std::uint64_t start_time_ = 0;  // with the pid it names one process
  std::string instance_;
};

// A process by its pid and start, so that a reused pid is not taken for it.
struct ProcessName {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
};
std::optional<ProcessName> name_process(pid_t pid);
bool is_alive(const ProcessName& process);  // a zombie is not

// Processes below this test with that short name.
std::vector<pid_t> descendants_named(std::string_view name);

// Reaps those orphans that fell to us (see World) and have ended.
void reap_orphans();

}  // namespace talaria::test
