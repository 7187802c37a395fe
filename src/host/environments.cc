#include "host/environments.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/message.h"
#include "base/off_loop.h"
#include "base/target_names.h"
#include "environment/lease.h"
#include "environment/runner_control.h"
#include "host/disk_usage.h"
#include "host/hooks.h"
#include "host/store/session_store.h"
#include "host/stored_sessions.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/file_lock.h"

namespace talaria::host {
namespace {

Error not_served(const Config& config, const std::vector<Backend>& backends) {
  const std::string& target = config.target;
  std::string served;
  for (const Backend& backend : backends) served += (served.empty() ? "" : ", ") + backend.name;
  const bool known = has_word(kTargetNames, target);  // else it is a typing error
  return Error(
      ErrorKind::bad_request,
      (known ? config.target_name + " is '" + target + "', which this Talaria cannot serve yet."
             : "Unknown " + config.target_name + " '" + target + "'.") +
          " Use one of: " + served + "." +
          (target.empty() ? " It is set and empty; to use the default, unset it." : ""));
}

// Names the directory that copies go to.
std::string where_copies_are(const Backend& backend, const EnvironmentRequest& request) {
  const std::string account =
      backend.shared_account ? backend.shared_account(request.config) : std::string();
  return backend.name + "\n" + account + (backend.shared_by_tasks ? "" : "\n" + request.id);
}

// What cannot be asked is not looked after any longer.
Task<bool> is_known_to_run(Journal& journal, std::shared_ptr<environment::Environment> environment,
                           std::string key) {
  const auto runs = co_await journal.has_running(std::move(environment), std::move(key));
  co_return runs && *runs;
}

EnvironmentLife::Options life_options(const Settings& settings, Journal& journal,
                                      const std::shared_ptr<EnvironmentTable>& table) {
  return {.lifetime = settings.config() ? settings.config()->lifetime : Config{}.lifetime,
          .is_busy =
              [table, &journal, &settings](const std::string& id) {
                auto environment = table->peek(id);
                const std::string key =
                    environment ? settings.environment_key(environment->target(), id) : "";
                return is_known_to_run(journal, std::move(environment), key);
              },
          .before_close = [&journal, &settings](
                              std::string id,
                              std::shared_ptr<environment::Environment> environment) -> Task<void> {
            journal.events().unfollow(settings.environment_key(environment->target(), id));
            co_return;
          }};
}

constexpr auto kSweepPause = std::chrono::hours(1);

// A sandbox of such a target is stopped when the last program that used it ends, so no program
// connects to it only to look.
bool ends_with_its_program(std::string_view target) {
  return target == "modal" || target == "daytona" || target == "managed";
}

bool is_younger(const std::string& path, std::chrono::seconds age) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  return !error && std::filesystem::file_time_type::clock::now() - written < age;
}

}  // namespace

Environments::Environments(Settings& settings, Journal& journal, const Hooks& hooks,
                           std::vector<Backend> backends)
    : settings_(settings),
      journal_(journal),
      hooks_(hooks),
      backends_(std::move(backends)),
      shared_files_(std::make_shared<SharedFiles>(
          settings.config() ? shared_options(*settings.config(), settings.caller())
                            : SharedOptions())),
      table_(std::make_shared<EnvironmentTable>()),
      life_(table_, life_options(settings, journal, table_)) {
  settings_.on_misfit([this](const std::string& id) {
    for (const std::string& one : ids_meant_by(id)) life_.retire(one);
  });
}

Environments::~Environments() {
  settings_.on_misfit([](const std::string&) {});
}

Task<Result<EnvironmentPtr>> Environments::get(std::string task) {
  Result<ConfigPtr> config = settings_.of(task);
  if (!config) co_return fail(config.error());
  co_return co_await get(std::move(task), std::move(*config));
}

