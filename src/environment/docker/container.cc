#include "environment/docker/container.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <tuple>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/sha256.h"
#include "environment/docker/kept_directory.h"
#include "environment/docker/kept_socket.h"
#include "environment/docker/labels.h"
#include "environment/docker/run_words.h"
#include "environment/runner_image.h"
#include "environment/wait_for_lock.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/random.h"
#include "shell/quote.h"

namespace talaria::environment::docker {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr auto kLockPatience = seconds(35 * 60);  // somebody else makes the container we want, and
                                                  //   pulls its image
constexpr std::size_t kKeyDigits = 8;

// Our runner's program, for containers on this machine. Not there, it is delivered instead.
std::string runner_directory(const std::string& home) {
  const std::string directory = home + "/talaria/bin";
  if (directory.contains(':')) return {};
  const auto image = runner_image(os::machine_name());
  if (!image) return {};
  std::error_code ignored;
  if (fs::exists(directory + "/" + runner_file_name(*image), ignored)) return directory;
  return install_runner(*image, directory) ? directory : "";
}

std::optional<std::string> user_words(const DockerOptions& options) {
  if (!options.run_as_host_user) return std::nullopt;
  return std::to_string(::getuid()) + ":" + std::to_string(::getgid());
}

constexpr std::string_view kPaused = "paused";

bool runs(const InspectedContainer& container) { return container.state == "running"; }

std::string short_id(const std::string& id) { return id.substr(0, 12); }

}  // namespace

std::string Container::place() const {
  return id_.empty() ? "" : "container " + (name_.empty() ? short_id(id_) : name_);
}

void Container::used() {
  if (lease_) lease_->touch();
}

std::string Container::kept_directory() const {
  return talaria::environment::docker::kept_directory(options_.sandbox_dir, options_.task);
}

Task<Result<void>> Container::acquire() {
  const std::string leases = options_.home + "/talaria/leases";
  for (const std::string& directory : {options_.home + "/talaria", leases}) {
    if (const auto made = os::make_private_directory(directory); !made)
      co_return fail(made.error());
  }
  const std::string key = options_.target + "\n" + options_.profile + "\n" + options_.task;
  // One program at a time looks for, and perhaps makes, the container of a task.
  const auto lock = co_await long_work(
      options_.progress, "another program makes the container of this task",
      wait_for_passing_lock(leases + "/making-" + sha256_hex(key).substr(0, 24), kLockPatience),
      Told::later);
  if (!lock) {
    co_return fail(ErrorKind::unavailable,
                   "another program makes the container of this task: " + lock.error().message());
  }
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
      tell("The container " + container->name + " of this task does not start (" +
           started.error().message() + "); another one was made.");
      container.reset();
    }
  }
  if (container) {
    tell_difference(container->name, container->settings);
  } else if (options_.existing) {
    co_return fail(ErrorKind::not_found, "there is no container of task '" + options_.task +
                                             "' (profile '" + options_.profile + "')");
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
  if (!options_.gate) co_return std::nullopt;
  co_return co_await Gate::enter(options_.gate);
}

// Both at once, though the second is of use only if there is none, and is not asked if the answer
// is remembered: each question takes a while. As upstream does, one is made if an engine that
// answers cannot list them.
Task<Result<void>> Container::look(std::optional<InspectedContainer>& container,
                                   Engine::Image& image) {
  using asio::experimental::awaitable_operators::operator&&;
  const auto own_init = own_init_note().read();
  if (own_init) image = {.has_own_init = *own_init};
  if (!options_.persist_across_processes) {
    if (!own_init) image = co_await engine_.look_at(options_.image);
    co_return Result<void>();
  }
  Result<std::optional<InspectedContainer>> found;
  if (own_init) {
    found = co_await find();
  } else {
    std::tie(found, image) = co_await (find() && engine_.look_at(options_.image));
  }
  if (found) {
    container = std::move(*found);
    co_return Result<void>();
  }
  if (const auto answers = co_await engine_.check(); !answers) co_return fail(answers.error());
  if (options_.existing) co_return fail(found.error());
  co_return Result<void>();
}

EngineNote Container::own_init_note() const {
  return {options_.home, "own-init", engine_.identity() + "\n" + options_.image};
}

