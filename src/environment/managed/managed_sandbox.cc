#include "environment/managed/managed_sandbox.h"

#include <algorithm>
#include <utility>

#include "base/sha256.h"
#include "environment/task_lease.h"
#include "json/json_text.h"
#include "os/random.h"

namespace talaria::environment::managed {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kLifetimeMs = 3'600'000;
constexpr std::int64_t kLeastIdleMs = 300'000;
constexpr int kDefaultCpu = 1;
constexpr int kDefaultMemoryMb = 5120;
constexpr std::string_view kLeaseKind = "sandbox";

json::object create_body(const ManagedOptions& options) {
  const std::int64_t timeout_ms = milliseconds(options.timeout).count();
  json::object body{{"image", options.image},
                    {"cwd", options.cwd},
                    {"cpu", kDefaultCpu},
                    {"memoryMiB", options.memory_mb.value_or(kDefaultMemoryMb)},
                    {"timeoutMs", kLifetimeMs},
                    {"idleTimeoutMs", std::max(kLeastIdleMs, timeout_ms)},
                    {"persistentFilesystem", options.persistent},
                    {"logicalKey", options.task}};
  if (options.cpu) body["cpu"] = *options.cpu;
  if (options.disk_mb) body["diskMiB"] = *options.disk_mb;
  return body;
}

}  // namespace

std::string ManagedSandbox::place() const {
  return facts_.id.empty() ? "" : "sandbox " + facts_.id;
}

void ManagedSandbox::used() {
  if (lease_) lease_->touch();
}

// A sandbox is another user's if the token is. Neither is to be read from the lease.
std::string ManagedSandbox::identity() const {
  return options_.access.origin + " " + sha256_hex(options_.access.token.view()).substr(0, 16);
}

LeaseFacts ManagedSandbox::lease_facts(const GatewaySandbox& sandbox) const {
  return {.kind = std::string(kLeaseKind),
          .id = sandbox.id,
          .name = sandbox.id,
          .target = options_.target,
          .engine = identity(),
          .task = options_.task,
          .extra = to_line(to_json(sandbox))};
}

Task<Result<void>> ManagedSandbox::acquire() {
  const auto turn = co_await turn_to_make(options_.home, lease_facts({}), options_.progress);
  if (!turn) co_return fail(turn.error());
  co_return co_await find_or_make();
}

Task<Result<void>> ManagedSandbox::find_or_make() {
  if (co_await find()) co_return Result<void>();
  if (options_.existing) {
    co_return fail(ErrorKind::not_found,
                   "no sandbox of task '" + options_.task + "' is known here");
  }
  auto making = client_->create(create_body(options_), os::random_uuid());
  auto made = co_await long_work(
      options_.progress, "the gateway " + client_->host() + " makes a sandbox", std::move(making));
  if (!made) co_return fail(made.error());
  co_return adopt(std::move(*made));
}

// The one this home has used last. A gateway that can be asked is asked whether it still has it;
// with others the first command shows it.
Task<bool> ManagedSandbox::find() {
  const auto newest = newest_lease(options_.home, lease_facts({}));
  if (!newest) co_return false;
  GatewaySandbox known = sandbox_of(newest->facts.extra);
  known.id = newest->facts.id;
  if (!known.features.empty()) {
    auto now = co_await client_->look(known.id);
    if (!now && now.error().kind() == ErrorKind::not_found) {
      forget_lease(options_.home, newest->facts);
      co_return false;
    }
    if (now) known = std::move(*now);
  }
  co_return adopt(std::move(known)).has_value();
}

Result<void> ManagedSandbox::adopt(GatewaySandbox sandbox) {
  auto lease = Lease::take(options_.home, lease_facts(sandbox));
  if (!lease) return fail(lease.error());
  lease_.emplace(std::move(*lease));
  lease_->touch();
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
    co_return fail(ErrorKind::unavailable, "the sandbox was given up");
  }
  news_.push_back("The " + before + " is gone; the " + place() +
                  " serves in its place. What the gateway kept of its files is there" +
                  (options_.persistent ? "." : ": nothing."));
  co_return Result<void>();
}

Task<Result<void>> ManagedSandbox::close(bool remove) {
  closed_ = true;
  const GatewaySandbox sandbox = std::exchange(facts_, {});
  if (sandbox.id.empty()) co_return Result<void>();
  const LeaseFacts facts = lease_facts(sandbox);
  lease_.reset();
  const auto others = find_lease(options_.home, kLeaseKind, sandbox.id);
  const bool needed = options_.persistent || (others && others->held);
  if (!remove && needed) co_return Result<void>();
  forget_lease(options_.home, facts);
  co_return co_await client_->terminate(sandbox.id, options_.persistent);
}

}  // namespace talaria::environment::managed