Task<Result<EnvironmentPtr>> Environments::get(std::string task, ConfigPtr config) {
  if (const auto served = backend_for(*config); !served) {
    co_return fail(settings_.explained(task, served.error()));
  }
  const std::string id = settings_.environment_id(task);
  const EnvironmentTable::Make make_it = [&] {
    return make({.config = *config, .id = id, .runner = settings_.runner_of(id)});
  };
  auto found = co_await table_->get(id, task, make_it);
  if (!found) co_return found;
  const auto executor = co_await asio::this_coro::executor;
  life_.begin(executor);
  // Following events is not a use: an environment that nobody calls still becomes idle.
  auto followed = journal_.events().has_subscribers() ? table_->peek(id) : nullptr;
  if (followed) {
    journal_.events().follow(executor, settings_.environment_key(task), std::move(followed));
  }
  co_return found;
}

Task<Result<EnvironmentPtr>> Environments::of_process(std::string process, std::string task) {
  const auto known = journal_.ledger().find(process);
  if (!known) co_return fail(known.error());
  if (!*known) co_return co_await get(std::move(task));
  if (settings_.environment_key((*known)->task) == (*known)->environment) {
    co_return co_await get((*known)->task);
  }
  auto found = co_await at_other_target(**known);
  if (found && !*found) {
    co_return fail(ErrorKind::not_found, "the environment of process " + process + " at target " +
                                             (*known)->target + " does not exist any more");
  }
  co_return found;
}

Task<Result<EnvironmentPtr>> Environments::of_stored(StoredProcess process) {
  if (settings_.environment_key(process.task) != process.environment) {
    co_return co_await at_other_target(std::move(process));
  }
  const auto up = co_await can_be_looked_at(process.task);
  if (up && !*up) co_return nullptr;  // what ran there has ended with its place
  co_return co_await get(process.task);
}

Task<Result<EnvironmentPtr>> Environments::at_other_target(StoredProcess process) {
  const auto config = settings_.at_target(process.task, process.target);
  if (!config) co_return fail(config.error());
  const std::string id = process.environment.substr(process.environment.find('/') + 1);
  if (Settings::environment_key(**config, id) != process.environment) {
    co_return fail(ErrorKind::unavailable,
                   "it was started at another host or carrier than this configuration has; use "
                   "the settings of its start");
  }
  if (ends_with_its_program(process.target)) {
    co_return fail(ErrorKind::unavailable, "use --target " + process.target);
  }
  const EnvironmentTable::Make make_it = [&] {
    return make(
        {.config = **config, .id = id, .runner = settings_.runner_of(id), .existing = true});
  };
  auto found = co_await table_->get("process at " + process.environment, process.task, make_it);
  if (!found && found.error().kind() == ErrorKind::not_found) co_return nullptr;
  if (found) life_.begin(co_await asio::this_coro::executor);
  co_return found;
}

Task<Result<bool>> Environments::can_be_looked_at(std::string task) {
  const Result<ConfigPtr> config = settings_.of(task);
  if (!config) co_return true;
  const Result<const Backend*> backend = backend_for(**config);
  const std::string id = settings_.environment_id(task);
  if (!backend || !(*backend)->is_up || table_->peek(id)) co_return true;
  co_return co_await (*backend)->is_up({.config = **config, .id = id});
}

Task<Result<WithProcesses>> Environments::with_processes() {
  WithProcesses found;
  const auto& config = settings_.config();
  if (!config) co_return fail(config.error());
  // Else nothing would seem to run.
  if (const auto readable = os::check_names(config->home + "/talaria"); !readable) {
    co_return fail(readable.error());
  }
  const auto lately = journal_.ledger().lately();
  if (!lately) co_return fail(lately.error());
  std::set<std::string> asked;
  for (const StoredProcess& process : *lately) {
    if (!asked.insert(process.environment).second) continue;
    auto environment = co_await of_stored(process);
    if (!environment) {
      found.out_of_reach.emplace_back(environment.error().kind(),
                                      "the processes of task '" + process.task + "' at target " +
                                          process.target +
                                          " are not shown: " + environment.error().message());
    } else if (*environment) {
      found.environments.emplace(process.environment, std::move(*environment));
    }
  }
  co_return found;
}

