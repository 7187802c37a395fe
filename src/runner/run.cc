#include "runner/run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "link/limits.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/signal.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

ExitStatus from_wait_status(int status) {
  if (WIFSIGNALED(status)) return Signaled{WTERMSIG(status)};
  return Exited{WEXITSTATUS(status)};
}

std::string survivor_reason(int code) {
  if (code == EPERM) return "belongs to another user; this runner may not signal it";
  if (code != 0) return std::strerror(code);
  return "does not react to SIGKILL (stuck in the kernel)";
}

// One buffer for all: reads happen one at a time, on one thread.
std::vector<char>& read_buffer() {
  static std::vector<char> buffer(kReadChunk);
  return buffer;
}

}  // namespace

Run::Run(const asio::any_io_executor& executor, const ShellHost& host, Shell shell)
    : executor_(executor),
      host_(host),
      shell_(std::move(shell)),
      channel_(executor),
      output_(executor),
      timeout_(executor),
      kill_deadline_(executor),
      room_(executor, std::chrono::steady_clock::time_point::max()),
      input_(executor),
      started_(std::chrono::steady_clock::now()) {
  if (shell_.channel) channel_.assign(shell_.channel.get());
  if (shell_.output) output_.assign(shell_.output.get());
}

Result<std::shared_ptr<Run>> Run::launch(const asio::any_io_executor& executor,
                                         const ShellHost& host,
                                         std::shared_ptr<const PreparedState> start,
                                         const LaunchOptions& options) {
  auto shell = launch_shell(host, std::move(start), options);
  if (!shell) return fail(shell.error());
  auto run = std::make_shared<Run>(executor, host, std::move(*shell));
  run->watch_shell();
  return run;
}

Run::~Run() {
  // The Shell owns the descriptors; Asio only watched them.
  if (channel_.is_open()) channel_.release();
  if (output_.is_open()) output_.release();
}

void Run::watch_shell() {
  if (shell_.terminal) {
    sizes_ = {{.size = {.rows = shell_.terminal->rows, .cols = shell_.terminal->cols}}};
  }
  const auto kind = shell_.terminal ? InputQueue::Kind::terminal : InputQueue::Kind::pipe;
  input_.open(std::move(shell_.stdin_writer), kind, weak_from_this(),
              [this] { tell_watchers([this](RunWatcher& w) { w.input_moved(*this); }); });
  spawn(executor_, follow_reaper());
}

bool Run::can_take(const shell::ShellState& to, std::string_view command) const {
  return shell_.warm && !tree_empty_ && !status_ && talaria::runner::can_take(shell_, to, command);
}

Result<void> Run::dispatch(RunSpec& spec, shell::ShellState& to, std::unique_ptr<OutputLog>& log,
                           EndedHook ended) {
  started_ = std::chrono::steady_clock::now();
  awaiting_start_ = shell_.pid < 0;
  if (!awaiting_start_) {
    if (const auto noted = note_start(spec, to.cwd); !noted) return noted;
    const auto dispatched =
        talaria::runner::dispatch(host_, shell_, to, spec.command, spec.keep_state);
    if (!dispatched) return dispatched;
  }
  spec_ = std::move(spec);
  before_ = std::move(to);
  started_in_ = before_.cwd;
  log_ = std::move(log);
  ended_hook_ = std::move(ended);
  if (!awaiting_start_) {
    shorten_command();
    forget_state_before();
  }
  start_timeout();
  start_max_age();
  spawn(executor_, drain_output());
  return {};
}

// The shell that was started for the command is there.
Result<void> Run::let_go() {
  awaiting_start_ = false;
  const auto noted = note_start(spec_, started_in_);
  const auto dispatched =
      noted ? talaria::runner::dispatch(host_, shell_, before_, spec_.command, spec_.keep_state)
            : noted;
  shorten_command();
  forget_state_before();
  if (dispatched) return dispatched;
  return fail(noted ? ErrorKind::unavailable : noted.error().kind(),
              "the command was not started: " + dispatched.error().message());
}

Result<void> Run::note_start(const RunSpec& spec, const std::string& cwd) const {
  if (spec.sudo) spec.sudo->runs_below(shell_.reaper);
  return spec.keeper == nullptr ? Result<void>() : spec.keeper->run_lets_go(spec, shell_.pid, cwd);
}

// It is compared with what the shell leaves, if it leaves anything.
void Run::forget_state_before() {
  if (!spec_.keep_state) before_ = shell::ShellState{.cwd = std::move(before_.cwd)};
}

