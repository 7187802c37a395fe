#include "runner/supervisor.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include <boost/asio/post.hpp>

#include "base/version.h"
#include "os/clock.h"
#include "os/proc.h"
#include "os/signal.h"
#include "runner/limits.h"
#include "runner/list_room.h"
#include "runner/login/login_question.h"
#include "runner/start_check.h"
#include "runner/terminal_size.h"
#include "runner/warm_limit.h"

namespace talaria::runner {
Supervisor::Supervisor(asio::io_context& loop, ShellHost host, SupervisorOptions options)
    : loop_(loop),
      host_(std::move(host)),
      options_(std::move(options)),
      store_(options_.directory + "/sessions"),
      askpass_(loop, options_.directory),
      logins_(loop.get_executor(), host_, options_.directory + "/logins"),
      registry_(options_.instance),
      boot_id_(os::boot_id()),
      own_environment_(shell::parse_environment(options_.environment)),
      jobs_(options_.directory, boot_id_),
      runs_([this](const Run& run) { forgotten(run); }),
      calls_(loop, [this](const std::string& process) { end_call(process); }),
      uploads_(loop.get_executor()),
      lease_(loop),
      refill_pause_(loop),
      warm_limit_(warm_shell_limit()),
      started_(std::chrono::steady_clock::now()) {
  recall_jobs();
  check_lease();
}

Supervisor::~Supervisor() = default;

std::string Supervisor::home() const {
  const auto found = own_environment_.find("HOME");
  return found == own_environment_.end() ? "/" : found->second;
}

Session& Supervisor::session(const std::string& id) {
  auto& entry = sessions_[id];
  if (!entry) {
    SessionEvents events{.on_lost = [this] { end_orphans(); },
                         .on_idle = [this, id] { asio::post(loop_, [this, id] { retire(id); }); }};
    entry = std::make_unique<Session>(loop_.get_executor(), host_, store_, id, std::move(events));
  }
  return *entry;
}

void Supervisor::retire(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found != sessions_.end() && found->second->retire()) sessions_.erase(found);
}

std::vector<Session*> Supervisor::sessions_by_age() const {
  std::vector<Session*> sessions;
  for (const auto& [id, session] : sessions_) sessions.push_back(session.get());
  std::ranges::sort(sessions, {}, &Session::last_active);
  return sessions;
}

// Lets the session go that has been idle longest.
bool Supervisor::make_room_for_session() {
  for (Session* session : sessions_by_age()) {
    if (!session->retire()) continue;
    sessions_.erase(session->id());
    return true;
  }
  return false;
}

std::size_t Supervisor::warm_shells() const {
  std::size_t count = 0;
  for (const auto& [id, session] : sessions_) count += session->warm_shells();
  return count;
}

// Only from a session that has been quiet for a while: with many that take turns, the one that was
// used longest ago is the next to be used.
bool Supervisor::make_room_for_warm_shell() {
  if (warm_shells() < warm_limit_) return true;
  const auto quiet = std::chrono::steady_clock::now() - kWarmQuiet;
  for (Session* session : sessions_by_age()) {
    if (session->last_active() > quiet) return false;
    if (session->warm_shells() == 0) continue;
    session->drop_warm_shells();
    return true;
  }
  return false;
}

// Commands whose caller passes nothing, or only additions, get the target's own.
shell::NameMap Supervisor::caller_environment(const std::vector<std::string>& env,
                                              bool added) const {
  if (env.empty()) return own_environment_;
  shell::NameMap environment = shell::parse_environment(env);
  if (added) environment.insert(own_environment_.begin(), own_environment_.end());
  return environment;
}

// What Python prints in the background is to be seen at once.
shell::NameMap Supervisor::environment_for(const link::Start& start) const {
  shell::NameMap environment = caller_environment(start.env, start.env_added);
  if (start.lifetime != link::ProcessLifetime::foreground) {
    environment.try_emplace("PYTHONUNBUFFERED", "1");
  }
  return environment;
}

