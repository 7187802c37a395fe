// AsioSandboxes: sandboxes and what runs in them (talaria/sandbox.h), for programs with an Asio
// loop. The gateway is one. One program at a time has those of a home.
#pragma once

#include <talaria/asio.h>
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

namespace talaria::sandboxes {
class Sandboxes;
}  // namespace talaria::sandboxes

namespace talaria {

class AsioSandboxes {
 public:
  explicit AsioSandboxes(const AsioRuntime& runtime);

  // Takes the home for itself, and goes on with what is there. Before all else; an Error
  // (unavailable): another program has it.
  Result<void> open();

  const std::string& target() const;  // at which they are made

  // `scope`: how many there may be. With a key, what was asked for with it before; an Error
  // (denied) if that was something else, (limit) if there are too many.
  boost::asio::awaitable<Result<SandboxInfo>> create(std::string owner, SandboxSpec spec,
                                                     std::string key, TokenScope scope = {});
  // Whoever is not its owner is told that there is none (not_found), here and below.
  Result<SandboxInfo> find(const std::string& owner, const std::string& id);
  std::vector<SandboxInfo> list(const std::string& owner);
  boost::asio::awaitable<Result<Termination>> terminate(std::string owner, std::string id,
                                                        bool snapshot);

  // As it is when it has ended, or after `wait`, or once `gone` says that nobody waits for it any
  // more (that ends the wait, never the exec). The same id in the same sandbox is one exec, however
  // often it is asked for.
  boost::asio::awaitable<Result<ExecInfo>> start(std::string owner, std::string sandbox,
                                                 ExecSpec spec, std::chrono::milliseconds wait,
                                                 TokenScope scope = {}, Cancel gone = {});
  boost::asio::awaitable<Result<ExecInfo>> exec(std::string owner, std::string sandbox,
                                                std::string id, std::chrono::milliseconds wait,
                                                Cancel gone = {});
  // Without their output.
  Result<std::vector<ExecInfo>> execs(const std::string& owner, const std::string& sandbox);
  boost::asio::awaitable<Result<ExecInfo>> cancel(std::string owner, std::string sandbox,
                                                  std::string id);
  // denied: it has ended, or not started.
  boost::asio::awaitable<Result<void>> signal(std::string owner, std::string sandbox,
                                              std::string id, int number);
  // False: it takes no input (any more).
  boost::asio::awaitable<Result<bool>> write(std::string owner, std::string sandbox, std::string id,
                                             std::string data, bool end);
  // Output from byte `query.from` on, as it comes, each piece with the number of its first byte:
  // `query.max` bytes of it, or to its end, or until cancelled.
  boost::asio::awaitable<Result<OutputRead>> follow(
      std::string owner, std::string sandbox, std::string id, OutputQuery query,
      std::function<void(std::uint64_t, std::string_view)> sink, Cancel cancel = {});

  SandboxCounts counts() const;
  // From now on whoever waits is answered at once with what is.
  void stop_waiting();

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
  std::shared_ptr<sandboxes::Sandboxes> sandboxes_;
};

}  // namespace talaria
