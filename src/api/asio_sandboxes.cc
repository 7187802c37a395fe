#include "api/asio_sandboxes.h"

#include <filesystem>
#include <string>
#include <utility>

#include "api/call_under_way.h"
#include "api/core.h"
#include "api/engine_files.h"
#include "base/keep_alive.h"
#include "base/off_loop.h"
#include "base/task.h"
#include "environment/docker/task_directory.h"
#include "environment/modal/snapshot_store.h"
#include "environment/singularity/names.h"
#include "environment/singularity/scratch.h"
#include "environment/singularity/snapshots.h"
#include "host/config.h"
#include "sandboxes/sandboxes.h"

namespace talaria {
namespace {

// Removes the files that the engine of a container stored on this machine for the next container of
// the same task. A terminated sandbox has no next one.
Task<void> remove_tree(std::string path) {
  co_await off_loop([&] {
    std::error_code error;
    return std::filesystem::remove_all(path, error);  // follows no link
  });
}

}  // namespace

Task<void> remove_engine_files(host::Config config, std::string target, std::string sandbox) {
  if (target == "modal") {
    (void)co_await environment::modal::forget_modal_snapshot(config.home, sandbox);
    co_return;
  }
  if (target != "singularity") {
    co_await remove_tree(environment::docker::task_directory(config.sandbox_dir, sandbox));
    co_return;
  }
  const auto scratch = environment::singularity::make_scratch(
      environment::singularity::scratch_rules(config.singularity, config.sandbox_dir));
  if (scratch) {
    co_await remove_tree(environment::singularity::overlay_directory(
        *scratch, environment::singularity::overlay_name(sandbox)));
  }
  (void)co_await environment::singularity::forget_snapshot(config.home, sandbox);
}

AsioSandboxes::AsioSandboxes(const AsioRuntime& runtime)
    : core_(runtime.core()),
      sandboxes_(std::make_shared<sandboxes::Sandboxes>(core_->executor(), core_->services(), core_,
                                                        remove_engine_files)) {}

Result<void> AsioSandboxes::open() {
  if (!core_->check()) return core_->check();
  return sandboxes_->open();
}

const std::string& AsioSandboxes::target() const { return core_->host().settings.target(); }

TokenScope AsioSandboxes::with_limits(TokenScope scope) const {
  const Result<host::Config>& config = core_->host().settings.config();
  if (!config) return scope;
  const auto fill = [](std::size_t& limit, std::size_t by_default) {
    if (limit == 0) limit = by_default;
  };
  fill(scope.max_sandboxes, config->gateway.max_sandboxes);
  fill(scope.max_execs, config->gateway.max_execs);
  fill(scope.requests_per_minute, config->gateway.requests_per_minute);
  return scope;
}

Task<Result<SandboxInfo>> AsioSandboxes::create(std::string owner, SandboxSpec spec,
                                                std::string key, TokenScope scope) {
  return keep_alive(sandboxes_, sandboxes_->create(std::move(owner), std::move(spec),
                                                   std::move(key), std::move(scope)));
}

Result<SandboxInfo> AsioSandboxes::find(const std::string& owner, const std::string& id) {
  return sandboxes_->find(owner, id);
}

std::vector<SandboxInfo> AsioSandboxes::list(const std::string& owner) {
  return sandboxes_->list(owner);
}

Task<Result<Termination>> AsioSandboxes::terminate(std::string owner, std::string id,
                                                   bool snapshot) {
  return keep_alive(sandboxes_, sandboxes_->terminate(std::move(owner), std::move(id), snapshot));
}

Task<Result<ExecInfo>> AsioSandboxes::start(std::string owner, std::string sandbox, ExecSpec spec,
                                            std::chrono::milliseconds wait, TokenScope scope,
                                            Cancel gone) {
  return run_call(
      core_, std::move(gone),
      [execs = sandboxes_->execs(), owner = std::move(owner), sandbox = std::move(sandbox),
       spec = std::move(spec), wait, scope = std::move(scope)](CancelToken token) mutable {
        return execs->start(std::move(owner), std::move(sandbox), std::move(spec), wait,
                            std::move(token), std::move(scope));
      });
}

Task<Result<ExecInfo>> AsioSandboxes::exec(std::string owner, std::string sandbox, std::string id,
                                           std::chrono::milliseconds wait, Cancel gone) {
  return run_call(core_, std::move(gone),
                  [execs = sandboxes_->execs(),
                   which = sandboxes::ExecName{std::move(owner), std::move(sandbox), std::move(id)},
                   wait](CancelToken token) { return execs->find(which, wait, std::move(token)); });
}

Result<AsioSandboxes::Use> AsioSandboxes::use(const std::string& owner, const std::string& sandbox,
                                              const TokenScope& scope) {
  auto use = sandboxes_->execs()->use(owner, sandbox, scope);
  if (!use) return fail(use.error());
  return Use{.directory = std::move(use->directory),
             .home = std::move(use->home),
             .held = std::move(use->held)};
}

Result<std::vector<ExecInfo>> AsioSandboxes::execs(const std::string& owner,
                                                   const std::string& sandbox) {
  return sandboxes_->execs()->list(owner, sandbox);
}

Task<Result<ExecInfo>> AsioSandboxes::cancel(std::string owner, std::string sandbox,
                                             std::string id) {
  const auto& execs = sandboxes_->execs();
  return keep_alive(execs, execs->cancel({std::move(owner), std::move(sandbox), std::move(id)}));
}

Task<Result<void>> AsioSandboxes::signal(std::string owner, std::string sandbox, std::string id,
                                         int number) {
  const auto& execs = sandboxes_->execs();
  return keep_alive(execs,
                    execs->signal({std::move(owner), std::move(sandbox), std::move(id)}, number));
}

Task<Result<bool>> AsioSandboxes::write(std::string owner, std::string sandbox, std::string id,
                                        std::string data, bool end) {
  const auto& execs = sandboxes_->execs();
  return keep_alive(execs, execs->write({std::move(owner), std::move(sandbox), std::move(id)},
                                        std::move(data), end));
}

Task<Result<OutputRead>> AsioSandboxes::follow(
    std::string owner, std::string sandbox, std::string id, OutputQuery query,
    std::function<void(std::uint64_t, std::string_view)> sink, Cancel cancel) {
  return run_call(core_, std::move(cancel),
                  [execs = sandboxes_->execs(),
                   which = sandboxes::ExecName{std::move(owner), std::move(sandbox), std::move(id)},
                   query = std::move(query), sink = std::move(sink)](CancelToken token) {
                    return execs->follow(which, query, sink, std::move(token));
                  });
}

SandboxCounts AsioSandboxes::counts() const { return sandboxes_->counts(); }

void AsioSandboxes::stop_waiting() { sandboxes_->execs()->stop_waiting(); }

}  // namespace talaria