Result<Supervisor::LoginAnswer> Supervisor::login(const link::Login& request) {
  if (stopping_) return fail(ErrorKind::unavailable, "the runner ends");
  if (!request.session.empty() && !session(request.session).is_new()) return LoginAnswer();
  auto question =
      login_question(request, caller_environment(request.env, request.env_added), host_.kind);
  if (!question) return fail(question.error());
  if (auto known = logins_.known(*question)) return LoginAnswer(std::move(known));
  const auto patience = request.timeout_ms == 0 ? std::chrono::milliseconds(kLoginPatience)
                                                : std::chrono::milliseconds(request.timeout_ms);
  auto begun = logins_.begin(std::move(*question), patience);
  if (!begun) return fail(begun.error());
  if (begun->fresh) keep(begun->login->run);
  return LoginAnswer(std::move(begun->login));
}

Result<Supervisor::StartedRun> Supervisor::start(const link::LinkId& link, link::Start start) {
  if (const auto valid = check_start(start); !valid) return fail(valid.error());
  const std::string id = start.start_id;
  const auto begun = registry_.starts().begin(link, start.sequence, id, id);
  switch (begun.verdict) {
    case link::StartLedger::Verdict::known:
      return find_started(begun.process, start);
    case link::StartLedger::Verdict::expired:
      return fail(ErrorKind::not_found, "start " + id + " ran or was given up long ago");
    case link::StartLedger::Verdict::full:
      return fail(ErrorKind::limit, "too many unfinished commands on this runner");
    case link::StartLedger::Verdict::fresh:
      break;
  }
  auto unknown = unjudged(start);
  if (unknown && !*unknown) {
    auto run = start_fresh(link, std::move(start));
    if (run) return StartedRun{.run = std::move(*run)};
    unknown = fail(run.error());
  }
  registry_.starts().finished(id);
  if (!unknown) return fail(unknown.error());
  return StartedRun{.unjudged = std::move(*unknown)};
}

Result<void> Supervisor::make_room_for(const link::Start& start) {
  if (runs_.running() >= kMaxRunning) {
    return fail(ErrorKind::limit, std::to_string(kMaxRunning) + " commands run already");
  }
  if (!sessions_.contains(start.session) && sessions_.size() >= kMaxSessions &&
      !make_room_for_session()) {
    return fail(ErrorKind::limit, std::to_string(kMaxSessions) + " sessions are at work already");
  }
  const bool background = start.lifetime != link::ProcessLifetime::foreground;
  if (background || start.hand_over) runs_.set_limits(start.limits);
  return background ? runs_.make_room(start.pty.has_value()) : Result<void>();
}

Result<std::shared_ptr<Run>> Supervisor::start_fresh(const link::LinkId& link, link::Start start) {
  if (stopping_) return fail(ErrorKind::unavailable, "the runner ends");
  if (const auto room = make_room_for(start); !room) return fail(room.error());
  const std::string process = start.start_id;
  const std::string session = start.session;
  const link::ProcessLifetime lifetime = start.lifetime;
  auto run = start_in_session(std::move(start));
  if (!run) jobs_.forgotten(process);
  if (!run && (run.error().code() == EMFILE || run.error().code() == ENFILE)) {
    for (const auto& [id, other] : sessions_) other->drop_warm_shells();
    return fail(ErrorKind::unavailable, run.error().message() + "; " +
                                            std::to_string(runs_.running()) + " commands run here");
  }
  if (!run) return run;
  keep(*run);
  if (lifetime == link::ProcessLifetime::call) calls_.add(link, process);
  // Nobody waits for its end, which is when a session gets its warm shells back. Until its caller
  // has had the answer, the command itself is enough for the processors to do.
  if (lifetime != link::ProcessLifetime::foreground) refill_soon(session, kRefillPause);
  return run;
}

void Supervisor::keep(std::shared_ptr<Run> run) {
  run->set_keeper(*this);
  run->on_gone([this](Run& gone) { run_gone(gone); });
  runs_.insert(std::move(run));
  lease_.cancel();
}