// What a peer takes of it; a path in it may be longer.
void Run::add_notice(std::string notice) {
  if (notice.size() > link::kMaxText) notice.resize(link::kMaxText);
  notices_.push_back(std::move(notice));
}

void Run::shorten_command() {
  if (!spec_.shown_command.empty()) spec_.command = std::move(spec_.shown_command);
  const std::size_t kept = background() || spec_.hand_over ? kKeptCommand : kShownCommand;
  if (spec_.command.size() <= kept) return;
  spec_.command.resize(kept);
  spec_.command.shrink_to_fit();
}

void Run::start_timeout() {
  if (spec_.timeout.count() == 0) return;
  timeout_.expires_after(spec_.timeout);
  timeout_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self && !error && !self->status_) self->time_is_up();
  });
}

void Run::start_max_age() {
  if (spec_.max_age.count() == 0) return;
  if (spec_.hand_over && !background()) return;  // until then its timeout bounds it
  max_age_ = std::make_unique<asio::steady_timer>(executor_, started_ + spec_.max_age);
  max_age_->async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self && !error) self->kill(link::Ended::killed, self->spec_.grace, kSourceMaxAge);
  });
}

void Run::time_is_up() {
  const bool wants_on = spec_.hand_over && !why_killed_ && !awaiting_start_;
  const Result<void> may = wants_on ? may_go_on() : Result<void>();
  if (!may) {
    add_notice("it was ended at its timeout, since it could not go on in the background: " +
               may.error().message());
  }
  if (wants_on && may) return hand_over();
  kill(link::Ended::timed_out, spec_.grace);
}

Result<void> Run::may_go_on() const {
  const auto age = std::chrono::steady_clock::now() - started_;
  if (spec_.max_age.count() > 0 && age >= spec_.max_age) {
    return fail(ErrorKind::limit, "it is as old as a process may be (" +
                                      std::to_string(spec_.max_age.count()) +
                                      " ms): give it a longer timeout, or raise its max_age or "
                                      "terminal.process_max_age_seconds");
  }
  return spec_.keeper == nullptr ? Result<void>() : spec_.keeper->run_may_go_on(spec_);
}

// Whoever waits for it waits no longer, and its session goes on without it.
void Run::hand_over() {
  handed_over_ = true;
  if (spec_.sudo) spec_.sudo->end();
  handed_over_at_ = log_->total();
  spec_.lifetime = link::ProcessLifetime::session;
  spec_.keep_state = false;
  start_max_age();
  duration_ = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - started_);
  log_->keep_newest();
  kept_cursor_.reset();
  if (ended_hook_) {
    const EndedHook hook = std::move(ended_hook_);
    ended_hook_ = nullptr;
    hook(*this, before_, fail(ErrorKind::interrupted, "the command goes on"));
  }
  forget_state_before();
  if (spec_.keeper != nullptr) spec_.keeper->run_handed_over(*this);
  tell_watchers([this](RunWatcher& w) { w.run_changed(*this); });
  reader_moved();
}

void Run::kill(link::Ended why, std::chrono::milliseconds grace, std::string source) {
  kept_cursor_.reset();
  reader_moved();
  if (tree_empty_) return;
  if (!status_ && !why_killed_) {  // before the first signal: what it brings about is ours
    why_killed_ = why;
    source_ = std::move(source);
  }
  const auto until = std::chrono::steady_clock::now() + grace + kKillPatience + kReaperPatience;
  kill_until_ = std::exchange(kill_pending_, true) ? std::min(kill_until_, until) : until;
  survivors_.clear();
  order_kill_in_time(grace);
}

// A reaper that does not answer in time (somebody stops it again and again, say) is killed itself.
void Run::order_kill_in_time(std::chrono::milliseconds grace) {
  const auto ordered = order_kill(shell_, static_cast<std::uint32_t>(grace.count()));
  if (!ordered && ordered.error().code() != EAGAIN) return reaper_lost();
  if (ordered) {
    kill_deadline_.expires_at(kill_until_);
  } else {
    kill_deadline_.expires_after(kOrderAgain);
  }
  kill_deadline_.async_wait([weak = weak_from_this(), grace](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self || !self->kill_pending_) return;
    if (std::chrono::steady_clock::now() < self->kill_until_) {
      self->order_kill_in_time(grace);
    } else {
      self->end_reaper();
    }
  });
}

void Run::kill_done() {
  kill_pending_ = false;
  kill_deadline_.cancel();
}