Task<Result<void>> Environments::deliver_events(EventOptions options,
                                                std::function<bool(const ProcessEvent&)> sink,
                                                CancelToken cancel) {
  using asio::experimental::awaitable_operators::operator&&;
  // Once the subscriber is there, every environment that is looked up is followed.
  auto ended =
      co_await (journal_.events().deliver(std::move(options), std::move(sink), std::move(cancel)) &&
                look_at_processes());
  co_return ended;
}

Task<void> Environments::collect_events() {
  const auto found = co_await with_processes();
  if (!found) co_return;
  for (const auto& [key, environment] : found->environments) {
    (void)co_await journal_.events().collect(key, environment);
  }
}

Task<void> Environments::look_at_processes() { (void)co_await with_processes(); }

// The shared environment is one for its users, at however many runners.
std::vector<std::string> Environments::ids_meant_by(const std::string& id) const {
  std::vector<std::string> ids{id};
  if (id != kDefaultTask) return ids;
  for (const EnvironmentInfo& one : table_->list()) {
    if (one.id != id && is_shared_environment(one.id)) ids.push_back(one.id);
  }
  return ids;
}

Task<Result<void>> Environments::remove(std::string id, Removal how) {
  const std::vector<std::string> ids = ids_meant_by(id);
  Result<void> removed = co_await remove_one(std::move(id), how);
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const bool none = !removed && removed.error().kind() == ErrorKind::not_found;
    if (!removed && !none) co_return removed;
    removed = co_await remove_one(ids[i], how);
  }
  co_return removed;
}

Task<Result<void>> Environments::remove_one(std::string id, Removal how) {
  if (how.unless_busy) {
    const auto free = co_await nothing_runs_in(id, table_->peek(id));
    if (!free) co_return fail(free.error());
  }
  Result<void> closed = co_await life_.close(id, how.everything);
  if (closed || closed.error().kind() != ErrorKind::not_found || !how.everything) co_return closed;
  // Not one of ours, but perhaps one that another program made and left to be found.
  const Result<ConfigPtr> config = settings_.of(id);
  if (!config) co_return fail(config.error());
  if ((*config)->target == "local") co_return closed;
  auto made = co_await make({.config = **config, .id = id, .existing = true, .place = how.place});
  if (!made) co_return fail(made.error());
  const EnvironmentPtr found = std::move(*made);
  if (!how.place.empty() && found->place() != how.place) {
    co_return fail(ErrorKind::denied, "environment '" + id + "' is now the " + found->place() +
                                          ", not the " + how.place +
                                          "; check DOCKER_HOST and DOCKER_CONTEXT");
  }
  if (how.unless_busy) {
    const auto free = co_await nothing_runs_in(id, found);
    if (!free) co_return fail(free.error());
  }
  co_return co_await found->close(true);
}

// Programs of another home may use it. One that cannot be asked runs nothing that we know of.
Task<bool> Environments::has_foreign_processes(EnvironmentPtr environment) {
  const auto list = co_await environment->processes().list({});
  co_return list&& std::ranges::any_of(*list, &ProcessInfo::running);
}

Task<Result<void>> Environments::nothing_runs_in(std::string id, EnvironmentPtr environment) {
  if (!environment) co_return Result<void>();
  const std::string key = settings_.environment_key(environment->target(), id);
  auto runs = co_await journal_.has_running(environment, key);
  if (runs && !*runs) {
    const auto up = co_await can_be_looked_at(id);  // nothing runs in one that is stopped
    if (up && *up) runs = co_await has_foreign_processes(environment);
  }
  if (!runs) {
    co_return fail(ErrorKind::denied, "cannot list the processes of environment '" + id + "' (" +
                                          runs.error().message() +
                                          "); use --force to remove it anyway");
  }
  if (!*runs) co_return Result<void>();
  co_return fail(ErrorKind::denied,
                 "background processes run in environment '" + id +
                     "'; wait for them, end them (`talaria kill --all`), or use --force");
}

