#include "environment/docker/container.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <tuple>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/sha256.h"
#include "environment/docker/labels.h"
#include "environment/docker/run_arguments.h"
#include "environment/docker/runner_socket.h"
#include "environment/docker/task_directory.h"
#include "environment/runner_image.h"
#include "environment/task_lease.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/own_process.h"
#include "os/random.h"
#include "shell/quote.h"

namespace talaria::environment::docker {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr std::size_t kKeyDigits = 8;

// Our runner's program, for containers on this machine. Not there, it is delivered instead.
std::string runner_directory(const std::string& home) {
  std::string directory = home + "/talaria/bin";
  if (directory.contains(':')) return {};
  const auto image = runner_image(os::machine_name());
  if (!image) return {};
  std::error_code ignored;
  if (fs::exists(directory + "/" + runner_file_name(image->digest), ignored)) return directory;
  return install_runner(*image, directory) ? directory : "";
}

std::optional<std::string> user_argument(const DockerConfig& config) {
  if (!config.run_as_host_user) return std::nullopt;
  return std::to_string(::getuid()) + ":" + std::to_string(::getgid());
}

constexpr std::string_view kPaused = "paused";

bool runs(const InspectedContainer& container) { return container.state == "running"; }

std::string short_id(const std::string& id) { return id.substr(0, 12); }

std::string place_of(const std::string& name) { return std::string(kContainerLease) + " " + name; }

}  // namespace

std::string Container::place() const {
  return id_.empty() ? "" : place_of(name_.empty() ? short_id(id_) : name_);
}

std::string Container::task_directory() const {
  return talaria::environment::docker::task_directory(spec_.sandbox_dir, spec_.task);
}

LeaseFacts Container::lease_facts(const InspectedContainer& container) const {
  return {.kind = std::string(kContainerLease),
          .id = container.id,
          .name = container.name,
          .target = spec_.target,
          .engine = engine_.identity(),
          .profile = spec_.profile,
          .task = spec_.task,
          .keep = config_.persist_across_processes,
          .extra = container.settings};
}

Task<Result<void>> Container::acquire() {
  const auto turn = co_await turn_to_make(spec_.home, lease_facts({}), spec_.progress);
  if (!turn) co_return fail(turn.error());
  co_return co_await find_or_make();
}

Task<Result<void>> Container::find_or_make() {
  std::optional<InspectedContainer> container;
  Engine::Image image;
  auto turn = co_await enter_gate();
  if (const auto looked = co_await look(container, image); !looked) co_return fail(looked.error());
  if (container && !runs(*container)) {
    const bool paused = container->state == kPaused;
    const auto started =
        co_await (paused ? engine_.unpause(container->id) : engine_.start(container->id));
    if (!started) {
      add_news("The container " + container->name + " of this task does not start (" +
               started.error().message() + "); another one was made.");
      container.reset();
    }
  }
  if (container) {
    report_difference(container->name, container->settings);
  } else if (spec_.existing) {
    co_return fail(ErrorKind::not_found, "no container exists for task '" + spec_.task +
                                             "' (profile '" + spec_.profile + "')");
  } else {
    auto made = co_await pull_and_make(image, turn);
    if (!made) {
      const auto answers = co_await engine_.check();
      co_return fail(answers ? made.error() : answers.error());
    }
    container = std::move(*made);
  }
  co_return adopt(*container);
}

Task<std::optional<Gate::Pass>> Container::enter_gate() const {
  if (!spec_.gate) co_return std::nullopt;
  co_return co_await Gate::enter(spec_.gate);
}

