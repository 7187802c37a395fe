#include "runner/runner_parts.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/version.h"
#include "base/wall_time.h"
#include "os/proc.h"
#include "os/signal.h"

namespace talaria::runner {
namespace {

// The runner is a subreaper: when a reaper is killed, the processes below it become children of the
// runner. Ends them. The reapers of a nursery that was killed are our children, too; they run our
// own program and are left alone.
void end_orphans() {
  const pid_t self = ::getpid();
  std::set<pid_t> ended;
  for (bool fresh = true; fresh;) {  // again, in case one forked meanwhile
    fresh = false;
    for (const pid_t child : os::descendants(self)) {
      const auto stat = os::read_process_stat(child);
      if (!stat || stat->parent != self || os::runs_our_program(child)) continue;
      if (!ended.insert(child).second) continue;
      os::signal_descendant(self, child, SIGSTOP);
      os::kill_tree(self, child);
      os::signal_descendant(self, child, SIGKILL);
      fresh = true;
    }
  }
}

ShellHost on_loop(asio::io_context& loop, ShellHost host) {
  host.on_lost_reaper = end_orphans;
  host.preludes->check_on(loop.get_executor());
  return host;
}

}  // namespace

RunnerParts::RunnerParts(asio::io_context& loop, ShellHost host, SupervisorOptions options)
    : loop_(loop),
      host_(on_loop(loop, std::move(host))),
      options_(std::move(options)),
      boot_id_(os::boot_id()),
      jobs_(options_.directory, boot_id_),
      runs_(*this),
      links_(loop, options_.instance, runs_, [this] { check_lease(); }),
      sessions_(loop, host_, options_.directory + "/sessions", runs_),
      starts_(loop, host_, options_.directory, shell::parse_environment(options_.environment),
              {.sessions = sessions_,
               .runs = runs_,
               .jobs = jobs_,
               .links = links_,
               .observers = {&links_, &runs_, &jobs_, &spill_, this}}),
      uploads_(loop.get_executor()),
      spill_(loop, spill_directory(), runs_, jobs_.journal()),
      lease_(loop) {
  recall_jobs();
  check_lease();
}

RunnerParts::~RunnerParts() = default;

// What earlier runners in this directory left.
void RunnerParts::recall_jobs() {
  for (const Job& job : jobs_.recall()) {
    const std::uint64_t now = milliseconds_since_1970();
    runs_.insert_ended(remember(job),
                       std::chrono::milliseconds(now - std::min(now, job.entry.ended_ms)));
  }
  spill_.look();
}

std::shared_ptr<Run> RunnerParts::remember(const Job& job) {
  auto log = OutputLog::reopen(spill_directory() + "/" + job.entry.process);
  const bool removed = log->total() < job.entry.total;
  auto run = Run::remembered(loop_.get_executor(), host_, job.entry,
                             std::chrono::microseconds(job.duration_us), std::move(log));
  if (removed) run->record().add_notice("its output was removed from disk to make room");
  if (job.damaged) {
    run->record().add_notice("the record of this process in " + options_.directory +
                             "/jobs is damaged: how it ended may be unknown");
  }
  return run;
}

std::shared_ptr<Run> RunnerParts::recall(const std::string& process) {
  const auto job = jobs_.recall_archived(process);
  return job ? remember(*job) : nullptr;
}

link::StatusReport RunnerParts::status() const {
  const auto uptime = std::chrono::steady_clock::now() - started_;
  return {.instance = options_.instance,
          .pid = static_cast<std::uint64_t>(::getpid()),
          .version = std::string(kVersion),
          .uptime_ms = static_cast<std::uint64_t>(
              std::chrono::duration_cast<std::chrono::milliseconds>(uptime).count()),
          .links = static_cast<std::uint32_t>(links_.live()),
          .processes = static_cast<std::uint32_t>(runs_.running()),
          .sessions = static_cast<std::uint32_t>(sessions_.size()),
          .warm_shells = static_cast<std::uint32_t>(sessions_.warm_shells())};
}

link::RunnerHello RunnerParts::hello() const {
  return {.instance = options_.instance,
          .software = std::string(kVersion),
          .pid = static_cast<std::uint64_t>(::getpid()),
          .boot_id = boot_id_};
}

void RunnerParts::check_lease() {
  if (options_.lifetime.count() == 0 || stopping_) return;
  if (links_.live() > 0 || runs_.running() > 0) {
    lease_.cancel();
    return;
  }
  lease_.expires_after(options_.lifetime);
  lease_.async_wait([this](boost::system::error_code error) {
    if (!error) (void)stop(false);
  });
}

Result<void> RunnerParts::stop(bool kill) {
  if (const std::size_t running = runs_.running(); running > 0 && !kill) {
    const std::string who =
        running == 1 ? "1 command, or a process that it started, is"
                     : std::to_string(running) + " commands, or processes that they started, are";
    return fail(ErrorKind::denied, who + " still running; end them or ask with kill");
  }
  stopping_ = true;
  starts_.close();
  // The reapers end what they watch over as soon as our ends of their channels close.
  asio::post(loop_, [this] { loop_.stop(); });
  return {};
}

void RunnerParts::shut_down() {
  stopping_ = true;
  lease_.cancel();
  spill_.close();
  starts_.close();
  links_.shut_down();
  uploads_.drop_all();
  for (const auto& [process, run] : runs_.all()) {
    if (run->spec().background() && !run->start_failure()) jobs_.leave(*run);
    run->abandon();
  }
  sessions_.shut_down();
}

}  // namespace talaria::runner
