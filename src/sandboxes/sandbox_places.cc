#include "sandboxes/sandbox_places.h"

#include <utility>

#include "os/file.h"
#include "sandboxes/sandbox_config.h"
#include "sandboxes/sandbox_paths.h"
#include "shell/quote.h"
#include "tools/own_command.h"

namespace talaria::sandboxes {

Result<void> SandboxPlaces::set_override(const SandboxInfo& sandbox) {
  if (!is_container_target(sandbox.target)) return {};
  return services_.settings.override_task(
      sandbox.id, override_for(sandbox.spec, sandbox.target, *services_.settings.config()));
}

Task<Result<void>> SandboxPlaces::create(SandboxInfo& sandbox) {
  if (const auto set = set_override(sandbox); !set) co_return set;
  if (is_container_target(sandbox.target)) co_return co_await create_container(sandbox);
  const auto created = co_await create_directory(sandbox);
  if (created) co_await snapshots_.restore(sandbox);
  co_return created;
}

Task<Result<void>> SandboxPlaces::create_container(SandboxInfo& sandbox) {
  const auto environment = co_await services_.environments.get(sandbox.id);
  if (!environment) co_return fail(environment.error());
  const environment::EnvironmentLimits limits = (*environment)->limits();
  sandbox.limits = {.cpu = limits.cpu,
                    .memory_mib = static_cast<double>(limits.memory_mb),
                    .disk_mib = static_cast<double>(limits.disk_mb)};
  co_await snapshots_.restore(sandbox);
  const std::string cwd = exec_directory(sandbox, std::nullopt);
  if (cwd.starts_with('~')) co_return Result<void>();
  const auto made = co_await tool::run_own_command(services_, sandbox.id,
                                                   "mkdir -p -- " + shell::single_quote(cwd));
  if (!made) co_return fail(made.error());
  co_return Result<void>();
}

Task<Result<void>> SandboxPlaces::create_directory(SandboxInfo& sandbox) {
  if (sandbox.target == "local") {
    sandbox.directory = services_.settings.config()->home + "/talaria/sandboxes/" + sandbox.id;
    co_return os::make_private_directory(sandbox.directory);
  }
  const std::string directory = "~/.talaria/sandboxes/" + sandbox.id;
  const auto made = co_await tool::run_own_command(
      services_, sandbox.id,
      "umask 077 && mkdir -p " + directory + " && cd " + directory + " && pwd -P");
  if (!made) co_return fail(made.error());
  if (!made->starts_with('/')) {
    co_return fail(ErrorKind::unavailable, "cannot create a directory at target " + sandbox.target);
  }
  sandbox.directory = *made;
  co_return Result<void>();
}

Task<void> SandboxPlaces::remove(const SandboxInfo& sandbox) {
  if (is_container_target(sandbox.target)) {
    (void)co_await services_.environments.remove(sandbox.id, {.everything = true});
    co_await remove_files_(*services_.settings.config(), sandbox.target, sandbox.id);
  } else if (!sandbox.directory.empty()) {
    (void)co_await tool::run_own_command(services_, sandbox.id,
                                         "rm -rf -- " + shell::single_quote(sandbox.directory));
    const auto environment = co_await services_.environments.get(sandbox.id);
    if (environment) (void)co_await (*environment)->end_session(sandbox.id);
  }
  services_.settings.clear_override(sandbox.id);
}

}  // namespace talaria::sandboxes
