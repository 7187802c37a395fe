#include "runner/run.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/wall_time.h"
#include "link/limits.h"
#include "os/blocked_read.h"
#include "os/proc.h"
#include "os/signal.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

// The state a command started with is compared with what the shell leaves, if it leaves any.
shell::ShellState needed_part(shell::ShellState from, const RunSpec& spec) {
  return spec.keep_state ? std::move(from) : shell::ShellState{.cwd = std::move(from.cwd)};
}

}  // namespace

Run::Command::Command(Run& run, CommandStart& start, Stage first)
    : RunRecord{.spec = std::move(start.spec), .started_in = start.from.cwd, .cwd = start.from.cwd},
      output(run.executor_,
             {.output = std::move(run.shell_.output),
              .errors = std::move(run.shell_.errors),
              .terminal = run.shell_.terminal.has_value()},
             std::move(start.log), run),
      timeout(run.executor_),
      max_age(run.executor_),
      report(run.executor_),
      stage(std::move(first)) {}

Run::Run(const asio::any_io_executor& executor, const ShellHost& host, Shell shell)
    : executor_(executor),
      host_(host),
      shell_(std::move(shell)),
      tree_(executor, host, shell_, *this),
      input_(executor),
      state_(Warm{.exited = false}) {
  if (shell_.terminal) terminal_.emplace(*shell_.terminal);
}

Result<std::shared_ptr<Run>> Run::launch(const asio::any_io_executor& executor,
                                         const ShellHost& host,
                                         std::shared_ptr<const PreparedState> start,
                                         const LaunchOptions& options) {
  auto shell = launch_shell(host, std::move(start), options);
  if (!shell) return fail(shell.error());
  std::shared_ptr<Run> run(new Run(executor, host, std::move(*shell)));
  const auto kind = run->terminal_ ? InputQueue::Kind::terminal : InputQueue::Kind::pipe;
  run->input_.open(std::move(run->shell_.stdin_writer), kind, run,
                   [self = run.get()] { self->notify(&RunObserver::run_changed); });
  run->tree_.belong_to(run);
  if (options.command) run->tree_.follow();
  return run;
}

bool Run::waits() {
  tree_.look();
  const auto* waits = std::get_if<Warm>(&state_);
  return waits != nullptr && !waits->exited && !tree_.empty();
}

bool Run::get_ready() {
  if (!waits()) return false;
  open_room(shell_);
  return true;
}

bool Run::can_take(const shell::ShellState& to, std::string_view command) {
  return waits() && shell_.warm && talaria::runner::can_take(shell_, to, command);
}

// Warm -> Starting or Running.
Result<void> Run::dispatch(CommandStart& start) {
  const bool has_shell = shell_.pid >= 0;
  const auto begun = std::chrono::steady_clock::now();  // a shell that waits runs it at once
  if (auto opened = shell_.open_errors(start.spec.errors_apart); !opened) return opened;
  if (has_shell) {
    const auto given = give_command(start.spec, start.from, start.observers);
    if (!given) return given;
  }
  observers_.insert(observers_.end(), start.observers.begin(), start.observers.end());
  Command& command = state_.emplace<Command>(*this, start, Starting{});
  tree_.follow();
  command.oom_kills = host_.oom_kills->count();
  command.started = begun;
  Starting starting{.from = std::move(start.from)};
  if (has_shell) {
    start_runs(std::move(starting));
  } else {
    command.stage = std::move(starting);
  }
  start_timeout();
  start_max_age();
  command.output.start(shared_from_this());
  return {};
}

Result<void> Run::give_command(const RunSpec& spec, const shell::ShellState& from,
                               std::span<RunObserver* const> observers) {
  if (spec.sudo) spec.sudo->runs_below(shell_.reaper);
  if (spec.script) spec.script->serve_below(shell_.reaper);
  for (RunObserver* observer : observers) {
    if (auto allowed = observer->before_start(spec, shell_.pid, from.cwd); !allowed) return allowed;
  }
  const auto given = talaria::runner::dispatch(host_, shell_, from, spec.command, spec.keep_state,
                                               spec.directory());
  return given ? given : fail(ErrorKind::unavailable, given.error().message());
}

// Starting -> Running.
void Run::start_runs(Starting starting) {
  Command& command = this->command();
  shorten_command();
  command.stage = Running{.from = needed_part(std::move(starting.from), command.spec),
                          .kill = std::move(starting.kill)};
}

