#include "environment/docker/container_pool.h"

#include <unistd.h>

#include <memory>
#include <utility>

#include "base/sha256.h"
#include "environment/docker/container.h"
#include "environment/docker/container_maker.h"
#include "environment/docker/runner_socket.h"
#include "environment/docker/task_directory.h"
#include "environment/runner_image.h"
#include "environment/warm_up.h"
#include "os/own_process.h"
#include "shell/quote.h"

namespace talaria::environment::docker {
namespace {

using std::chrono::seconds;

constexpr std::size_t kPoolKeyDigits = 32;
constexpr auto kRunnerPatience = std::chrono::seconds(2);  // it is not urgent

// Everything that decides how a container is made.
std::string key_of(const ContainerMaker& maker, const Engine& engine, const EnvironmentSpec& spec) {
  const RunArguments arguments = maker.common_arguments();
  const auto image = runner_image(os::machine_name());
  std::string text =
      engine.identity() + "\n" + spec.sandbox_dir + "\n" + std::string(image ? image->digest : "");
  for (const auto* list : {&arguments.argv, &arguments.variables}) {
    for (const std::string& one : *list) text += "\n" + std::to_string(one.size()) + " " + one;
  }
  return sha256_hex(text).substr(0, kPoolKeyDigits);
}

RunnerSocket socket_of(const EnvironmentSpec& spec, const std::string& container) {
  return {.home = pool_directory(spec.sandbox_dir, spec.target, container) + "/home",
          .runner = ".talaria/" + runner_of(spec, container),
          .container = "container " + container};
}

// Past the engine.
Task<Result<link::ByteStream>> stream_to(RunnerSocket socket) {
  auto stream = co_await connect_to(socket);
  if (stream) co_return std::move(*stream);
  // A runner that is slow may answer later; one that cannot be reached never will.
  const bool is_there = ::access((socket.home + "/" + socket.runner).c_str(), X_OK) == 0;
  co_return fail(is_there ? ErrorKind::unavailable : ErrorKind::denied,
                 "the runner of " + socket.container + " cannot be reached in " + socket.home);
}

class PoolContainers {
 public:
  PoolContainers(asio::any_io_executor executor, Engine engine, DockerConfig config,
                 EnvironmentSpec spec)
      : executor_(std::move(executor)),
        engine_(std::move(engine)),
        config_(std::move(config)),
        spec_(std::move(spec)) {}

  Task<Result<LeaseFacts>> make() const {
    ContainerMaker maker(engine_, config_, spec_);
    auto turn = co_await maker.enter_gate();
    auto image = maker.remembered_image();
    if (!image) image = co_await maker.look_at_image();
    auto made = co_await maker.make(*image, turn, ContainerMaker::new_name());
    if (!made) co_return fail(made.error());
    turn.reset();
    LeaseFacts facts = like();
    facts.id = made->container.id;
    facts.name = made->container.name;
    facts.extra = made->container.settings;
    const auto warm = co_await warm_up(facts);
    if (warm) co_return facts;
    co_await remove(facts);
    co_return fail(warm.error());
  }

  Task<std::optional<link::ByteStream>> connect(const LeaseFacts& facts) const {
    return connect_to(socket_of(spec_, facts.name));
  }

  Task<bool> keep_up(const LeaseFacts& facts) const {
    return keep_runner_up(connector(facts.name));
  }

  Task<void> remove(LeaseFacts facts) const {
    const auto removed = co_await engine_.remove(facts.id, seconds(30));
    if (removed) remove_pool_directory(spec_, facts.name);
  }

  LeaseFacts like() const {
    return {.kind = std::string(kContainerLease),
            .target = spec_.target,
            .engine = engine_.identity(),
            .profile = spec_.profile,
            .keep = false,
            .pool = spec_.pool};
  }

 private:
  link::LinkDriver::Connect connector(const std::string& container) const {
    return [socket = socket_of(spec_, container)] { return stream_to(socket); };
  }

  // Its runner is up afterwards, has read the login files and knows its shell.
  Task<Result<void>> warm_up(LeaseFacts facts) const {
    const auto carrier = std::make_shared<carrier::Carrier>(
        executor_,
        container_carrier(engine_, facts.id, runner_of(spec_, facts.name), spec_.lifetime));
    if (!co_await connect_soon(socket_of(spec_, facts.name), kRunnerPatience)) {
      if (const auto started = co_await carrier->connect(); !started) {
        co_return fail(started.error());
      }
    }
    const auto connect = connector(facts.name);
    if (const auto reached = co_await connect(); !reached) co_return fail(reached.error());
    co_return co_await warm_up_runner(executor_, spec_, connect);
  }

  asio::any_io_executor executor_;
  Engine engine_;
  DockerConfig config_;
  EnvironmentSpec spec_;
};

}  // namespace

bool can_have_pool(const EnvironmentSpec& spec) { return spec.container.persistent; }

PoolSpec container_pool(const asio::any_io_executor& executor, const Engine& engine,
                        const DockerConfig& config, const EnvironmentSpec& spec) {
  EnvironmentSpec waiting = spec;
  waiting.task.clear();
  waiting.notices.clear();
  waiting.progress = {};
  waiting.pool = "pool";
  waiting.pool = key_of(ContainerMaker(engine, config, waiting), engine, waiting);
  const auto containers =
      std::make_shared<const PoolContainers>(executor, engine, config, std::move(waiting));
  return {
      .home = spec.home,
      .like = containers->like(),
      .name = config.image,
      .size = spec.container.pool_size,
      .lifetime = spec.lifetime,
      .keep = config.persist_across_processes,
      .make = [containers] { return containers->make(); },
      .connect = [containers](const LeaseFacts& facts) { return containers->connect(facts); },
      .keep_up = [containers](const LeaseFacts& facts) { return containers->keep_up(facts); },
      .remove = [containers](LeaseFacts facts) { return containers->remove(std::move(facts)); }};
}

carrier::CarrierOptions container_carrier(const Engine& engine, const std::string& id,
                                          const std::string& runner,
                                          std::chrono::seconds lifetime) {
  return {.command = shell::single_quote(engine.program()) + " exec -i " + shell::single_quote(id),
          .places = container_places(runner),
          .lifetime = lifetime};
}

carrier::RunnerPlaces container_places(const std::string& runner) {
  return {.mounted = kMountedRunners, .name = runner};
}

}  // namespace talaria::environment::docker
