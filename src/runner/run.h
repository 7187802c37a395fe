// Run: one shell, from its start to the moment its process tree is empty. It is waiting (warm),
// then running a command, then finished; after that its background children may still print.
//
// A run finishes when its shell has exited, not when its output is closed; what the shell printed
// before is in by then. A run that is being killed finishes when the tree is empty or the survivors
// are named.
//
// A run whose lifetime is not `foreground` is in the background: nobody need wait for it, no reader
// slows it down, and it leaves the state of its session alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/exit_status.h"
#include "base/task.h"
#include "link/messages.h"
#include "runner/askpass/sudo_grant.h"
#include "runner/input_queue.h"
#include "runner/output_log.h"
#include "runner/script/script_desk.h"
#include "runner/shell/shell_launch.h"

namespace talaria::runner {

class Run;

// ExitReport::source of a process that the runner ended on its own.
inline constexpr const char* kSourceLifetime = "lifetime";
inline constexpr const char* kSourceMaxAge = "max_age";
inline constexpr const char* kSourceStop = "runner_stop";

// Whoever follows a run. A call may come from inside a call to the run (kill() finds it lost).
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  // Its shell is there, it was handed over, a kill is done, or its tree is empty.
  virtual void run_changed(Run& run) = 0;
  virtual void output_grew(Run& run) = 0;
  virtual void run_finished(Run& run) = 0;
  virtual void input_moved(Run& run) = 0;  // stdin was written on, or closed
  // Where a reader of this watcher stands that must not lose a byte.
  virtual std::optional<std::uint64_t> lossless_cursor(const Run& run) const = 0;
};

struct RunSpec;

// Who is told of a run, whoever else follows it: before its watchers, once each.
class RunKeeper {
 public:
  virtual ~RunKeeper() = default;
  // The shell is there, the next step gives it its command. Comes again if that shell turns out
  // to be dead and another one gets the command. An error: it must not get it.
  virtual Result<void> run_lets_go(const RunSpec& spec, pid_t pid, const std::string& cwd) = 0;
  // Its time is up and it wants to go on in the background. An error says why it must not.
  virtual Result<void> run_may_go_on(const RunSpec& spec) = 0;
  virtual void run_handed_over(Run& run) = 0;
  // Of runs with something to watch for, until they have finished.
  virtual void run_printed(Run& run, std::string_view bytes) = 0;
  virtual void run_finished(Run& run) = 0;
};

struct RunSpec {
  std::string process;
  std::string session;
  std::string command;
  std::chrono::milliseconds timeout{0};  // 0: none
  std::chrono::milliseconds grace{0};
  link::ProcessLifetime lifetime = link::ProcessLifetime::foreground;
  std::chrono::milliseconds max_age{0};  // 0: none; before a hand over it does not count
  std::uint64_t started_ms = 0;          // since 1970
  std::string owner;
  std::vector<std::string> watch;
  RunKeeper* keeper = nullptr;  // outlives the event loop's part in the run
  bool notify = false;
  bool hand_over = false;              // at its timeout it goes on in the background
  bool pty = false;                    // at a terminal ...
  link::TerminalSize first_size;       // ... that began with this size
  bool keep_state = false;             // the shell shall dump its state; else it ends as it began
  bool is_login = false;               // it reads the login files; nobody's command
  std::shared_ptr<SudoGrant> sudo;     // null: nobody is given a password
  std::shared_ptr<ScriptDesk> script;  // null: it is none
  std::string shown_command;           // what lists show; empty: the command

  bool background() const { return lifetime != link::ProcessLifetime::foreground; }
};

