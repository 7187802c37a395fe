// Attachment: connects our standard input and output to a running process. On a terminal, all keys
// go to the process and it owns the screen; else bytes pass unchanged. Detaching does not affect
// the process.
//
// Its coroutines share ownership of it, because some (input that the process does not read) may end
// after run().
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/signal_set.hpp>

#include "api/asio_processes.h"
#include "base/input_reader.h"
#include "base/task.h"
#include "front/cli/attach/detach_keys.h"
#include "front/cli/attach/raw_terminal.h"
#include "front/cli/attach/terminal_modes.h"
#include "front/cli/live_output.h"
#include "front/stdio.h"
#include "front/stop_signals.h"
#include "front/task_group.h"

namespace talaria::front::cli {

struct AttachRequest {
  DetachKeys keys;
  bool read_only = false;
};

class Attachment : public std::enable_shared_from_this<Attachment> {
 public:
  // `info`: the current state; the process runs.
  Attachment(const asio::any_io_executor& executor, const AsioProcesses& processes,
             ProcessInfo info, AttachRequest request, Stdio stdio);

  struct Left {
    std::optional<ProcessInfo> ended;  // nothing: we detached
    int signal = 0;                    // that made us detach; 0: keys or end of input
    std::optional<Error> trouble;
  };
  Task<Left> run();

  bool at_terminal() const { return at_terminal_; }

 private:
  Task<void> show_past();
  Task<void> follow();
  Task<void> watch_end();
  Task<void> type();
  Task<void> watch_signals();
  Task<void> fit_size(bool redraw);
  void show(std::string_view bytes);
  void take(const std::string& piece);
  void take_keys(const std::string& piece);
  void leave(int signal = 0);
  void restore_terminal();

  asio::any_io_executor executor_;
  AsioProcesses processes_;
  ProcessInfo info_;
  AttachRequest request_;
  Stdio stdio_;
  bool at_terminal_;

  std::optional<StopSignals> signals_;
  asio::signal_set resized_;
  TaskGroup tasks_;  // run() waits for them; notified when the state below changes
  std::optional<RawTerminal> terminal_;
  std::optional<LiveOutput> output_;
  std::optional<InputReader> input_;
  TerminalModes modes_;
  std::uint64_t cursor_ = 0;  // after the last byte shown
  bool line_begun_ = false;

  std::string untyped_;
  bool input_ended_ = false;

  const Cancel stop_;
  bool over_ = false;
  Left left_;
};

}  // namespace talaria::front::cli
