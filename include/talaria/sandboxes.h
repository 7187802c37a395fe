// Sandboxes: sandboxes and their execs (sandbox.h), as the gateway offers them. One program at a
// time uses those of a home.
//
// They fail (ErrorReason::closed) once the Runtime is destroyed. An Error (not_found): it does not
// exist, or belongs to another owner.
#pragma once

#include <talaria/process.h>
#include <talaria/runtime.h>
#include <talaria/sandbox.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

class TALARIA_API Sandboxes {
 public:
  // Locks the home, and continues with its sandboxes. An Error (unavailable): another program uses
  // them.
  static Result<Sandboxes> open(const Runtime& runtime);
  Sandboxes(Sandboxes&& other) noexcept;
  Sandboxes& operator=(Sandboxes&& other) noexcept;
  ~Sandboxes();

  // A request with the key of an earlier one returns that sandbox; an Error (denied) if the two
  // differ.
  Result<SandboxInfo> create(std::string owner, SandboxSpec spec, std::string key);
  void create(std::string owner, SandboxSpec spec, std::string key,
              std::function<void(Result<SandboxInfo>)> done);
  Result<SandboxInfo> find(const std::string& owner, const std::string& id);
  Result<std::vector<SandboxInfo>> list(const std::string& owner);
  Result<Termination> terminate(std::string owner, std::string id, bool snapshot = false);
  void terminate(std::string owner, std::string id, bool snapshot,
                 std::function<void(Result<Termination>)> done);

  // Returns when it has ended, after `wait`, or when `gone` is cancelled, which ends the wait but
  // not the exec. The same id in the same sandbox is one exec, however often it is requested.
  Result<ExecInfo> start(std::string owner, std::string sandbox, ExecSpec spec,
                         std::chrono::milliseconds wait, Cancel gone = {});
  void start(std::string owner, std::string sandbox, ExecSpec spec, std::chrono::milliseconds wait,
             Cancel gone, std::function<void(Result<ExecInfo>)> done);
  Result<ExecInfo> exec(std::string owner, std::string sandbox, std::string id,
                        std::chrono::milliseconds wait, Cancel gone = {});
  void exec(std::string owner, std::string sandbox, std::string id, std::chrono::milliseconds wait,
            Cancel gone, std::function<void(Result<ExecInfo>)> done);
  // Without their output.
  Result<std::vector<ExecInfo>> execs(const std::string& owner, const std::string& sandbox);
  Result<ExecInfo> cancel(std::string owner, std::string sandbox, std::string id);
  // An Error (denied): it has ended, or has not started.
  Result<void> signal(std::string owner, std::string sandbox, std::string id, int number);
  // False: it takes no input, or no longer.
  Result<bool> write(std::string owner, std::string sandbox, std::string id, std::string data,
                     bool end = false);
  // Output as it is printed, each piece with the position of its first byte. `sink` is called as
  // on_output of a Command is.
  Result<OutputRead> follow(std::string owner, std::string sandbox, std::string id,
                            OutputQuery query,
                            std::function<void(std::uint64_t, std::string_view)> sink,
                            Cancel cancel = {});

  class State;

 private:
  Sandboxes(std::shared_ptr<RuntimeLoop> loop, std::shared_ptr<State> state);

  std::shared_ptr<RuntimeLoop> loop_;
  std::shared_ptr<State> state_;
};

}  // namespace talaria
