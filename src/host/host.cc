#include "host/host.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

#include "host/carried_env.h"
#include "host/child_env.h"
#include "host/disk_usage.h"
#include "host/shared/shared_options.h"
#include "host/sync/synced_environment.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/random.h"

namespace talaria::host {
namespace {

// Every name TERMINAL_ENV may hold, so that one we cannot serve yet is told from a slip of the pen.
constexpr auto kKnownTargets = std::to_array<std::string_view>(
    {"local", "docker", "podman", "singularity", "modal", "daytona", "ssh", "managed"});

Error not_served(const Config& config, const std::vector<Backend>& backends) {
  const std::string& target = config.target;
  std::string served;
  for (const Backend& backend : backends) served += (served.empty() ? "" : ", ") + backend.name;
  const bool known = std::ranges::find(kKnownTargets, target) != kKnownTargets.end();
  return Error(
      ErrorKind::bad_request,
      (known ? config.target_name + " is '" + target + "', which this Talaria cannot serve yet."
             : "Unknown " + config.target_name + " '" + target + "'.") +
          " Use one of: " + served + ".");
}

// What an environment is called in the store, where it may meet those of other targets.
std::string store_key(std::string_view target, const std::string& id) {
  return std::string(target) + "/" + id;
}

// Only what is written down is asked for: a runner that has nothing to do may have ended.
Task<Result<bool>> has_running(std::shared_ptr<environment::Environment> environment,
                               std::shared_ptr<ProcessLedger> ledger, std::string key) {
  const auto written = ledger->running_at(key);
  if (!written) co_return fail(written.error());
  if (!environment || written->empty()) co_return false;
  const auto list = co_await environment->processes().list({});
  if (!list) co_return fail(list.error());
  co_return std::ranges::any_of(*list, &ProcessInfo::running);
}

// What cannot be asked is not looked after any longer.
Task<bool> is_known_to_run(std::shared_ptr<environment::Environment> environment,
                           std::shared_ptr<ProcessLedger> ledger, std::string key) {
  const auto runs = co_await has_running(std::move(environment), std::move(ledger), std::move(key));
  co_return runs && *runs;
}

EnvironmentLife::Options life_options(const Config& config,
                                      const std::shared_ptr<EnvironmentTable>& table,
                                      const std::shared_ptr<ProcessLedger>& ledger,
                                      EventFeed* events) {
  return {.lifetime = config.lifetime,
          .is_busy =
              [table, ledger](std::string id) {
                auto environment = table->peek(id);
                const std::string key = environment ? store_key(environment->target(), id) : "";
                return is_known_to_run(std::move(environment), ledger, key);
              },
          .before_close = [events](
                              std::string id,
                              std::shared_ptr<environment::Environment> environment) -> Task<void> {
            events->unfollow(store_key(environment->target(), id));
            co_return;
          }};
}

constexpr auto kSweepPause = std::chrono::hours(1);

bool is_younger(const std::string& path, std::chrono::seconds age) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  return !error && std::filesystem::file_time_type::clock::now() - written < age;
}

Task<Backend::Made> at_once(Backend::Made made) { co_return std::move(made); }

}  // namespace

Backend::Backend(std::string its_name, Make its_make)
    : name(std::move(its_name)), make(std::move(its_make)) {}

Backend::Backend(std::string its_name, MakeAtOnce its_make)
    : name(std::move(its_name)),
      make([its_make = std::move(its_make)](const EnvironmentRequest& request) {
        return at_once(its_make(request));
      }) {}

Host::Host(Caller caller, Result<Config> config, std::vector<Backend> backends)
    : caller_(std::move(caller)),
      config_(std::move(config)),
      target_(config_ ? config_->target : configured_target(caller_)),
      backends_(std::move(backends)),
      stored_overrides_(config_ ? config_->home : ""),
      passthrough_(config_ ? config_->env_passthrough : Passthrough()),
      child_env_(make_child_env()),
      shared_files_(std::make_shared<SharedFiles>(config_ ? shared_options(*config_, caller_)
                                                          : SharedOptions())),
      ledger_(std::make_shared<ProcessLedger>(config_ ? config_->home : "")),
      events_(std::make_unique<EventFeed>(ledger_)),
      life_(std::make_unique<EnvironmentLife>(
          environments_,
          life_options(config_.value_or(Config{}), environments_, ledger_, events_.get()))) {}

