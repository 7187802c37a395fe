// Processes: the background processes of an environment. The runner does the work; this is the
// interface to it.
#pragma once

#include <talaria/event.h>
#include <talaria/process.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/command.h"
#include "environment/process_spec.h"

namespace talaria::environment {

struct StartedProcess {
  std::string id;
  std::uint64_t pid = 0;
  std::string cwd;
  std::vector<std::string> notices;
  std::optional<shell::SessionDefinitions> unjudged;  // it was not started: see CommandOutcome
};

struct ProcessQuery {
  std::string id;  // empty: all of them
  std::uint64_t tail_limit = 0;
};

// An event with its number at the runner.
struct NumberedEvent {
  std::uint64_t number = 0;
  ProcessEvent event;
};

struct EventQuery {
  std::uint64_t after = 0;
  bool follow = false;  // continue until cancelled
};

// Output with the cursor of its first byte. There is a gap between two pieces where output is no
// longer stored.
using OutputSink = std::function<void(std::uint64_t from, std::string_view bytes)>;

// Errors, beside those of any call: not_found for a process the target does not know; interrupted
// for a call that was cancelled, which never touches the process. `*this` must outlive each call.
class Processes {
 public:
  virtual ~Processes() = default;

  // Called by start() first; what it returns is added to the notices.
  using Prepare = std::function<Task<std::vector<std::string>>(CancelToken)>;
  virtual void set_prepare(Prepare prepare) = 0;
  // Returns when its shell was started. A failure other than runner_lost: it did not start.
  virtual Task<Result<StartedProcess>> start(CommandSpec command, ProcessSpec spec,
                                             CancelToken cancel) = 0;
  // A start that may be repeated: the caller chooses the id and records it first, so that it can
  // ask again after a crash. If a process of that id was started before, none is started again.
  // Such a process begins with the environment it is given and no login, like `bash -c`, unless its
  // spec asks for one. Its stdin_data, if it has some, is written from where it was.
  virtual Task<Result<StartedProcess>> start_as(std::string id, CommandSpec command,
                                                ProcessSpec spec, CancelToken cancel) = 0;
  virtual Task<Result<std::vector<ProcessInfo>>> list(ProcessQuery query) = 0;
  // Returns when it has ended, with the last output that the query asks for.
  virtual Task<Result<ProcessInfo>> wait(ProcessQuery query, CancelToken cancel) = 0;
  // Ends its whole tree. `source`: on whose behalf.
  virtual Task<Result<KilledProcess>> kill(std::string id, std::string source) = 0;
  virtual Task<Result<void>> signal(std::string id, int number) = 0;
  // Output that is no longer stored is skipped; `max` counts returned bytes.
  virtual Task<Result<OutputRead>> read(OutputQuery query, OutputSink on_output,
                                        CancelToken cancel) = 0;
  // True: all of it was taken. False: the process takes no more input. `end`: close the input after
  // it; at a terminal, send the character that ends the input there.
  virtual Task<Result<bool>> write(std::string id, std::string data, bool end,
                                   CancelToken cancel) = 0;
  virtual Task<Result<void>> resize(std::string id, ScreenSize size) = 0;

  // Returns the number of the last event.
  virtual Task<Result<std::uint64_t>> events(EventQuery query,
                                             std::function<void(const NumberedEvent&)> on_event,
                                             CancelToken cancel) = 0;
  // The runner of that instance need not store these any longer.
  virtual Task<Result<void>> acknowledge(std::string instance, std::uint64_t up_to) = 0;
  // Identifies the runner process that answered last; event numbers count within one.
  virtual std::string instance() const = 0;
};

}  // namespace talaria::environment