void Run::shell_started() {
  Starting* starting = stage<Starting>();
  if (starting == nullptr) return;
  const auto given = give_command(spec(), starting->from, observers_);
  if (given) {
    start_runs(std::move(*starting));
    return notify(&RunObserver::run_changed);
  }
  starting->failure =
      Error(given.error().kind(), "the command was not started: " + given.error().message());
  starting->from = {};
  shorten_command();
  kill(link::Ended::lost, std::chrono::milliseconds(0));
}

void Run::shell_failed(int code) {
  if (Starting* starting = stage<Starting>()) {
    starting->failure = Error(ErrorKind::unavailable,
                              "the command was not started: " + host_.shell_path +
                                  (terminal_ ? " on a terminal: " : ": ") + std::strerror(code));
  }
  shell_ended({Exited{127}}, 0);
}

void Run::shorten_command() {
  RunSpec& spec = command().spec;
  if (!spec.shown_command.empty()) spec.command = std::move(spec.shown_command);
  const std::size_t most = spec.background() || spec.hand_over ? kStoredCommand : kShownCommand;
  if (spec.command.size() <= most) return;
  spec.command.resize(most);
  spec.command.shrink_to_fit();
}

void Run::start_timeout() {
  if (spec().timeout.count() == 0) return;
  command().timeout.expires_after(spec().timeout);
  command().timeout.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self && !error && !self->exit()) self->time_is_up();
  });
}

void Run::start_max_age() {
  Command& command = this->command();
  if (command.spec.max_age.count() == 0) return;
  if (command.spec.hand_over && !spec().background()) return;  // until then its timeout bounds it
  command.max_age.expires_at(command.started + command.spec.max_age);
  command.max_age.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self && !error) self->kill(link::Ended::killed, self->spec().grace, kSourceMaxAge);
  });
}

// The output is closed, so the shell has most likely exited.
void Run::expect_report() {
  if (stage<Running>() == nullptr) return;
  command().report.expires_after(kReportPatience);
  command().report.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self && !error) self->take_unreported_exit();
  });
}

// True if the shell has exited and its reaper, which was stopped, has not reported how.
bool Run::take_unreported_exit() {
  if (stage<Running>() == nullptr) return false;
  const auto exited = find_exited(shell_.pid, shell_.reaper);
  if (!exited) return false;
  os::continue_process(host_.nursery->pid());
  os::continue_process(shell_.reaper);
  command().add_notice("the process that watches over the command did not report its end");
  exited->wait_status ? shell_exited(*exited->wait_status, exited->program, 0) : lose_shell();
  return true;
}

void Run::time_is_up() {
  if (take_unreported_exit()) return;
  const Running* running = stage<Running>();
  if (running != nullptr && !running->kill && spec().hand_over) {
    const auto allowed = may_hand_over();
    if (allowed) return hand_over();
    command().add_notice(
        "it was ended at its timeout, since it could not continue in the background: " +
        allowed.error().message());
  }
  kill(link::Ended::timed_out, spec().grace);
}

Result<void> Run::may_hand_over() const {
  const auto max_age = spec().max_age;
  if (max_age.count() > 0 && std::chrono::steady_clock::now() - record().started >= max_age) {
    return fail(ErrorKind::limit, "it is as old as a process may be (" +
                                      std::to_string(max_age.count()) +
                                      " ms): give it a longer timeout, or raise its max_age or "
                                      "terminal.process_max_age_seconds");
  }
  for (RunObserver* observer : observers_) {
    if (auto allowed = observer->before_hand_over(spec()); !allowed) return allowed;
  }
  return {};
}

// The caller waits no longer, and the session continues without it.
void Run::hand_over() {
  Command& command = this->command();
  if (command.spec.sudo) command.spec.sudo->end();
  command.handed_over_at = output().total();
  command.spec.lifetime = link::ProcessLifetime::session;
  command.spec.keep_state = false;
  auto& running = std::get<Running>(command.stage);
  running.from = needed_part(std::move(running.from), command.spec);
  start_max_age();
  measure_duration();
  command.output.log().keep_newest();
  command.reader_cursor.reset();
  notify(&RunObserver::run_handed_over);
  reader_moved();
}

