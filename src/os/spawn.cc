#include "os/spawn.h"

#include <fcntl.h>
#include <spawn.h>

#include <algorithm>
#include <csignal>

namespace talaria::os {
namespace {

// The two C structs posix_spawn reads, owned.
class SpawnPlan {
 public:
  explicit SpawnPlan(const SpawnSpec& spec) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    if (spec.terminal >= 0) {
      place_terminal(spec.terminal);
    } else {
      place_descriptors(spec.fds);
    }
    if (spec.cwd != nullptr) posix_spawn_file_actions_addchdir_np(&actions_, spec.cwd);

    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    if (spec.new_session) flags |= POSIX_SPAWN_SETSID;
    posix_spawnattr_setflags(&attributes_, flags);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  int run(pid_t* pid, const SpawnSpec& spec) const {
    std::vector<const char*> argv = spec.argv;
    std::vector<const char*> env = spec.env;
    argv.push_back(nullptr);
    env.push_back(nullptr);
    return posix_spawnp(pid, spec.path, &actions_, &attributes_,
                        const_cast<char* const*>(argv.data()),
                        const_cast<char* const*>(env.data()));
  }

 private:
  // First out of the way of the wanted numbers, then into place: no source is overwritten before it
  // was read. dup2 onto itself clears close-on-exec, which is what we want here.
  void place_descriptors(const std::vector<int>& fds) {
    const int count = static_cast<int>(fds.size());
    int parking = count;
    for (const int fd : fds) parking = std::max(parking, fd + 1);
    for (int i = 0; i < count; ++i) {
      if (fds[static_cast<std::size_t>(i)] >= 0) {
        posix_spawn_file_actions_adddup2(&actions_, fds[static_cast<std::size_t>(i)], parking + i);
      }
    }
    for (int i = 0; i < count; ++i) {
      if (fds[static_cast<std::size_t>(i)] >= 0) {
        posix_spawn_file_actions_adddup2(&actions_, parking + i, i);
      } else {
        posix_spawn_file_actions_addopen(&actions_, i, "/dev/null", O_RDWR, 0);
      }
    }
    posix_spawn_file_actions_addclosefrom_np(&actions_, count);
  }

  // A terminal comes to control a session when its leader opens one, which is the child by then. It
  // is opened through the descriptor: /dev/pts may be missing, or be another one.
  void place_terminal(int terminal) {
    const std::string path = "/proc/self/fd/" + std::to_string(terminal);
    posix_spawn_file_actions_addopen(&actions_, 0, path.c_str(), O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions_, 0, 1);
    posix_spawn_file_actions_adddup2(&actions_, 0, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

Result<pid_t> spawn_process(const SpawnSpec& spec) {
  pid_t pid = -1;
  const int code = SpawnPlan(spec).run(&pid, spec);
  if (code != 0) return fail(Error::from_errno(std::string("spawn ") + spec.path, code));
  return pid;
}

}  // namespace talaria::os