// Asks both at once, because each call of the engine takes a while; the image matters only
// without a container, and is not asked if the answer is remembered. As upstream does, a container
// is created if an engine that answers cannot list them.
Task<Result<void>> Container::look(std::optional<InspectedContainer>& container,
                                   Engine::Image& image) {
  using asio::experimental::awaitable_operators::operator&&;
  const auto own_init = own_init_note().read();
  if (own_init) image = {.has_own_init = *own_init};
  if (!config_.persist_across_processes && !spec_.existing) {
    if (!own_init) image = co_await engine_.look_at(config_.image);
    co_return Result<void>();
  }
  Result<std::optional<InspectedContainer>> found;
  if (own_init) {
    found = co_await find();
  } else {
    std::tie(found, image) = co_await (find() && engine_.look_at(config_.image));
  }
  if (found) {
    container = std::move(*found);
    co_return Result<void>();
  }
  if (const auto answers = co_await engine_.check(); !answers) co_return fail(answers.error());
  if (spec_.existing) co_return fail(found.error());
  co_return Result<void>();
}

EngineNote Container::own_init_note() const {
  return {spec_.home, "own-init", engine_.identity() + "\n" + config_.image};
}

// What is only remembered of an image may be wrong by now: then it is looked at, and made again.
Task<Result<InspectedContainer>> Container::pull_and_make(Engine::Image image,
                                                          std::optional<Gate::Pass>& turn) {
  if (!image.known && !image.missing) {
    auto made = co_await make(image);
    if (made) co_return std::move(made);
    own_init_note().forget();
    image = co_await engine_.look_at(config_.image);
    if (!image.known && !image.missing) co_return std::move(made);
  }
  if (image.missing) {
    turn.reset();  // others need not wait for this image
    if (const auto pulled = co_await pull(image); !pulled) co_return fail(pulled.error());
    turn = co_await enter_gate();
  }
  if (image.known) own_init_note().write(image.has_own_init);
  co_return co_await make(image);
}

// `run` would pull it, too, but has to be done in two minutes.
Task<Result<void>> Container::pull(Engine::Image& image) {
  const std::string what = spec_.target + " is pulling the image " + config_.image;
  const auto pulled = co_await long_work(spec_.progress, what, engine_.pull(config_.image));
  if (!pulled) co_return fail(pulled.error());
  image = co_await engine_.look_at(config_.image);
  co_return Result<void>();
}

void Container::report_difference(const std::string& name, const std::string& made_with) {
  const std::string differs = settings_difference(made_with, config_, spec_.container);
  if (differs.empty()) return;
  add_news("The container " + name + " was made with other settings and is used unchanged: " +
           differs + ". `talaria env rm " + spec_.task +
           " --yes` removes it; the next command makes one with the current settings.");
}

bool Container::take_known() {
  if (!config_.persist_across_processes && !spec_.existing) return false;
  const std::vector<KnownLease> leases = leases_like(spec_.home, lease_facts({}));
  const auto newest = std::ranges::find_if(leases, [this](const KnownLease& lease) {
    if (spec_.existing && !spec_.place.empty()) return place_of(lease.facts.name) == spec_.place;
    return lease.facts.keep;
  });
  if (newest == leases.end()) return false;
  const LeaseFacts& facts = newest->facts;
  if (!adopt({.id = facts.id, .name = facts.name, .settings = facts.extra})) return false;
  report_difference(facts.name, facts.extra);
  return true;
}

// One that runs, if there is one.
Task<Result<std::optional<InspectedContainer>>> Container::find() const {
  const auto listed = co_await engine_.list(upstream_labels(spec_));
  if (!listed) co_return fail(listed.error());
  if (listed->empty()) co_return std::nullopt;
  std::vector<std::string> ids;
  for (const ListedContainer& one : *listed) ids.push_back(one.id);
  auto known = co_await engine_.inspect(std::move(ids));
  if (!known) {  // then only the list is known
    known.emplace();
    for (const ListedContainer& one : *listed) {
      known->push_back({.id = one.id, .state = one.state});
    }
  }
  std::erase_if(*known, [&](const InspectedContainer& one) { return !is_for_us(one); });
  const auto running = std::ranges::find_if(*known, runs);
  if (running != known->end()) co_return *running;
  if (known->empty()) co_return std::nullopt;
  co_return known->front();
}

