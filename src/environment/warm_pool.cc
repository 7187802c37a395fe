#include "environment/warm_pool.h"

#include <algorithm>
#include <utility>

#include "base/backoff.h"
#include "base/event.h"
#include "base/text.h"
#include "environment/runner_stream.h"
#include "environment/task_lease.h"
#include "link/messages.h"

namespace talaria::environment {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostPools = 4;
// Not while a new task starts its first command, nor by a program that ends at once.
constexpr auto kRefillDelay = milliseconds(200);
constexpr auto kFirstRetry = milliseconds(500);
constexpr auto kLongestRetry = std::chrono::minutes(5);
constexpr auto kStatusPatience = std::chrono::seconds(5);
constexpr auto kTurnLimit = std::chrono::minutes(2);
constexpr auto kClosePatience = std::chrono::seconds(10);
// By then its image, and the files it shows, may be others.
constexpr auto kOldest = std::chrono::hours(1);

// A runner that nobody asks ends after its lifetime.
milliseconds check_pause(std::chrono::seconds lifetime) {
  return std::clamp<milliseconds>(lifetime / 3, milliseconds(300), std::chrono::seconds(60));
}

}  // namespace

struct WarmPool::Pool {
  Pool(PoolSpec its_spec, std::shared_ptr<PoolCounts> its_counts)
      : spec(std::move(its_spec)), counts(std::move(its_counts)) {}

  // Removes what nobody else wants, if `clean`.
  void stop(bool clean) {
    cleans = clean;
    over.set();
    changed.notify_all();
  }

  PoolSpec spec;
  std::shared_ptr<PoolCounts> counts;
  std::optional<Lease> hold;  // says that we fill it
  AsyncEvent over;
  AsyncEvent changed;
  AsyncEvent ended;         // nobody tends it any longer
  bool is_short = true;     // one was taken since it was last filled
  bool impossible = false;  // it cannot be filled here
  bool cleans = false;
};

WarmPool::~WarmPool() {
  for (const auto& [key, pool] : pools_) pool->stop(false);
}

void WarmPool::want(PoolSpec spec) {
  const std::string key = spec.like.pool;
  std::erase(order_, key);
  order_.push_back(key);
  if (const auto known = pools_.find(key); known != pools_.end()) {
    known->second->spec = std::move(spec);
    return;
  }
  drop_oldest();
  const auto pool = std::make_shared<Pool>(std::move(spec), counts_);
  LeaseFacts held = pool->spec.like;
  held.kind = kPoolLease;
  held.name = pool->spec.name;
  held.extra = std::to_string(pool->spec.size);
  held.id = held.pool + " " + held.extra;
  held.task = {};
  if (auto hold = Lease::take(pool->spec.home, held)) pool->hold.emplace(std::move(*hold));
  pools_.emplace(key, pool);
  spawn(executor_, tend(pool));
}

void WarmPool::drop_oldest() {
  if (pools_.size() < kMostPools) return;
  const auto oldest =
      std::ranges::find_if(order_, [this](const std::string& key) { return pools_.contains(key); });
  if (oldest == order_.end()) return;
  pools_.at(*oldest)->stop(true);
  pools_.erase(*oldest);
  order_.erase(oldest);
}

Task<std::optional<TakenFromPool>> WarmPool::take(PoolSpec spec, std::string task, bool keep) {
  const auto counts = counts_;
  want(spec);
  const auto pool = pools_.at(spec.like.pool);
  pool->is_short = true;
  std::optional<TakenFromPool> taken;
  for (const KnownLease& lease : waiting_in(spec.home, spec.like.pool)) {
    auto stream = co_await spec.connect(lease.facts);
    if (!stream) continue;  // it is replaced when the pool is checked
    LeaseFacts ours = lease.facts;
    ours.task = task;
    ours.keep = keep;
    const auto claimed = claim_lease(spec.home, ours);
    if (!claimed || !*claimed) continue;
    taken.emplace(std::move(ours), std::move(*stream));
    break;
  }
  ++(taken ? counts->taken : counts->missed);
  pool->changed.notify_all();
  co_return taken;
}

Task<void> WarmPool::close() {
  const auto pools = std::exchange(pools_, {});
  for (const auto& [key, pool] : pools) pool->stop(!pool->spec.keep);
  for (const auto& [key, pool] : pools) (void)co_await pool->ended.wait_for(kClosePatience);
}

Task<void> WarmPool::tend(std::shared_ptr<Pool> pool) {
  Backoff backoff(kFirstRetry, kLongestRetry);
  while (!pool->impossible && !co_await pool->over.wait_for(kRefillDelay)) {
    if (!co_await fill(pool)) {
      if (!pool->impossible) (void)co_await pool->over.wait_for(backoff.next());
      continue;
    }
    backoff.reset();
    if (pool->is_short || pool->over.is_set()) continue;
    (void)co_await pool->changed.wait_for(check_pause(pool->spec.lifetime));
  }
  if (pool->hold) pool->hold->forget_if_last();
  pool->hold.reset();
  if (pool->cleans) co_await end(pool);
  pool->ended.set();
}