class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(const asio::any_io_executor& executor, const ShellHost& host, Shell shell);
  // One with a shell of its own, followed from the start.
  static Result<std::shared_ptr<Run>> launch(const asio::any_io_executor& executor,
                                             const ShellHost& host,
                                             std::shared_ptr<const PreparedState> start,
                                             const LaunchOptions& options);
  // One that ended in the life of an earlier runner, as that left it.
  static std::shared_ptr<Run> remembered(const asio::any_io_executor& executor,
                                         const ShellHost& host, const link::ProcessEntry& entry,
                                         std::chrono::microseconds duration,
                                         std::unique_ptr<OutputLog> log);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void watch_shell();  // starts following the reaper; call once

  bool can_take(const shell::ShellState& to, std::string_view command) const;

  // Gives the shell its command; one that was started for it gets it when it is known to be there,
  // so that start_failure() is certain. `ended` is called once, before the watchers learn of the
  // end, with the state the shell left or why it left none. On failure the arguments are untouched.
  using EndedHook =
      std::function<void(Run&, const shell::ShellState& before, Result<shell::ShellState> after)>;
  Result<void> dispatch(RunSpec& spec, shell::ShellState& to, std::unique_ptr<OutputLog>& log,
                        EndedHook ended);

  // TERM, then KILL after `grace`, to the whole tree. Works on waiting and finished runs, too.
  // `source`: on whose behalf. Whoever kills first is named, also if the command then ends itself.
  void kill(link::Ended why, std::chrono::milliseconds grace, std::string source = {});
  void signal(int number);
  Result<void> resize(link::TerminalSize size);  // of its terminal; once it has ended, nothing

  // The runner ends: stops following. The reaper notices, and ends the tree.
  void abandon();

  void add_watcher(RunWatcher& watcher);
  void remove_watcher(RunWatcher& watcher);
  bool watched() const { return !watchers_.empty(); }
  void reader_moved();  // a lossless reader has taken something
  // The connection of a lossless reader broke when it had taken all before `cursor`: nothing behind
  // is given up until the next one comes, or the run is killed.
  void keep_for_reader(std::uint64_t cursor);

  // How the shell ended, once it has.
  const std::optional<ExitStatus>& status() const { return status_; }
  link::ExitReport report(std::uint64_t head_limit, std::uint64_t tail_limit) const;
  link::ExitReport handed_over_report(std::uint64_t head_limit, std::uint64_t tail_limit) const;
  // With at most so many bytes of its command and of its last output.
  link::ProcessEntry entry(std::size_t command_limit, std::uint64_t tail_limit) const;
  // It has an input and has been quiet: only then is it worth asking the kernel whether some
  // process of it is blocked reading, as waits_for_input() does.
  bool may_wait_for_input() const;
  bool waits_for_input() const;

  const RunSpec& spec() const { return spec_; }
  const OutputLog& output() const { return *log_; }
  InputQueue& input() { return input_; }
  bool on_terminal() const { return shell_.terminal.has_value(); }
  pid_t pid() const { return shell_.pid; }
  const std::string& started_in() const { return started_in_; }
  bool awaiting_start() const { return awaiting_start_; }
  bool background() const { return spec_.background(); }
  bool handed_over() const { return handed_over_; }
  std::uint64_t handed_over_at() const { return handed_over_at_; }  // cursor of its output
  bool finished() const { return finished_; }
  bool tree_empty() const { return tree_empty_; }
  bool output_closed() const { return output_closed_; }
  const std::vector<link::Survivor>& survivors() const { return survivors_; }
  bool kill_pending() const { return kill_pending_; }
  link::Ended how_ended() const { return ended_; }
  std::uint32_t children() const { return children_; }  // that its shell left when it ended
  bool lost() const { return lost_; }  // its reaper was killed: descendants may be anywhere
  // Set if the command cannot have run: it may be started again.
  const std::optional<Error>& start_failure() const { return start_failure_; }

  void announce_end() { spec_.notify = true; }
  void leave_output() { log_->leave_file(); }  // for the next runner
  std::chrono::microseconds duration() const { return duration_; }
  void set_keeper(RunKeeper& keeper) { spec_.keeper = &keeper; }
  void set_cwd(std::string cwd) { cwd_ = std::move(cwd); }
  void add_notice(std::string notice);
  // Called when the tree is empty, the end is reported, and nothing more will come from this run.
  void on_gone(std::function<void(Run&)> action) { gone_ = std::move(action); }

 private:
  Task<void> follow_reaper();
  Task<void> drain_output();
  void take_report(const FromReaper& report);
  bool read_output();  // false: nothing to read for now
  std::uint64_t readable_room() const;
  std::uint64_t unread_output() const;
  void shell_exited(int wait_status, std::uint32_t children);
  void reaper_lost();
  void maybe_finish();
  void maybe_gone();
  void order_kill_in_time(std::chrono::milliseconds grace);
  void kill_done();
  void end_reaper();
  void start_timeout();
  void start_max_age();
  void time_is_up();
  Result<void> may_go_on() const;
  void hand_over();
  Result<void> let_go();
  Result<void> note_start(const RunSpec& spec, const std::string& cwd) const;
  void forget_state_before();
  link::ExitReport report_so_far(std::uint64_t head_limit, std::uint64_t tail_limit) const;
  void shorten_command();
  template <class Call>
  void tell_watchers(Call call);

  asio::any_io_executor executor_;
  const ShellHost& host_;
  Shell shell_;
  asio::posix::stream_descriptor channel_;
  asio::posix::stream_descriptor output_;
  asio::steady_timer timeout_;
  asio::steady_timer kill_deadline_;
  asio::steady_timer room_;  // never expires; cancelled when a reader has moved
  std::unique_ptr<asio::steady_timer> max_age_;
  InputQueue input_;

  RunSpec spec_;
  shell::ShellState before_;  // only its directory, as soon as nobody needs more
  std::string started_in_;
  std::unique_ptr<OutputLog> log_;
  EndedHook ended_hook_;
  std::vector<RunWatcher*> watchers_;
  std::function<void(Run&)> gone_;

  std::chrono::steady_clock::time_point started_;
  std::chrono::microseconds duration_{0};
  std::optional<ExitStatus> status_;
  std::optional<link::Ended> why_killed_;
  std::string source_;  // of the kill
  std::optional<Error> start_failure_;
  link::Ended ended_ = link::Ended::exited;
  std::uint64_t unread_at_exit_ = 0;
  std::uint32_t children_ = 0;
  std::vector<link::Survivor> survivors_;
  std::vector<std::string> notices_;
  std::string cwd_;
  std::optional<std::uint64_t> kept_cursor_;
  std::vector<link::SizeChange> sizes_;  // of its terminal
  std::chrono::steady_clock::time_point last_output_;
  std::uint64_t ended_ms_ = 0;
  std::uint64_t handed_over_at_ = 0;
  std::chrono::steady_clock::time_point kill_until_;
  bool kill_pending_ = false;
  bool finished_ = false;
  bool tree_empty_ = false;
  bool output_closed_ = false;
  bool waiting_for_room_ = false;
  bool lost_ = false;
  bool told_gone_ = false;
  bool awaiting_start_ = false;
  bool handed_over_ = false;
};

}  // namespace talaria::runner