void Supervisor::run_gone(Run& run) {
  const std::string process = run.spec().process;
  unwatched_.erase(process);
  if (run.spec().lifetime == link::ProcessLifetime::call) calls_.remove(process);
  registry_.starts().finished(process);
  runs_.gone(run);
  if (run.lost()) end_orphans();
  check_lease();
}

void Supervisor::end_call(const std::string& process) {
  if (const auto run = runs_.find(process)) {
    run->kill(link::Ended::killed, run->spec().grace, kSourceLifetime);
  }
}

Result<void> Supervisor::run_lets_go(const RunSpec& spec, pid_t pid, const std::string& cwd) {
  return spec.background() ? jobs_.begins(spec, pid, cwd) : Result<void>();
}

Result<void> Supervisor::run_may_go_on(const RunSpec& spec) { return runs_.make_room(spec.pty); }

void Supervisor::run_handed_over(Run& run) {
  unwatched_.erase(run.spec().process);
  runs_.handed_over(run);
  jobs_.handed_over(run);
}

void Supervisor::run_printed(Run& run, std::string_view bytes) {
  if (run.background()) jobs_.printed(run, bytes);
}

void Supervisor::run_finished(Run& run) {
  runs_.finished(run);
  if (run.background()) jobs_.ended(run);
}

void Supervisor::forgotten(const Run& run) { jobs_.forgotten(run.spec().process); }

void Supervisor::acknowledge(std::uint64_t up_to) {
  for (const std::string& process : jobs_.events().acknowledge(up_to)) {
    if (const auto run = runs_.find(process)) jobs_.acknowledged(*run);
  }
}

// What earlier runners in this directory left.
void Supervisor::recall_jobs() {
  for (const Job& job : jobs_.recall()) {
    auto run = Run::remembered(
        loop_.get_executor(), host_, job.entry, std::chrono::microseconds(job.duration_us),
        OutputLog::reopen(options_.directory + "/spill/" + job.entry.process));
    const std::uint64_t now = os::milliseconds_since_1970();
    runs_.insert_ended(std::move(run),
                       std::chrono::milliseconds(now - std::min(now, job.entry.ended_ms)));
  }
}

Result<std::shared_ptr<Run>> Supervisor::find(const std::string& process) {
  if (auto run = runs_.find(process)) return run;
  return fail(ErrorKind::not_found,
              "no process " + process +
                  " on this runner (those that ended are kept for a while, if not too many)");
}

// From memory alone, and never more than a message can carry.
link::ListReport Supervisor::list(const link::List& wanted) {
  link::ListReport report;
  ListRoom room;
  std::size_t looks = kInputLooks;
  const auto add = [&](const Run& run) {
    if (wanted.background && (!run.background() || run.start_failure())) return;
    link::ProcessEntry& entry = report.processes.emplace_back(room.entry(run, wanted.tail_limit));
    if (looks == 0 || !run.may_wait_for_input()) return;
    --looks;
    entry.waiting_for_input = run.waits_for_input();
  };
  if (wanted.process.empty()) {
    for (const auto& [process, run] : runs_.all()) add(*run);
  } else if (const auto run = runs_.find(wanted.process)) {
    add(*run);
  }
  return report;
}

link::StatusReport Supervisor::status() const {
  link::StatusReport report{.instance = options_.instance,
                            .pid = static_cast<std::uint64_t>(::getpid()),
                            .version = std::string(kVersion),
                            .links = static_cast<std::uint32_t>(registry_.live_links()),
                            .processes = static_cast<std::uint32_t>(runs_.running()),
                            .sessions = static_cast<std::uint32_t>(sessions_.size())};
  report.uptime_ms =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                     std::chrono::steady_clock::now() - started_)
                                     .count());
  report.warm_shells = static_cast<std::uint32_t>(warm_shells());
  return report;
}

