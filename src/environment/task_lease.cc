#include "environment/task_lease.h"

#include "base/sha256.h"
#include "os/file.h"

namespace talaria::environment {
namespace {

bool is_like(const LeaseFacts& facts, const LeaseFacts& like) {
  return facts.kind == like.kind && facts.target == like.target && facts.engine == like.engine &&
         facts.task == like.task;
}

}  // namespace

std::optional<KnownLease> newest_lease(const std::string& home, const LeaseFacts& like) {
  std::optional<KnownLease> newest;
  for (KnownLease& lease : known_leases(home)) {
    if (!is_like(lease.facts, like)) continue;
    if (!newest || newest->last_use < lease.last_use) newest = std::move(lease);
  }
  return newest;
}

Task<Result<PassingLock>> turn_to_make(std::string home, LeaseFacts like, Progress progress,
                                       std::chrono::milliseconds patience) {
  const std::string leases = home + "/talaria/leases";
  for (const std::string& directory : {home + "/talaria", leases}) {
    if (const auto made = os::make_private_directory(directory); !made)
      co_return fail(made.error());
  }
  const std::string key = like.target + "\n" + like.engine + "\n" + like.task;
  auto lock = co_await long_work(
      std::move(progress), "another program makes the sandbox of this task",
      wait_for_passing_lock(leases + "/making-" + sha256_hex(key).substr(0, 24), patience),
      Told::later);
  if (lock) co_return std::move(*lock);
  if (lock.error().kind() != ErrorKind::timed_out) co_return fail(lock.error());
  co_return fail(ErrorKind::unavailable,
                 "another program makes the sandbox of this task: " + lock.error().message());
}

}  // namespace talaria::environment
