#include "sandboxes/sandboxes.h"

#include <talaria/asio_sandboxes.h>

#include <utility>

#include "api/call_under_way.h"
#include "api/core.h"
#include "api/kept_files.h"
#include "sandboxes/kept.h"

namespace talaria {
namespace {

sandboxes::SandboxLimits limits_of(const TokenScope& scope) {
  return {.sandboxes = scope.max_sandboxes, .execs = scope.max_execs};
}

Task<Result<ExecInfo>> start_in(std::shared_ptr<AsioRuntime::Core> core,
                                std::shared_ptr<sandboxes::Sandboxes> sandboxes, std::string owner,
                                std::string sandbox, ExecSpec spec, std::chrono::milliseconds wait,
                                sandboxes::SandboxLimits limits, Cancel gone) {
  const CallUnderWay call(core, gone);
  co_return co_await sandboxes->start(std::move(owner), std::move(sandbox), std::move(spec), wait,
                                      call.token(), limits);
}

Task<Result<ExecInfo>> exec_in(std::shared_ptr<AsioRuntime::Core> core,
                               std::shared_ptr<sandboxes::Sandboxes> sandboxes, std::string owner,
                               std::string sandbox, std::string id, std::chrono::milliseconds wait,
                               Cancel gone) {
  const CallUnderWay call(core, gone);
  co_return co_await sandboxes->exec(std::move(owner), std::move(sandbox), std::move(id), wait,
                                     call.token());
}

Task<Result<OutputRead>> follow_in(std::shared_ptr<AsioRuntime::Core> core,
                                   std::shared_ptr<sandboxes::Sandboxes> sandboxes,
                                   std::string owner, std::string sandbox, std::string id,
                                   OutputQuery query,
                                   std::function<void(std::uint64_t, std::string_view)> sink,
                                   Cancel cancel) {
  const CallUnderWay call(core, cancel);
  co_return co_await sandboxes->follow(std::move(owner), std::move(sandbox), std::move(id),
                                       std::move(query), std::move(sink), call.token());
}

}  // namespace

AsioSandboxes::AsioSandboxes(const AsioRuntime& runtime)
    : core_(runtime.core()),
      sandboxes_(std::make_shared<sandboxes::Sandboxes>(core_->executor(), core_->services(), core_,
                                                        remove_kept_files)) {}

Result<void> AsioSandboxes::open() {
  if (!core_->check()) return core_->check();
  return sandboxes_->open();
}

const std::string& AsioSandboxes::target() const { return core_->host().settings.target(); }

Task<Result<SandboxInfo>> AsioSandboxes::create(std::string owner, SandboxSpec spec,
                                                std::string key, TokenScope scope) {
  return sandboxes::kept(sandboxes_, sandboxes_->create(std::move(owner), std::move(spec),
                                                        std::move(key), limits_of(scope)));
}

Result<SandboxInfo> AsioSandboxes::find(const std::string& owner, const std::string& id) {
  return sandboxes_->find(owner, id);
}

std::vector<SandboxInfo> AsioSandboxes::list(const std::string& owner) {
  return sandboxes_->list(owner);
}

Task<Result<Termination>> AsioSandboxes::terminate(std::string owner, std::string id,
                                                   bool snapshot) {
  return sandboxes::kept(sandboxes_,
                         sandboxes_->terminate(std::move(owner), std::move(id), snapshot));
}

Task<Result<ExecInfo>> AsioSandboxes::start(std::string owner, std::string sandbox, ExecSpec spec,
                                            std::chrono::milliseconds wait, TokenScope scope,
                                            Cancel gone) {
  return start_in(core_, sandboxes_, std::move(owner), std::move(sandbox), std::move(spec), wait,
                  limits_of(scope), std::move(gone));
}

Task<Result<ExecInfo>> AsioSandboxes::exec(std::string owner, std::string sandbox, std::string id,
                                           std::chrono::milliseconds wait, Cancel gone) {
  return exec_in(core_, sandboxes_, std::move(owner), std::move(sandbox), std::move(id), wait,
                 std::move(gone));
}

Result<std::vector<ExecInfo>> AsioSandboxes::execs(const std::string& owner,
                                                   const std::string& sandbox) {
  return sandboxes_->execs(owner, sandbox);
}

Task<Result<ExecInfo>> AsioSandboxes::cancel(std::string owner, std::string sandbox,
                                             std::string id) {
  return sandboxes::kept(sandboxes_,
                         sandboxes_->cancel(std::move(owner), std::move(sandbox), std::move(id)));
}

Task<Result<void>> AsioSandboxes::signal(std::string owner, std::string sandbox, std::string id,
                                         int number) {
  return sandboxes::kept(
      sandboxes_, sandboxes_->signal(std::move(owner), std::move(sandbox), std::move(id), number));
}

Task<Result<bool>> AsioSandboxes::write(std::string owner, std::string sandbox, std::string id,
                                        std::string data, bool end) {
  return sandboxes::kept(sandboxes_, sandboxes_->write(std::move(owner), std::move(sandbox),
                                                       std::move(id), std::move(data), end));
}

Task<Result<OutputRead>> AsioSandboxes::follow(
    std::string owner, std::string sandbox, std::string id, OutputQuery query,
    std::function<void(std::uint64_t, std::string_view)> sink, Cancel cancel) {
  return follow_in(core_, sandboxes_, std::move(owner), std::move(sandbox), std::move(id),
                   std::move(query), std::move(sink), std::move(cancel));
}

AsioSandboxes::Counts AsioSandboxes::counts() const {
  const sandboxes::SandboxCounts counts = sandboxes_->counts();
  return {.sandboxes = counts.sandboxes, .execs = counts.execs, .queued = counts.queued};
}

void AsioSandboxes::stop_waiting() { sandboxes_->stop_waiting(); }

}  // namespace talaria
