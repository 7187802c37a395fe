// Ping: a message that goes through two other processes and comes back the same way, over Unix
// sockets: what a word from the runner through the controller and an answer cost at the very least.
// Destroying it ends both.
#pragma once

#include <sys/types.h>

#include <array>

#include "os/unique_fd.h"

namespace talaria::bench {

class Ping {
 public:
  Ping();
  ~Ping();
  Ping(const Ping&) = delete;
  Ping& operator=(const Ping&) = delete;

  void go() const;  // there and back

 private:
  os::UniqueFd near_;
  std::array<pid_t, 2> relays_{};
};

}  // namespace talaria::bench
