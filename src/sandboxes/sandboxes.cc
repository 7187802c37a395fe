#include "sandboxes/sandboxes.h"

#include "base/sha256.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/random.h"
#include "policy/approval/isolation.h"
#include "sandboxes/kept.h"
#include "sandboxes/limits.h"
#include "sandboxes/sandbox_place.h"
#include "sandboxes/sandbox_wish.h"

namespace talaria::sandboxes {
namespace {

std::string digest_of(const SandboxSpec& spec) {
  std::string text;
  for (const std::string& part :
       {spec.image, spec.cwd, std::to_string(spec.cpu), std::to_string(spec.memory_mib),
        std::to_string(spec.disk_mib), std::to_string(spec.lifetime.count()),
        std::to_string(spec.idle.count()), std::to_string(static_cast<int>(spec.persistent)),
        spec.logical_key}) {
    text += std::to_string(part.size()) + ":" + part;
  }
  return sha256_hex(text);
}

Error no_such_sandbox() { return Error(ErrorKind::not_found, "there is no such sandbox"); }

}  // namespace

Sandboxes::Sandboxes(asio::any_io_executor executor, tool::Services services,
                     std::shared_ptr<void> keeper, ForgetFiles forget_files)
    : executor_(std::move(executor)),
      services_(services),
      keeper_(std::move(keeper)),
      forget_files_(std::move(forget_files)),
      times_(executor_) {}

Sandboxes::~Sandboxes() {
  if (listening_ != 0) services_.policy.approvals().leave(listening_);
}

Result<void> Sandboxes::open() {
  if (!services_.settings.config()) return fail(services_.settings.config().error());
  const std::string directory = services_.settings.config()->home + "/talaria";
  if (const auto made = os::make_private_directory(directory); !made) return made;
  auto lock = os::try_lock_file(directory + "/gateway.lock");
  if (!lock) return fail(lock.error());
  if (!*lock) {
    return fail(ErrorKind::unavailable,
                "another gateway serves this home (" + directory +
                    "/gateway.lock): stop it first, or use another TALARIA_HOME");
  }
  lock_ = std::move(**lock);
  auto store = host::SandboxStore::open(services_.settings.config()->home);
  if (!store) return fail(store.error());
  store_.emplace(std::move(*store));
  auto known = store_->live();
  if (!known) return fail(known.error());
  for (host::StoredSandbox& one : *known) {
    auto sandbox = std::make_shared<Sandbox>();
    sandbox->stored = std::move(one);
    if (const auto said = set_override(*sandbox); !said) return said;
    sandboxes_.emplace(sandbox->stored.info.id, std::move(sandbox));
  }
  auto execs = store_->live_execs();
  if (!execs) return fail(execs.error());
  listening_ = services_.policy.approvals().listen(
      "", [weak = weak_from_this()](const ApprovalRequest& request) {
        if (const auto self = weak.lock()) self->asked(request);
      });
  for (host::StoredExec& exec : *execs) {
    if (!sandboxes_.contains(exec.sandbox)) continue;
    spawn(executor_, kept(shared_from_this(), resume(add_live(std::move(exec)))));
  }
  // One whose end was under way when we were stopped.
  for (const auto& [id, sandbox] : sandboxes_) {
    if (sandbox->stored.info.state != SandboxState::terminating) continue;
    spawn(executor_, [](std::shared_ptr<Sandboxes> self, SandboxPtr one) -> Task<void> {
      const bool keep = one->stored.keep;
      (void)co_await self->end(std::move(one), keep);
    }(shared_from_this(), sandbox));
  }
  spawn(executor_, kept(shared_from_this(), watch_times()));
  return {};
}

SandboxInfo Sandboxes::info_of(const Sandbox& sandbox) const {
  SandboxInfo info = sandbox.stored.info;
  info.live_execs = sandbox.live;
  const Result<host::Config>& config = services_.settings.config();
  info.isolated = config && policy::isolation_of(*config, services_.settings.caller()).isolated;
  return info;
}

Result<Sandboxes::SandboxPtr> Sandboxes::own(const std::string& owner,
                                             const std::string& id) const {
  const auto found = sandboxes_.find(id);
  if (found == sandboxes_.end() || found->second->stored.info.owner != owner) {
    return fail(no_such_sandbox());
  }
  return found->second;
}

Result<Sandboxes::SandboxPtr> Sandboxes::own_running(const std::string& owner,
                                                     const std::string& id) const {
  auto found = own(owner, id);
  if (found && (*found)->stored.info.state == SandboxState::terminating) {
    return fail(no_such_sandbox());
  }
  return found;
}

Task<Result<SandboxInfo>> Sandboxes::create(std::string owner, SandboxSpec spec, std::string key,
                                            SandboxLimits limits) {
  if (is_image_by_path(services_.settings.target(), spec.image)) {
    co_return fail(ErrorKind::bad_request,
                   "image must be one of a registry (debian; at singularity docker://debian): what "
                   "is on the gateway's own disk is its operator's to choose");
  }
  const auto now = std::chrono::system_clock::now();
  host::StoredSandbox wanted{.info = {.id = "sbx_" + os::random_hex(16),
                                      .owner = owner,
                                      .spec = std::move(spec),
                                      .target = services_.settings.target(),
                                      .created = now,
                                      .last_use = now},
                             .request = std::move(key)};
  wanted.digest = digest_of(wanted.info.spec);
  auto before = store_->add(wanted);
  if (!before) co_return fail(before.error());
  if (*before) {
    if ((*before)->digest != wanted.digest) {
      co_return fail(ErrorKind::denied,
                     "this idempotency key was used for another request: use a new one");
    }
    const auto known = sandboxes_.find((*before)->info.id);
    if (known != sandboxes_.end()) co_return co_await made_by_another(known->second);
    SandboxInfo gone = (*before)->info;  // it was terminated since
    gone.existed = true;
    co_return gone;
  }
  if (const auto fine = check_wish(wanted.info.spec, services_.settings.config()->gateway); !fine) {
    (void)store_->forget(wanted.info.id);
    co_return fail(fine.error());
  }
  std::size_t of_owner = 0;
  for (const auto& [id, other] : sandboxes_) of_owner += other->stored.info.owner == owner ? 1 : 0;
  const std::size_t most = limits.sandboxes == 0 ? kMaxSandboxes : limits.sandboxes;
  if (of_owner >= most || sandboxes_.size() >= kMaxSandboxes) {
    (void)store_->forget(wanted.info.id);
    co_return fail(ErrorKind::limit, "there are " + std::to_string(of_owner) +
                                         " sandboxes already; terminate one first");
  }
  auto sandbox = std::make_shared<Sandbox>();
  sandbox->stored = std::move(wanted);
  sandboxes_.emplace(sandbox->stored.info.id, sandbox);
  co_return co_await make(std::move(sandbox));
}

Result<SandboxInfo> Sandboxes::find(const std::string& owner, const std::string& id) {
  const auto found = own_running(owner, id);
  if (!found) return fail(found.error());
  return info_of(**found);
}

std::vector<SandboxInfo> Sandboxes::list(const std::string& owner) const {
  std::vector<SandboxInfo> all;
  for (const auto& [id, sandbox] : sandboxes_) {
    if (sandbox->stored.info.owner == owner) all.push_back(info_of(*sandbox));
  }
  return all;
}

SandboxCounts Sandboxes::counts() const {
  SandboxCounts counts{.sandboxes = sandboxes_.size()};
  for (const auto& [key, live] : live_) {
    counts.execs += live->ended() ? 0 : 1;
    counts.queued += live->info().state == ExecState::queued ? 1 : 0;
  }
  return counts;
}

void Sandboxes::stop_waiting() {
  stopping_ = true;
  for (const auto& [key, live] : live_) live->changed.notify_all();
}

}  // namespace talaria::sandboxes