// True: it is full.
Task<bool> WarmPool::fill(std::shared_ptr<Pool> pool) {
  pool->is_short = false;
  std::size_t count = co_await check_those_that_wait(pool);
  while (count < pool->spec.size && !pool->over.is_set()) {
    if (!co_await make_one(pool)) co_return false;
    count = waiting_in(pool->spec.home, pool->spec.like.pool).size();
  }
  co_return true;
}

// How many there are, without those that are removed: they do not answer, are old or too many.
Task<std::size_t> WarmPool::check_those_that_wait(std::shared_ptr<Pool> pool) {
  const PoolSpec spec = pool->spec;
  std::size_t count = 0;
  for (const KnownLease& lease : waiting_in(spec.home, spec.like.pool)) {
    if (pool->over.is_set()) break;
    const bool wanted = count < spec.size && lease.age() < kOldest;
    if (wanted && co_await spec.keep_up(lease.facts)) {
      ++count;
    } else {
      co_await discard(spec, lease.facts);
    }
  }
  co_return count;
}

Task<bool> WarmPool::make_one(std::shared_ptr<Pool> pool) {
  const PoolSpec spec = pool->spec;
  LeaseFacts turn_of = spec.like;
  turn_of.task = "pool " + spec.like.pool;
  const auto turn = co_await turn_to_make(spec.home, turn_of, {}, kTurnLimit);
  if (!turn) co_return false;
  if (pool->over.is_set() || waiting_in(spec.home, spec.like.pool).size() >= spec.size) {
    co_return true;
  }
  const auto made = co_await spec.make();
  if (!made) {
    ++pool->counts->failed;
    pool->impossible = made.error().kind() == ErrorKind::denied;
    co_return false;
  }
  if (Lease::take(spec.home, *made)) co_return true;
  co_await spec.remove(*made);
  co_return false;
}

Task<void> WarmPool::discard(PoolSpec spec, LeaseFacts facts) {
  if (!claim_to_remove(spec.home, facts)) co_return;
  co_await spec.remove(facts);
  forget_lease(spec.home, facts);
}

Task<void> WarmPool::end(std::shared_ptr<Pool> pool) {
  const PoolSpec spec = pool->spec;
  if (is_wanted(leases_of_pool(spec.home, spec.like.pool), spec.like.pool)) co_return;
  for (const KnownLease& lease : waiting_in(spec.home, spec.like.pool)) {
    co_await discard(spec, lease.facts);
  }
}

std::vector<KnownLease> waiting_in(const std::string& home, const std::string& pool) {
  std::vector<KnownLease> leases = leases_of_pool(home, pool);
  std::erase_if(leases, [](const KnownLease& lease) { return lease.facts.kind == kPoolLease; });
  std::ranges::sort(leases, std::ranges::greater{}, &KnownLease::last_use);
  return leases;
}

Task<bool> keep_runner_up(link::LinkDriver::Connect connect) {
  const link::LinkDriverOptions options{.client = link_identity(),
                                        .patience = kStatusPatience,
                                        .ask_after = kStatusPatience,
                                        .answer_within = 2 * kStatusPatience};
  const auto driver = std::make_shared<link::LinkDriver>(co_await asio::this_coro::executor,
                                                         std::move(connect), options);
  const auto answer = co_await driver->call(link::Status{});
  driver->disconnect();
  co_return answer.has_value();
}

bool claim_to_remove(const std::string& home, LeaseFacts facts) {
  facts.pool.clear();
  return claim_lease(home, facts).value_or(false);
}

std::vector<PoolInfo> known_pools(const std::string& home) {
  std::map<std::string, PoolInfo> pools;
  for (const KnownLease& lease : known_leases(home)) {
    const LeaseFacts& facts = lease.facts;
    const bool is_pool = facts.kind == kPoolLease;
    if (!facts.waits() || (is_pool && !lease.held)) continue;
    PoolInfo& pool = pools[facts.pool];
    pool.target = facts.target;
    if (is_pool) {
      pool.image = facts.name;
      pool.size = std::max(pool.size, parse_integer<std::size_t>(facts.extra).value_or(0));
      pool.filled = true;
    } else {
      ++pool.waiting;
    }
  }
  std::vector<PoolInfo> all;
  for (auto& [key, pool] : pools) all.push_back(std::move(pool));
  return all;
}

bool is_wanted(const std::vector<KnownLease>& leases, const std::string& pool) {
  return std::ranges::any_of(leases, [&](const KnownLease& lease) {
    return lease.facts.kind == kPoolLease && lease.facts.pool == pool && lease.held;
  });
}

}  // namespace talaria::environment
