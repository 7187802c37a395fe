#include "runner/spill_keeper.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "os/directory.h"
#include "os/file.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

using SystemClock = std::chrono::system_clock;

struct StoredOutput {
  std::string path;
  std::shared_ptr<Run> run;  // that has it open; null: nobody
  SystemClock::time_point written;
  std::uint64_t bytes = 0;  // on disk
  SystemClock::duration age_limit{0};

  void remove() const { run ? run->output().give_up_file() : os::remove_file(path); }
};

std::uint64_t most_bytes(const std::string& directory, std::uint64_t stored) {
  struct statvfs space{};
  if (::statvfs(directory.c_str(), &space) != 0) return kMaxEndedSpill;
  const std::uint64_t free = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
  return std::min(kMaxEndedSpill, (free + stored) / 4);
}

}  // namespace

SpillKeeper::SpillKeeper(asio::io_context& loop, std::string directory, RunTable& runs,
                         const JobJournal& journal)
    : directory_(std::move(directory)), runs_(runs), journal_(journal), next_(loop) {}

void SpillKeeper::close() { next_.cancel(); }

void SpillKeeper::run_gone(Run& run) {
  if (!soon_ && !run.output().spill_path().empty()) look_in(kSpillPause);
}

void SpillKeeper::look_in(std::chrono::seconds pause) {
  soon_ = pause == kSpillPause;
  next_.expires_after(pause);
  next_.async_wait([this](boost::system::error_code error) {
    if (!error) look();
  });
}

void SpillKeeper::look() {
  soon_ = false;
  journal_.trim_archive();
  std::vector<StoredOutput> stored;
  std::uint64_t total = 0;
  for (const std::string& name : os::names_in(directory_)) {
    StoredOutput one{.path = directory_ + "/" + name, .run = runs_.find(name)};
    struct stat info{};
    if (::lstat(one.path.c_str(), &info) != 0) continue;
    if (one.run && (!one.run->finished() || !one.run->output_closed())) continue;
    one.written = SystemClock::from_time_t(info.st_mtime);
    one.bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
    one.age_limit = journal_.has(name) ? SystemClock::duration(kEndAge) : kSpillAge;
    total += one.bytes;
    stored.push_back(std::move(one));
  }
  std::ranges::sort(stored, {}, &StoredOutput::written);
  const std::uint64_t most = most_bytes(directory_, total);
  const auto now = SystemClock::now();
  for (const StoredOutput& one : stored) {
    if (total <= most && now - one.written <= one.age_limit) continue;
    one.remove();
    total -= one.bytes;
  }
  if (!stored.empty()) look_in(std::chrono::seconds(kSpillLook));
}

}  // namespace talaria::runner
