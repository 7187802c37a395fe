// Leases: what is known on this machine about things made at targets (containers, instances,
// sandboxes), one file each in <home>/talaria/leases. A program that uses one holds a lock on its
// file; the time of the file is the last use. So a lease ends by time, not by the death of an
// owner, and no heartbeat is needed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::environment {

// The constant facts, as lines of "name value".
struct LeaseFacts {
  std::string kind;    // "container", "instance", "sandbox"
  std::string id;      // the engine's
  std::string name;    // what people see
  std::string target;  // "docker", ...
  std::string engine;  // the program that made it
  std::string profile;
  std::string task;   // the environment's id; empty: it waits in its pool, or is being removed
  bool keep = true;   // it is meant to be found again; else it is garbage once it is not held
  std::string extra;  // data of the backend; one line
  std::string pool;   // the key of the pool (warm_pool.h) it was made for; empty: none

  bool waits() const { return task.empty() && !pool.empty(); }

  friend bool operator==(const LeaseFacts&, const LeaseFacts&) = default;
};

// Held as long as it lives.
class Lease {
 public:
  // Takes it; several programs may hold it. It is written if it does not exist; an existing one
  // stays, and facts() returns it.
  static Result<Lease> take(const std::string& home, const LeaseFacts& facts);

  const LeaseFacts& facts() const { return facts_; }
  void touch();  // sets the last use to now
  // As if it was used until then: no sweep removes it before.
  void keep_for(std::chrono::seconds time);
  void forget();          // removes the file: its container is gone
  void forget_if_last();  // the same, unless another program holds it

 private:
  Lease(os::UniqueFd file, std::string home, LeaseFacts facts)
      : file_(std::move(file)), home_(std::move(home)), facts_(std::move(facts)) {}

  os::UniqueFd file_;
  std::string home_;
  LeaseFacts facts_;
};

struct KnownLease {
  LeaseFacts facts;
  std::chrono::system_clock::time_point last_use;
  bool held = false;  // by a running program

  // Since it was last used.
  std::chrono::seconds age() const {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now() -
                                                            last_use);
  }
};

// All of them, which takes longer the more there are.
std::vector<KnownLease> known_leases(const std::string& home);
std::vector<KnownLease> leases_of_task(const std::string& home, std::string_view task);
std::vector<KnownLease> leases_of_pool(const std::string& home,
                                       std::string_view pool);  // that wait
std::optional<KnownLease> find_lease(const std::string& home, std::string_view kind,
                                     std::string_view id);

// Replaces the facts of one that waits in a pool, which only one program can do. False: another one
// was quicker, or it is gone.
Result<bool> claim_lease(const std::string& home, const LeaseFacts& facts);

void forget_lease(const std::string& home, const LeaseFacts& facts);

// Removes what killed programs left beside the leases.
void clean_lease_index(const std::string& home);

}  // namespace talaria::environment
