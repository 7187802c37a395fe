// Cgroup directories (version 2): where one can be made, everything a command starts stays in it,
// whatever it forks or renames, and one write ends it all. Inside hardened containers none can be
// made; callers then do without.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

// Our own cgroup's directory, if it is of version 2 and we may make children in it.
std::optional<std::string> own_cgroup();

// Fails if it exists: it would be somebody else's.
Result<void> make_cgroup(const std::string& directory);

// Moves the calling process into `directory`.
Result<void> join_cgroup(const std::string& directory);

// Kills every process in `directory` at once. An error on kernels before 5.14.
Result<void> kill_cgroup(const std::string& directory);

// Those in it and in the groups that were made in it.
std::vector<pid_t> processes_in_cgroup(const std::string& directory);

// With the groups that were made in it. False while processes are in one of them.
bool remove_cgroup(const std::string& directory);

// How many processes there may be beside us, those of others included, as far as is known: by
// our cgroup, of any version, or for our user. Nothing: nobody says.
std::optional<std::uint64_t> process_limit();
// How many more our cgroup allows now. Nothing: nobody says.
std::optional<std::uint64_t> processes_left();

// OomKills: how many processes of our cgroup, and of those below it, were killed because its memory
// was used up.
class OomKills {
 public:
  OomKills();
  explicit OomKills(UniqueFd events) : events_(std::move(events)) {}  // another file that says so
  // Nothing: nobody says.
  std::optional<std::uint64_t> count() const;

 private:
  UniqueFd events_;
};

}  // namespace talaria::os