// What is only remembered of an image may be wrong by now: then it is looked at, and made again.
Task<Result<InspectedContainer>> Container::pull_and_make(Engine::Image image,
                                                          std::optional<Gate::Pass>& turn) {
  if (!image.known && !image.missing) {
    auto made = co_await make(image);
    if (made) co_return std::move(made);
    own_init_note().forget();
    image = co_await engine_.look_at(options_.image);
    if (!image.known && !image.missing) co_return std::move(made);
  }
  if (image.missing) {
    turn.reset();  // nobody waits for somebody else's image
    if (const auto pulled = co_await pull(image); !pulled) co_return fail(pulled.error());
    turn = co_await enter_gate();
  }
  if (image.known) own_init_note().write(image.has_own_init);
  co_return co_await make(image);
}

// `run` would pull it, too, but has to be done in two minutes.
Task<Result<void>> Container::pull(Engine::Image& image) {
  const std::string what = options_.target + " pulls the image " + options_.image;
  const auto pulled = co_await long_work(options_.progress, what, engine_.pull(options_.image));
  if (!pulled) co_return fail(pulled.error());
  image = co_await engine_.look_at(options_.image);
  co_return Result<void>();
}

void Container::tell_difference(const std::string& name, const std::string& made_with) {
  const std::string differs = settings_difference(made_with, options_);
  if (differs.empty()) return;
  tell("The container " + name + " was made with other settings and is used as it is: " + differs +
       ". `talaria env rm " + options_.task + " --yes` takes it away; the next command makes " +
       "one as the settings say.");
}

bool Container::take_known() {
  if (!options_.persist_across_processes) return false;
  std::optional<KnownLease> newest;
  for (KnownLease& lease : known_leases(options_.home)) {
    const LeaseFacts& facts = lease.facts;
    const bool ours = facts.kind == "container" && facts.keep && facts.task == options_.task &&
                      facts.target == options_.target && facts.engine == engine_.identity() &&
                      facts.profile == options_.profile;
    if (ours && (!newest || newest->last_use < lease.last_use)) newest = std::move(lease);
  }
  if (!newest) return false;
  const LeaseFacts& facts = newest->facts;
  if (!adopt({.id = facts.id, .name = facts.name, .settings = facts.extra})) return false;
  tell_difference(facts.name, facts.extra);
  return true;
}

