#include "runner/tree/nursery.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "os/channel.h"
#include "os/fork.h"
#include "os/own_process.h"
#include "os/proc.h"
#include "os/signal.h"
#include "runner/limits.h"
#include "runner/tree/command_cgroups.h"
#include "runner/tree/reaper.h"

namespace talaria::runner {
namespace {

// To the runner, in the place of a reaper that could not be made.
void report_failure(const os::UniqueFd& channel, const Error& error) {
  const FromReaper failed{.report = ReaperReport::failed, .status = error.code()};
  (void)os::send_message(channel.get(), std::as_bytes(std::span(&failed, 1)));
}

// The loop of the nursery.
class NurseryLoop {
 public:
  explicit NurseryLoop(os::UniqueFd channel) : channel_(std::move(channel)) {
    ::prctl(PR_SET_NAME, "talaria-nursery");
    os::offer_memory(kCommandOomScore);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_IGN);
    ::signal(SIGCHLD, SIG_DFL);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, nullptr);
    signals_.reset(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  // Until the runner is gone and the last reaper with it.
  void run() {
    bool dying = false;
    while (channel_ || !reapers_.empty() || dying) {
      std::array<pollfd, 2> events{pollfd{signals_.get(), POLLIN, 0},
                                   pollfd{channel_ ? channel_.get() : -1, POLLIN, 0}};
      ::poll(events.data(), events.size(), dying ? static_cast<int>(kDyingLook.count()) : -1);
      if (events[1].revents != 0) take_request();
      if (events[0].revents != 0) collect();
      dying = cgroups_.clear_dying();
    }
  }

 private:
  void take_request() {
    auto received = os::receive_message(channel_.get(), buffer_);
    if (received && !received->has_value()) return;
    if (!received || (*received)->size == 0) return runner_gone();
    os::Received& message = **received;
    auto request = read_spawn_request(std::span(buffer_).first(message.size), message);
    if (!request) {  // without the channel no report is possible; the runner sees it close
      if (!message.fds.empty()) report_failure(message.fds[0], request.error());
      return;
    }
    std::string cgroup;
    if (!request->spec.cgroup.empty()) cgroup = cgroups_.acquire(request->spec.cgroup);
    const auto child = os::fork_into_cgroup(cgroup, [&](bool inside) {
      channel_.reset();
      signals_.reset();
      run_reaper(std::move(*request), cgroup, inside);
    });
    if (!child) {
      report_failure(request->channel, child.error());
      cgroups_.release(std::move(cgroup));
      return;
    }
    reapers_.emplace(*child, std::move(cgroup));
  }

  // The reapers notice by themselves, unless what they are just starting was stopped.
  void runner_gone() {
    channel_.reset();
    for (const pid_t pid : os::descendants(::getpid()))
      os::signal_descendant(::getpid(), pid, SIGCONT);
  }

  // Reapers that ended, and those that a command has stopped: they are continued at once.
  void collect() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) > 0) {
    }
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
      if (pid <= 0) return;
      if (WIFSTOPPED(status)) {
        os::signal_child(pid, SIGCONT);
        continue;
      }
      const auto found = reapers_.find(pid);
      if (found == reapers_.end()) continue;
      cgroups_.release(std::move(found->second));
      reapers_.erase(found);
    }
  }

  os::UniqueFd channel_;
  os::UniqueFd signals_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kInlineRequest + 1);
  std::map<pid_t, std::string> reapers_;  // to their cgroups
  CommandCgroups cgroups_;
};

}  // namespace

Result<Nursery> Nursery::start() {
  auto channel = os::make_channel();
  if (!channel) return fail(channel.error());
  // Nothing of the runner's may stay open there, or in a reaper: its lock, its links.
  const int keep_fd = channel->theirs.get();
  const auto pid = os::fork_process(
      [&] {
        NurseryLoop loop(std::move(channel->theirs));
        loop.run();
      },
      keep_fd);
  if (!pid) return fail(pid.error());
  // One that is stopped must not stop the runner for ever.
  const timeval patience{.tv_sec = kNurseryPatience.count()};
  ::setsockopt(channel->ours.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return Nursery(std::move(channel->ours), *pid);
}

Result<os::UniqueFd> Nursery::spawn(const ReaperSpec& spec, int input, int output) {
  if (os::is_closed(channel_.get())) {
    if (const auto replaced = replace(); !replaced) return fail(replaced.error());
  }
  while (!free_.empty()) {
    os::UniqueFd channel = std::move(free_.back());
    free_.pop_back();
    // A reaper that was killed meanwhile is skipped.
    if (send_spawn_request(channel.get(), spec, {.output = output, .input = input})) return channel;
  }
  auto channel = os::make_channel();
  if (!channel) return fail(channel.error());
  const ProgramEnds ends{.output = output, .input = input, .channel = channel->theirs.get()};
  if (const auto asked = ask(spec, ends); !asked) return fail(asked.error());
  return std::move(channel->ours);
}

Result<void> Nursery::ask(const ReaperSpec& spec, const ProgramEnds& ends) {
  const auto sent = send_spawn_request(channel_.get(), spec, ends);
  if (sent) {
    os::continue_process(pid_);  // in case it was stopped
    return {};
  }
  const int code = sent.error().code();
  if (code != EPIPE && code != ECONNRESET && code != EAGAIN) return sent;
  if (const auto replaced = replace(); !replaced) return replaced;
  return send_spawn_request(channel_.get(), spec, ends);
}

Result<void> Nursery::replace() {
  auto again = start();  // we are still of one thread, so a fork is safe
  if (!again) return fail(again.error());
  channel_ = std::move(again->channel_);
  pid_ = again->pid_;
  ++generation_;
  free_.clear();
  return {};
}

void Nursery::drop_free() { free_.clear(); }

void Nursery::take_back(os::UniqueFd channel, int generation) {
  if (generation == generation_ && free_.size() < kFreeReapers) free_.push_back(std::move(channel));
}

}  // namespace talaria::runner
