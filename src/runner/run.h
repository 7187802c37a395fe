// Run: one shell, from its start to the moment its process tree is empty.
//
// A run is Warm (its shell waits for a command) or has a Command, which is
//   Starting   the shell that was launched for it is not known to exist yet,
//   Running    the shell has it,
//   Draining   the shell has exited; its last output is being read, or a kill is not done,
//   Ended      its report is final. Background children may still print.
//
// A run finishes when its shell has exited, not when its output is closed. A run that is being
// killed finishes when the tree is empty or the survivors are known.
//
// A run whose lifetime is not `foreground` is in the background: no caller waits for it, no reader
// slows it down, and it leaves the state of its session alone. A running command may be handed over
// to the background at its timeout.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/exit_status.h"
#include "link/messages.h"
#include "runner/input_queue.h"
#include "runner/process_tree.h"
#include "runner/run_observer.h"
#include "runner/run_output.h"
#include "runner/run_spec.h"
#include "runner/run_terminal.h"
#include "runner/shell/shell_launch.h"
#include "runner/shell_exit.h"

namespace talaria::runner {

// A command for a shell.
struct CommandStart {
  RunSpec spec;
  shell::ShellState from;
  std::unique_ptr<OutputLog> log;
  std::vector<RunObserver*> observers;
};

// What is known of a command from its start on.
struct RunRecord {
  RunSpec spec;
  std::string started_in;
  std::string cwd;  // of the session when it ended
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  // Until its shell exited or it was handed over; 0 before.
  std::chrono::microseconds duration{0};
  std::optional<std::uint64_t> handed_over_at;  // then: the cursor of its output at that time
  std::vector<std::string> notices;
  bool end_was_read = false;               // somebody asked about it after its end
  std::optional<std::uint64_t> oom_kills;  // of this machine before it started

