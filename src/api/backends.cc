#include "api/backends.h"

#include <algorithm>
#include <utility>

#include "base/sha256.h"
#include "environment/carrier/carrier_environment.h"
#include "environment/daytona/daytona_environment.h"
#include "environment/docker/docker_environment.h"
#include "environment/docker/sweep.h"
#include "environment/environment_spec.h"
#include "environment/home_mark.h"
#include "environment/local/local_environment.h"
#include "environment/managed/managed_environment.h"
#include "environment/modal/credentials.h"
#include "environment/modal/modal_environment.h"
#include "environment/singularity/singularity_environment.h"
#include "environment/ssh/ssh_environment.h"
#include "host/managed_token.h"
#include "host/shared/shared_files.h"

namespace talaria {
namespace {

namespace carrier = environment::carrier;
namespace daytona = environment::daytona;
namespace docker = environment::docker;
namespace local = environment::local;
namespace managed = environment::managed;
namespace modal = environment::modal;
namespace singularity = environment::singularity;
namespace ssh = environment::ssh;

using environment::EnvironmentSpec;
using environment::SweepSpec;
using environment::Swept;
using host::Backend;
using host::Config;
using host::EnvironmentRequest;
using host::SharedBy;
using host::SweepRequest;

// What every backend gets.
EnvironmentSpec spec_of(const EnvironmentRequest& request) {
  const Config& config = request.config;
  return {.target = config.target,
          .task = request.id,
          .runner = request.runner,
          .existing = request.existing,
          .place = request.place,
          .home = config.home,
          .sandbox_dir = config.sandbox_dir,
          .profile = config.profile,
          .cwd = config.cwd,
          .container = config.container,
          .batches = config.carrier.batches,
          .plain = config.carrier.plain,
          .timeout = config.timeout,
          .lifetime = config.lifetime,
          .login = host::login_files(config),
          .mounts = request.mounts,
          .has_credential_files = request.has_credential_files,
          .notices = config.notices,
          .progress = request.progress,
          .gate = request.gate,
          .sessions = request.sessions};
}

// For a target that several homes may reach.
EnvironmentSpec marked_spec_of(const EnvironmentRequest& request) {
  EnvironmentSpec spec = spec_of(request);
  spec.home_mark = environment::home_mark(spec.home);
  return spec;
}

SweepSpec sweep_of(const SweepRequest& request) {
  const Config& config = request.config;
  constexpr auto kShortest =
      std::chrono::seconds(1);  // as 0 is read, which means the least there is
  return {.target = config.target,
          .home = config.home,
          .home_mark = environment::home_mark(config.home),
          .sandbox_dir = config.sandbox_dir,
          .profile = config.profile,
          .lifetime = config.lifetime > kShortest ? config.lifetime : std::chrono::minutes(2),
          .max_age = 2 * std::max(std::chrono::seconds(60), config.lifetime),
          .running = request.running,
          .dry_run = request.dry_run};
}

Backend local_backend(const asio::any_io_executor& executor) {
  return Backend("local", [executor](const EnvironmentRequest& request) {
    return local::make_local_environment(executor, spec_of(request));
  });
}

Backend docker_backend(const asio::any_io_executor& executor, const std::string& name) {
  const auto pool = std::make_shared<environment::WarmPool>(executor);
  Backend backend(name, [pool](const EnvironmentRequest& request) {
    return docker::make_docker_environment(request.config.docker, marked_spec_of(request), pool);
  });
  backend.pool = pool;
  backend.fill_pool = [executor, pool = pool.get()](const EnvironmentRequest& request) {
    docker::fill_docker_pool(executor, request.config.docker, marked_spec_of(request), *pool);
  };
  backend.check = [](const Config& config) {
    return docker::check_docker(config.docker, config.target);
  };
  backend.reach = [](const Config& config) {
    return docker::reach_docker(config.docker, config.target);
  };
  backend.shared_by = SharedBy::mounts;
  backend.sweep = [](const SweepRequest& request) {
    return docker::sweep_containers(request.config.docker, sweep_of(request));
  };
  return backend;
}

// Credentials and skills; upstream has no caches in an instance.
void remove_caches(std::vector<environment::BoundPath>& mounts) {
  const std::string caches = std::string(host::kContainerBase) + "/cache/";
  std::erase_if(mounts, [&](const environment::BoundPath& path) {
    return path.container.starts_with(caches);
  });
}

Backend singularity_backend(const asio::any_io_executor& executor) {
  const auto pool = std::make_shared<environment::WarmPool>(executor);
  Backend backend("singularity", [pool](EnvironmentRequest request) {
    remove_caches(request.mounts);
    return singularity::make_singularity_environment(request.config.singularity, spec_of(request),
                                                     pool);
  });
  backend.pool = pool;
  backend.fill_pool = [executor, pool = pool.get()](EnvironmentRequest request) {
    remove_caches(request.mounts);
    singularity::fill_singularity_pool(executor, request.config.singularity, spec_of(request),
                                       *pool);
  };
  backend.check = [](const Config&) { return singularity::check_singularity(); };
  backend.reach = [](const Config&) { return singularity::reach_singularity(); };
  backend.shared_by = SharedBy::mounts;
  backend.sweep = [](const SweepRequest& request) {
    return singularity::sweep_instances(request.config.singularity, sweep_of(request));
  };
  return backend;
}

Backend ssh_backend() {
  Backend backend("ssh", [](const EnvironmentRequest& request) {
    return ssh::make_ssh_environment(request.config.ssh, marked_spec_of(request));
  });
  backend.check = [](const Config& config) { return ssh::check_ssh(config.ssh); };
  backend.shared_account = [](const Config& config) {
    return config.ssh.address() + "\n" + config.ssh.config_file;
  };
  backend.shared_by_tasks = true;
  backend.reach = [](const Config& config) { return ssh::reach_ssh(config.ssh, config.home); };
  backend.shared_by = SharedBy::copies;
  return backend;
}

Backend carrier_backend() {
  Backend backend("carrier", [](const EnvironmentRequest& request) {
    return carrier::make_carrier_environment(request.config.carrier, marked_spec_of(request));
  });
  backend.check = [](const Config& config) { return carrier::check_carrier(config.carrier); };
  backend.reach = [](const Config& config) { return carrier::reach_carrier(config.carrier); };
  return backend;
}

managed::ReadToken token_reader(const Config& config) {
  return [home = config.home, token = config.managed.token] {
    return host::managed_token(home, token);
  };
}

Result<void> check_gateway(const Config& config) {
  return managed::check_managed(config.managed, false, token_reader(config));
}

Task<Backend::Made> make_through_gateway(const EnvironmentRequest& request) {
  return managed::make_managed_environment(request.config.managed, spec_of(request),
                                           token_reader(request.config));
}

Backend managed_backend() {
  Backend backend("managed", make_through_gateway);
  backend.check = check_gateway;
  return backend;
}

// Through a gateway, or with the user's own account.
Backend modal_backend() {
  Backend backend("modal", [](const EnvironmentRequest& request) {
    if (request.config.managed.chosen) return make_through_gateway(request);
    return modal::make_modal_environment(request.config.modal, spec_of(request));
  });
  backend.check = [](const Config& config) {
    return config.managed.chosen ? check_gateway(config) : modal::check_modal(config.modal);
  };
  backend.is_up = [](EnvironmentRequest request) -> Task<Result<bool>> {
    if (request.config.managed.chosen) co_return true;
    co_return co_await modal::is_modal_sandbox_up(request.config.modal, spec_of(request));
  };
  backend.shared_by = SharedBy::copies;
  backend.shared_base = host::kContainerBase;
  backend.shared_account = [](const Config& config) {
    const auto account = modal::find_modal_account(config.modal);
    return account ? account->identity() : "";
  };
  backend.sweep = [](SweepRequest request) -> Task<Result<std::vector<Swept>>> {
    if (request.config.managed.chosen) co_return std::vector<Swept>();
    SweepSpec sweep = sweep_of(request);
    // A sandbox costs money while it runs, so one that is not used is swept soon.
    sweep.max_age = std::min<std::chrono::seconds>(sweep.max_age, std::chrono::minutes(10));
    co_return co_await modal::sweep_sandboxes(request.config.modal, std::move(sweep));
  };
  return backend;
}

Backend daytona_backend() {
  Backend backend("daytona", [](const EnvironmentRequest& request) {
    return daytona::make_daytona_environment(request.config.daytona, spec_of(request));
  });
  backend.check = [](const Config& config) { return daytona::check_daytona(config.daytona); };
  backend.is_up = [](const EnvironmentRequest& request) {
    return daytona::is_daytona_sandbox_up(request.config.daytona, spec_of(request));
  };
  backend.shared_by = SharedBy::copies;
  backend.shared_account = [](const Config& config) {
    return config.daytona.url + "\n" + sha256_hex(config.daytona.key.view());
  };
  backend.sweep = [](const SweepRequest& request) {
    return daytona::sweep_daytona(request.config.daytona, sweep_of(request));
  };
  return backend;
}

}  // namespace

// To add one: write its folder in environment/, then a function here.
std::vector<Backend> backends(const asio::any_io_executor& executor) {
  return {local_backend(executor),
          docker_backend(executor, "docker"),
          docker_backend(executor, "podman"),
          singularity_backend(executor),
          ssh_backend(),
          carrier_backend(),
          managed_backend(),
          modal_backend(),
          daytona_backend()};
}

}  // namespace talaria
