// ExecEnvironment: a sandbox at any gateway that speaks the protocol. Each command is one exec, in
// a fresh shell, wrapped by the scripts of the plain path, which keep the state of a session. So it
// can do what a PlainEnvironment can, except output that is not UTF-8: the answers are JSON. The
// text of the command is at the beginning of the exec, where the operator of the gateway can read
// it; a gateway whose sandboxes are not isolated, and which therefore judges commands, gets a
// script that can be judged (judged_script.h).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "environment/environment.h"
#include "environment/managed/managed_sandbox.h"
#include "environment/plain/plain_script.h"
#include "environment/plain/without_runner.h"

namespace talaria::environment::managed {

class ExecEnvironment final : public Environment {
 public:
  explicit ExecEnvironment(std::shared_ptr<ManagedSandbox> sandbox);

  std::string_view target() const override { return sandbox_->spec().target; }
  std::string_view transport() const override { return "plain"; }
  Task<Result<CommandOutcome>> run(CommandSpec spec, CancelToken cancel) override;
  Task<Result<std::optional<shell::SessionDefinitions>>> look(CommandSpec /*spec*/,
                                                              CancelToken /*cancel*/) override {
    co_return std::nullopt;
  }
  Processes& processes() override { return processes_; }
  Files& files() override { return files_; }
  std::string place() const override { return sandbox_->place(); }
  bool persistent() const override { return sandbox_->spec().container.persistent; }
  std::optional<bool> isolated() const override { return sandbox_->facts().isolated; }
  EnvironmentLimits limits() const override { return {}; }  // the protocol does not report them
  // The state of a session stays until the sandbox ends.
  Task<Result<void>> end_session(std::string /*session*/) override { co_return Result<void>(); }
  void leave_files() override { sandbox_->leave_files(); }
  Task<Result<void>> close(bool remove) override { return sandbox_->close(remove); }

 private:
  Task<Result<ExecReply>> run_exec(GatewayExec exec, CancelToken cancel);
  Task<ExecReply> follow(std::string sandbox, GatewayExec exec, CancelToken cancel);
  Task<ExecReply> wait_for_end(std::string sandbox, std::string exec,
                               std::chrono::milliseconds timeout, CancelToken cancel);
  std::string directory_for(const CommandSpec& spec) const;
  Result<CommandOutcome> outcome(const plain::PlainCall& call, const ExecReply& reply);

  std::shared_ptr<ManagedSandbox> sandbox_;
  plain::PlainNotices notices_;
  plain::PlainProcesses processes_;
  plain::PlainFiles files_;
  std::map<std::string, std::string> directories_;  // of sessions, after their last command
};

}  // namespace talaria::environment::managed