  void add_notice(std::string notice);
};

class Run final : public std::enable_shared_from_this<Run>,
                  private ProcessTree::Owner,
                  private RunOutput::Owner {
 public:
  // Starts a shell, for the command in `options` or to wait for one.
  static Result<std::shared_ptr<Run>> launch(const asio::any_io_executor& executor,
                                             const ShellHost& host,
                                             std::shared_ptr<const PreparedState> start,
                                             const LaunchOptions& options);
  // A command that ended under an earlier runner, as that runner recorded it.
  static std::shared_ptr<Run> remembered(const asio::any_io_executor& executor,
                                         const ShellHost& host, const link::ProcessEntry& entry,
                                         std::chrono::microseconds duration,
                                         std::unique_ptr<OutputLog> log);

  // Whether its shell waits for a command, as far as its reaper has reported. What can be done
  // before that command is known is done.
  bool get_ready();
  bool can_take(const shell::ShellState& to, std::string_view command);

  // Gives the shell its command. A shell that was launched for it gets it when it is known to
  // exist, so that start_failure() is certain. On failure `start` is untouched.
  Result<void> dispatch(CommandStart& start);

  // TERM, then KILL after `grace`, to the whole tree; also if the run is warm or has finished.
  // `source`: on whose behalf. The first kill is reported, even if the command then ends itself.
  void kill(link::Ended why, std::chrono::milliseconds grace, std::string source = {});
  Result<void> resize(link::TerminalSize size);  // of its terminal; no effect once it has ended

  // The runner ends: stops following. The reaper notices, and ends the tree.
  void abandon();

  void add_observer(RunObserver& observer);
  void remove_observer(RunObserver& observer);
  void reader_moved() {  // a lossless reader has taken something
    if (!warm()) command().output.reader_moved();
  }
  // The connection of a lossless reader broke when it had taken all before `cursor`: nothing after
  // that is dropped until the next one comes, or the run is killed.
  void keep_for_reader(std::uint64_t cursor);

  // Everything below needs a command, except tree().
  RunRecord& record() { return command(); }
  const RunRecord& record() const { return command(); }
  const RunSpec& spec() const { return command().spec; }
  OutputLog& output() { return command().output.log(); }
  const OutputLog& output() const { return command().output.log(); }
  InputQueue& input() { return input_; }
  const InputQueue& input() const { return input_; }
  const RunTerminal* terminal() const { return terminal_ ? &*terminal_ : nullptr; }
  pid_t pid() const { return shell_.pid; }
  bool awaiting_start() const { return in<Starting>(); }
  bool finished() const { return in<Ended>(); }
  bool output_closed() const { return command().output.closed(); }
  // Whether one of its processes is blocked reading its input. Only of a command that has an input
  // and has been quiet for a while is the kernel asked, which takes one of `looks`.
  bool waits_for_input(std::size_t& looks) const;

  ProcessTree& tree() { return tree_; }
  const ProcessTree& tree() const { return tree_; }

  // How the shell ended.
  struct Exit {
    ExitStatus status;
    link::Ended how = link::Ended::exited;
    std::string source;          // of the kill
    std::uint32_t children = 0;  // that the shell left
    std::uint64_t time_ms = 0;   // since 1970
    bool oom_killed = false;     // because the memory was used up
    std::optional<Error> start_failure;
  };
  const Exit* exit() const;  // null: not yet
  // Set if the command cannot have run: it may be started again.
  const Error* start_failure() const;

 private:
  struct Kill {  // the first one
    link::Ended why;
    std::string source;
  };
  struct Warm {
    bool exited;
  };
  struct Starting {
    shell::ShellState from;
    std::optional<Kill> kill{};
    std::optional<Error> failure{};
  };
  struct Running {
    shell::ShellState from;  // only its directory, unless the shell dumps its state
    std::optional<Kill> kill{};
  };
  struct Draining {
    shell::ShellState from;
    Exit exit;
    std::string line{};  // ShellExit::line
  };
  struct Ended {
    Exit exit;
  };
  using Stage = std::variant<Starting, Running, Draining, Ended>;
  struct Command : RunRecord {
    Command(Run& run, CommandStart& start, Stage first);

    RunOutput output;
    asio::steady_timer timeout;
    asio::steady_timer max_age;
    asio::steady_timer report;                   // of the end, once the output is closed
    std::optional<std::uint64_t> reader_cursor;  // see keep_for_reader()
    Stage stage;
  };

  Run(const asio::any_io_executor& executor, const ShellHost& host, Shell shell);

  bool warm() const { return std::holds_alternative<Warm>(state_); }
  // Nobody is woken by reports about a shell that waits: this looks at them.
  bool waits();
  Command& command() { return std::get<Command>(state_); }
  const Command& command() const { return std::get<Command>(state_); }
  template <class State>
  bool in() const {
    return std::holds_alternative<State>(command().stage);
  }
  template <class State>
  State* stage() {
    return warm() ? nullptr : std::get_if<State>(&command().stage);
  }
  std::optional<Kill>* kill_slot();  // null: the shell has exited
  bool was_killed();

  // Transitions.
  Result<void> give_command(const RunSpec& spec, const shell::ShellState& from,
                            std::span<RunObserver* const> observers);
  void start_runs(Starting starting);
  void hand_over();
  void shell_ended(ShellExit ended, std::uint32_t children);
  void finish_if_drained();

  void start_timeout();
  void start_max_age();
  void time_is_up();
  void expect_report();
  bool take_unreported_exit();
  void lose_shell();
  Result<void> may_hand_over() const;
  void shorten_command();
  void measure_duration();

  // ProcessTree::Owner
  void shell_started() override;
  void shell_failed(int code) override;
  void shell_exited(int wait_status, std::string_view program, std::uint32_t children) override;
  void kill_ended() override;
  void reaper_did_not_answer() override;
  void reaper_lost() override;
  void tree_closed() override;
  // RunOutput::Owner
  std::optional<std::uint64_t> slowest_reader() const override;
  void output_grew(std::string_view bytes) override;
  void output_was_read() override { finish_if_drained(); }

  template <class... Arguments>
  void notify(void (RunObserver::*call)(Run&, Arguments...),
              std::type_identity_t<Arguments>... arguments);

  asio::any_io_executor executor_;
  const ShellHost& host_;
  Shell shell_;
  ProcessTree tree_;
  InputQueue input_;
  std::optional<RunTerminal> terminal_;
  std::vector<RunObserver*> observers_;
  std::variant<Warm, Command> state_;
};

}  // namespace talaria::runner