Task<EnvironmentLife::Closed> Environments::close_all(bool remove, CancelToken cancel) {
  cancel.on_cancel([bringing = bringing_back_] { bringing->stop(); });
  auto closed = co_await life_.close_all(remove);
  cancel.on_cancel(nullptr);
  co_await end_pools();
  co_return closed;
}

Task<EnvironmentTotals> Environments::totals() const {
  EnvironmentTotals totals;
  for (const EnvironmentInfo& one : table_->list()) {
    ++totals.count;
    totals.tasks.insert(one.id);
    for (const std::string& task : one.tasks) {
      const auto directory = directories_.find(task);
      if (directory != directories_.end()) totals.workdirs.insert(*directory);
    }
  }
  const Result<Config>& config = settings_.config();
  if (config && totals.count > 0) {
    const std::vector<std::string> directories{config->sandbox_dir};
    totals.disk_mb = co_await off_loop([&] { return disk_usage_mb(directories); });
  }
  co_return totals;
}

std::string Environments::transport_of(const std::string& task) const {
  const auto environment = table_->peek(settings_.environment_id(task));
  return environment ? std::string(environment->transport()) : "";
}

void Environments::session_is_at(const std::string& task, const std::string& directory) {
  if (directory.empty()) {
    directories_.erase(task);
  } else if (directories_.size() < kMaxListedTasks || directories_.contains(task)) {
    directories_[task] = directory;
  }
}

bool Environments::has_session(const std::string& task) const {
  if (!directory_of(task).empty()) return true;
  if (!journal_.ledger().exists()) return false;
  return SessionStore(journal_.ledger().database())
      .contains(settings_.environment_key(task), task)
      .value_or(false);
}

std::string Environments::directory_of(const std::string& task) const {
  const auto found = directories_.find(task);
  return found == directories_.end() ? "" : found->second;
}

std::string Environments::stored_directory_of(const std::string& task) const {
  if (std::string known = directory_of(task); !known.empty()) return known;
  const Result<ConfigPtr> config = settings_.of(task);
  if (!config || (*config)->target != "local") return "";
  const std::string runner = (*config)->home + "/talaria/run/" + settings_.runner_of(task);
  for (const StoredSession& one : environment::stored_sessions(environment::runner_home(runner))) {
    if (one.id == task) return one.cwd;
  }
  return (*config)->cwd;
}

Result<void> Environments::requirements() const {
  const Result<Config>& config = settings_.config();
  if (!config) return fail(config.error());
  const Result<const Backend*> backend = backend_for(*config);
  if (!backend) return fail(backend.error());
  return (*backend)->check(*config);
}

Task<Result<void>> Environments::reach() const {
  if (const auto fine = requirements(); !fine) co_return fine;
  const Config config = *settings_.config();
  const Backend& backend = **backend_for(config);
  if (!backend.reach) co_return Result<void>();
  co_return co_await backend.reach(config);
}

Result<const Backend*> Environments::backend_for(const Config& config) const {
  const auto backend = std::ranges::find(backends_, config.target, &Backend::name);
  if (backend == backends_.end()) return fail(not_served(config, backends_));
  return &*backend;
}

