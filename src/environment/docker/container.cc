#include "environment/docker/container.h"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <tuple>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/sha256.h"
#include "environment/docker/container_pool.h"
#include "environment/docker/labels.h"
#include "environment/docker/runner_socket.h"
#include "environment/docker/task_directory.h"
#include "environment/task_lease.h"
#include "os/directory.h"
#include "os/random.h"

namespace talaria::environment::docker {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr std::size_t kIdDigits = 8;

constexpr auto kStartPatience = std::chrono::milliseconds(500);
constexpr auto kNoPatience = std::chrono::milliseconds(0);

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
  if (co_await take_from_pool()) co_return Result<void>();
  co_return co_await find_or_make();
}

// A task that has files here, or whose files are not kept, gets one of its own.
Task<bool> Container::take_from_pool() {
  if (!pool_ || spec_.existing || spec_.container.pool_size == 0) co_return false;
  if (!can_have_pool(spec_)) co_return false;
  PoolSpec spec = container_pool(executor_, engine_, config_, spec_);
  std::error_code ignored;
  if (fs::symlink_status(task_directory(), ignored).type() != fs::file_type::not_found) {
    pool_->want(std::move(spec));
    co_return false;
  }
  auto taken = co_await pool_->take(std::move(spec), spec_.task, config_.persist_across_processes);
  if (!taken) co_return false;
  const LeaseFacts& facts = taken->facts;
  if (!adopt({.id = facts.id, .name = facts.name, .settings = facts.extra})) {
    // Then it serves nobody, and the next sweep removes it.
    forget_lease(spec_.home, facts);
    co_return false;
  }
  first_stream_.emplace(std::move(taken->stream));
  news_ = spec_.notices;
  std::ranges::move(maker_.common_arguments().notices, std::back_inserter(news_));
  co_return true;
}

Task<Result<void>> Container::find_or_make() {
  using asio::experimental::awaitable_operators::operator&&;
  std::optional<InspectedContainer> container;
  std::optional<Result<ContainerMaker::Made>> early;
  Engine::Image image;
  auto turn = co_await maker_.enter_gate();
  Result<void> looked;
  making_ = ContainerMaker::new_name();
  if (is_probably_new()) {
    Result<ContainerMaker::Made> made;
    std::tie(looked, made) =
        co_await (look(container, image) && maker_.make(*maker_.remembered_image(), turn, making_));
    early = std::move(made);
    if (*early && container && early->value().container.id.starts_with(container->id)) {
      container.reset();  // of an engine that only lists it
    }
  } else {
    looked = co_await look(container, image);
  }
  if (early && *early && (container || !looked)) {
    (void)co_await engine_.remove((*early)->container.id, seconds(30));
  }
  if (!looked) co_return fail(looked.error());
  if (container && !runs(*container)) {
    const bool paused = container->state == kPaused;
    const auto started =
        co_await (paused ? engine_.unpause(container->id) : engine_.start(container->id));
    if (!started) {
      add_news("The container " + container->name + " of this task does not start (" +
               started.error().message() + "); another one was made.");
      container.reset();
    }
    begins_ = true;
  }
  if (container) {
    report_difference(container->name, container->settings);
  } else if (spec_.existing) {
    co_return fail(ErrorKind::not_found, "no container exists for task '" + spec_.task +
                                             "' (profile '" + spec_.profile + "')");
  } else {
    if (!early) early = co_await maker_.make(image, turn, making_);
    Result<ContainerMaker::Made>& made = *early;
    if (!made) {
      const auto answers = co_await engine_.check();
      co_return fail(answers ? made.error() : answers.error());
    }
    container = std::move(made->container);
    begins_ = true;
    std::ranges::move(made->notices, std::back_inserter(news_));
  }
  co_return adopt(*container);
}

// No container is known, and what is needed to make one is. Then it is made while the engine is
// asked whether there is one after all.
bool Container::is_probably_new() const {
  return config_.persist_across_processes && !spec_.existing && maker_.remembered_image() &&
         leases_like(spec_.home, lease_facts({})).empty();
}

