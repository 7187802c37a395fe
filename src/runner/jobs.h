// Jobs: what is recorded of processes in the background: the events about them until a controller
// has acknowledged them, the patterns to watch for, and the files from which the next runner knows
// of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/event_log.h"
#include "runner/job_journal.h"
#include "runner/run.h"
#include "runner/watch/process_watch.h"

namespace talaria::runner {

class Jobs final : public RunObserver {
 public:
  using Clock = std::function<WatchBreaker::TimePoint()>;

  // `directory`: the runner's own.
  Jobs(const std::string& directory, std::string boot_id,
       Clock clock = std::chrono::steady_clock::now);

  EventLog& events() { return events_; }

  // An error: the next runner would not know of the process, so it must not start.
  Result<void> before_start(const RunSpec& spec, pid_t pid, const std::string& cwd) override;
  void run_handed_over(Run& run) override;
  void output_grew(Run& run, std::string_view bytes) override;
  void run_finished(Run& run) override;

  void forget(const std::string& process);
  // It leaves the memory, and nobody has read its end.
  void archive(Run& run);
  std::optional<Job> recall_archived(const std::string& process);
  const JobJournal& journal() const { return journal_; }
  // The runner ends, and with it everything that still runs. The next one shall know.
  void leave(Run& run);

  // Its end need not be an event of the next runner.
  void acknowledged(const Run& run);

  // What earlier runners recorded. Jobs whose end was not recorded are lost; what still lives of
  // them is killed. Ends that were not acknowledged become events again.
  std::vector<Job> recall();

 private:
  struct Record {
    std::uint64_t start_time = 0;
    bool acknowledged = false;
    bool on_disk = false;  // as it is now
  };

  Result<void> write(link::ProcessEntry entry, std::chrono::microseconds duration);
  void write_or_add_notice(Run& run, link::ProcessEntry entry);
  void watch(const RunSpec& spec);
  void add_hit(const Run& run, WatchHit hit, WatchBreaker::TimePoint now);
  void add_general_event(link::RunnerEvent::Kind kind, std::uint64_t suppressed,
                         std::string message);

  std::string spill_directory_;
  std::string boot_id_;
  Clock clock_;
  JobJournal journal_;
  EventLog events_;
  WatchBreaker breaker_;
  std::map<std::string, Record> records_;        // of those that have a file
  std::map<std::string, ProcessWatch> watches_;  // of those that run
};

}  // namespace talaria::runner
