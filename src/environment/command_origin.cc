#include "environment/command_origin.h"

#include <algorithm>
#include <map>
#include <vector>

#include "os/own_process.h"
#include "os/peer.h"
#include "os/proc.h"
#include "rendezvous/runner_place.h"

namespace talaria::environment {
namespace {

bool is_runner(const os::ProcessStat& process) {
  return process.name == rendezvous::kRunnerProcessName;
}

struct ByOrigin {
  std::vector<pid_t> commands;  // below a runner, or were
  std::vector<pid_t> others;
};

ByOrigin processes_by_origin() {
  std::map<pid_t, os::ProcessStat> all;
  for (os::ProcessStat& one : os::all_processes()) all.emplace(one.pid, std::move(one));
  const auto is_below = [&](const os::ProcessStat& process) {
    auto above = all.find(process.parent);
    // Bounded: pids that were reused while we looked may seem to be each other's parents.
    for (std::size_t steps = 0; above != all.end() && steps < all.size(); ++steps) {
      if (is_runner(above->second)) return true;
      above = all.find(above->second.parent);
    }
    return false;
  };
  ByOrigin found;
  for (const auto& [pid, stat] : all) {
    const bool command = is_below(stat) || os::is_marked(pid);
    (command ? found.commands : found.others).push_back(pid);
  }
  return found;
}

// One whose descriptors may not be read (of another user) counts as the one if the user fits.
bool is_other_end(pid_t pid, const os::TcpPeer& peer) {
  const os::HasSocket has = os::has_socket(pid, peer.inode);
  if (has != os::HasSocket::unknown) return has == os::HasSocket::yes;
  const auto status = os::read_process_status(pid);
  return status && status->effective_user == peer.user;
}

}  // namespace

bool is_command_process(pid_t pid) {
  if (os::is_marked(pid)) return true;
  return std::ranges::any_of(os::ancestors(pid), [](pid_t one) {
    const auto stat = os::read_process_stat(one);
    return stat && is_runner(*stat);
  });
}

bool comes_from_command(int connection) {
  if (const auto pid = os::peer_process(connection)) {
    return !os::read_process_stat(*pid) || is_command_process(*pid);
  }
  const auto peer = os::tcp_peer(connection);
  if (!peer) return false;  // it is on another machine
  if (peer->inode == 0) return true;
  // A socket that nobody seems to have may be on its way between two commands.
  const auto is_end = [&](pid_t pid) { return is_other_end(pid, *peer); };
  const ByOrigin processes = processes_by_origin();
  return std::ranges::any_of(processes.commands, is_end) ||
         std::ranges::none_of(processes.others, is_end);
}

}  // namespace talaria::environment
