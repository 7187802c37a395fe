#include "environment/task_lease.h"

#include <algorithm>
#include <functional>

#include "base/sha256.h"
#include "os/file.h"

namespace talaria::environment {
namespace {

bool is_like(const LeaseFacts& facts, const LeaseFacts& like) {
  return facts.kind == like.kind && facts.target == like.target && facts.engine == like.engine &&
         facts.profile == like.profile && facts.task == like.task;
}

}  // namespace

std::vector<KnownLease> leases_like(const std::string& home, const LeaseFacts& like) {
  std::vector<KnownLease> leases = leases_of_task(home, like.task);
  std::erase_if(leases, [&](const KnownLease& lease) { return !is_like(lease.facts, like); });
  std::ranges::sort(leases, std::ranges::greater{}, &KnownLease::last_use);
  return leases;
}

std::optional<KnownLease> newest_lease(const std::string& home, const LeaseFacts& like) {
  std::vector<KnownLease> leases = leases_like(home, like);
  if (leases.empty()) return std::nullopt;
  return std::move(leases.front());
}

Task<Result<PassingLock>> turn_to_make(std::string home, LeaseFacts like, Progress progress,
                                       std::chrono::milliseconds patience) {
  const std::string leases = home + "/talaria/leases";
  for (const std::string& directory : {home + "/talaria", leases}) {
    if (const auto made = os::make_private_directory(directory); !made)
      co_return fail(made.error());
  }
  const std::string key = like.target + "\n" + like.engine + "\n" + like.profile + "\n" + like.task;
  const std::string waiting = "another program makes the " + like.kind + " of this task";
  auto lock = co_await long_work(
      std::move(progress), waiting,
      wait_for_passing_lock(leases + "/making-" + sha256_hex(key).substr(0, 24), patience),
      FirstReport::later);
  if (lock) co_return std::move(*lock);
  if (lock.error().kind() != ErrorKind::timed_out) co_return fail(lock.error());
  co_return fail(ErrorKind::unavailable, waiting + ": " + lock.error().message());
}

}  // namespace talaria::environment
