// WarmPool: containers or instances that wait for a task, with their runners up. Leases (lease.h)
// are all that is known about them, so programs of a home share their pools and find what a killed
// one left: each that waits has a lease without a task, and each program holds a lease of kind
// "pool" for every pool that it fills.
#pragma once

#include <talaria/environment.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "environment/lease.h"
#include "link/driver.h"

namespace talaria::environment {

inline constexpr std::string_view kPoolLease = "pool";

// What waits in one pool, and how its backend makes it.
struct PoolSpec {
  std::string home;
  LeaseFacts like;   // kind, target, engine, profile; pool: the key, a digest of what it is made of
  std::string name;  // for people: the image
  std::size_t size = 0;
  std::chrono::seconds lifetime{300};  // of an idle runner
  bool keep = true;                    // what waits stays for the next program
  // One with its runner up. Nothing is left of one that failed. An error of kind denied: there can
  // be no pool here, and it is not tried again.
  std::function<Task<Result<LeaseFacts>>()> make;
  // A stream to its runner, past its engine. Nothing: it does not answer at once.
  std::function<Task<std::optional<link::ByteStream>>(LeaseFacts)> connect;
  std::function<Task<bool>(LeaseFacts)> keep_up;  // it answers, and stays for another lifetime
  std::function<Task<void>(LeaseFacts)> remove;   // with everything that was made for it
};

// One that a task has got.
struct TakenFromPool {
  LeaseFacts facts;
  link::ByteStream stream;  // to its runner
};

// Since this program began.
struct PoolCounts {
  std::size_t taken = 0;   // by tasks
  std::size_t missed = 0;  // tasks that found none
  std::size_t failed = 0;  // attempts to make one
};

class WarmPool {
 public:
  explicit WarmPool(asio::any_io_executor executor) : executor_(std::move(executor)) {}
  WarmPool(const WarmPool&) = delete;
  WarmPool& operator=(const WarmPool&) = delete;
  ~WarmPool();  // as close(), without waiting

  // Fills the pool from now on, in the background. Of many pools the ones wanted last are filled.
  void want(PoolSpec spec);

  // One that answers, for this task alone; its lease has the task. The pool is wanted.
  Task<std::optional<TakenFromPool>> take(PoolSpec spec, std::string task, bool keep);

  // Fills none any longer. What is being made is finished; what does not stay is removed.
  Task<void> close();

  const PoolCounts& counts() const { return *counts_; }

 private:
  struct Pool;

  static Task<void> tend(std::shared_ptr<Pool> pool);
  static Task<bool> fill(std::shared_ptr<Pool> pool);
  static Task<std::size_t> check_those_that_wait(std::shared_ptr<Pool> pool);
  static Task<bool> make_one(std::shared_ptr<Pool> pool);
  static Task<void> discard(PoolSpec spec, LeaseFacts facts);
  static Task<void> end(std::shared_ptr<Pool> pool);
  void drop_oldest();

  asio::any_io_executor executor_;
  std::map<std::string, std::shared_ptr<Pool>> pools_;  // by key
  std::vector<std::string> order_;  // their keys, the one wanted last at the end
  std::shared_ptr<PoolCounts> counts_ = std::make_shared<PoolCounts>();
};

// The leases of those that wait in a pool, the newest first.
std::vector<KnownLease> waiting_in(const std::string& home, const std::string& pool);

// Asks a runner, which would end if nobody did. False: it does not answer.
Task<bool> keep_runner_up(link::LinkDriver::Connect connect);

// Claims one that waits, so that no task gets it.
bool claim_to_remove(const std::string& home, LeaseFacts facts);

// Those that programs fill, and those in which something waits.
std::vector<PoolInfo> known_pools(const std::string& home);

// Whether a program fills it.
bool is_wanted(const std::vector<KnownLease>& leases, const std::string& pool);

}  // namespace talaria::environment
