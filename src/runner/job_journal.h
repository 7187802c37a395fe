// JobJournal: one small file per process in the background, so that the next runner knows what
// became of it. It is written before the process gets its command, at its end, and when that was
// acknowledged, each time after what was there; it is removed when the process is forgotten. What
// was written whole last counts, so a crash of the runner costs nothing; what a crash of the
// machine leaves is read with care.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "link/messages.h"

namespace talaria::runner {

struct Job {
  link::ProcessEntry entry;      // running: no end is known
  std::uint64_t start_time = 0;  // of its pid, as /proc has it: with the boot it names one process
  std::string boot_id;
  std::uint64_t duration_us = 0;
  bool acknowledged = false;  // a controller has its end in safety
  friend bool operator==(const Job&, const Job&) = default;
};

std::string encode_job(const Job& job);
Result<Job> decode_job(std::string_view bytes);  // the last one that is whole

class JobJournal {
 public:
  explicit JobJournal(std::string directory) : directory_(std::move(directory)) {}

  Result<void> write(const Job& job) const;
  void remove(const std::string& process) const;

  // Every job that can be read. A file that can be read but is not a job is removed.
  std::vector<Job> load() const;

 private:
  Result<std::string> read(const std::string& name) const;
  std::string path_of(const std::string& process) const { return directory_ + "/" + process; }

  std::string directory_;
};

// Kills what still lives of the jobs whose end was not recorded, and waits a little until it is
// gone. A pid counts only if the process that has it is the one that was started: the same boot,
// the same start time. (Usually there is nothing to do: the reaper of each job has done it.)
void end_lost_jobs(const std::vector<Job>& jobs, const std::string& boot_id);

}  // namespace talaria::runner
