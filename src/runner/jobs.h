// Jobs: what is remembered and told of processes in the background, for as long as it takes until
// somebody has heard of it: events, what is watched for, and the files from which the next runner
// knows of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/event_log.h"
#include "runner/job_journal.h"
#include "runner/run.h"
#include "runner/watch/process_watch.h"
#include "runner/watch/watch_breaker.h"

namespace talaria::runner {

class Jobs {
 public:
  using Clock = std::function<WatchBreaker::TimePoint()>;

  // `directory`: the runner's own.
  Jobs(const std::string& directory, std::string boot_id,
       Clock clock = std::chrono::steady_clock::now);

  EventLog& events() { return events_; }

  // An error: the next runner would not know of it, so it must not begin.
  Result<void> begins(const RunSpec& spec, pid_t pid, const std::string& cwd);
  void handed_over(Run& run);
  void printed(Run& run, std::string_view bytes);
  void ended(Run& run);
  void forgotten(const std::string& process);
  // The runner ends, and with it what still runs; the next one shall know.
  void leave(Run& run);

  // Its end need not be told to anybody again.
  void acknowledged(const Run& run);

  // What earlier runners knew of. Of those whose end nobody saw everything is ended that still
  // lives, and they are lost. Ends that nobody has acknowledged are events again.
  std::vector<Job> recall();

 private:
  struct Kept {
    std::uint64_t start_time = 0;
    bool acknowledged = false;
    bool on_disk = false;  // all that is known of it
  };

  Result<void> write(link::ProcessEntry entry, std::uint64_t duration_us);
  void write_or_tell(Run& run, link::ProcessEntry entry);
  void watch(const RunSpec& spec);
  void hit(const Run& run, WatchHit hit, WatchBreaker::TimePoint now);
  void tell_all(link::RunnerEvent::Kind kind, std::uint64_t suppressed, std::string message);

  std::string spill_directory_;
  std::string boot_id_;
  Clock clock_;
  JobJournal journal_;
  EventLog events_;
  WatchBreaker breaker_;
  std::map<std::string, Kept> kept_;             // that have a file
  std::map<std::string, ProcessWatch> watches_;  // of those that run
};

}  // namespace talaria::runner