Task<Backend::Made> Environments::make(EnvironmentRequest request) const {
  const Result<const Backend*> backend = backend_for(request.config);
  if (!backend) co_return fail(backend.error());
  if (!request.existing && request.config.container.pool_size > 0) {
    // A task that gets what waits does not wait for this.
    spawn(co_await asio::this_coro::executor, sweep_if_due(**backend, request.config));
  } else if (!request.existing) {
    co_await sweep_if_due(**backend, request.config);
  }
  add_shared_files(**backend, request);
  request.progress = preparing_hook(hooks_);
  request.sessions = std::make_shared<StoredSessions>(
      journal_.ledger().database(), settings_.environment_key(request.config.target, request.id));
  FileSyncOptions sync{.home = request.config.home,
                       .target = where_copies_are(**backend, request),
                       .outlives = (*backend)->shared_by_tasks,
                       .base = (*backend)->shared_base,
                       .always = request.config.always_sync};
  // A gateway's sandboxes get nothing, whichever target they serve.
  const bool copies = (*backend)->shared_by == SharedBy::copies && !request.config.managed.chosen;
  Backend::Made made = co_await (*backend)->make(std::move(request));
  if (!made || !copies) co_return made;
  // One that is not found again has a record of its own.
  if (!(*made)->persistent()) sync.target += "\n" + (*made)->place();
  co_return std::make_unique<SyncedEnvironment>(
      std::move(*made), sync, [shared = shared_files_] { return shared->files(); }, bringing_back_);
}

void Environments::add_shared_files(const Backend& backend, EnvironmentRequest& request) const {
  if (backend.shared_by == SharedBy::mounts) {
    Mounts mounts = shared_files_->mounts();
    request.mounts = std::move(mounts.paths);
    std::ranges::move(mounts.notices, std::back_inserter(request.config.notices));
  }
  request.has_credential_files = !shared_files_->credentials().find().files.empty();
  request.gate = making_;
}

void Environments::fill_pool() const {
  const Result<Config>& config = settings_.config();
  if (!config || config->container.pool_size == 0) return;
  const Result<const Backend*> backend = backend_for(*config);
  if (!backend || !(*backend)->fill_pool) return;
  EnvironmentRequest request{.config = *config};
  add_shared_files(**backend, request);
  (*backend)->fill_pool(request);
}

Task<void> Environments::end_pools() const {
  for (const Backend& backend : backends_) {
    if (backend.pool) co_await backend.pool->close();
  }
}

PoolTotals Environments::pool_totals() const {
  PoolTotals totals;
  for (const Backend& backend : backends_) {
    if (!backend.pool) continue;
    const environment::PoolCounts& counts = backend.pool->counts();
    totals.taken += counts.taken;
    totals.missed += counts.missed;
    totals.failed += counts.failed;
  }
  const Result<Config>& config = settings_.config();
  if (!config || config->container.pool_size == 0) return totals;
  for (const PoolInfo& pool : environment::known_pools(config->home)) {
    if (!pool.filled) continue;
    totals.size += pool.size;
    totals.waiting += pool.waiting;
  }
  return totals;
}

// What earlier programs left behind, when something is made; at most once an hour, and by one
// program at a time.
Task<void> Environments::sweep_if_due(Backend backend, Config config) {
  if (!backend.sweep || !config.docker.reap_orphans) co_return;
  const std::string note = config.home + "/talaria/swept-" + backend.name;
  if (!os::make_private_directory(config.home + "/talaria")) co_return;
  if (is_younger(note, kSweepPause)) co_return;
  const auto lock = os::try_lock_file(note);  // which writes to it: that is the note
  if (!lock || !*lock) co_return;
  environment::clean_lease_index(config.home);
  (void)co_await backend.sweep({.config = std::move(config)});
}

Task<Result<std::vector<environment::Swept>>> Environments::sweep(bool running,
                                                                  bool dry_run) const {
  const Result<Config>& config = settings_.config();
  if (!config) co_return fail(config.error());
  const Result<const Backend*> backend = backend_for(*config);
  if (!backend) co_return fail(backend.error());
  if (!(*backend)->sweep) co_return std::vector<environment::Swept>();
  co_return co_await (*backend)->sweep({.config = *config, .running = running, .dry_run = dry_run});
}

}  // namespace talaria::host
