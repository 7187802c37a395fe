#include "sandboxes/home_sandboxes.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "base/backoff.h"
#include "base/keep_alive.h"
#include "base/off_loop.h"
#include "os/file.h"
#include "os/random.h"
#include "policy/approval/isolation.h"
#include "sandboxes/sandbox_config.h"
#include "sandboxes/sandbox_paths.h"
#include "tools/own_command.h"

namespace talaria::sandboxes {
namespace {

using SystemClock = std::chrono::system_clock;

constexpr auto kLockPause = std::chrono::milliseconds(5);
constexpr auto kLockPatience = std::chrono::seconds(10);
constexpr auto kLongestLook = std::chrono::seconds(30);
constexpr auto kShortestLook = std::chrono::milliseconds(200);

// When it ends, as far as is known.
std::optional<SystemClock::time_point> end_of_life(const SandboxInfo& info) {
  std::optional<SystemClock::time_point> end;
  if (info.spec.lifetime.count() > 0) end = info.created + info.spec.lifetime;
  if (info.spec.idle.count() > 0) {
    const auto idle = info.last_use + info.spec.idle;
    end = end ? std::min(*end, idle) : idle;
  }
  return end;
}

bool is_over(const SandboxInfo& info) {
  const auto end = info.spec.lifetime.count() > 0 ? std::optional(info.created + info.spec.lifetime)
                                                  : std::nullopt;
  return end && *end <= SystemClock::now();
}

Error unknown_sandbox(const std::string& id) {
  return {ErrorKind::not_found,
          "unknown sandbox '" + id + "': it was removed, its time is over, or it never existed"};
}

// A use, which marks its end.
class InUse {
 public:
  explicit InUse(os::UniqueFd lock) : lock_(std::move(lock)) { SandboxFiles::was_used(lock_); }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() { SandboxFiles::was_used(lock_); }