// Without a configuration nothing is run, so it does not matter then.
std::vector<std::string> Host::make_child_env() const {
  if (!config_) return {};
  ChildEnvOptions options{
      .home = {.mode = config_->home_mode, .profile_home = config_->home + "/home"}};
  if (config_->sources) {
    options.added = passthrough_.values(config_->sources->env_file, caller_);
  }
  options.added.insert(options.added.end(), added_variables_.begin(), added_variables_.end());
  return talaria::host::child_env(caller_, options);
}

std::vector<std::string> Host::carried_env() const {
  if (!config_) return {};
  CarriedEnvOptions options{.passthrough = passthrough_,
                            .forwarded = config_->docker.forward_env,
                            .added = added_variables_};
  if (config_->sources) options.env_file = config_->sources->env_file;
  return talaria::host::carried_env(caller_, options);
}

void Host::add_variables(const std::vector<std::string>& entries) {
  added_variables_.insert(added_variables_.end(), entries.begin(), entries.end());
  child_env_ = make_child_env();
}

Result<void> Host::pass_through(std::string_view name) {
  const Result<void> added = passthrough_.add(name);
  if (added) child_env_ = make_child_env();
  return added;
}

Task<Result<std::shared_ptr<environment::Environment>>> Host::environment(std::string task) {
  const Result<Config> config = config_of(task);
  if (!config) co_return fail(config.error());
  if (const auto served = backend_for(*config); !served) {
    const bool overridden = !overrides_.flags_of(task).empty();
    co_return fail(overridden ? because_of_override(task, served.error()) : served.error());
  }
  const std::string id = overrides_.environment_id(task);
  const EnvironmentTable::Make make_it = [&] { return make({.config = *config, .id = id}); };
  auto found = co_await environments_->get(id, task, make_it);
  if (!found) co_return found;
  const auto executor = co_await asio::this_coro::executor;
  life_->begin(executor);
  // Following it is no use of it: one that nobody calls is let go all the same.
  auto followed = events_->has_subscribers() ? environments_->peek(id) : nullptr;
  if (followed) events_->follow(executor, key_of(task), std::move(followed));
  co_return found;
}

std::string Host::key_of(const std::string& task) const {
  return store_key(target_of(task), overrides_.environment_id(task));
}

Task<Result<std::shared_ptr<environment::Environment>>> Host::environment_of(std::string process,
                                                                             std::string task) {
  const std::optional<StoredProcess> known = ledger_->find(process);
  co_return co_await environment(known ? known->task : task);
}

Task<Result<bool>> Host::can_be_looked_at(std::string task) {
  const Result<Config> config = config_of(task);
  if (!config) co_return true;
  const Result<const Backend*> backend = backend_for(*config);
  const std::string id = overrides_.environment_id(task);
  if (!backend || !(*backend)->is_up || environments_->peek(id)) co_return true;
  co_return co_await (*backend)->is_up({.config = *config, .id = id});
}

Task<Result<WithProcesses>> Host::environments_with_processes() {
  WithProcesses found;
  const auto lately = ledger_->lately();
  if (!lately) co_return fail(lately.error());
  std::set<std::string> asked;
  for (const StoredProcess& process : *lately) {
    if (!asked.insert(process.environment).second) continue;
    if (key_of(process.task) != process.environment) {
      // One that was started under another configuration is out of reach for this one.
      found.out_of_reach.emplace_back(
          ErrorKind::unavailable,
          "processes at target " + process.target + " (task '" + process.task +
              "') are not shown: this configuration has that task at " + target_of(process.task));
      continue;
    }
    const auto up = co_await can_be_looked_at(process.task);
    if (up && !*up) continue;  // what ran there has ended with its place
    auto environment = co_await this->environment(process.task);
    if (environment) {
      found.environments.emplace(process.environment, std::move(*environment));
    } else {
      found.out_of_reach.emplace_back(
          environment.error().kind(),
          "target " + process.target + " cannot be asked: " + environment.error().message());
    }
  }
  co_return found;
}

Result<void> Host::process_started(const std::string& task, environment::Environment& environment,
                                   StoredProcess process) {
  process.task = task;
  process.target = environment.target();
  process.environment = key_of(task);
  process.instance = environment.processes().instance();
  process.started = std::chrono::system_clock::now();
  return ledger_->started(process);
}

