#include "api/backends.h"

#include <algorithm>
#include <utility>

#include "api/kept_files.h"
#include "environment/carrier/carrier_environment.h"
#include "environment/daytona/daytona_environment.h"
#include "environment/daytona/daytona_sweep.h"
#include "environment/docker/docker_environment.h"
#include "environment/docker/sweep.h"
#include "environment/local/local_environment.h"
#include "environment/managed/managed_environment.h"
#include "environment/modal/modal_environment.h"
#include "environment/modal/sweep.h"
#include "environment/singularity/singularity_environment.h"
#include "environment/singularity/sweep.h"
#include "environment/ssh/ssh_environment.h"
#include "host/gateway_token.h"
#include "host/login_files.h"
#include "host/shared/shared_files.h"

namespace talaria {

namespace {

using std::chrono::milliseconds;

environment::carrier::CarrierOptions carrier_options(const host::Config& config) {
  return {.command = config.carrier,
          .joins_words = config.carrier_joins_words,
          .batches = config.carrier_batches,
          .lifetime = config.lifetime};
}

// Credentials and skills; upstream has no caches in an instance.
std::vector<environment::BoundPath> without_caches(std::vector<environment::BoundPath> mounts) {
  const std::string caches = std::string(host::kContainerBase) + "/cache/";
  std::erase_if(mounts, [&](const environment::BoundPath& path) {
    return path.container.starts_with(caches);
  });
  return mounts;
}

environment::singularity::SingularityOptions singularity_options(
    const host::EnvironmentRequest& request) {
  const host::Config& config = request.config;
  return {.home = config.home,
          .task = request.id,
          .existing = request.existing,
          .image = config.singularity.image,
          .scratch = scratch_wish(config),
          .cpus = config.container.cpu,
          .memory_mb = config.container.memory_mb,
          .persistent = config.container.persistent,
          .disk_warning_gb = config.singularity.disk_warning_gb,
          .shared = without_caches(request.mounts),
          .progress = request.progress,
          .gate = request.gate,
          .notices = config.notices,
          .lifetime = config.lifetime,
          .login = host::login_files(config)};
}

environment::docker::DockerOptions docker_options(const host::EnvironmentRequest& request) {
  const host::Config& config = request.config;
  return {.target = config.target,
          .binary = config.docker.binary,
          .home = config.home,
          .sandbox_dir = config.sandbox_dir,
          .profile = config.profile,
          .task = request.id,
          .existing = request.existing,
          .image = config.docker.image,
          .cwd = config.cwd,
          .cpu = config.container.cpu,
          .memory_mb = config.container.memory_mb,
          .disk_mb = config.container.disk_mb,
          .says_disk = config.container.says_disk,
          .persistent = config.container.persistent,
          .volumes = config.docker.volumes,
          .env = config.docker.env,
          .network = config.docker.network,
          .host_cwd = config.docker.host_cwd,
          .run_as_host_user = config.docker.run_as_host_user,
          .extra_args = config.docker.extra_args,
          .persist_across_processes = config.docker.persist_across_processes,
          .shared = request.mounts,
          .progress = request.progress,
          .gate = request.gate,
          .notices = config.notices,
          .lifetime = config.lifetime,
          .login = host::login_files(config)};
}

environment::ssh::SshOptions ssh_options(const host::Config& config) {
  const host::SshConfig& ssh = config.ssh;
  return {.target = {.host = ssh.host,
                     .user = ssh.user,
                     .port = ssh.port,
                     .key = ssh.key,
                     .config_file = ssh.config_file},
          .home = config.home,
          .lifetime = config.lifetime,
          .login = host::login_files(config),
          .batches = config.carrier_batches,
          .plain = config.carrier_plain};
}

environment::daytona::DaytonaAccess daytona_access(const host::Config& config) {
  return {.url = config.daytona.url, .key = config.daytona.key};
}

environment::daytona::DaytonaOptions daytona_options(const host::EnvironmentRequest& request) {
  const host::Config& config = request.config;
  return {.access = daytona_access(config),
          .home = config.home,
          .task = request.id,
          .existing = request.existing,
          .place = request.place,
          .image = config.daytona.image,
          .region = config.daytona.region,
          .cpu = config.container.cpu,
          .memory_mb = config.container.memory_mb,
          .disk_mb = config.container.disk_mb,
          .says_disk = config.container.says_disk,
          .persistent = config.container.persistent,
          .batches = config.carrier_batches,
          .plain = config.carrier_plain,
          .lifetime = config.lifetime,
          .login = host::login_files(config),
          .progress = request.progress};
}

milliseconds in_ms(double seconds) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(seconds));
}

