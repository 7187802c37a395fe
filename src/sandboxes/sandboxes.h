// Sandboxes: creates sandboxes, and terminates them when asked or when their lifetime is over. All
// of it is recorded, so that the next gateway continues after a crash. Used from one event loop.
#pragma once

#include <talaria/sandbox.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "base/task.h"
#include "sandboxes/execs.h"
#include "sandboxes/sandbox_places.h"
#include "sandboxes/sandbox_table.h"
#include "sandboxes/snapshots.h"
#include "tools/tool.h"

namespace talaria::sandboxes {

class Sandboxes : public std::enable_shared_from_this<Sandboxes> {
 public:
  // What `services` refers to lives as long as `owner`.
  Sandboxes(asio::any_io_executor executor, tool::Services services, std::shared_ptr<void> owner,
            RemoveEngineFiles remove_files);

  // Locks the home, and continues with what an earlier gateway left. Before all else.
  Result<void> open();

  // A request with the key of an earlier one returns that sandbox; an Error (denied) if the two
  // requests differ. `scope` limits how many its owner may have.
  Task<Result<SandboxInfo>> create(std::string owner, SandboxSpec spec, std::string key,
                                   TokenScope scope);
  Result<SandboxInfo> find(const std::string& owner, const std::string& id) const;
  std::vector<SandboxInfo> list(const std::string& owner) const;
  Task<Result<Termination>> terminate(std::string owner, std::string id, bool snapshot);

  const std::shared_ptr<Execs>& execs() { return execs_; }
  SandboxCounts counts() const;

 private:
  Result<void> check_count(const std::string& owner, const TokenScope& scope) const;
  SandboxInfo info_of(const Sandbox& sandbox) const;
  Task<Result<SandboxInfo>> create_place(SandboxPtr sandbox);
  Task<Result<SandboxInfo>> existing(SandboxPtr sandbox);
  Task<void> forget(std::string id);
  Task<void> discard(SandboxPtr sandbox, Error why);
  Task<Termination> end(SandboxPtr sandbox, bool snapshot);
  void spawn_end(SandboxPtr sandbox, bool snapshot);
  Task<void> watch_lifetimes();
  void tidy();

  asio::any_io_executor executor_;
  tool::Services services_;
  std::shared_ptr<void> owner_;
  std::shared_ptr<SandboxTable> table_ = std::make_shared<SandboxTable>();
  std::shared_ptr<Execs> execs_;
  Snapshots snapshots_;
  SandboxPlaces places_;
  std::set<std::string> unwritten_ends_;  // of sandboxes that are terminated
  asio::steady_timer next_check_;         // of lifetimes
  std::chrono::system_clock::time_point last_prune_;
};

}  // namespace talaria::sandboxes
