#include "runner/tree/orphans.h"

#include <unistd.h>

#include <csignal>
#include <set>

#include "os/proc.h"
#include "os/signal.h"

namespace talaria::runner {

void end_orphans() {
  const pid_t self = ::getpid();
  std::set<pid_t> ended;
  for (bool fresh = true; fresh;) {  // again, in case one forked meanwhile
    fresh = false;
    for (const pid_t child : os::descendants(self)) {
      const auto stat = os::read_process_stat(child);
      if (!stat || stat->parent != self || os::runs_our_program(child)) continue;
      if (!ended.insert(child).second) continue;
      os::signal_descendant(self, child, SIGSTOP);
      os::kill_tree(self, child);
      os::signal_descendant(self, child, SIGKILL);
      fresh = true;
    }
  }
}

}  // namespace talaria::runner
