// AsioSandboxes: sandboxes and their execs (talaria/sandbox.h), for programs with an Asio loop,
// such as the gateway. One program at a time uses those of a home.
#pragma once

#include <talaria/process.h>
#include <talaria/sandbox.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/asio_runtime.h"

namespace talaria::sandboxes {
class Sandboxes;
}  // namespace talaria::sandboxes

namespace talaria {

class AsioSandboxes {
 public:
  explicit AsioSandboxes(const AsioRuntime& runtime);

  // Locks the home, and continues with its sandboxes. Call it first. An Error (unavailable):
  // another program uses them.
  Result<void> open();

  const std::string& target() const;  // of new sandboxes

  // What a token permits: the settings `gateway.*` have the limits that it does not have itself.
  TokenScope with_limits(TokenScope scope) const;

  // A request with the key of an earlier one returns that sandbox; an Error (denied) if the two
  // differ. `scope` limits how many its owner may have; an Error (limit) if there are too many.
  boost::asio::awaitable<Result<SandboxInfo>> create(std::string owner, SandboxSpec spec,
                                                     std::string key, TokenScope scope = {});
  // This and the following: an Error (not_found) also if it belongs to another owner.
  Result<SandboxInfo> find(const std::string& owner, const std::string& id);
  std::vector<SandboxInfo> list(const std::string& owner);
  boost::asio::awaitable<Result<Termination>> terminate(std::string owner, std::string id,
                                                        bool snapshot);

  // Returns when it has ended, after `wait`, or when `gone` is cancelled, which ends the wait but
  // not the exec. The same id in the same sandbox is one exec, however often it is requested.
  boost::asio::awaitable<Result<ExecInfo>> start(std::string owner, std::string sandbox,
                                                 ExecSpec spec, std::chrono::milliseconds wait,
                                                 TokenScope scope = {}, Cancel gone = {});
  boost::asio::awaitable<Result<ExecInfo>> exec(std::string owner, std::string sandbox,
                                                std::string id, std::chrono::milliseconds wait,
                                                Cancel gone = {});
  // A use by calls that are not recorded, such as those of JSON lines: it counts as an exec while
  // `held` lives. Its id is the name of its task.
  struct Use {
    std::string directory;  // where a session that is new begins
    std::string home;       // HOME of its commands; empty: as usual there
    std::shared_ptr<void> held;
  };
  Result<Use> use(const std::string& owner, const std::string& sandbox, const TokenScope& scope);
  // Without their output.
  Result<std::vector<ExecInfo>> execs(const std::string& owner, const std::string& sandbox);
  boost::asio::awaitable<Result<ExecInfo>> cancel(std::string owner, std::string sandbox,
                                                  std::string id);
  // An Error (denied): it has ended, or has not started.
  boost::asio::awaitable<Result<void>> signal(std::string owner, std::string sandbox,
                                              std::string id, int number);
  // False: it takes no input, or no longer.
  boost::asio::awaitable<Result<bool>> write(std::string owner, std::string sandbox, std::string id,
                                             std::string data, bool end);
  // Output from byte `query.from` on as it is printed, each piece with the position of its first
  // byte: `query.max` bytes, or to its end, or until cancelled.
  boost::asio::awaitable<Result<OutputRead>> follow(
      std::string owner, std::string sandbox, std::string id, OutputQuery query,
      std::function<void(std::uint64_t, std::string_view)> sink, Cancel cancel = {});

  SandboxCounts counts() const;
  // From now on requests that wait are answered at once with the current state.
  void stop_waiting();

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
  std::shared_ptr<sandboxes::Sandboxes> sandboxes_;
};

}  // namespace talaria
