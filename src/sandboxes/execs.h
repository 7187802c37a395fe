// Execs: the commands of all sandboxes, by the ids that clients gave them. Those that have not
// ended are here, the others in the store. Used from one event loop.
#pragma once

#include <talaria/process.h>
#include <talaria/sandbox.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "host/store/sandbox_store.h"
#include "sandboxes/exec_run.h"
#include "sandboxes/sandbox_table.h"
#include "tools/tool.h"

namespace talaria::sandboxes {

// Which exec is meant, and who asks.
struct ExecName {
  std::string owner;
  std::string sandbox;
  std::string id;
};

class Execs : public std::enable_shared_from_this<Execs> {
 public:
  // What `services` refers to lives as long as `owner`.
  Execs(asio::any_io_executor executor, tool::Services services, std::shared_ptr<void> owner,
        std::shared_ptr<SandboxTable> table);
  ~Execs();

  // Continues with the execs that an earlier gateway left.
  Result<void> resume_all();

  // Returns when it has ended, after `wait`, or when `gone` is cancelled. A repeated request for
  // the same id does not run it again. `scope` limits how many its owner may run.
  Task<Result<ExecInfo>> start(std::string owner, std::string sandbox, ExecSpec spec,
                               std::chrono::milliseconds wait, CancelToken gone, TokenScope scope);
  // A use of a sandbox that is not recorded, counted as an exec while it lives.
  struct Use {
    std::string directory;  // where its commands start
    std::string home;       // their HOME; empty: as usual there
    std::shared_ptr<void> held;
  };
  Result<Use> use(const std::string& owner, const std::string& sandbox, const TokenScope& scope);
  Task<Result<ExecInfo>> find(ExecName name, std::chrono::milliseconds wait, CancelToken gone);
  // Without their output.
  Result<std::vector<ExecInfo>> list(const std::string& owner, const std::string& sandbox);
  Task<Result<ExecInfo>> cancel(ExecName name);
  Task<Result<void>> signal(ExecName name, int number);
  // False: it takes no input, or no longer.
  Task<Result<bool>> write(ExecName name, std::string data, bool end);
  // Output from a byte on, as it comes.
  Task<Result<OutputRead>> follow(ExecName name, OutputQuery query, environment::OutputSink sink,
                                  CancelToken cancel);

  // Kills the execs of a sandbox, and what ended ones left running.
  Task<void> end_all(std::string sandbox);
  void forget(const std::string& sandbox);
  // Repeats writes of ends that failed.
  void write_ends();

  SandboxCounts counts() const;  // without `sandboxes`
  // From now on a request that waits for an end is answered at once.
  void stop_waiting();

 private:
  using LivePtr = std::shared_ptr<ExecRun>;
  using Key = std::pair<std::string, std::string>;  // sandbox, exec

  LivePtr find_live(const std::string& sandbox, const std::string& id) const;
  Result<LivePtr> find_live(const ExecName& name) const;  // null: it is not live
  Result<ExecInfo> find_ended(const std::string& sandbox, const std::string& id);
  LivePtr add_live(host::StoredExec exec);
  // An Error (limit): one more is too many.
  Result<void> check_room(const std::string& owner, const TokenScope& scope) const;
  Task<void> run_to_end(LivePtr live, Task<void> work);
  Task<Result<ExecInfo>> wait_while_live(LivePtr live, std::chrono::milliseconds wait,
                                         CancelToken gone);
  void write_end(const LivePtr& live);
  std::string texts_directory() const;
  void forget_texts(const host::StoredExec& exec) const;

  asio::any_io_executor executor_;
  tool::Services services_;
  std::shared_ptr<void> owner_;
  std::shared_ptr<SandboxTable> table_;
  std::map<Key, LivePtr> live_;
  std::size_t uses_ = 0;        // that are not recorded
  std::uint64_t listener_ = 0;  // for approvals
  bool stopping_ = false;
};

}  // namespace talaria::sandboxes