environment::managed::ManagedOptions managed_options(const host::EnvironmentRequest& request) {
  const host::Config& config = request.config;
  const host::ContainerConfig& container = config.container;
  const host::ManagedConfig& managed = config.managed;
  environment::managed::ManagedOptions options{
      .target = config.target,
      .access = {.origin = managed.origin,
                 .token = host::gateway_token(config.home, managed.token),
                 .connect = in_ms(managed.connect_seconds),
                 .poll_read = in_ms(managed.poll_seconds),
                 .cancel_read = in_ms(managed.cancel_seconds),
                 .ca_file = managed.ca_file,
                 .renewed = [home = config.home,
                             token = managed.token] { return host::gateway_token(home, token); }},
      .home = config.home,
      .has_credential_files = request.has_credential_files,
      .task = request.id,
      .existing = request.existing,
      .image = managed.image,
      .cwd = config.cwd,
      .persistent = container.persistent,
      .timeout = config.timeout,
      .plain = config.carrier_plain,
      .lifetime = config.lifetime,
      .login = host::login_files(config),
      .progress = request.progress};
  if (container.says_cpu) options.cpu = container.cpu;
  if (container.says_memory) options.memory_mb = container.memory_mb;
  if (container.says_disk) options.disk_mb = container.disk_mb;
  return options;
}

Result<void> check_gateway(const host::Config& config) {
  if (!config.managed.flaw.empty()) return fail(ErrorKind::bad_request, config.managed.flaw);
  return environment::managed::check_managed(managed_options({.config = config, .id = ""}));
}

Task<host::Backend::Made> make_through_gateway(host::EnvironmentRequest request) {
  if (!request.config.managed.flaw.empty()) {
    co_return fail(ErrorKind::bad_request, request.config.managed.flaw);
  }
  co_return co_await environment::managed::make_managed_environment(managed_options(request));
}

host::Backend managed_backend() {
  host::Backend backend("managed", make_through_gateway);
  backend.check = check_gateway;
  return backend;
}

// How long nobody must have used something before it is swept.
std::chrono::seconds sweep_age(const host::Config& config) {
  return 2 * std::max(std::chrono::seconds(60), config.lifetime);
}

environment::modal::ModalWish modal_wish(const host::ModalConfig& modal) {
  return {.token_id = modal.token_id,
          .token_secret = modal.token_secret,
          .server_url = modal.server_url,
          .environment = modal.environment,
          .image_builder_version = modal.image_builder_version,
          .profile = modal.profile,
          .config_path = modal.config_path};
}

// Of one's own; where either way would do, an error says what each of them needs.
Result<environment::modal::ModalAccount> modal_account(const host::Config& config) {
  auto account = environment::modal::find_modal_account(modal_wish(config.modal));
  if (account || config.modal.mode == "direct") return account;
  return fail(account.error().kind(),
              account.error().message() +
                  " Or go through a gateway, with TOOL_GATEWAY_USER_TOKEN (TERMINAL_MODAL_MODE is "
                  "'auto', and found none).");
}

environment::modal::ModalOptions modal_options(const host::EnvironmentRequest& request,
                                               environment::modal::ModalAccount account) {
  const host::Config& config = request.config;
  const host::ContainerConfig& container = config.container;
  return {.account = std::move(account),
          .home = config.home,
          .task = request.id,
          .existing = request.existing,
          .image = config.modal.image,
          .cpu = container.cpu,
          .memory_mb = container.memory_mb,
          .disk_mb = container.says_disk ? container.disk_mb : 0,
          .persistent = container.persistent,
          .life = config.modal.life,
          .lifetime = config.lifetime,
          .plain = config.carrier_plain,
          .notices = config.notices,
          .login = host::login_files(config),
          .progress = request.progress};
}

// What runs at Modal costs, so what was left there is swept soon.
std::chrono::seconds modal_sweep_age(const host::Config& config) {
  return std::min<std::chrono::seconds>(sweep_age(config), std::chrono::minutes(10));
}