link::RunnerHello Supervisor::hello() const {
  return {.instance = options_.instance,
          .software = std::string(kVersion),
          .pid = static_cast<std::uint64_t>(::getpid()),
          .boot_id = boot_id_};
}

void Supervisor::watch_changed(Run& run) {
  const std::string& process = run.spec().process;
  if (run.watched() || run.finished() || run.background()) {
    unwatched_.erase(process);
    return;
  }
  auto& timer = unwatched_[process];
  if (timer) return;
  timer = std::make_unique<asio::steady_timer>(loop_, kForegroundWithoutLink);
  timer->async_wait([this, process](boost::system::error_code error) {
    if (error) return;
    const auto found = find(process);
    if (!found || (*found)->watched()) return;  // somebody came back while this was on its way
    (*found)->kill(link::Ended::killed, (*found)->spec().grace, kSourceLifetime);
  });
}

void Supervisor::link_connected(const link::LinkId& link) {
  calls_.connected(link);
  check_lease();
}

void Supervisor::link_disconnected(const link::LinkId& link) {
  if (!registry_.live_connection(link)) calls_.disconnected(link);
  check_lease();
}

void Supervisor::check_lease() {
  if (options_.lifetime.count() == 0 || stopping_) return;
  if (registry_.live_links() > 0 || runs_.running() > 0) {
    lease_.cancel();
    return;
  }
  lease_.expires_after(options_.lifetime);
  lease_.async_wait([this](boost::system::error_code error) {
    if (!error) (void)stop(false);
  });
}

Result<void> Supervisor::stop(bool kill) {
  if (const std::size_t running = runs_.running(); running > 0 && !kill) {
    const std::string who = running == 1
                                ? "1 command is running or has"
                                : std::to_string(running) + " commands are running or have";
    return fail(ErrorKind::denied, who + " left processes; end them or ask with kill");
  }
  stopping_ = true;
  // The reapers end what they watch over as soon as our ends of their channels close.
  asio::post(loop_, [this] { loop_.stop(); });
  return {};
}

void Supervisor::shut_down() {
  stopping_ = true;
  lease_.cancel();
  askpass_.close();
  unwatched_.clear();
  calls_.clear();
  uploads_.drop_all();
  to_refill_.clear();
  refill_pause_.cancel();
  for (const auto& [process, run] : runs_.all()) {
    if (run->background() && !run->start_failure()) jobs_.leave(*run);
    run->abandon();
  }
  for (const auto& [id, session] : sessions_) session->abandon();
}

void Supervisor::refill_soon(const std::string& session, std::chrono::milliseconds pause) {
  if (std::ranges::find(to_refill_, session) != to_refill_.end()) return;
  to_refill_.push_back(session);
  if (to_refill_.size() > 1) return;
  if (pause.count() == 0) return refill_now();
  refill_pause_.expires_after(pause);
  refill_pause_.async_wait([this](boost::system::error_code error) {
    if (!error) refill_now();
  });
}

void Supervisor::refill_now() {
  if (to_refill_.empty() || std::exchange(refilling_, true)) return;
  refill_pause_.cancel();
  asio::post(loop_, [this] { refill_next(); });
}

// One shell per turn of the loop, so that a request never waits for more than one.
void Supervisor::refill_next() {
  refilling_ = false;
  if (to_refill_.empty()) return;
  const std::string session = std::move(to_refill_.front());
  to_refill_.pop_front();
  const auto found = sessions_.find(session);
  if (found != sessions_.end() && make_room_for_warm_shell() && found->second->refill_one()) {
    to_refill_.push_back(session);
  }
  refill_now();
}

// We are a subreaper: when somebody kills a reaper, its command falls to us, and ends here. So do
// the reapers of a nursery that was killed, which are left alone: they are of our own program.
void Supervisor::end_orphans() {
  const pid_t self = ::getpid();
  std::set<pid_t> ended;
  for (bool fresh = true; fresh;) {  // again, in case one forked while we looked
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

}  // namespace talaria::runner
