// AsioRuntime::Core: the state of an AsioRuntime. Calls that use it keep it alive.
#pragma once

#include <functional>
#include <list>
#include <memory>

#include "api/asio_runtime.h"
#include "api/sudo_listeners.h"
#include "api/watchers.h"
#include "base/cancel.h"
#include "host/host.h"
#include "policy/command_policy.h"
#include "tools/files/file_memory.h"
#include "tools/process_service.h"
#include "tools/results/turn_budget.h"
#include "tools/tool.h"

namespace talaria {

class AsioRuntime::Core {
 public:
  // `given`: those the configuration holds views of. `name`: of the program.
  Core(asio::any_io_executor executor, host::Caller caller, Result<host::Config> config,
       std::vector<host::Backend> backends, policy::Judge judge,
       std::vector<GivenSetting> given = {}, std::string name = "program");

  host::Host& host() { return host_; }
  policy::CommandPolicy& policy() { return policy_; }
  // For the calls of tools.
  tool::Services services() {
    return {host_.settings, host_.environments, host_.journal, host_.interaction, policy_};
  }
  tool::ProcessService& processes() { return processes_; }
  tool::FileMemory& files() { return files_; }
  tool::TurnBudget& turns() { return turns_; }
  Watchers& watchers() { return watchers_; }
  SudoListeners& sudo_listeners() { return sudo_listeners_; }
  void use_sudo_listeners();  // call it when there are others

  // Why no call should be made; no error if all is well.
  const Result<void>& check() const { return check_; }
  void found(const Result<void>& flaw);  // keeps the first
  const asio::any_io_executor& executor() const { return executor_; }

  // Of the embedding program, with the watchers besides.
  void use_hooks(Hooks hooks);

  // Has the token cancelled by the loop, soon: not from within what it would end.
  void cancel_later(CancelToken token) const;
  void cancel_all_calls();

 private:
  friend class CallUnderWay;

  asio::any_io_executor executor_;
  std::vector<GivenSetting> given_;
  host::Host host_;
  policy::CommandPolicy policy_;
  tool::ProcessService processes_{services()};
  tool::FileMemory files_;
  tool::TurnBudget turns_;
  Watchers watchers_;
  SudoListeners sudo_listeners_;
  std::function<void(const SudoRequest&, SudoReply)> own_sudo_;  // of the embedding program
  Result<void> check_;
  std::list<CancelToken> calls_;
};

// For this process, as `options` and the configuration say.
std::shared_ptr<AsioRuntime::Core> make_core(const asio::any_io_executor& executor,
                                             Options options);

}  // namespace talaria