Task<Result<void>> Host::deliver_events(EventOptions wish,
                                        std::function<bool(const ProcessEvent&)> sink,
                                        CancelToken cancel) {
  using asio::experimental::awaitable_operators::operator&&;
  // Once the subscriber is there, every environment that is looked up is followed.
  auto ended = co_await (events_->deliver(std::move(wish), std::move(sink), std::move(cancel)) &&
                         look_at_processes());
  co_return ended;
}

Task<void> Host::collect_events() {
  const auto found = co_await environments_with_processes();
  if (!found) co_return;
  for (const auto& [key, environment] : found->environments) {
    (void)co_await events_->collect(key, environment);
  }
}

Task<void> Host::look_at_processes() { (void)co_await environments_with_processes(); }

Task<Result<void>> Host::remove_environment(std::string id, Removal how) {
  if (how.unless_busy) {
    const auto free = co_await nothing_runs_in(id, environments_->peek(id));
    if (!free) co_return fail(free.error());
  }
  Result<void> closed = co_await life_->close(id, how.everything);
  if (closed || closed.error().kind() != ErrorKind::not_found || !how.everything) co_return closed;
  // Not one of ours, but perhaps one that another program made and left to be found.
  const Result<Config> config = config_of(id);
  if (!config) co_return fail(config.error());
  if (config->target == "local") co_return closed;
  auto made = co_await make({.config = *config, .id = id, .existing = true, .place = how.place});
  if (!made) co_return fail(made.error());
  const std::shared_ptr<environment::Environment> found = std::move(*made);
  if (!how.place.empty() && found->place() != how.place) {
    co_return fail(ErrorKind::denied,
                   "environment '" + id + "' is now the " + found->place() + ", not the " +
                       how.place + "; is another engine meant (DOCKER_HOST, DOCKER_CONTEXT)?");
  }
  if (how.unless_busy) {
    const auto free = co_await nothing_runs_in(id, found);
    if (!free) co_return fail(free.error());
  }
  co_return co_await found->close(true);
}

Task<Result<void>> Host::nothing_runs_in(
    std::string id, std::shared_ptr<environment::Environment> environment) const {
  if (!environment) co_return Result<void>();
  const std::string key = store_key(environment->target(), id);
  const auto runs = co_await has_running(std::move(environment), ledger_, key);
  if (!runs) {
    co_return fail(ErrorKind::denied, "whether processes run in environment '" + id +
                                          "' cannot be asked (" + runs.error().message() +
                                          "); use --force to remove it all the same");
  }
  if (!*runs) co_return Result<void>();
  co_return fail(ErrorKind::denied,
                 "processes run in the background of environment '" + id +
                     "'; wait for them, end them (`talaria kill --all`), or use --force");
}

Task<EnvironmentLife::Closed> Host::close_environments(bool remove) {
  return life_->close_all(remove);
}

EnvironmentTotals Host::environment_totals() const {
  EnvironmentTotals totals;
  for (const EnvironmentInfo& one : environments_->list()) {
    ++totals.count;
    totals.tasks.insert(one.id);
    for (const std::string& task : one.tasks) {
      const auto directory = directories_.find(task);
      if (directory != directories_.end()) totals.workdirs.insert(*directory);
    }
  }
  if (config_ && totals.count > 0) totals.disk_mb = disk_usage_mb({config_->sandbox_dir});
  return totals;
}

void Host::session_is_at(const std::string& task, const std::string& directory) {
  if (directories_.size() < kMaxListedTasks || directories_.contains(task)) {
    directories_[task] = directory;
  }
}

std::string Host::directory_of(const std::string& task) const {
  const auto found = directories_.find(task);
  return found == directories_.end() ? "" : found->second;
}

Result<void> Host::requirements() const {
  if (!config_) return fail(config_.error());
  const Result<const Backend*> backend = backend_for(*config_);
  if (!backend) return fail(backend.error());
  return (*backend)->check(*config_);
}

Result<const Backend*> Host::backend_for(const Config& config) const {
  const auto backend = std::ranges::find(backends_, config.target, &Backend::name);
  if (backend == backends_.end()) return fail(not_served(config, backends_));
  return &*backend;
}

