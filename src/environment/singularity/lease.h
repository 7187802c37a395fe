// InstanceLease: the file by which an instance is found again, by this and by other processes, as
// long as it lives: <home>/talaria/instances/HOST.DIGEST.json, one per task. When it was last
// written or touched is when the instance was last used.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace talaria {

struct InstanceLease {
  std::string task;
  std::string instance;
  std::string program;                 // of the engine
  std::vector<std::string> arguments;  // that it was started with, but for its name
};

// Where the lease of a task is, and the lock of whoever makes or ends its instance.
class LeasePlace {
 public:
  LeasePlace(const std::string& home, const std::string& task);

  const std::string& path() const { return path_; }
  std::string lock() const { return path_ + ".lock"; }

  // Makes the directory it is in.
  Result<void> make() const;

  // Nothing also if the file makes no sense: then there is nothing to be found by it.
  std::optional<InstanceLease> read() const;
  Result<void> write(const InstanceLease& lease) const;
  void touch() const;
  std::optional<std::chrono::system_clock::time_point> last_use() const;
  void remove() const;

 private:
  std::string directory_;
  std::string path_;
};

struct FoundLease {
  InstanceLease lease;
  std::string path;
  std::chrono::system_clock::time_point last_use;
};

// Those of this machine.
std::vector<FoundLease> instance_leases(const std::string& home);

}  // namespace talaria