 private:
  os::UniqueFd lock_;
};

}  // namespace

HomeSandboxes::HomeSandboxes(asio::any_io_executor executor, tool::Services services,
                             std::shared_ptr<void> owner, RemoveEngineFiles remove_files)
    : executor_(std::move(executor)),
      services_(services),
      owner_(std::move(owner)),
      remove_files_(std::move(remove_files)),
      processes_(services) {}

Result<SandboxFiles> HomeSandboxes::files() const {
  const auto& config = services_.settings.config();
  if (!config) return fail(config.error());
  return SandboxFiles(config->home);
}

// Says what is different for its task.
Result<void> HomeSandboxes::adopt(const HomeSandbox& sandbox) {
  const SandboxInfo& info = sandbox.info;
  if (!adopted_.insert(info.id).second) return {};
  host::Config usual = *services_.settings.config();
  usual.gateway = {};
  boost::json::object overrides;
  const bool own = is_container_target(info.target) || info.target != usual.target;
  if (own) overrides = override_for(info.spec, info.target, usual);
  const std::string& begin = info.spec.cwd.empty() ? info.directory : info.spec.cwd;
  if (!begin.empty()) overrides["cwd"] = begin;
  const auto set = services_.settings.override_task(info.id, overrides);
  if (!set) adopted_.erase(info.id);
  // A new session begins there. One that another program has is where that left it.
  if (set) services_.settings.begin_move(info.id);
  return set;
}

HomeSandbox HomeSandboxes::described(HomeSandbox sandbox) {
  const auto config = services_.settings.of(sandbox.info.id);
  if (!config) return sandbox;
  sandbox.info.isolated = policy::isolation_of(**config, services_.settings.caller()).isolated;
  const bool limited = is_container_target(sandbox.info.target);
  if (limited) {
    const environment::ContainerConfig& container = (*config)->container;
    sandbox.info.limits = {.cpu = container.cpu,
                           .memory_mib = static_cast<double>(container.memory_mb),
                           .disk_mib = static_cast<double>(container.disk_mb)};
  }
  std::string at = services_.environments.directory_of(sandbox.info.id);
  sandbox.info.directory = at.empty() ? (*config)->cwd : std::move(at);
  return sandbox;
}

// On this machine it has a directory of its own, unless it was given one.
Result<void> HomeSandboxes::make_directory(SandboxFile& file) const {
  SandboxInfo& info = file.sandbox.info;
  if (info.target != "local" || !info.spec.cwd.empty()) return {};
  const std::string& home = services_.settings.config()->home;
  info.directory = home + "/talaria/sandboxes/" + info.id;
  if (const auto made = os::make_private_directory(info.directory); !made) return made;
  return SandboxFiles(home).write(file);
}

// A container of its own is made now, so that an image that does not exist is reported now.
Task<Result<void>> HomeSandboxes::start(HomeSandbox& sandbox) {
  if (const auto adopted = adopt(sandbox); !adopted) co_return adopted;
  const auto config = services_.settings.of(sandbox.info.id);
  if (!config) co_return fail(config.error());
  if (services_.settings.environment_id(sandbox.info.id) != sandbox.info.id) {
    co_return Result<void>();
  }
  const auto begun = co_await tool::run_own_command(services_, sandbox.info.id, ":");
  if (!begun) co_return fail(begun.error());
  co_return Result<void>();
}

// What a request with the key of an earlier one gets; nothing: there is none.
std::optional<Result<HomeSandbox>> HomeSandboxes::find_by_key(const SandboxFiles& store,
                                                              const SandboxFile& file) {
  for (SandboxFile& one : store.all()) {
    if (one.key != file.key || is_over(one.sandbox.info)) continue;
    const bool same = one.sandbox.info.spec == file.sandbox.info.spec &&
                      one.sandbox.info.target == file.sandbox.info.target &&
                      one.sandbox.name == file.sandbox.name &&
                      one.sandbox.variables == file.sandbox.variables;
    if (!same) {
      return fail(ErrorKind::denied,
                  "key: it was used for a sandbox with other settings; use a new one");
    }
    if (const auto adopted = adopt(one.sandbox); !adopted) return fail(adopted.error());
    one.sandbox.info.existed = true;
    return described(std::move(one.sandbox));
  }
  return std::nullopt;
}

Task<Result<HomeSandbox>> HomeSandboxes::create(HomeSandboxRequest request) {
  const auto store = files();
  if (!store) co_return fail(store.error());
  const std::string target = request.target.empty() ? services_.settings.target() : request.target;
  if (!request.spec.image.empty() && !is_container_target(target)) {
    co_return fail(ErrorKind::bad_request,
                   "image: target '" + target + "' has no images; name a target such as docker");
  }
  SandboxFile file{.sandbox = {.info = {.id = "sbx_" + os::random_hex(12),
                                        .spec = std::move(request.spec),
                                        .state = SandboxState::running,
                                        .target = target,
                                        .created = SystemClock::now()},
                               .name = std::move(request.name),
                               .variables = std::move(request.variables)},
                   .key = std::move(request.key)};
  if (!file.key.empty()) {
    const auto until = std::chrono::steady_clock::now() + kLockPatience;
    std::optional<os::UniqueFd> lock;
    asio::steady_timer pause(executor_);
    while (!lock) {
      auto taken = store->try_lock_all();
      if (!taken) co_return fail(taken.error());
      lock = std::move(*taken);
      if (lock) break;
      if (std::chrono::steady_clock::now() > until) {
        co_return fail(ErrorKind::unavailable, "another program creates sandboxes; try again");
      }
      pause.expires_after(kLockPause);
      co_await pause.async_wait(as_values);
    }
    auto known = find_by_key(*store, file);
    const Result<void> written = known ? Result<void>() : store->write(file);
    store->unlock_all(std::move(*lock));
    if (known) co_return std::move(*known);
    if (!written) co_return fail(written.error());
  } else if (const auto written = store->write(file); !written) {
    co_return fail(written.error());
  }
  if (const auto made = make_directory(file); !made) {
    co_await take_down(file.sandbox);
    co_return fail(made.error());
  }
  if (const auto started = co_await start(file.sandbox); !started) {
    co_await take_down(file.sandbox);
    co_return fail(started.error());
  }
  watch_lifetimes();
  co_return described(std::move(file.sandbox));
}

Result<HomeSandbox> HomeSandboxes::find(const std::string& id) {
  const auto store = files();
  if (!store) return fail(store.error());
  auto file = store->read(id);
  if (!file) return fail(file.error());
  if (!*file || is_over((*file)->sandbox.info)) return fail(unknown_sandbox(id));
  if (const auto adopted = adopt((*file)->sandbox); !adopted) return fail(adopted.error());
  watch_lifetimes();
  return described(std::move((*file)->sandbox));
}

std::vector<HomeSandbox> HomeSandboxes::list() {
  std::vector<HomeSandbox> all;
  const auto store = files();
  if (!store) return all;
  for (SandboxFile& file : store->all()) {
    if (is_over(file.sandbox.info) || !adopt(file.sandbox)) continue;
    all.push_back(described(std::move(file.sandbox)));
  }
  return all;
}

Result<std::shared_ptr<void>> HomeSandboxes::use(const std::string& id) {
  const auto store = files();
  if (!store) return fail(store.error());
  auto lock = store->use(id);
  if (!lock) return fail(lock.error());
  return std::make_shared<InUse>(std::move(*lock));
}

Task<Result<bool>> HomeSandboxes::remove(std::string id) {
  const auto store = files();
  if (!store) co_return fail(store.error());
  auto file = store->read(id);
  if (!file) co_return fail(file.error());
  if (!*file) co_return false;
  if (const auto adopted = adopt((*file)->sandbox); !adopted) co_return fail(adopted.error());
  co_await take_down(std::move((*file)->sandbox));
  co_return true;
}

// The file goes first: nobody finds what is on its way out.
Task<void> HomeSandboxes::take_down(HomeSandbox sandbox) {
  const std::string id = sandbox.info.id;
  if (const auto store = files()) store->remove(id);
  services_.policy.approvals().clear_session(id);
  (void)co_await processes_.kill_all({.task = id, .include_keep = true});
  if (services_.settings.environment_id(id) == id) {
    (void)co_await services_.environments.remove(id, {.everything = true});
    co_await remove_files_(*services_.settings.config(), sandbox.info.target, id);
  } else if (services_.environments.has_session(id)) {
    const auto environment = co_await services_.environments.get(id);
    if (environment) (void)co_await (*environment)->end_session(id);
  }
  services_.environments.session_is_at(id, "");
  const std::string own = services_.settings.config()->home + "/talaria/sandboxes/" + id;
  co_await off_loop([&] {
    std::error_code error;
    return std::filesystem::remove_all(own, error);  // follows no link
  });
  services_.settings.clear_override(id);
  adopted_.erase(id);
}

void HomeSandboxes::watch_lifetimes() {
  if (std::exchange(watching_, true)) return;
  spawn(executor_, keep_alive(shared_from_this(), watch()));
}

// Until there is nothing left that ends by itself. Each program that knows of one looks.
Task<void> HomeSandboxes::watch() {
  asio::steady_timer pause(executor_);
  for (;;) {
    const auto store = files();
    std::optional<SystemClock::time_point> next;
    std::vector<HomeSandbox> over;
    if (store) {
      for (SandboxFile& file : store->all()) {
        const auto end = end_of_life(file.sandbox.info);
        if (!end) continue;
        const bool ends = *end <= SystemClock::now() &&
                          (is_over(file.sandbox.info) || store->lock(file.sandbox.info.id));
        if (ends) over.push_back(std::move(file.sandbox));
        next = std::min(next.value_or(*end), *end);
      }
    }
    for (HomeSandbox& one : over) {
      if (adopt(one)) co_await take_down(std::move(one));
    }
    if (!next) break;
    pause.expires_after(
        std::clamp<SystemClock::duration>(*next - SystemClock::now(), kShortestLook, kLongestLook));
    co_await pause.async_wait(as_values);
  }
  watching_ = false;
}

}  // namespace talaria::sandboxes