// Two tasks may have the same label, but not the same digest. A container of upstream's, which has
// none, belongs to the first of our tasks that takes it.
bool Container::is_for_us(const InspectedContainer& container) const {
  if (!container.home.empty() && container.home != spec_.home_mark) return false;
  if (!container.task_digest.empty()) return container.task_digest == sha256_hex(spec_.task);
  const auto lease = find_lease(spec_.home, kContainerLease, container.id);
  return !lease || lease->facts.task == spec_.task;
}

EngineNote Container::disk_limit_note() const {
  return EngineNote(spec_.home, "disk-limit", engine_.identity());
}

EnvironmentLimits Container::limits() const {
  const bool has_disk_limit =
      spec_.container.disk_mb > 0 && disk_limit_note().read().value_or(false);
  return {.cpu = spec_.container.cpu,
          .memory_mb = spec_.container.memory_mb,
          .disk_mb = has_disk_limit ? spec_.container.disk_mb : 0};
}

Task<bool> Container::can_limit_disk() {
  if (spec_.container.disk_mb <= 0) co_return false;
  const EngineNote note = disk_limit_note();
  if (const auto known = note.read()) co_return *known;
  const bool can = co_await engine_.can_limit_disk(config_.image);
  note.write(can);
  co_return can;
}

// What is only remembered of the image is looked up meanwhile.
Task<Result<std::string>> Container::run(RunArguments arguments, Engine::Image image) {
  using asio::experimental::awaitable_operators::operator&&;
  auto running = engine_.run(std::move(arguments.argv), std::move(arguments.variables));
  if (image.known) co_return co_await std::move(running);
  auto [id, now] = co_await (std::move(running) && engine_.look_at(config_.image));
  if (!id || !now.known || now.has_own_init == image.has_own_init) co_return std::move(id);
  (void)co_await engine_.stop(*id);
  co_return fail(ErrorKind::unavailable, "another image is called " + config_.image + " by now");
}

Task<Result<InspectedContainer>> Container::make(Engine::Image image) {
  RunFacts facts{.name = "hermes-" + os::random_hex(4),
                 .has_own_init = image.has_own_init,
                 .can_limit_disk = co_await can_limit_disk(),
                 .user = user_argument(config_),
                 .runners = runner_directory(spec_.home)};
  std::error_code error;
  if (spec_.container.persistent) {
    facts.task_directory = task_directory();
    fs::create_directories(facts.task_directory + "/home", error);
    if (!error) fs::create_directories(facts.task_directory + "/workspace", error);
    if (error) {
      co_return fail(ErrorKind::unavailable, "the directories of the container cannot be made in " +
                                                 facts.task_directory + ": " + error.message() +
                                                 "; TERMINAL_SANDBOX_DIR sets where they are");
    }
  }
  facts.mounts_cwd = !config_.host_cwd.empty() && !has_own_workspace(config_) &&
                     fs::is_directory(config_.host_cwd, error);
  RunArguments arguments = run_arguments(config_, spec_, facts);
  std::vector<std::string> notices = std::move(arguments.notices);
  auto id = co_await run(std::move(arguments), image);
  if (!id) {
    (void)co_await engine_.remove(facts.name, seconds(10));
    co_return fail(id.error());
  }
  std::ranges::copy(spec_.notices, std::back_inserter(news_));
  std::ranges::move(notices, std::back_inserter(news_));
  co_return InspectedContainer{.id = std::move(*id),
                               .name = facts.name,
                               .state = "running",
                               .image = config_.image,
                               .settings = settings_text(config_, spec_.container)};
}

Result<void> Container::adopt(const InspectedContainer& container) {
  if (const auto taken = take_lease(lease_facts(container)); !taken) return taken;
  (void)runner_directory(spec_.home);  // it may be mounted there; else the runner is delivered
  id_ = container.id;
  name_ = container.name;
  carrier_ = std::make_shared<carrier::Carrier>(executor_, carrier_options(container));
  return {};
}

// Containers of a task share a home, one after the other, so each has a directory of its own in it,
// and takes over what the last one left.
carrier::RunnerPlaces Container::places(const std::string& id) const {
  return {.mounted = kMountedRunners,
          .name = runners_of_task() + sha256_hex(id).substr(0, kKeyDigits)};
}

