#include "runner/askpass/who_asks.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <csignal>

#include "os/proc.h"

namespace talaria::runner {
namespace {

constexpr int kDeepest = 4096;  // processes between a command's reaper and its sudo

bool is_below(pid_t pid, pid_t ancestor) {
  for (int depth = 0; depth < kDeepest && pid > 1; ++depth) {
    if (pid == ancestor) return true;
    const auto stat = os::read_process_stat(pid);
    if (!stat) return false;
    pid = stat->parent;
  }
  return false;
}

Error refusal(const char* why) { return Error(ErrorKind::denied, why); }

}  // namespace

Result<AskingSudo> find_asking_sudo(pid_t caller, pid_t reaper) {
  const auto asking = os::read_process_status(caller);
  if (!asking) return fail(asking.error());
  const auto sudo = os::read_process_status(asking->parent);
  if (!sudo) return fail(sudo.error());
  if (sudo->name != "sudo") return fail(refusal("not called by sudo"));
  if (sudo->effective_user != 0) return fail(refusal("this sudo is not root's"));
  // Before it starts its command sudo blocks all signals, and then passes this one on to it. While
  // it asks it does neither: what it runs then is its askpass program and nothing else.
  if (sudo->catches(SIGCONT) || sudo->blocks(SIGCONT)) {
    return fail(refusal("this sudo runs its command already"));
  }
  // One of two that are root's is between a command and the sudo that runs it.
  const auto above = os::read_process_status(sudo->parent);
  if (!above) return fail(above.error());
  if (above->effective_user == 0) return fail(refusal("this sudo was started by root"));
  if (!is_below(asking->parent, reaper)) return fail(refusal("this sudo is not of this command"));
  const auto stat = os::read_process_stat(asking->parent);
  if (!stat) return fail(stat.error());
  return AskingSudo{.pid = asking->parent, .start_time = stat->start_time};
}

bool leads_to_root(int fd) {
  struct stat facts{};
  struct statfs filesystem{};
  if (::fstat(fd, &facts) < 0 || ::fstatfs(fd, &filesystem) < 0) return false;
  const bool anonymous = S_ISFIFO(facts.st_mode) && filesystem.f_type == PIPEFS_MAGIC;
  const int flags = ::fcntl(fd, F_GETFL);
  return anonymous && facts.st_uid == 0 && flags >= 0 && (flags & O_ACCMODE) == O_WRONLY;
}

}  // namespace talaria::runner
