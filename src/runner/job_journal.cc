#include "runner/job_journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/hash.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/file_facts.h"
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
  checksum = 14,  // of what is before it
  whole = 15,     // the last one: without it, it was cut
};

constexpr std::string_view kDamaged = ".damaged";

}  // namespace

bool is_plain_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 && id.front() != '.' &&
         id.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
             std::string_view::npos;
}

std::string encode_job(const Job& job) {
  std::string bytes;
  protozero::pbf_builder<JobField> writer(bytes);
  writer.add_bytes(JobField::list, link::encode(link::ListReport{.processes = {job.entry}}));
  writer.add_uint64(JobField::start_time, job.start_time);
  writer.add_bytes(JobField::boot_id, job.boot_id);
  writer.add_uint64(JobField::duration_us, job.duration_us);
  writer.add_bool(JobField::acknowledged, job.acknowledged);
  writer.add_fixed64(JobField::checksum, hash_text(bytes));
  writer.add_bool(JobField::whole, true);
  return bytes;
}

namespace {

// Reads one record after the other.
class JobReader {
 public:
  explicit JobReader(std::string_view bytes)
      : message_(bytes.data(), bytes.size()), begin_(bytes.data()) {}

  // The last whole record. An error if there is none.
  Result<Job> read() {
    // The library reports malformed input by an exception; to us it is data.
    try {
      while (next()) {
      }
    } catch (const protozero::exception& error) {
      damage_ = error.what();
    }
    if (!last_ || last_->entry.process.empty()) {
      return fail(ErrorKind::system,
                  "the job file is damaged: " + (damage_.empty() ? "it is cut" : damage_));
    }
    last_->damaged = !damage_.empty() || message_.data().data() != begin_;
    return std::move(*last_);
  }

 private:
  static protozero::pbf_wire_type wire_type_of(JobField field) {
    switch (field) {
      case JobField::list:
      case JobField::boot_id:
        return protozero::pbf_wire_type::length_delimited;
      case JobField::checksum:
        return protozero::pbf_wire_type::fixed64;
      default:
        return protozero::pbf_wire_type::varint;
    }
  }

  bool next() {
    const char* const at = message_.data().data();
    if (!message_.next()) return false;
    const auto field = static_cast<JobField>(message_.tag());
    if (message_.wire_type() != wire_type_of(field)) {  // of another version, or damaged
      message_.skip();
      return true;
    }
    switch (field) {
      case JobField::list:
        return take(link::decode<link::ListReport>(message_.get_string()));
      case JobField::start_time:
        job_.start_time = message_.get_uint64();
        return true;
      case JobField::boot_id:
        job_.boot_id = message_.get_string();
        return true;
      case JobField::duration_us:
        job_.duration_us = message_.get_uint64();
        return true;
      case JobField::acknowledged:
        job_.acknowledged = message_.get_uint64() != 0;
        return true;
      case JobField::checksum:
        intact_ = message_.get_fixed64() == hash_text({begin_, at});
        return true;
      case JobField::whole:
        if (message_.get_uint64() != 0) end_record();
        return true;
    }
    message_.skip();
    return true;
  }

  bool take(Result<link::ListReport> list) {
    if (!list) {
      damage_ = list.error().message();
      return false;
    }
    if (list->processes.size() == 1) job_.entry = std::move(list->processes[0]);
    return true;
  }

  // A record of an earlier version has no checksum.
  void end_record() {
    Job job = std::exchange(job_, {});
    begin_ = message_.data().data();
    damage_ = intact_ ? "" : "its checksum is wrong";
    if (std::exchange(intact_, true)) last_ = std::move(job);
  }

  protozero::pbf_reader message_;
  const char* begin_;  // of the record
  Job job_;
  bool intact_ = true;
  std::optional<Job> last_;
  std::string damage_;
};

// An empty text: it is not a job. An error: unknown; it may be readable another time.
Result<std::string> read_job_file(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return "";
  const auto file = os::open_regular_file(path);
  if (!file) return fail(file.error());
  auto bytes = os::read_whole(file->get(), kLargestJob);
  if (!bytes && bytes.error().kind() == ErrorKind::limit) return "";
  return bytes;
}

}  // namespace

Result<Job> decode_job(std::string_view bytes) { return JobReader(bytes).read(); }

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

void JobJournal::remove(const std::string& process) const {
  os::remove_file(path_of(process));
  os::remove_file(archived_path(process));
}

std::vector<Job> JobJournal::load() const {
  std::vector<Job> jobs;
  for (const std::string& name : os::names_in(directory_)) {
    if (path_of(name) == archive_directory()) continue;
    const auto bytes = read_job_file(path_of(name));
    if (!bytes) continue;
    auto job = decode_job(*bytes);
    if (job && job->entry.process == name) {
      jobs.push_back(std::move(*job));
      continue;
    }
    std::error_code ignored;
    if (!bytes->empty() && is_plain_id(name) &&
        os::make_private_directory(archive_directory(), 1)) {
      std::filesystem::rename(path_of(name), archived_path(name + std::string(kDamaged)), ignored);
    }
    std::filesystem::remove_all(path_of(name), ignored);
  }
  return jobs;
}

void JobJournal::archive(const std::string& process) const {
  if (!os::make_private_directory(archive_directory(), 1)) return;
  std::error_code ignored;
  std::filesystem::rename(path_of(process), archived_path(process), ignored);
}

std::optional<Job> JobJournal::find_archived(const std::string& process) const {
  if (!is_plain_id(process)) return std::nullopt;
  if (const auto bytes = read_job_file(archived_path(process))) {
    auto job = decode_job(*bytes);
    if (job && job->entry.process == process) return std::move(*job);
  } else if (!os::file_facts(archived_path(process + std::string(kDamaged)))) {
    return std::nullopt;
  }
  return Job{.entry = {.process = process,
                       .start_id = process,
                       .ended = link::Ended::lost,
                       .signal = SIGKILL,
                       .lifetime = link::ProcessLifetime::session},
             .damaged = true};
}

void JobJournal::remove_archived_in(const std::string& session) const {
  for (const std::string& name : os::names_in(archive_directory())) {
    const auto job = find_archived(name);
    if (job && job->entry.session == session) os::remove_file(archived_path(name));
  }
}

void JobJournal::trim_archive() const {
  std::vector<std::pair<std::int64_t, std::string>> by_age;
  for (std::string& name : os::names_in(archive_directory())) {
    if (const auto facts = os::file_facts(archived_path(name))) {
      by_age.emplace_back(facts->mtime_ns, std::move(name));
    }
  }
  std::ranges::sort(by_age);
  const auto oldest = std::chrono::system_clock::now() - kEndAge;
  const std::int64_t oldest_ns = std::chrono::nanoseconds(oldest.time_since_epoch()).count();
  std::size_t left = by_age.size();
  for (const auto& [written, name] : by_age) {
    if (written >= oldest_ns && left <= kMaxArchived) return;
    os::remove_file(archived_path(name));
    --left;
  }
}

bool JobJournal::has(const std::string& process) const {
  return os::file_facts(path_of(process)) || os::file_facts(archived_path(process));
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
