// Whether a program waits for its input: one of its threads is, at this moment, inside a read, a
// poll, a select or an epoll_wait for a certain pipe or terminal. What /proc says about it can only
// be read about one's own processes; where the kernel does not report it, nothing seems to wait.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "os/file_facts.h"

namespace talaria::os {

// The pipe or terminal that a program reads.
struct InputId {
  FileId file;
  dev_t terminal = 0;  // the terminal's number; 0 for a pipe
};

std::optional<InputId> input_id(int fd);

bool is_blocked_reading(pid_t pid, const InputId& input);

// Whether one of these is.
bool is_any_blocked_reading(const std::vector<pid_t>& pids, const InputId& input);

}  // namespace talaria::os
