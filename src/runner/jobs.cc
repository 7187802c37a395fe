#include "runner/jobs.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/wall_time.h"
#include "os/proc.h"
#include "runner/job_journal.h"
#include "runner/limits.h"
#include "runner/output_log.h"
#include "runner/run_report.h"

namespace talaria::runner {
namespace {

link::RunnerEvent event_of(link::RunnerEvent::Kind kind, const link::ProcessEntry& entry) {
  return {.kind = kind,
          .process = entry.process,
          .session = entry.session,
          .owner = entry.owner,
          .command = entry.command,
          .time_ms = milliseconds_since_1970()};
}

link::RunnerEvent exit_event(link::ProcessEntry entry) {
  link::RunnerEvent event = event_of(link::RunnerEvent::Kind::exit, entry);
  event.time_ms = entry.ended_ms;
  event.announced = entry.notify;
  event.ended = entry.ended;
  event.code = entry.code;
  event.signal = entry.signal;
  event.source = std::move(entry.source);
  event.output = std::move(entry.tail);
  return event;
}

std::uint64_t start_time_of(pid_t pid) {
  const auto stat = os::read_process_stat(pid);
  return stat ? stat->start_time : 0;
}

std::string watch_ended_message(const std::string& process) {
  return "The watch patterns of background process " + process +
         " matched too often and are off; notify_on_complete is on instead: its end will be "
         "announced.";
}

}  // namespace

Jobs::Jobs(const std::string& directory, std::string boot_id, Clock clock)
    : spill_directory_(directory + "/spill"),
      boot_id_(std::move(boot_id)),
      clock_(std::move(clock)),
      journal_(directory + "/jobs") {}

Result<void> Jobs::write(link::ProcessEntry entry, std::chrono::microseconds duration) {
  Record& record = records_[entry.process];
  entry.tail.clear();
  auto written = journal_.write({.entry = std::move(entry),
                                 .start_time = record.start_time,
                                 .boot_id = boot_id_,
                                 .duration_us = static_cast<std::uint64_t>(duration.count()),
                                 .acknowledged = record.acknowledged});
  record.on_disk = written.has_value();
  return written;
}

void Jobs::watch(const RunSpec& spec) {
  if (!spec.watch.empty()) watches_.try_emplace(spec.process, spec.watch);
}

Result<void> Jobs::before_start(const RunSpec& spec, pid_t pid, const std::string& cwd) {
  if (!spec.background()) return {};
  records_[spec.process].start_time = start_time_of(pid);
  watch(spec);
  link::ProcessEntry entry{.process = spec.process,
                           .start_id = spec.process,
                           .session = spec.session,
                           .command = spec.shown().substr(0, kStoredCommand),
                           .pid = static_cast<std::uint64_t>(pid),
                           .running = true,
                           .lifetime = spec.lifetime,
                           .pty = spec.pty,
                           .cwd = cwd,
                           .started_ms = spec.started_ms,
                           .notify = spec.notify,
                           .owner = spec.owner,
                           .max_age_ms = static_cast<std::uint64_t>(spec.max_age.count()),
                           .watch = spec.watch};
  if (spec.pty) entry.sizes = {{.size = spec.first_size}};
  const auto written = write(std::move(entry), {});
  if (written) return written;
  return fail(Error(ErrorKind::system,
                    "it cannot be recorded for the next runner (" + written.error().message() +
                        "); make room there or make the directory writable, then start it again",
                    written.error().code()));
}

// For a process that has started: if its file cannot be written, the process keeps running, its
// report has a notice, and only the next runner will not know of it.
void Jobs::write_or_add_notice(Run& run, link::ProcessEntry entry) {
  const auto written = write(std::move(entry), run.record().duration);
  if (!written) {
    run.record().add_notice("if the runner dies, what became of this process is lost: " +
                            written.error().message());
  }
}

void Jobs::run_handed_over(Run& run) {
  const RunSpec& spec = run.spec();
  records_[spec.process].start_time = start_time_of(run.pid());
  watch(spec);
  write_or_add_notice(run, process_entry(run, 0));
}

void Jobs::run_finished(Run& run) {
  if (!run.spec().background()) return;
  const std::string process = run.spec().process;
  watches_.erase(process);
  if (run.start_failure()) return forget(process);
  link::ProcessEntry entry = process_entry(run, kEventOutput);
  write_or_add_notice(run, entry);
  events_.add(exit_event(std::move(entry)));
}

void Jobs::forget(const std::string& process) {
  if (records_.erase(process) > 0) journal_.remove(process);
  watches_.erase(process);
}

void Jobs::archive(Run& run) {
  const std::string process = run.spec().process;
  leave(run);
  journal_.archive(process);
  records_.erase(process);
}

std::optional<Job> Jobs::recall_archived(const std::string& process) {
  auto job = journal_.find_archived(process);
  if (job) records_[process] = {.acknowledged = true, .on_disk = true};
  return job;
}

void Jobs::leave(Run& run) {
  run.output().leave_file();
  if (run.finished() && records_[run.spec().process].on_disk) return;
  link::ProcessEntry entry = process_entry(run, 0);
  if (!run.finished()) {
    entry.running = false;
    entry.ended = link::Ended::killed;
    entry.signal = SIGKILL;
    entry.ended_ms = milliseconds_since_1970();
    entry.source = kSourceStop;
  }
  (void)write(std::move(entry), run.record().duration);
}

void Jobs::acknowledged(const Run& run) {
  const auto record = records_.find(run.spec().process);
  if (record == records_.end() || std::exchange(record->second.acknowledged, true)) return;
  (void)write(process_entry(run, 0), run.record().duration);
}

void Jobs::output_grew(Run& run, std::string_view bytes) {
  const RunSpec& spec = run.spec();
  if (bytes.empty() || spec.watch.empty() || !spec.background() || run.finished()) return;
  const auto found = watches_.find(run.spec().process);
  if (found == watches_.end()) return;
  const auto now = clock_();
  auto verdict = found->second.scan(bytes, now);
  if (auto* hit = std::get_if<WatchHit>(&verdict)) add_hit(run, std::move(*hit), now);
  if (const auto* ended = std::get_if<WatchEnded>(&verdict)) {
    watches_.erase(found);
    run.record().spec.notify = true;
    link::ProcessEntry entry = process_entry(run, 0);
    link::RunnerEvent event = event_of(link::RunnerEvent::Kind::watch_disabled, entry);
    event.suppressed = ended->suppressed;
    event.message = watch_ended_message(entry.process);
    (void)write(std::move(entry), {});  // its end is written once more
    events_.add(std::move(event));
  }
}

void Jobs::add_hit(const Run& run, WatchHit hit, WatchBreaker::TimePoint now) {
  const auto verdict = breaker_.hit(now);
  if (verdict.released && *verdict.released > 0) {
    add_general_event(link::RunnerEvent::Kind::watch_unmuted, *verdict.released,
                      "Matches of watch patterns are reported again; " +
                          std::to_string(*verdict.released) + " were not reported meanwhile.");
  }
  if (verdict.muted) {
    add_general_event(
        link::RunnerEvent::Kind::watch_muted, 0,
        "The watch patterns of all processes together matched more than " +
            std::to_string(kWatchBurst) + " times in " + std::to_string(kWatchBurstWindow.count()) +
            " s: no match is reported for " + std::to_string(kWatchMute.count()) + " s.");
  }
  if (!verdict.admitted) return;
  link::RunnerEvent event = event_of(link::RunnerEvent::Kind::watch_match, process_entry(run, 0));
  event.pattern = std::move(hit.pattern);
  event.output = std::move(hit.output);
  event.suppressed = hit.suppressed;
  events_.add(std::move(event));
}

void Jobs::add_general_event(link::RunnerEvent::Kind kind, std::uint64_t suppressed,
                             std::string message) {
  events_.add({.kind = kind,
               .time_ms = milliseconds_since_1970(),
               .suppressed = suppressed,
               .message = std::move(message)});
}

std::vector<Job> Jobs::recall() {
  std::vector<Job> jobs = journal_.load();
  std::ranges::sort(jobs, {}, [](const Job& job) { return job.entry.started_ms; });
  end_lost_jobs(jobs, boot_id_);
  for (Job& job : jobs) {
    records_[job.entry.process] = {
        .start_time = job.start_time, .acknowledged = job.acknowledged, .on_disk = true};
    if (job.entry.running) {
      job.entry.running = false;
      job.entry.ended = link::Ended::lost;
      job.entry.signal = SIGKILL;
      job.entry.ended_ms = milliseconds_since_1970();
      job.boot_id = boot_id_;
      // The next runner will find it lost as well.
      (void)write(job.entry, std::chrono::microseconds(job.duration_us));
    }
    if (job.acknowledged) continue;
    const auto log = OutputLog::reopen(spill_directory_ + "/" + job.entry.process);
    log->leave_file();
    link::ProcessEntry entry = job.entry;
    entry.tail = log->tail(kEventOutput, 0).bytes;
    events_.add(exit_event(std::move(entry)));
  }
  return jobs;
}

}  // namespace talaria::runner