std::string Container::runners_of_task() const {
  const std::string task = sha256_hex(spec_.profile + "\n" + spec_.task);
  return "run-" + task.substr(0, kKeyDigits) + "-";
}

carrier::CarrierOptions Container::carrier_options(const InspectedContainer& container) const {
  return {.command = shell::single_quote(engine_.program()) + " exec -i " +
                     shell::single_quote(container.id),
          .places = places(container.id),
          .lifetime = spec_.lifetime};
}

// `exec` starts the runner and would do as a link. The shorter way, past the engine, is better once
// there is a runner.
Task<Result<link::ByteStream>> Container::reach() {
  const RunnerSocket socket{.home = task_directory() + "/home",
                            .runner = ".talaria/" + places(id_).name,
                            .container = place()};
  if (auto stream = co_await connect_to(socket)) co_return std::move(*stream);
  const auto carrier = carrier_;
  auto carried = co_await carrier->connect();
  if (!carried) co_return std::move(carried);
  if (auto stream = co_await connect_to(socket)) co_return std::move(*stream);
  co_return std::move(carried);
}

Task<Result<link::ByteStream>> Container::connect() {
  if (!carrier_) co_return was_closed();
  auto stream = co_await reach();
  if (stream) co_return std::move(stream);
  const auto known = co_await engine_.inspect({id_});
  if (!known) {
    co_return fail(ErrorKind::unavailable, place() + " cannot be reached, because " + spec_.target +
                                               " does not answer: " + known.error().message() +
                                               " Ensure that it is running and try again");
  }
  if (!known->empty() && runs(known->front())) co_return std::move(stream);

  const std::string before = place();
  const bool gone = known->empty();
  const bool paused = !gone && known->front().state == kPaused;
  if (gone && lease_) lease_->forget();
  if (const auto again = co_await acquire(); !again) co_return fail(again.error());
  if (closed_) {
    (void)co_await close(false);
    co_return was_closed();
  }
  if (place() != before) {
    add_news("The " + before + " is gone; the " + place() +
             " replaces it. Changes outside of directories that are kept are lost.");
  } else if (paused) {
    add_news("The " + before + " had been paused and was resumed.");
  } else {
    add_news("The " + before + " had been stopped and was started again. Its processes were lost.");
  }
  co_return co_await reach();
}

Task<Result<void>> Container::close(bool remove) {
  closed_ = true;
  carrier_.reset();
  auto lease = std::exchange(lease_, std::nullopt);
  const std::string id = std::exchange(id_, {});
  if (id.empty()) co_return Result<void>();
  if (lease) lease->touch();
  const bool stays = config_.persist_across_processes || spec_.existing;
  if (stays && !remove) co_return Result<void>();
  (void)co_await engine_.stop(id);  // a failure does not matter if it can be removed
  if (const auto removed = co_await engine_.remove(id, seconds(30)); !removed) {
    co_return fail(removed.error());
  }
  if (lease) lease->forget();
  co_return remove ? remove_sessions() : Result<void>();
}

// The next container would take over what runners of this task left in the home that is kept.
Result<void> Container::remove_sessions() const {
  if (!spec_.container.persistent) return {};
  const std::string directory = task_directory() + "/home/.talaria";
  for (const std::string& name : os::names_in(directory)) {
    if (!name.starts_with(runners_of_task())) continue;
    // Renamed first: of several programs that remove it, one does.
    const std::string aside = directory + "/removed-" + os::random_hex(8);
    std::error_code error;
    fs::rename(directory + "/" + name, aside, error);
    if (error == std::errc::no_such_file_or_directory) continue;
    if (!error) fs::remove_all(aside, error);
    if (error) {
      return fail(ErrorKind::system, "the container was removed, but its sessions are still in " +
                                         directory + ": " + error.message());
    }
  }
  return {};
}

}  // namespace talaria::environment::docker
