#include "environment/docker/container_maker.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "environment/carrier/bootstrap.h"
#include "environment/docker/container_pool.h"
#include "environment/docker/labels.h"
#include "environment/docker/task_directory.h"
#include "environment/runner_image.h"
#include "os/own_process.h"
#include "os/random.h"

namespace talaria::environment::docker {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

std::optional<std::string> user_argument(const DockerConfig& config) {
  if (!config.run_as_host_user) return std::nullopt;
  return std::to_string(::getuid()) + ":" + std::to_string(::getgid());
}

// The container starts its runner, so that no `exec` is needed for that.
std::string start_runner(const EnvironmentSpec& spec, const std::string& container) {
  std::vector<std::string> digests;
  for (const RunnerImage& image : runner_images()) digests.emplace_back(image.digest);
  return carrier::start_script(container_places(runner_of(spec, container)), digests,
                               spec.lifetime);
}

}  // namespace

std::string runner_directory(const std::string& home) {
  std::string directory = home + "/talaria/bin";
  if (directory.contains(':')) return {};
  const auto image = runner_image(os::machine_name());
  if (!image) return {};
  std::error_code ignored;
  if (fs::exists(directory + "/" + runner_file_name(image->digest), ignored)) return directory;
  return install_runner(*image, directory) ? directory : "";
}

std::string ContainerMaker::new_name() { return "hermes-" + os::random_hex(4); }

Task<std::optional<Gate::Pass>> ContainerMaker::enter_gate() const {
  if (!spec_.gate) co_return std::nullopt;
  co_return co_await Gate::enter(spec_.gate);
}

EngineNote ContainerMaker::own_init_note() const {
  return {spec_.home, "own-init", engine_.identity() + "\n" + config_.image};
}

std::optional<Engine::Image> ContainerMaker::remembered_image() const {
  const auto own_init = own_init_note().read();
  if (!own_init) return std::nullopt;
  return Engine::Image{.has_own_init = *own_init};
}

// What is only remembered of an image may be wrong by now: then it is looked at, and made again.
Task<Result<ContainerMaker::Made>> ContainerMaker::make(Engine::Image image,
                                                        std::optional<Gate::Pass>& turn,
                                                        std::string name) {
  if (!image.known && !image.missing) {
    auto made = co_await make_now(image, name);
    if (made) co_return std::move(made);
    own_init_note().forget();
    image = co_await look_at_image();
    if (!image.known && !image.missing) co_return std::move(made);
  }
  if (image.missing) {
    turn.reset();  // others need not wait for this image
    if (const auto pulled = co_await pull(image); !pulled) co_return fail(pulled.error());
    turn = co_await enter_gate();
  }
  if (image.known) own_init_note().write(image.has_own_init);
  co_return co_await make_now(image, name);
}

// `run` would pull it, too, but has to be done in two minutes.
Task<Result<void>> ContainerMaker::pull(Engine::Image& image) {
  const std::string what = spec_.target + " is pulling the image " + config_.image;
  const auto pulled = co_await long_work(spec_.progress, what, engine_.pull(config_.image));
  if (!pulled) co_return fail(pulled.error());
  image = co_await look_at_image();
  co_return Result<void>();
}

EngineNote ContainerMaker::disk_limit_note() const {
  return EngineNote(spec_.home, "disk-limit", engine_.identity());
}

bool ContainerMaker::limits_disk() const {
  return spec_.container.disk_mb > 0 && disk_limit_note().read().value_or(false);
}

Task<bool> ContainerMaker::can_limit_disk() {
  if (spec_.container.disk_mb <= 0) co_return false;
  const EngineNote note = disk_limit_note();
  if (const auto known = note.read()) co_return *known;
  const bool can = co_await engine_.can_limit_disk(config_.image);
  note.write(can);
  co_return can;
}

// What is only remembered of the image is looked up meanwhile.
Task<Result<std::string>> ContainerMaker::run(RunArguments arguments, Engine::Image image) {
  using asio::experimental::awaitable_operators::operator&&;
  auto running = engine_.run(std::move(arguments.argv), std::move(arguments.variables));
  if (image.known) co_return co_await std::move(running);
  auto [id, now] = co_await (std::move(running) && look_at_image());
  if (!id || !now.known || now.has_own_init == image.has_own_init) co_return std::move(id);
  (void)co_await engine_.stop(*id);
  co_return fail(ErrorKind::unavailable, "another image is called " + config_.image + " by now");
}

RunFacts ContainerMaker::common_facts() const {
  std::error_code ignored;
  return {.user = user_argument(config_),
          .runners = runner_directory(spec_.home),
          .mounts_cwd = !config_.host_cwd.empty() && !has_own_workspace(config_) &&
                        fs::is_directory(config_.host_cwd, ignored)};
}

RunArguments ContainerMaker::common_arguments() const {
  RunFacts facts = common_facts();
  if (spec_.container.persistent) facts.task_directory = spec_.sandbox_dir;
  return run_arguments(config_, spec_, facts);
}

Task<Result<ContainerMaker::Made>> ContainerMaker::make_now(Engine::Image image, std::string name) {
  RunFacts facts = common_facts();
  facts.name = std::move(name);
  facts.has_own_init = image.has_own_init;
  facts.can_limit_disk = co_await can_limit_disk();
  if (!facts.runners.empty()) facts.start = start_runner(spec_, facts.name);
  if (spec_.container.persistent) {
    facts.task_directory = directory_of(spec_, facts.name);
    std::error_code error;
    fs::create_directories(facts.task_directory + "/home", error);
    if (!error) fs::create_directories(facts.task_directory + "/workspace", error);
    if (error) {
      co_return fail(ErrorKind::unavailable, "the directories of the container cannot be made in " +
                                                 facts.task_directory + ": " + error.message() +
                                                 "; TERMINAL_SANDBOX_DIR sets where they are");
    }
  }
  RunArguments arguments = run_arguments(config_, spec_, facts);
  std::vector<std::string> notices = spec_.notices;
  std::ranges::move(arguments.notices, std::back_inserter(notices));
  auto id = co_await run(std::move(arguments), image);
  if (!id) {
    (void)co_await engine_.remove(facts.name, seconds(10));
    if (!spec_.pool.empty()) remove_pool_directory(spec_, facts.name);
    co_return fail(id.error());
  }
  co_return Made{.container = {.id = std::move(*id),
                               .name = facts.name,
                               .state = "running",
                               .image = config_.image,
                               .settings = settings_text(config_, spec_.container)},
                 .notices = std::move(notices)};
}

}  // namespace talaria::environment::docker
