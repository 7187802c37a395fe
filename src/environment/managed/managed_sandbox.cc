#include "environment/managed/managed_sandbox.h"

#include <algorithm>
#include <utility>

#include "environment/task_lease.h"
#include "json/json_text.h"
#include "os/random.h"

namespace talaria::environment::managed {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kLifetimeMs = 3'600'000;
constexpr std::int64_t kLeastIdleMs = 300'000;
constexpr int kDefaultCpu = 1;
constexpr std::int64_t kDefaultMemoryMb = 5120;
constexpr std::string_view kLeaseKind = "sandbox";

json::object create_body(const std::string& image, const EnvironmentSpec& spec) {
  const ContainerConfig& container = spec.container;
  const std::int64_t timeout_ms = milliseconds(spec.timeout).count();
  json::object body{{"image", image},
                    {"cwd", spec.cwd},
                    {"cpu", kDefaultCpu},
                    {"memoryMiB", container.memory_is_set ? container.memory_mb : kDefaultMemoryMb},
                    {"timeoutMs", kLifetimeMs},
                    {"idleTimeoutMs", std::max(kLeastIdleMs, timeout_ms)},
                    {"persistentFilesystem", container.persistent},
                    {"logicalKey", spec.task}};
  if (container.cpu_is_set) body["cpu"] = container.cpu;
  if (container.disk_is_set) body["diskMiB"] = container.disk_mb;
  return body;
}

}  // namespace

std::string ManagedSandbox::place() const {
  return facts_.id.empty() ? "" : "sandbox " + facts_.id;
}

LeaseFacts ManagedSandbox::lease_facts(const GatewaySandbox& sandbox) const {
  return {.kind = std::string(kLeaseKind),
          .id = sandbox.id,
          .name = sandbox.id,
          .target = spec_.target,
          .engine = client_->identity(),
          .task = spec_.task,
          .extra = to_line(to_json(sandbox))};
}

Task<Result<void>> ManagedSandbox::acquire() {
  const auto turn = co_await turn_to_make(spec_.home, lease_facts({}), spec_.progress);
  if (!turn) co_return fail(turn.error());
  co_return co_await find_or_make();
}

Task<Result<void>> ManagedSandbox::find_or_make() {
  if (co_await find()) co_return Result<void>();
  if (spec_.existing) {
    co_return fail(ErrorKind::not_found, "no sandbox of task '" + spec_.task + "' is known here");
  }
  auto making = client_->create(create_body(image_, spec_), os::random_uuid());
  auto made = co_await long_work(
      spec_.progress, "waiting for the gateway " + client_->host() + " to create a sandbox",
      std::move(making));
  if (!made) co_return fail(made.error());
  co_return adopt(std::move(*made));
}

// The one this home has used last. A gateway that can be asked is asked whether it still has it;
// with others the first command shows it.
Task<bool> ManagedSandbox::find() {
  const auto newest = newest_lease(spec_.home, lease_facts({}));
  if (!newest) co_return false;
  GatewaySandbox known = sandbox_of(newest->facts.extra);
  known.id = newest->facts.id;
  if (!known.features.empty()) {
    auto now = co_await client_->look(known.id);
    if (!now && now.error().kind() == ErrorKind::not_found) {
      forget_lease(spec_.home, newest->facts);
      co_return false;
    }
    if (now) known = std::move(*now);
  }
  co_return adopt(std::move(known)).has_value();
}

Result<void> ManagedSandbox::adopt(GatewaySandbox sandbox) {
  if (const auto taken = take_lease(lease_facts(sandbox)); !taken) return taken;
  facts_ = std::move(sandbox);
  return {};
}

Task<Result<void>> ManagedSandbox::replace(std::string gone) {
  if (facts_.id != gone) co_return Result<void>();
  const std::string before = place();
  if (lease_) lease_->forget();
  lease_.reset();
  facts_ = {};
  if (const auto again = co_await acquire(); !again) co_return fail(again.error());
  if (closed_) {
    (void)co_await close(false);
    co_return was_closed();
  }
  news_.push_back("The " + before + " is gone; the " + place() +
                  " replaces it. Files that the gateway kept are there" +
                  (spec_.container.persistent ? "." : ": nothing."));
  co_return Result<void>();
}

Task<Result<void>> ManagedSandbox::close(bool remove) {
  closed_ = true;
  const GatewaySandbox sandbox = std::exchange(facts_, {});
  if (sandbox.id.empty()) co_return Result<void>();
  const LeaseFacts facts = lease_facts(sandbox);
  lease_.reset();
  const auto others = find_lease(spec_.home, kLeaseKind, sandbox.id);
  const bool needed = spec_.container.persistent || (others && others->held);
  if (!remove && needed) co_return Result<void>();
  forget_lease(spec_.home, facts);
  co_return co_await client_->terminate(sandbox.id, spec_.container.persistent);
}

}  // namespace talaria::environment::managed
