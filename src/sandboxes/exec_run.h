// ExecRun: one exec that has not ended, or whose end is not recorded yet. It passes policy like any
// command, and runs as a background process of the runner at the target.
//
// At most once: an exec is recorded with the id of its process before a runner is asked to start
// it, and a runner starts an id once. After a crash the process is looked up by that id. It is
// started then only if it cannot have been started before.
#pragma once

#include <talaria/approval.h>
#include <talaria/process.h>
#include <talaria/sandbox.h>

#include <memory>
#include <optional>

#include <boost/asio/any_io_executor.hpp>

#include "base/cancel.h"
#include "base/event.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "host/store/sandbox_store.h"
#include "sandboxes/sandbox_table.h"
#include "tools/tool.h"

namespace talaria::sandboxes {

class ExecRun : public std::enable_shared_from_this<ExecRun> {
 public:
  // What `services` refers to outlives each of the calls below.
  ExecRun(asio::any_io_executor executor, tool::Services services,
          std::shared_ptr<SandboxTable> table, host::StoredExec stored);

  const host::StoredExec& stored() const { return stored_; }
  const ExecInfo& info() const { return stored_.info; }
  bool ended() const { return has_ended(stored_.info.state); }
  bool started() const { return environment_ != nullptr; }
  AsyncEvent& changed() { return changed_; }  // one of the above

  // Both return when it has ended. resume() continues with what an earlier gateway began.
  Task<void> run();
  Task<void> resume();
  void waits_for(const ApprovalRequest& request);
  bool waits_for_approval() const { return !ended() && !stored_.info.approval.empty(); }
  Task<void> kill();
  // Where it runs. Null: it waits for an approval, does not start, or has ended.
  Task<std::shared_ptr<environment::Environment>> wait_for_start();

 private:
  Task<bool> begin();
  Task<void> write_sent();
  Task<void> wait_early();
  Task<void> give_input_again();
  Task<void> follow_to_end();
  Task<Result<ProcessInfo>> wait_for_end();
  void finish();
  environment::CommandSpec command_in(const SandboxInfo& sandbox) const;  // without its input
  environment::ProcessSpec process_spec();

  asio::any_io_executor executor_;
  tool::Services services_;
  std::shared_ptr<SandboxTable> table_;
  host::StoredExec stored_;
  CancelToken cancel_;                                     // until it has started
  std::shared_ptr<environment::Environment> starting_;     // where it is being started
  std::shared_ptr<environment::Environment> environment_;  // where it runs
  bool kill_asked_ = false;
  // The wait for its end is sent right behind its start, and may be answered before it.
  bool early_wait_ = false;
  std::optional<Result<ProcessInfo>> early_end_;
  AsyncEvent changed_;
};

}  // namespace talaria::sandboxes
