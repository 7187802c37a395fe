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
#include "environment/singularity/singularity_environment.h"
#include "environment/singularity/sweep.h"
#include "environment/ssh/ssh_environment.h"
#include "host/gateway_token.h"
#include "host/login_files.h"
#include "host/shared/shared_files.h"

namespace talaria {

namespace {

using std::chrono::milliseconds;

CarrierOptions carrier_options(const Config& config) {
  return {.command = config.carrier,
          .joins_words = config.carrier_joins_words,
          .batches = config.carrier_batches,
          .lifetime = config.lifetime};
}

// Credentials and skills; upstream has no caches in an instance.
std::vector<BoundPath> without_caches(std::vector<BoundPath> mounts) {
  const std::string caches = std::string(kContainerBase) + "/cache/";
  std::erase_if(mounts, [&](const BoundPath& path) { return path.container.starts_with(caches); });
  return mounts;
}

SingularityOptions singularity_options(const EnvironmentRequest& request) {
  const Config& config = request.config;
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
          .login = login_files(config)};
}

DockerOptions docker_options(const EnvironmentRequest& request) {
  const Config& config = request.config;
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
          .login = login_files(config)};
}

SshOptions ssh_options(const Config& config) {
  const SshConfig& ssh = config.ssh;
  return {.target = {.host = ssh.host,
                     .user = ssh.user,
                     .port = ssh.port,
                     .key = ssh.key,
                     .config_file = ssh.config_file},
          .home = config.home,
          .lifetime = config.lifetime,
          .login = login_files(config),
          .batches = config.carrier_batches,
          .plain = config.carrier_plain};
}

DaytonaAccess daytona_access(const Config& config) {
  return {.url = config.daytona.url, .key = config.daytona.key};
}

DaytonaOptions daytona_options(const EnvironmentRequest& request) {
  const Config& config = request.config;
  return {.access = daytona_access(config),
          .home = config.home,
          .task = request.id,
          .existing = request.existing,
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
          .login = login_files(config),
          .progress = request.progress};
}

milliseconds in_ms(double seconds) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(seconds));
}

ManagedOptions managed_options(const EnvironmentRequest& request) {
  const Config& config = request.config;
  const ContainerConfig& container = config.container;
  const ManagedConfig& managed = config.managed;
  ManagedOptions options{
      .target = config.target,
      .access = {.origin = managed.origin,
                 .token = gateway_token(config.home, managed.token),
                 .connect = in_ms(managed.connect_seconds),
                 .poll_read = in_ms(managed.poll_seconds),
                 .cancel_read = in_ms(managed.cancel_seconds),
                 .ca_file = managed.ca_file,
                 .renewed = [home = config.home,
                             token = managed.token] { return gateway_token(home, token); }},
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
      .login = login_files(config),
      .progress = request.progress};
  if (container.says_cpu) options.cpu = container.cpu;
  if (container.says_memory) options.memory_mb = container.memory_mb;
  if (container.says_disk) options.disk_mb = container.disk_mb;
  return options;
}

Result<void> managed_flaw(const Config& config) {
  if (config.managed.flaw.empty()) return {};
  return fail(ErrorKind::bad_request, config.managed.flaw);
}

Backend managed_backend(std::string name) {
  Backend backend(std::move(name), [](EnvironmentRequest request) -> Task<Backend::Made> {
    if (const auto flaw = managed_flaw(request.config); !flaw) co_return fail(flaw.error());
    co_return co_await make_managed_environment(managed_options(request));
  });
  backend.check = [](const Config& config) {
    const Result<void> flaw = managed_flaw(config);
    return flaw ? check_managed(managed_options({.config = config, .id = ""})) : flaw;
  };
  return backend;
}

// How long nobody must have used something before it is swept.
std::chrono::seconds sweep_age(const Config& config) {
  return 2 * std::max(std::chrono::seconds(60), config.lifetime);
}

Backend docker_backend(std::string name) {
  Backend backend(std::move(name), [](EnvironmentRequest request) {
    return make_docker_environment(docker_options(request));
  });
  backend.check = [](const Config& config) {
    return check_docker(docker_options({.config = config, .id = ""}));
  };
  backend.shared_by = SharedBy::mounts;
  backend.sweep = [](SweepRequest request) {
    const Config& config = request.config;
    return sweep_containers({.target = config.target,
                             .binary = config.docker.binary,
                             .home = config.home,
                             .profile = config.profile,
                             .max_age = sweep_age(config),
                             .running = request.running,
                             .dry_run = request.dry_run});
  };
  return backend;
}

Backend daytona_backend() {
  Backend backend("daytona", [](EnvironmentRequest request) {
    return make_daytona_environment(daytona_options(request));
  });
  backend.check = [](const Config& config) {
    return check_daytona(daytona_options({.config = config, .id = ""}));
  };
  backend.shared_by = SharedBy::copies;
  backend.sweep = [](SweepRequest request) {
    return sweep_daytona({.access = daytona_access(request.config),
                          .home = request.config.home,
                          .max_age = sweep_age(request.config),
                          .running = request.running,
                          .dry_run = request.dry_run});
  };
  return backend;
}

}  // namespace

// To add one: write its folder in environment/, then its lines here.
std::vector<Backend> backends(const asio::any_io_executor& executor) {
  Backend local("local", [executor](const EnvironmentRequest& request) {
    const Config& config = request.config;
    return make_local_environment(
        executor, {.home = config.home, .lifetime = config.lifetime, .login = login_files(config)});
  });
  Backend carrier("carrier", [](const EnvironmentRequest& request) {
    return make_carrier_environment(carrier_options(request.config), login_files(request.config),
                                    request.config.carrier_plain);
  });
  carrier.check = [](const Config& config) { return check_carrier(carrier_options(config)); };
  Backend singularity("singularity", [](EnvironmentRequest request) {
    return make_singularity_environment(singularity_options(request));
  });
  singularity.shared_by = SharedBy::mounts;
  singularity.sweep = [](SweepRequest request) {
    return sweep_instances({.home = request.config.home,
                            .max_age = sweep_age(request.config),
                            .running = request.running,
                            .dry_run = request.dry_run});
  };
  singularity.check = [](const Config&) { return check_singularity(); };
  Backend ssh("ssh", [](const EnvironmentRequest& request) {
    return make_ssh_environment(ssh_options(request.config));
  });
  ssh.shared_by = SharedBy::copies;
  ssh.check = [](const Config& config) { return check_ssh(ssh_options(config)); };
  return {std::move(local),           docker_backend("docker"), docker_backend("podman"),
          std::move(singularity),     std::move(ssh),           std::move(carrier),
          managed_backend("managed"), managed_backend("modal"), daytona_backend()};
}

}  // namespace talaria