// By a gateway or with an account of one's own.
host::Backend modal_backend() {
  host::Backend backend("modal", [](host::EnvironmentRequest request) -> Task<host::Backend::Made> {
    if (request.config.managed.chosen) {
      co_return co_await make_through_gateway(std::move(request));
    }
    auto account = modal_account(request.config);
    if (!account) co_return fail(account.error());
    co_return co_await environment::modal::make_modal_environment(
        modal_options(request, std::move(*account)));
  });
  backend.check = [](const host::Config& config) -> Result<void> {
    if (config.managed.chosen) return check_gateway(config);
    if (const auto account = modal_account(config); !account) return fail(account.error());
    return environment::modal::check_modal();
  };
  backend.is_up = [](host::EnvironmentRequest request) -> Task<Result<bool>> {
    if (request.config.managed.chosen) co_return true;
    auto account = modal_account(request.config);
    if (!account) co_return fail(account.error());
    co_return co_await environment::modal::is_modal_sandbox_up(
        modal_options(request, std::move(*account)));
  };
  backend.shared_by = host::SharedBy::copies;
  backend.shared_base = host::kContainerBase;
  backend.sweep = [](host::SweepRequest request) -> Task<Result<std::vector<environment::Swept>>> {
    const host::Config& config = request.config;
    if (config.managed.chosen) co_return std::vector<environment::Swept>();
    auto account = modal_account(config);
    if (!account) co_return fail(account.error());
    environment::modal::SandboxSweep sweep{.account = std::move(*account),
                                           .home = config.home,
                                           .max_age = modal_sweep_age(config),
                                           .running = request.running,
                                           .dry_run = request.dry_run};
    co_return co_await environment::modal::sweep_sandboxes(std::move(sweep));
  };
  return backend;
}

host::Backend docker_backend(std::string name) {
  host::Backend backend(std::move(name), [](host::EnvironmentRequest request) {
    return environment::docker::make_docker_environment(docker_options(request));
  });
  backend.check = [](const host::Config& config) {
    return environment::docker::check_docker(docker_options({.config = config, .id = ""}));
  };
  backend.shared_by = host::SharedBy::mounts;
  backend.sweep = [](host::SweepRequest request) {
    const host::Config& config = request.config;
    return environment::docker::sweep_containers({.target = config.target,
                                                  .binary = config.docker.binary,
                                                  .home = config.home,
                                                  .profile = config.profile,
                                                  .max_age = sweep_age(config),
                                                  .running = request.running,
                                                  .dry_run = request.dry_run});
  };
  return backend;
}

host::Backend daytona_backend() {
  host::Backend backend("daytona", [](host::EnvironmentRequest request) {
    return environment::daytona::make_daytona_environment(daytona_options(request));
  });
  backend.check = [](const host::Config& config) {
    return environment::daytona::check_daytona(daytona_options({.config = config, .id = ""}));
  };
  backend.is_up = [](const host::EnvironmentRequest& request) {
    return environment::daytona::is_daytona_sandbox_up(daytona_options(request));
  };
  backend.shared_by = host::SharedBy::copies;
  backend.sweep = [](host::SweepRequest request) {
    return environment::daytona::sweep_daytona({.access = daytona_access(request.config),
                                                .home = request.config.home,
                                                .max_age = sweep_age(request.config),
                                                .running = request.running,
                                                .dry_run = request.dry_run});
  };
  return backend;
}

}  // namespace

// To add one: write its folder in environment/, then its lines here.
std::vector<host::Backend> backends(const asio::any_io_executor& executor) {
  host::Backend local("local", [executor](const host::EnvironmentRequest& request) {
    const host::Config& config = request.config;
    return environment::local::make_local_environment(
        executor,
        {.home = config.home, .lifetime = config.lifetime, .login = host::login_files(config)});
  });
  host::Backend carrier("carrier", [](const host::EnvironmentRequest& request) {
    return make_carrier_environment(carrier_options(request.config),
                                    host::login_files(request.config),
                                    request.config.carrier_plain);
  });
  carrier.check = [](const host::Config& config) {
    return environment::carrier::check_carrier(carrier_options(config));
  };
  host::Backend singularity("singularity", [](host::EnvironmentRequest request) {
    return environment::singularity::make_singularity_environment(singularity_options(request));
  });
  singularity.shared_by = host::SharedBy::mounts;
  singularity.sweep = [](host::SweepRequest request) {
    return environment::singularity::sweep_instances({.home = request.config.home,
                                                      .max_age = sweep_age(request.config),
                                                      .running = request.running,
                                                      .dry_run = request.dry_run});
  };
  singularity.check = [](const host::Config&) {
    return environment::singularity::check_singularity();
  };
  host::Backend ssh("ssh", [](const host::EnvironmentRequest& request) {
    return environment::ssh::make_ssh_environment(ssh_options(request.config));
  });
  ssh.shared_by = host::SharedBy::copies;
  ssh.check = [](const host::Config& config) {
    return environment::ssh::check_ssh(ssh_options(config));
  };
  return {std::move(local),       docker_backend("docker"), docker_backend("podman"),
          std::move(singularity), std::move(ssh),           std::move(carrier),
          managed_backend(),      modal_backend(),          daytona_backend()};
}

}  // namespace talaria
