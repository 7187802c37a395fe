// Sandboxes: makes places at a target, runs commands in them, and remembers both, so that a program
// that was killed finds them as they are. Commands go through policy like all others and belong to
// the runner at the target. Used from one event loop.
//
// At most once: an exec is written down with the id of its process before any runner hears of it,
// and the same id starts nothing twice. After a crash it is looked for under that id; it is started
// then only where it cannot have been started before.
#pragma once

#include <talaria/sandbox.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/event.h"
#include "base/result.h"
#include "base/task.h"
#include "host/store/sandbox_store.h"
#include "os/unique_fd.h"
#include "sandboxes/live_exec.h"
#include "sandboxes/snapshot_archive.h"
#include "tools/tool.h"

namespace talaria::sandboxes {

struct SandboxLimits {
  std::size_t sandboxes = 0;  // of one owner; 0: as many as there may be
  std::size_t execs = 0;      // of one owner at the same time; likewise
};

struct SandboxCounts {
  std::size_t sandboxes = 0;
  std::size_t execs = 0;
  std::size_t queued = 0;  // of those
};

// Removes what the engine of a container has on this machine of its files, when it is gone.
using ForgetFiles =
    std::function<Task<void>(host::Config config, std::string target, std::string sandbox)>;

class Sandboxes : public std::enable_shared_from_this<Sandboxes> {
 public:
  // What `services` refers to lives as long as `keeper`.
  Sandboxes(asio::any_io_executor executor, tool::Services services, std::shared_ptr<void> keeper,
            ForgetFiles forget_files);
  ~Sandboxes();

  // Takes the home for itself, and goes on with what is there. Before all else.
  Result<void> open();

  // With a key, what was asked for with it before; an Error (denied) if that was something else.
  Task<Result<SandboxInfo>> create(std::string owner, SandboxSpec spec, std::string key,
                                   SandboxLimits limits);
  Result<SandboxInfo> find(const std::string& owner, const std::string& id);
  std::vector<SandboxInfo> list(const std::string& owner) const;
  Task<Result<Termination>> terminate(std::string owner, std::string id, bool snapshot);

  // As it is when it has ended, or after `wait`, or when nobody waits any more. Sent twice it is
  // one exec.
  Task<Result<ExecInfo>> start(std::string owner, std::string sandbox, ExecSpec spec,
                               std::chrono::milliseconds wait, CancelToken gone,
                               SandboxLimits limits);
  Task<Result<ExecInfo>> exec(std::string owner, std::string sandbox, std::string id,
                              std::chrono::milliseconds wait, CancelToken gone);
  Result<std::vector<ExecInfo>> execs(const std::string& owner, const std::string& sandbox);
  Task<Result<ExecInfo>> cancel(std::string owner, std::string sandbox, std::string id);
  Task<Result<void>> signal(std::string owner, std::string sandbox, std::string id, int number);
  // False: it takes no input (any more).
  Task<Result<bool>> write(std::string owner, std::string sandbox, std::string id, std::string data,
                           bool end);
  // Output from a byte on, as it comes: so much of it, or to its end.
  Task<Result<OutputRead>> follow(std::string owner, std::string sandbox, std::string id,
                                  OutputQuery query, environment::OutputSink sink,
                                  CancelToken cancel);

  SandboxCounts counts() const;
  // From now on nobody waits: whoever does is answered with what is.
  void stop_waiting();

 private:
  struct Sandbox {
    host::StoredSandbox stored;
    std::size_t live = 0;  // execs
    std::chrono::system_clock::time_point use_written;
    std::string instance;                // of its runner, as it was seen last
    std::unique_ptr<AsyncEvent> made;    // while it is being made; notified at its end
    std::optional<Error> failure;        // of that
    std::unique_ptr<AsyncEvent> ending;  // while it is being terminated; likewise
    Termination left;                    // by that
  };
  using SandboxPtr = std::shared_ptr<Sandbox>;
  using LivePtr = std::shared_ptr<LiveExec>;
  using ExecKey = std::pair<std::string, std::string>;  // sandbox, exec

  SandboxInfo info_of(const Sandbox& sandbox) const;
  Result<SandboxPtr> own(const std::string& owner, const std::string& id) const;
  Result<SandboxPtr> own_running(const std::string& owner, const std::string& id) const;

  // making and ending (sandbox_life.cc)
  Task<Result<SandboxInfo>> make(SandboxPtr sandbox);
  Task<Result<void>> make_place(SandboxPtr sandbox);
  Task<void> unmake(SandboxPtr sandbox, Error why);
  Task<void> remove_place(SandboxPtr sandbox);
  Task<Result<void>> make_in_container(SandboxPtr sandbox, std::string kept);
  Task<Result<void>> keep_container(SandboxPtr sandbox);
  RunThere runner_for(const std::string& sandbox);
  Task<Result<std::string>> run_there(std::string sandbox, std::string command);
  Result<void> set_override(const Sandbox& sandbox);
  Task<Result<SandboxInfo>> made_by_another(SandboxPtr sandbox);
  Task<void> end_all_in(std::string sandbox);
  Task<Result<void>> keep(SandboxPtr sandbox);
  Task<Termination> end(SandboxPtr sandbox, bool snapshot);
  Task<void> watch_times();
  void tidy();
  std::optional<std::chrono::system_clock::time_point> time_of_end(const Sandbox& sandbox) const;

  // execs (sandbox_execs.cc)
  Result<LivePtr> live_exec(const std::string& owner, const std::string& sandbox,
                            const std::string& id) const;
  LivePtr add_live(host::StoredExec exec);
  Task<Result<ExecInfo>> when_ended(LivePtr live, std::chrono::milliseconds wait, CancelToken gone);
  Result<ExecInfo> ended_exec(const std::string& sandbox, const std::string& id);
  Task<void> run(LivePtr live);
  Task<void> resume(LivePtr live);
  Task<bool> begin(LivePtr live);
  Task<void> ask_for_end(LivePtr live);
  Task<void> give_input_again(LivePtr live);
  Task<void> follow_to_end(LivePtr live);
  Task<Result<ProcessInfo>> wait_for_end(LivePtr live);
  struct WholeOutput {  // of a process that has ended
    std::string head;
    std::size_t left_out = 0;  // of what the process has of its end
    std::uint64_t tail_from = 0;
    ProcessInfo process;

    std::string_view tail() const { return std::string_view(process.tail).substr(left_out); }
  };
  Task<WholeOutput> whole_output(LivePtr live, ProcessInfo process);
  Task<void> kill(LivePtr live);
  Task<std::shared_ptr<environment::Environment>> where_it_runs(LivePtr live);
  void finish(LivePtr live);
  void write_end(const LivePtr& live);
  void asked(const ApprovalRequest& request);
  environment::CommandSpec command_of(const Sandbox& sandbox, const ExecSpec& spec) const;
  environment::ProcessSpec process_of(const LivePtr& live);

  asio::any_io_executor executor_;
  tool::Services services_;
  std::shared_ptr<void> keeper_;
  ForgetFiles forget_files_;
  std::optional<host::SandboxStore> store_;
  os::UniqueFd lock_;
  std::map<std::string, SandboxPtr> sandboxes_;  // all but those that were terminated
  std::map<ExecKey, LivePtr> live_;
  std::set<std::string> unwritten_ends_;  // of sandboxes that are gone
  asio::steady_timer times_;
  std::chrono::system_clock::time_point pruned_;  // when, the last time
  std::uint64_t listening_ = 0;
  bool stopping_ = false;
};

}  // namespace talaria::sandboxes
