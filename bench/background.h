// Processes in the background, as an agent starts and ends them.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "bench/lines_client.h"

namespace talaria::bench {

struct Process {
  std::string id;
  pid_t pid = -1;
};

Process start_process(LinesClient& client, std::string_view task, std::string_view command);

// The same command many times, several starts under way at once.
std::vector<Process> start_processes(LinesClient& client, std::string_view task,
                                     std::string_view command, int count);

// Ends them all, many at once, and returns when they are gone.
void kill_processes(LinesClient& client, std::string_view task,
                    const std::vector<Process>& processes);

// "sleep" for longer than any measurement takes. Nobody else's: our pid is part of the number.
std::string sleep_command();

// Returns when that many sleep_command() are there; throws after a minute.
void wait_for_sleepers(int count);

}  // namespace talaria::bench
