// JobJournal: one small file per process in the background, so that the next runner knows what
// became of it. It is written before the process gets its command, at its end, and when that was
// acknowledged, each time after what was there; it is removed when the process is forgotten. What
// was written whole last counts, so a crash of the runner costs nothing; what a crash of the
// machine leaves, and what a disk returns with other bits, is noticed.
//
// The file of a process whose end nobody has read is archived when the process leaves the memory of
// the runner: it can still be found by its id, but is not loaded with the others.
#pragma once

#include <cstdint>
#include <optional>
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
  bool damaged = false;       // what was written last cannot be read: this is older
  friend bool operator==(const Job&, const Job&) = default;
};

std::string encode_job(const Job& job);
Result<Job> decode_job(std::string_view bytes);  // the last one that is whole

// An id names files of ours, so it may not lead anywhere else.
bool is_plain_id(std::string_view id);

class JobJournal {
 public:
  explicit JobJournal(std::string directory) : directory_(std::move(directory)) {}

  Result<void> write(const Job& job) const;
  void remove(const std::string& process) const;  // from the archive, too

  // Every job that can be read, without the archived ones. A file that is damaged is archived.
  std::vector<Job> load() const;

  void archive(const std::string& process) const;
  // An archived one. Of one that is damaged nothing but its id is known: it is lost.
  std::optional<Job> find_archived(const std::string& process) const;
  void remove_archived_in(const std::string& session) const;
  // Removes what is older than kEndAge, and the oldest if there are more than kMaxArchived.
  void trim_archive() const;

  bool has(const std::string& process) const;

 private:
  std::string path_of(const std::string& process) const { return directory_ + "/" + process; }
  std::string archived_path(const std::string& name) const {
    return archive_directory() + "/" + name;
  }
  std::string archive_directory() const { return directory_ + "/ended"; }

  std::string directory_;
};

// Kills what still lives of the jobs whose end was not recorded, and waits a little until it is
// gone. A pid counts only if the process that has it is the one that was started: the same boot,
// the same start time. (Usually there is nothing to do: the reaper of each job has done it.)
void end_lost_jobs(const std::vector<Job>& jobs, const std::string& boot_id);

}  // namespace talaria::runner