void Run::measure_duration() {
  command().duration = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - command().started);
}

std::optional<Run::Kill>* Run::kill_slot() {
  if (Starting* starting = stage<Starting>()) return &starting->kill;
  Running* running = stage<Running>();
  return running == nullptr ? nullptr : &running->kill;
}

void Run::kill(link::Ended why, std::chrono::milliseconds grace, std::string source) {
  if (!warm()) command().reader_cursor.reset();
  reader_moved();
  if (tree_.empty()) return;
  // Before the first signal: its consequences are ours.
  if (auto* first = kill_slot(); first != nullptr && !*first && !take_unreported_exit()) {
    *first = Kill{why, std::move(source)};
  }
  tree_.kill(grace);
}

void Run::kill_ended() {
  finish_if_drained();
  notify(&RunObserver::run_changed);
}

void Run::reaper_did_not_answer() {
  if (warm()) return;
  command().add_notice("the process that watched over the command did not answer and was killed");
}

void Run::reaper_lost() {
  if (Starting* starting = stage<Starting>(); starting != nullptr && !starting->failure) {
    starting->failure =
        Error(ErrorKind::unavailable,
              "the command was not started: the process that starts them was killed");
  }
  lose_shell();
  kill_ended();
}

// Nobody knows how it ended.
void Run::lose_shell() {
  auto* first = kill_slot();
  if (first == nullptr) return;
  if (!*first) *first = Kill{link::Ended::lost, {}};
  shell_ended({Signaled{SIGKILL}}, 0);
}

void Run::shell_exited(int wait_status, std::string_view program, std::uint32_t children) {
  EndedShell ended{.pid = shell_.pid, .wait_status = wait_status};
  const auto* first = kill_slot();
  const bool by_us = (first != nullptr && *first) ||
                     (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == tree_.last_signal());
  if (!warm() && !by_us) {
    ended.program = program;
    if (!spec().script) ended.command = spec().shown();
  }
  shell_ended(shell_exit(host_, ended), children);
}

// Starting or Running -> Draining.
void Run::shell_ended(ShellExit ended, std::uint32_t children) {
  input_.abandon();
  if (auto* waited = std::get_if<Warm>(&state_)) {
    waited->exited = true;
    return;
  }
  auto* first = kill_slot();
  if (first == nullptr) return;  // it was reported before
  Command& command = this->command();
  const bool killed = std::holds_alternative<Signaled>(ended.status);
  Draining draining{.exit = {.status = ended.status,
                             .how = killed ? link::Ended::signaled : link::Ended::exited,
                             .children = children,
                             .time_ms = milliseconds_since_1970()},
                    .line = std::move(ended.line)};
  if (*first) {
    draining.exit.how = (*first)->why;
    draining.exit.source = std::move((*first)->source);
  } else if (command.oom_kills && is_sigkill(draining.exit.status)) {
    draining.exit.oom_killed = host_.oom_kills->count() > command.oom_kills;
  }
  if (Starting* starting = stage<Starting>()) {
    draining.from = std::move(starting->from);
    draining.exit.start_failure = std::move(starting->failure);
  } else {
    draining.from = std::move(std::get<Running>(command.stage).from);
  }
  command.stage = std::move(draining);
  measure_duration();
  command.timeout.cancel();
  command.report.cancel();
  if (command.spec.sudo) command.spec.sudo->end();
  if (command.spec.script) command.spec.script->end();
  command.output.shell_exited();
  finish_if_drained();
}

// Draining -> Ended.
void Run::finish_if_drained() {
  Draining* draining = stage<Draining>();
  if (draining == nullptr || tree_.being_killed() || !command().output.complete()) return;
  Command& command = this->command();
  if (const std::string line = std::exchange(draining->line, {}); !line.empty()) {
    output().append(line, command.spec.errors_apart);
    notify(&RunObserver::output_grew, line);
  }
  shell::ShellState before = std::move(draining->from);
  command.stage = Ended{std::move(draining->exit)};
  command.output.log().show_all();
  if (!command.handed_over_at) {
    Result<shell::ShellState> after =
        command.spec.keep_state ? read_dump(host_, shell_) : Result<shell::ShellState>(before);
    notify(&RunObserver::command_ended, before, after);
  }
  shell_.let_go_of_texts();
  if (command.spec.judged_directory) command.spec.judged_directory->reset();
  if (const std::string& error = output().spill_error(); !error.empty()) {
    command.add_notice("the middle of the output was not stored: " + error);
  }
  notify(&RunObserver::run_finished);
  if (tree_.closed()) notify(&RunObserver::run_gone);
}