// One that runs, if there is one.
Task<Result<std::optional<InspectedContainer>>> Container::find() const {
  const auto listed = co_await engine_.list(upstream_labels(options_));
  if (!listed) co_return fail(listed.error());
  if (listed->empty()) co_return std::nullopt;
  std::vector<std::string> ids;
  for (const ListedContainer& one : *listed) ids.push_back(one.id);
  auto known = co_await engine_.inspect(std::move(ids));
  if (!known) {  // then what the list says must do
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
  if (!container.task_digest.empty()) return container.task_digest == sha256_hex(options_.task);
  const auto lease = find_lease(options_.home, "container", container.id);
  return !lease || lease->facts.task == options_.task;
}

EngineNote Container::disk_limit_note() const {
  return EngineNote(options_.home, "disk-limit", engine_.identity());
}

EnvironmentLimits Container::limits() const {
  const bool has_disk_limit = options_.disk_mb > 0 && disk_limit_note().read().value_or(false);
  return {.cpu = options_.cpu,
          .memory_mb = options_.memory_mb,
          .disk_mb = has_disk_limit ? options_.disk_mb : 0};
}

Task<bool> Container::can_limit_disk() {
  if (options_.disk_mb <= 0) co_return false;
  const EngineNote note = disk_limit_note();
  if (const auto known = note.read()) co_return *known;
  const bool can = co_await engine_.can_limit_disk(options_.image);
  note.write(can);
  co_return can;
}

// What is only remembered of the image is looked up meanwhile.
Task<Result<std::string>> Container::run(std::vector<std::string> words,
                                         std::vector<std::string> client, Engine::Image image) {
  using asio::experimental::awaitable_operators::operator&&;
  if (image.known) co_return co_await engine_.run(std::move(words), std::move(client));
  auto [id, now] = co_await (engine_.run(std::move(words), std::move(client)) &&
                             engine_.look_at(options_.image));
  if (!id || !now.known || now.has_own_init == image.has_own_init) co_return std::move(id);
  (void)co_await engine_.stop(*id);
  co_return fail(ErrorKind::unavailable, "another image is called " + options_.image + " by now");
}

Task<Result<InspectedContainer>> Container::make(Engine::Image image) {
  RunFacts facts{.name = "hermes-" + os::random_hex(4),
                 .has_own_init = image.has_own_init,
                 .can_limit_disk = co_await can_limit_disk(),
                 .user = user_words(options_),
                 .runners = runner_directory(options_.home)};
  std::error_code error;
  if (options_.persistent) {
    facts.kept = kept_directory();
    fs::create_directories(facts.kept + "/home", error);
    if (!error) fs::create_directories(facts.kept + "/workspace", error);
    if (error) {
      co_return fail(ErrorKind::unavailable, "the directories of the container cannot be made in " +
                                                 facts.kept + ": " + error.message() +
                                                 "; TERMINAL_SANDBOX_DIR says where they are");
    }
  }
  facts.mounts_cwd = !options_.host_cwd.empty() && !has_own_workspace(options_) &&
                     fs::is_directory(options_.host_cwd, error);
  RunWords words = run_words(options_, facts);
  auto id = co_await run(std::move(words.words), std::move(words.client), image);
  if (!id) {
    (void)co_await engine_.remove(facts.name, seconds(10));
    co_return fail(id.error());
  }
  std::ranges::copy(options_.notices, std::back_inserter(news_));
  std::ranges::move(words.notices, std::back_inserter(news_));
  co_return InspectedContainer{.id = std::move(*id),
                               .name = facts.name,
                               .state = "running",
                               .image = options_.image,
                               .settings = settings_text(options_)};
}

Result<void> Container::adopt(const InspectedContainer& container) {
  auto lease = Lease::take(options_.home, {.kind = "container",
                                           .id = container.id,
                                           .name = container.name,
                                           .target = options_.target,
                                           .engine = engine_.identity(),
                                           .profile = options_.profile,
                                           .task = options_.task,
                                           .keep = options_.persist_across_processes,
                                           .extra = container.settings});
  if (!lease) return fail(lease.error());
  lease_.emplace(std::move(*lease));
  (void)runner_directory(options_.home);  // it may be mounted there; else the runner is delivered
  id_ = container.id;
  name_ = container.name;
  carrier_ = std::make_shared<carrier::Carrier>(executor_, carrier_options(container));
  return {};
}

// Containers of a task share a home, one after the other, so each has a directory of its own in it,
// and takes over what the last one left.
carrier::RunnerPlaces Container::places(const std::string& id) const {
  const std::string task = sha256_hex(options_.profile + "\n" + options_.task);
  const std::string own = sha256_hex(id);
  return {.mounted = kMountedRunners,
          .name = "run-" + task.substr(0, kKeyDigits) + "-" + own.substr(0, kKeyDigits)};
}

carrier::CarrierOptions Container::carrier_options(const InspectedContainer& container) const {
  return {.command = shell::single_quote(engine_.program()) + " exec -i " +
                     shell::single_quote(container.id),
          .places = places(container.id),
          .lifetime = options_.lifetime};
}

// `exec` starts the runner and would do as a link. The shorter way, past the engine, is better once
// there is a runner.
Task<Result<link::ByteStream>> Container::reach() {
  const KeptSocket socket{.home = kept_directory() + "/home",
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
  if (!carrier_) co_return fail(ErrorKind::unavailable, "the container was given up");
  auto stream = co_await reach();
  if (stream) co_return std::move(stream);
  const auto known = co_await engine_.inspect({id_});
  if (!known) {
    co_return fail(ErrorKind::unavailable, place() + " cannot be reached, because " +
                                               options_.target +
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
    co_return fail(ErrorKind::unavailable, "the container was given up");
  }
  if (place() != before) {
    tell("The " + before + " is gone; the " + place() +
         " serves in its place. What was changed outside of directories that are kept is lost.");
  } else if (paused) {
    tell("The " + before + " had been paused and goes on.");
  } else {
    tell("The " + before + " had been stopped and was started again. Its processes were lost.");
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
  if (options_.persist_across_processes && !remove) co_return Result<void>();
  (void)co_await engine_.stop(id);  // what it says does not matter if it can be removed
  if (const auto removed = co_await engine_.remove(id, seconds(30)); !removed) {
    co_return fail(removed.error());
  }
  if (lease) lease->forget();
  co_return Result<void>();
}

}  // namespace talaria::environment::docker