// What it watched over falls to the runner, which ends it.
void Run::end_reaper() {
  add_notice("the process that watched over the command did not answer and was killed");
  if (shell_.reaper <= 0 || !os::signal_descendant(::getpid(), shell_.reaper, SIGKILL))
    reaper_lost();
}

void Run::signal(int number) {
  if (!tree_empty_) (void)order_signal(shell_, number);
}

void Run::add_watcher(RunWatcher& watcher) {
  if (std::ranges::find(watchers_, &watcher) == watchers_.end()) watchers_.push_back(&watcher);
  if (watcher.lossless_cursor(*this)) kept_cursor_.reset();
  reader_moved();
}

void Run::keep_for_reader(std::uint64_t cursor) {
  const auto reads = [this](const RunWatcher* watcher) {
    return watcher->lossless_cursor(*this).has_value();
  };
  if (finished_ || why_killed_ || background()) return;
  if (std::ranges::none_of(watchers_, reads)) kept_cursor_ = cursor;
}

void Run::remove_watcher(RunWatcher& watcher) {
  std::erase(watchers_, &watcher);
  reader_moved();
}

void Run::reader_moved() {
  if (waiting_for_room_) room_.cancel();
}

void Run::abandon() {
  if (channel_.is_open()) channel_.release();
  if (output_.is_open()) output_.release();
  shell_.channel.reset();
  timeout_.cancel();
  max_age_.reset();
  kill_deadline_.cancel();
  room_.cancel();
  input_.abandon();
  tree_empty_ = true;
  output_closed_ = true;
}

template <class Call>
void Run::tell_watchers(Call call) {
  const std::vector<RunWatcher*> now = watchers_;  // a watcher may leave while it is told
  for (RunWatcher* watcher : now) {
    if (std::ranges::find(watchers_, watcher) != watchers_.end()) call(*watcher);
  }
}

Task<void> Run::follow_reaper() {
  const auto self = shared_from_this();
  while (!tree_empty_) {
    const auto [error] = co_await channel_.async_wait(channel_.wait_read, as_values);
    if (error && !lost_) co_return;
    while (!lost_) {
      const auto report = next_report(shell_);
      if (!report) {
        reaper_lost();
        break;
      }
      if (!report->has_value()) break;
      take_report(**report);
      if (tree_empty_) break;  // what comes now is only the end of the reaper
    }
  }
  if (!output_closed_ && log_) read_output();
  if (channel_.is_open()) channel_.release();
  if (!lost_) host_.nursery->take_back(std::move(shell_.channel), shell_.nursery);
  shell_.channel.reset();
  max_age_.reset();
  maybe_gone();
}

void Run::maybe_gone() {
  const bool over = tree_empty_ && !channel_.is_open() && (finished_ || !log_);
  if (over && gone_ && !std::exchange(told_gone_, true)) gone_(*this);
}

void Run::take_report(const FromReaper& report) {
  switch (report.report) {
    case ReaperReport::started:
      if (!awaiting_start_) break;
      if (const auto gone = let_go(); !gone) {
        start_failure_ = gone.error();
        kill(link::Ended::lost, std::chrono::milliseconds(0));
      } else {
        tell_watchers([this](RunWatcher& w) { w.run_changed(*this); });
      }
      break;
    case ReaperReport::failed:
      start_failure_ =
          Error(ErrorKind::unavailable, "the command was not started: " + host_.shell_path +
                                            (shell_.terminal ? " on a terminal: " : ": ") +
                                            std::strerror(report.status));
      shell_exited(127 << 8, 0);
      break;
    case ReaperReport::exited:
      shell_exited(report.status, report.children);
      break;
    case ReaperReport::survivor:
      survivors_.push_back({.pid = static_cast<std::uint64_t>(report.pid),
                            .name = report.name,
                            .reason = survivor_reason(report.status)});
      break;
    case ReaperReport::killed:
      kill_done();
      maybe_finish();
      tell_watchers([this](RunWatcher& w) { w.run_changed(*this); });
      break;
    case ReaperReport::empty:
      tree_empty_ = true;
      kill_done();
      maybe_finish();
      tell_watchers([this](RunWatcher& w) { w.run_changed(*this); });
      break;
  }
}

void Run::shell_exited(int wait_status, std::uint32_t children) {
  status_ = from_wait_status(wait_status);
  children_ = children;
  duration_ = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - started_);
  ended_ms_ = os::milliseconds_since_1970();
  timeout_.cancel();
  input_.abandon();
  if (spec_.sudo) spec_.sudo->end();
  if (spec_.script) spec_.script->end();
  if (!log_) return;  // it never got a command
  if (!output_closed_) unread_at_exit_ = unread_output();
  while (unread_at_exit_ > 0 && read_output()) {
  }
  maybe_finish();
}