void Run::tree_closed() {
  if (warm()) return;
  command().output.read_once();
  command().max_age.cancel();
  if (finished()) notify(&RunObserver::run_gone);
}

const Run::Exit* Run::exit() const {
  if (const auto* draining = std::get_if<Draining>(&command().stage)) return &draining->exit;
  const auto* ended = std::get_if<Ended>(&command().stage);
  return ended == nullptr ? nullptr : &ended->exit;
}

const Error* Run::start_failure() const {
  const auto* starting = std::get_if<Starting>(&command().stage);
  if (starting != nullptr) return starting->failure ? &*starting->failure : nullptr;
  const Exit* ended = exit();
  return ended != nullptr && ended->start_failure ? &*ended->start_failure : nullptr;
}

// Within the limit of the link: a path in it may be longer.
void RunRecord::add_notice(std::string notice) {
  if (notice.size() > link::kMaxText) notice.resize(link::kMaxText);
  notices.push_back(std::move(notice));
}

Result<void> Run::resize(link::TerminalSize size) {
  if (!terminal_) {
    return fail(ErrorKind::bad_request,
                "process " + spec().process + " has no terminal: it was started without one");
  }
  if (output_closed()) return {};
  return terminal_->resize(command().output.fd(), size, output().total());
}

bool Run::waits_for_input(std::size_t& looks) const {
  if (looks == 0 || finished() || !shell_.input || !input_.takes_input() || shell_.reaper <= 0) {
    return false;
  }
  const auto quiet_since =
      std::max({command().started, command().output.last_read(), input_.last_written()});
  if (std::chrono::steady_clock::now() - quiet_since < kQuietInput) return false;
  --looks;
  std::vector<pid_t> tree = os::descendants(shell_.reaper);
  if (tree.size() > kInputTree) tree.resize(kInputTree);
  return os::is_any_blocked_reading(tree, *shell_.input);
}

void Run::abandon() {
  tree_.abandon();
  input_.abandon();
  if (warm()) return;
  command().timeout.cancel();
  command().max_age.cancel();
  command().report.cancel();
  command().output.abandon();
}

void Run::add_observer(RunObserver& observer) {
  if (std::ranges::find(observers_, &observer) == observers_.end()) {
    observers_.push_back(&observer);
  }
  if (observer.lossless_cursor(*this)) command().reader_cursor.reset();
  reader_moved();
}

void Run::remove_observer(RunObserver& observer) {
  std::erase(observers_, &observer);
  reader_moved();
}

bool Run::was_killed() {
  if (const auto* first = kill_slot()) return first->has_value();
  const link::Ended how = exit()->how;
  return how != link::Ended::exited && how != link::Ended::signaled;
}

void Run::keep_for_reader(std::uint64_t cursor) {
  if (finished() || was_killed() || spec().background()) return;
  const bool has_reader = std::ranges::any_of(observers_, [this](const RunObserver* observer) {
    return observer->lossless_cursor(*this).has_value();
  });
  if (!has_reader) command().reader_cursor = cursor;
}

std::optional<std::uint64_t> Run::slowest_reader() const {
  if (spec().background()) return std::nullopt;
  std::optional<std::uint64_t> slowest = command().reader_cursor;
  for (const RunObserver* observer : observers_) {
    const auto cursor = observer->lossless_cursor(*this);
    if (cursor) slowest = std::min(slowest.value_or(UINT64_MAX), *cursor);
  }
  return slowest;
}

void Run::output_grew(std::string_view bytes) {
  if (bytes.empty()) expect_report();
  notify(&RunObserver::output_grew, bytes);
}

template <class... Arguments>
void Run::notify(void (RunObserver::*call)(Run&, Arguments...),
                 std::type_identity_t<Arguments>... arguments) {
  const std::vector<RunObserver*> now = observers_;  // an observer may leave during the calls
  for (RunObserver* observer : now) {
    if (std::ranges::find(observers_, observer) == observers_.end()) continue;
    (observer->*call)(*this, arguments...);
  }
}

}  // namespace talaria::runner
