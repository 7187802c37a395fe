// LeaseIndex: finds the leases of one task or of one pool without reading those of all others. It
// is a directory for each, in <home>/talaria/leases/index, with an empty file for each lease. A
// file is made before its lease and removed after it, so a lease is never missing; a file without a
// lease means nothing.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "environment/lease.h"

namespace talaria::environment {

class LeaseIndex {
 public:
  // `directory`: of the leases.
  explicit LeaseIndex(std::string directory) : directory_(std::move(directory)) {}

  // `name`: of the file of the lease.
  Result<void> add(const LeaseFacts& facts, const std::string& name) const;
  void remove(const LeaseFacts& facts, const std::string& name) const;

  // Names of files that may be leases.
  std::vector<std::string> of_task(std::string_view task) const;
  std::vector<std::string> of_pool(std::string_view pool) const;

  // Adds the leases that an earlier version has written, once. `read` returns all.
  using ReadAll = std::function<std::vector<std::pair<std::string, LeaseFacts>>()>;
  void complete(const ReadAll& read) const;

  // Removes what killed programs left.
  void clean() const;

 private:
  std::string group_of(const LeaseFacts& facts) const;  // empty: none
  std::string path() const { return directory_ + "/index"; }

  std::string directory_;
};

}  // namespace talaria::environment