// A terminal does not say how much there is; but a read that finds nothing is certain.
std::uint64_t Run::unread_output() const {
  return shell_.terminal ? kTerminalBuffer : os::bytes_waiting(shell_.output.get());
}

// The reaper was killed by somebody: nobody can say any more how the command ended.
void Run::reaper_lost() {
  lost_ = true;
  if (channel_.is_open()) channel_.cancel();
  tree_empty_ = true;
  kill_done();
  if (awaiting_start_ && !start_failure_) {
    start_failure_ = Error(ErrorKind::unavailable,
                           "the command was not started: the process that starts them was killed");
  }
  if (!status_) {
    if (!why_killed_) why_killed_ = link::Ended::lost;
    shell_exited(SIGKILL, 0);
  }
  maybe_finish();
}

void Run::maybe_finish() {
  if (finished_ || !status_ || !log_ || kill_pending_) return;
  if (unread_at_exit_ > 0 && !output_closed_) return;
  finished_ = true;
  log_->show_all();
  if (why_killed_) {
    ended_ = *why_killed_;
  } else {
    ended_ =
        std::holds_alternative<Signaled>(*status_) ? link::Ended::signaled : link::Ended::exited;
  }
  if (ended_hook_) {
    const EndedHook hook = std::move(ended_hook_);
    ended_hook_ = nullptr;
    hook(*this, before_,
         spec_.keep_state ? read_dump(host_, shell_)
                          : Result<shell::ShellState>(shell::ShellState(before_)));
  }
  before_ = {};
  shell_.let_go_of_texts();
  if (!log_->spill_error().empty()) {
    add_notice("the middle of the output was not kept: " + log_->spill_error());
  }
  if (spec_.keeper != nullptr) spec_.keeper->run_finished(*this);
  tell_watchers([this](RunWatcher& w) { w.run_finished(*this); });
  maybe_gone();
}

// How much may be read without a lossless reader missing any of it.
std::uint64_t Run::readable_room() const {
  std::uint64_t room = kReadChunk;
  if (background()) return room;
  if (kept_cursor_) room = std::min(room, log_->room_before_losing(*kept_cursor_));
  for (const RunWatcher* watcher : watchers_) {
    if (const auto cursor = watcher->lossless_cursor(*this)) {
      room = std::min(room, log_->room_before_losing(*cursor));
    }
  }
  return room;
}

bool Run::read_output() {
  const std::uint64_t room = readable_room();
  if (room == 0) return false;
  std::vector<char>& buffer = read_buffer();
  ssize_t size =
      ::read(shell_.output.get(), buffer.data(), std::min<std::size_t>(buffer.size(), room));
  if (size < 0 && errno == EIO && shell_.terminal) size = 0;  // nobody has it open any more
  if (size < 0 && errno == EINTR) return true;
  if (size < 0) {
    unread_at_exit_ = 0;  // there is no more than this
    return false;
  }
  if (size == 0) {
    output_closed_ = true;
    unread_at_exit_ = 0;
    tell_watchers([this](RunWatcher& w) { w.output_grew(*this); });
    return false;
  }
  const auto bytes = static_cast<std::uint64_t>(size);
  last_output_ = std::chrono::steady_clock::now();
  unread_at_exit_ -= std::min(unread_at_exit_, bytes);
  const std::string_view printed(buffer.data(), static_cast<std::size_t>(size));
  log_->append(printed);
  if (spec_.keeper != nullptr && !spec_.watch.empty() && !finished_) {
    spec_.keeper->run_printed(*this, printed);
  }
  tell_watchers([this](RunWatcher& w) { w.output_grew(*this); });
  return true;
}

Task<void> Run::drain_output() {
  const auto self = shared_from_this();
  while (!output_closed_) {
    if (readable_room() == 0) {
      waiting_for_room_ = true;
      co_await room_.async_wait(as_values);
      waiting_for_room_ = false;
      continue;
    }
    const auto [error] = co_await output_.async_wait(output_.wait_read, as_values);
    if (error) co_return;
    for (int i = 0; i < kReadsPerTurn && read_output(); ++i) {
    }
    maybe_finish();
  }
  output_.release();
  shell_.output.reset();
  log_->settle();
}

}  // namespace talaria::runner