// Asks both at once, because each call of the engine takes a while; the image matters only
// without a container, and is not asked if the answer is remembered. As upstream does, a container
// is created if an engine that answers cannot list them.
Task<Result<void>> Container::look(std::optional<InspectedContainer>& container,
                                   Engine::Image& image) {
  using asio::experimental::awaitable_operators::operator&&;
  const auto remembered = maker_.remembered_image();
  if (remembered) image = *remembered;
  if (!config_.persist_across_processes && !spec_.existing) {
    if (!remembered) image = co_await maker_.look_at_image();
    co_return Result<void>();
  }
  Result<std::optional<InspectedContainer>> found;
  if (remembered) {
    found = co_await find();
  } else {
    std::tie(found, image) = co_await (find() && maker_.look_at_image());
  }
  if (found) {
    container = std::move(*found);
    co_return Result<void>();
  }
  if (const auto answers = co_await engine_.check(); !answers) co_return fail(answers.error());
  if (spec_.existing) co_return fail(found.error());
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
  std::vector<std::string> ids;
  for (const ListedContainer& one : *listed) ids.push_back(one.id);
  // One from a pool is known by its lease only.
  for (const KnownLease& lease : leases_like(spec_.home, lease_facts({}))) {
    if (!lease.facts.pool.empty()) ids.push_back(lease.facts.id);
  }
  if (ids.empty()) co_return std::nullopt;
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
// none, belongs to the first of our tasks that takes it; one of a pool to the task of its lease.
bool Container::is_for_us(const InspectedContainer& container) const {
  if (container.name == making_) return false;
  if (!container.home.empty() && container.home != spec_.home_mark) return false;
  if (!container.task_digest.empty()) return container.task_digest == sha256_hex(spec_.task);
  const auto lease = find_lease(spec_.home, kContainerLease, container.id);
  return lease ? lease->facts.task == spec_.task : container.pool.empty();
}

EnvironmentLimits Container::limits() const {
  return {.cpu = spec_.container.cpu,
          .memory_mb = spec_.container.memory_mb,
          .disk_mb = maker_.limits_disk() ? spec_.container.disk_mb : 0};
}

Result<void> Container::adopt(const InspectedContainer& container) {
  if (const auto taken = take_lease(lease_facts(container)); !taken) return taken;
  if (const auto ours = hand_over(lease_->facts()); !ours) {
    lease_.reset();
    return ours;
  }
  (void)runner_directory(spec_.home);  // it may be mounted there; else the runner is delivered
  id_ = container.id;
  name_ = container.name;
  runner_ = runner_name(container);
  carrier_ = std::make_shared<carrier::Carrier>(
      executor_, container_carrier(engine_, id_, runner_, spec_.lifetime));
  return {};
}

// What was made for a pool gets the names that it would have been made with. Also later: the
// program that took it may have been killed before.
Result<void> Container::hand_over(const LeaseFacts& facts) const {
  if (facts.pool.empty()) return {};
  const auto ours = hand_over_directory(pool_directory(spec_.sandbox_dir, spec_.target, facts.name),
                                        task_directory());
  if (!ours) return ours;
  EnvironmentSpec before = spec_;
  before.pool = facts.pool;
  return hand_over_runner(task_directory() + "/home", runner_of(before, facts.name),
                          runner_of(spec_, facts.name));
}

std::string Container::runner_name(const InspectedContainer& container) const {
  if (starts_runner(container.settings)) return runner_of(spec_, container.name);
  return runners_of_task(spec_) + sha256_hex(container.id).substr(0, kIdDigits);
}

RunnerSocket Container::runner_socket() const {
  return {
      .home = task_directory() + "/home", .runner = ".talaria/" + runner_, .container = place()};
}

Result<os::UniqueFd> Container::reach_socket(const std::string& name) const {
  return open_beside(runner_socket(), name);
}

// The runner of a container that begins is there soon. `exec` starts one, too, and would do as a
// link. The shorter way, past the engine, is better; whether it is possible is remembered.
Task<Result<link::ByteStream>> Container::reach() {
  if (auto stream = std::exchange(first_stream_, std::nullopt)) co_return std::move(*stream);
  const RunnerSocket socket = runner_socket();
  const EngineNote note(spec_.home, "runner-socket",
                        engine_.identity() + "\n" + spec_.sandbox_dir + "\n" + config_.image);
  const bool begins = std::exchange(begins_, false) && spec_.container.persistent;
  const auto patience = begins && note.read().value_or(true) ? kStartPatience : kNoPatience;
  if (auto stream = co_await connect_soon(socket, patience)) co_return std::move(*stream);
  const auto carrier = carrier_;
  auto carried = co_await carrier->connect();
  if (!carried) co_return std::move(carried);
  auto stream = co_await connect_to(socket);
  if (begins) note.write(stream.has_value());
  if (stream) co_return std::move(*stream);
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
  first_stream_.reset();
  auto lease = std::exchange(lease_, std::nullopt);
  const std::string id = std::exchange(id_, {});
  const std::string name = name_;
  if (id.empty()) co_return Result<void>();
  if (lease) lease->touch();
  const bool stays = config_.persist_across_processes || spec_.existing;
  if (stays && !remove) co_return Result<void>();
  (void)co_await engine_.stop(id);  // a failure does not matter if it can be removed
  if (const auto removed = co_await engine_.remove(id, seconds(30)); !removed) {
    co_return fail(removed.error());
  }
  if (lease && !lease->facts().pool.empty()) remove_pool_directory(spec_, name);
  if (lease) lease->forget();
  co_return remove ? remove_sessions() : Result<void>();
}

// The next container would take over what runners of this task left in the home that is kept.
Result<void> Container::remove_sessions() const {
  if (!spec_.container.persistent) return {};
  const std::string directory = task_directory() + "/home/.talaria";
  for (const std::string& name : os::names_in(directory)) {
    if (!name.starts_with(runners_of_task(spec_)) && !name.starts_with(kPoolRunners)) continue;
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
