#include "runner/job_journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_reader.hpp>

#include "os/directory.h"
#include "os/file.h"
#include "os/signal.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

enum class JobField : protozero::pbf_tag_type {
  list = 1,  // a ListReport with the one process
  start_time = 2,
  boot_id = 3,
  duration_us = 4,
  acknowledged = 5,
  whole = 15,  // the last one: without it, it was cut
};

}  // namespace

std::string encode_job(const Job& job) {
  std::string bytes;
  protozero::pbf_builder<JobField> writer(bytes);
  writer.add_bytes(JobField::list, link::encode(link::ListReport{.processes = {job.entry}}));
  writer.add_uint64(JobField::start_time, job.start_time);
  writer.add_bytes(JobField::boot_id, job.boot_id);
  writer.add_uint64(JobField::duration_us, job.duration_us);
  writer.add_bool(JobField::acknowledged, job.acknowledged);
  writer.add_bool(JobField::whole, true);
  return bytes;
}

Result<Job> decode_job(std::string_view bytes) {
  std::optional<Job> last;
  Job job;
  // The library reports malformed input by an exception; to us it is data.
  try {
    protozero::pbf_reader message(bytes.data(), bytes.size());
    while (message.next()) {
      switch (static_cast<JobField>(message.tag())) {
        case JobField::list: {
          auto list = link::decode<link::ListReport>(message.get_string());
          if (!list) return last ? std::move(*last) : Result<Job>(fail(list.error()));
          if (list->processes.size() == 1) job.entry = std::move(list->processes[0]);
          break;
        }
        case JobField::start_time:
          job.start_time = message.get_uint64();
          break;
        case JobField::boot_id:
          job.boot_id = message.get_string();
          break;
        case JobField::duration_us:
          job.duration_us = message.get_uint64();
          break;
        case JobField::acknowledged:
          job.acknowledged = message.get_bool();
          break;
        case JobField::whole:
          if (message.get_bool()) last = std::exchange(job, {});
          break;
        default:
          message.skip();
      }
    }
  } catch (const protozero::exception& error) {
    if (!last) {
      return fail(ErrorKind::system, std::string("the job file is damaged: ") + error.what());
    }
  }
  if (!last || last->entry.process.empty()) return fail(ErrorKind::system, "the job file is cut");
  return std::move(*last);
}

// Written behind what is there: to put a new file in its place would have the filesystem write it
// to the disk at once, while a caller waits for the end.
Result<void> JobJournal::write(const Job& job) const {
  const std::string path = path_of(job.entry.process);
  const auto file = os::open_file(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
  if (!file) return fail(file.error());
  const off_t before = ::lseek(file->get(), 0, SEEK_END);
  const auto written = os::write_all(file->get(), encode_job(job));
  if (written) return written;
  std::ignore = ::ftruncate(file->get(), before);  // half of it would spoil what comes behind
  return fail(written.error().kind(), path + ": " + written.error().message());
}

void JobJournal::remove(const std::string& process) const { os::remove_file(path_of(process)); }

// An empty text: it is not a job. An error: unknown; it may be readable another time.
Result<std::string> JobJournal::read(const std::string& name) const {
  const std::string path = path_of(name);
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return "";
  const auto file = os::open_regular_file(path);
  if (!file) return fail(file.error());
  auto bytes = os::read_whole(file->get(), kLargestJob);
  if (!bytes && bytes.error().kind() == ErrorKind::limit) return "";
  return bytes;
}

std::vector<Job> JobJournal::load() const {
  std::vector<Job> jobs;
  for (const std::string& name : os::names_in(directory_)) {
    const auto bytes = read(name);
    if (!bytes) continue;
    auto job = decode_job(*bytes);
    if (job && job->entry.process == name) {
      jobs.push_back(std::move(*job));
      continue;
    }
    std::error_code ignored;
    std::filesystem::remove_all(path_of(name), ignored);
  }
  return jobs;
}

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
