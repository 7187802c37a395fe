#include "runner/lost_jobs.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "os/signal.h"
#include "runner/limits.h"

namespace talaria::runner {

void end_lost_jobs(const std::vector<Job>& jobs, const std::string& boot_id) {
  constexpr auto kPause = std::chrono::milliseconds(5);
  std::vector<os::SameProcess> ended;
  for (const Job& job : jobs) {
    if (!job.entry.running || boot_id.empty() || job.boot_id != boot_id) continue;
    const os::SameProcess leader{static_cast<pid_t>(job.entry.pid), job.start_time};
    std::ranges::move(os::kill_session_of(leader), std::back_inserter(ended));
  }
  const auto give_up = std::chrono::steady_clock::now() + kLostPatience;
  while (std::ranges::any_of(ended, os::is_running) && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace talaria::runner