Task<Backend::Made> Host::make(EnvironmentRequest request) const {
  const Result<const Backend*> backend = backend_for(request.config);
  if (!backend) co_return fail(backend.error());
  if (!request.existing) co_await sweep_if_due(**backend, request.config);
  if ((*backend)->shared_by == SharedBy::mounts) {
    Mounts mounts = shared_files_->mounts();
    request.mounts = std::move(mounts.paths);
    std::ranges::move(mounts.notices, std::back_inserter(request.config.notices));
  }
  request.has_credential_files = !shared_files_->credentials().find().files.empty();
  request.progress = preparing_teller(hooks_);
  request.gate = making_;
  const FileSyncOptions sync{.home = request.config.home,
                             .base = (*backend)->shared_base,
                             .always = request.config.always_sync};
  // A gateway's sandboxes get nothing, whichever target they serve.
  const bool copies = (*backend)->shared_by == SharedBy::copies && !request.config.managed.chosen;
  Backend::Made made = co_await (*backend)->make(std::move(request));
  if (!made || !copies) co_return made;
  co_return std::make_unique<SyncedEnvironment>(
      std::move(*made), sync, [shared = shared_files_] { return shared->files(); });
}

// What earlier programs left behind, before something is made; at most once an hour, and by one
// program at a time.
Task<void> Host::sweep_if_due(const Backend& backend, Config config) const {
  if (!backend.sweep || !config.docker.reap_orphans) co_return;
  const std::string note = config.home + "/talaria/swept-" + backend.name;
  if (!os::make_private_directory(config.home + "/talaria")) co_return;
  if (is_younger(note, kSweepPause)) co_return;
  const auto lock = os::try_lock_file(note);  // which writes to it: that is the note
  if (!lock || !*lock) co_return;
  (void)co_await backend.sweep({.config = std::move(config)});
}

Task<Result<std::vector<environment::Swept>>> Host::sweep(bool running, bool dry_run) const {
  if (!config_) co_return fail(config_.error());
  const Result<const Backend*> backend = backend_for(*config_);
  if (!backend) co_return fail(backend.error());
  if (!(*backend)->sweep) co_return std::vector<environment::Swept>();
  co_return co_await (*backend)->sweep(
      {.config = *config_, .running = running, .dry_run = dry_run});
}

Result<void> Host::override_task(const std::string& task, const json::object& overrides) {
  Result<TaskOverride> said = parse_override(overrides);
  if (!said) return fail(said.error());
  said->id = os::random_hex(8);
  remove_all(overrides_.set(task, std::move(*said)));
  return {};
}

void Host::clear_override(const std::string& task) { remove_all(overrides_.set(task, {})); }

std::optional<SessionMove> Host::begin_move(const std::string& task) {
  const Result<Config> config = config_of(task);
  const TaskOverride* said = config ? overrides_.unmoved(task) : nullptr;
  if (!said) return std::nullopt;
  SessionMove move{.directory = config->cwd, .id = said->id};
  overrides_.set_moved(task, move.id, true);
  return move;
}

void Host::end_move(const std::string& task, const SessionMove& move, bool went) {
  overrides_.set_moved(task, move.id, went);
  if (!went || !stored_overrides_.overrides().contains(task)) return;
  // If it cannot be written, the next process moves the session once more.
  (void)stored_overrides_.mark_moved(task, move.id);
}

void Host::remove_all(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) life_->retire(id);
}

Error Host::because_of_override(const std::string& task, const Error& error) const {
  const bool stored = stored_overrides_.overrides().contains(task);
  return Error(error.kind(),
               "task '" + task + "' has an override: " + error.message() +
                   (stored ? " (talaria env override " + task + " --clear takes it back)" : ""));
}

Result<Config> Host::config_of(const std::string& task) {
  if (!config_) return config_;
  const Result<bool> changed = stored_overrides_.refresh();
  if (!changed) return fail(changed.error());
  if (*changed) remove_all(overrides_.set_stored(stored_overrides_.overrides()));
  std::vector<ConfigFlag> flags = overrides_.flags_of(task);
  if (flags.empty()) return config_;
  const Result<Config> config = config_with(*config_, caller_, std::move(flags));
  if (!config) return fail(because_of_override(task, config.error()));
  return config;
}

std::string Host::target_of(const std::string& task) const {
  for (const ConfigFlag& flag : overrides_.flags_of(task)) {
    if (flag.setting == "TERMINAL_ENV") return flag.value;
  }
  return target_;
}

}  // namespace talaria::host
