#include "runner/tree/reaper.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "os/cgroup.h"
#include "os/channel.h"
#include "os/proc.h"
#include "os/signal.h"
#include "os/spawn.h"
#include "runner/limits.h"
#include "shell/script.h"

namespace talaria::runner {
namespace {

using Clock = std::chrono::steady_clock;

// A pass that finds the tree still there is repeated after this, in case a fork raced it.
constexpr auto kKillAgain = std::chrono::milliseconds(20);

class Reaper {
 public:
  Reaper(os::UniqueFd channel, std::string cgroup, bool inside)
      : channel_(std::move(channel)),
        cgroup_(std::move(cgroup)),
        in_cgroup_(inside),
        buffer_(std::make_unique_for_overwrite<std::byte[]>(kBufferSize)) {}

  void run(SpawnRequest first) {
    ::prctl(PR_SET_NAME, "talaria-reaper");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    open_signals();
    start_program(std::exchange(first, {}));
    while (!done_) step();
    if (cgroup_.empty()) return;
    if (leave_cgroup()) os::remove_cgroup(cgroup_);
  }

 private:
  static constexpr std::size_t kBufferSize = kInlineRequest + 1;
  enum class Phase { free, running, terminating, killing };

  void open_signals() {
    sigset_t signals;
    sigfillset(&signals);  // nobody's signal to us may end the watch over the tree
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    signals_.reset(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  void restore_descriptor_limit(std::uint64_t descriptors) {
    if (descriptors == std::exchange(descriptors_, descriptors)) return;
    rlimit limit{};
    if (descriptors == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(descriptors, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }

  // From inside the group, so that the program is born there; we leave it only to kill it.
  void enter_cgroup() {
    if (cgroup_.empty() || in_cgroup_) return;
    in_cgroup_ = os::join_cgroup(cgroup_).has_value();
    if (!in_cgroup_) cgroup_.clear();
  }

  bool leave_cgroup() {
    if (in_cgroup_) in_cgroup_ = !os::join_cgroup(cgroup_.substr(0, cgroup_.rfind('/')));
    return !in_cgroup_;
  }

  // The command's pipes, which came with its request, must not stay open because of us: they close
  // with their owner.
  void start_program(const SpawnRequest& request) {
    enter_cgroup();
    const ReaperSpec& spec = request.spec;
    restore_descriptor_limit(spec.descriptors);
    os::SpawnSpec spawn{.path = spec.path.c_str(),
                        .fds = {request.input ? request.input.get() : -1, request.output.get(),
                                request.output.get()},
                        .terminal = spec.on_terminal ? request.input.get() : -1,
                        .cwd = spec.cwd.c_str()};
    std::vector<std::string> arguments = spec.argv;
    if (spec.has_room) arguments.back() = shell::command_room();
    for (const std::string& argument : arguments) spawn.argv.push_back(argument.c_str());
    for (std::size_t at = 0; at < spec.env.size(); at = spec.env.find('\0', at) + 1) {
      spawn.env.push_back(spec.env.data() + at);
    }
    const auto pid = os::spawn_process(spawn);
    if (!pid) {
      report({.report = ReaperReport::failed, .status = pid.error().code()});
      done_ = true;
      return;
    }
    main_ = *pid;
    exited_itself_ = false;
    phase_ = Phase::running;
    report({.report = ReaperReport::started, .pid = main_, .reaper = ::getpid()});
  }

  void step() {
    std::array<pollfd, 2> events{pollfd{signals_.get(), POLLIN, 0},
                                 pollfd{orphaned_ ? -1 : channel_.get(), POLLIN, 0}};
    ::poll(events.data(), events.size(), milliseconds_left());
    if (events[0].revents != 0) take_signal();
    if (events[1].revents != 0) take_message();
    if (is_ending() && wake_ && Clock::now() >= *wake_) continue_kill();
    if (phase_ != Phase::free && (events[0].revents != 0 || is_ending())) reap();
  }

  bool is_ending() const { return phase_ == Phase::terminating || phase_ == Phase::killing; }

  int milliseconds_left() const {
    if (!wake_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*wake_ - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }

  // However many children have ended, only one signal is pending.
  void take_signal() {
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof info) != sizeof info) return;
    exited_itself_ = static_cast<pid_t>(info.ssi_pid) == main_ && info.ssi_code == CLD_EXITED;
  }

  void take_message() {
    auto received = os::receive_message(channel_.get(), {buffer_.get(), kBufferSize});
    if (received && !received->has_value()) return;
    if (!received || (*received)->size == 0) return runner_gone();
    os::Received& message = **received;
    const std::span<const std::byte> bytes(buffer_.get(), message.size);
    if (message.fds_lost || !message.fds.empty()) return take_spawn_request(bytes, message);
    if (phase_ == Phase::free) return;  // it was about a program that ended meanwhile
    ToReaper order;
    std::memcpy(&order, bytes.data(), std::min(bytes.size(), sizeof order));
    if (order.order == ReaperOrder::kill) start_kill(std::chrono::milliseconds(order.grace_ms));
    if (order.order == ReaperOrder::signal && main_ > 0) os::signal_group(main_, order.signal);
  }

  void take_spawn_request(std::span<const std::byte> bytes, os::Received& message) {
    if (const auto request = read_spawn_request(bytes, message)) return start_program(*request);
    report({.report = ReaperReport::failed, .status = EMFILE});
    done_ = true;
  }

  // What it started goes with it.
  void runner_gone() {
    orphaned_ = true;
    if (phase_ == Phase::free) {
      done_ = true;
    } else {
      start_kill(std::chrono::milliseconds(0));
    }
  }

  void start_kill(std::chrono::milliseconds grace) {
    if (phase_ == Phase::killing) return;
    if (grace.count() == 0) {
      phase_ = Phase::killing;
      kill_until_ = Clock::now() + kKillPatience;
      continue_kill();
      return;
    }
    const auto until = Clock::now() + grace;
    if (phase_ == Phase::terminating) {
      // Asked again (after a broken link, say): that may shorten its time, never begin it anew.
      terminate_until_ = std::min(terminate_until_, until);
    } else {
      phase_ = Phase::terminating;
      terminate_until_ = until;
      terminate();
    }
    wake_ = terminate_until_;
  }

  // Children before their parents, the program last. It is stopped meanwhile: a shell that sees its
  // child die of the signal before its own arrives says so in its output.
  void terminate() const {
    const std::vector<pid_t> tree = os::descendants(::getpid());
    if (main_ > 0) os::signal_child(main_, SIGSTOP);
    for (const pid_t pid : tree | std::views::reverse) {
      if (pid == main_) continue;
      os::signal_descendant(::getpid(), pid, SIGTERM);
      os::signal_descendant(::getpid(), pid, SIGCONT);  // a stopped process cannot act on TERM
    }
    if (main_ <= 0) return;
    os::signal_child(main_, SIGTERM);
    os::signal_child(main_, SIGCONT);
  }

  void continue_kill() {
    if (phase_ == Phase::terminating) {
      phase_ = Phase::killing;
      kill_until_ = Clock::now() + kKillPatience;
    }
    if (Clock::now() >= kill_until_) return give_up();
    const bool killed = !cgroup_.empty() && leave_cgroup() && os::kill_cgroup(cgroup_);
    if (!killed) os::kill_tree(::getpid(), ::getpid());
    wake_ = Clock::now() + kKillAgain;
  }

  // KILL did not help: a process of another user, or one stuck in the kernel.
  void give_up() {
    for (const pid_t pid : os::descendants(::getpid())) {
      const auto stat = os::read_process_stat(pid);
      if (!stat || stat->state == 'Z') continue;
      FromReaper survivor{.report = ReaperReport::survivor, .pid = pid};
      survivor.status = os::why_not_signalled(pid);
      std::strncpy(survivor.name, stat->name.c_str(), sizeof survivor.name - 1);
      report(survivor);
    }
    report({.report = ReaperReport::killed});
    phase_ = Phase::running;
    wake_.reset();
    if (orphaned_) done_ = true;
  }

  // What the program is called, if a signal has ended it. Asked before it is reaped.
  std::string name_of_killed() const {
    siginfo_t info{};
    if (main_ <= 0 || exited_itself_ ||
        ::waitid(P_PID, static_cast<id_t>(main_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      return {};
    }
    if (info.si_pid != main_ || info.si_code == CLD_EXITED) return {};
    const auto stat = os::read_process_stat(main_);
    return stat ? stat->name : std::string();
  }

  void reap() {
    const std::string name = name_of_killed();
    std::optional<int> main_status;
    pid_t pid = 0;
    do {
      int status = 0;
      pid = ::waitpid(-1, &status, WNOHANG);
      if (pid > 0 && pid == main_) main_status = status;
    } while (pid > 0);
    const bool empty = pid < 0 && errno == ECHILD;
    if (main_status) {
      FromReaper exited{
          .report = ReaperReport::exited,
          .pid = std::exchange(main_, -1),
          .status = *main_status,
          .children = empty ? 0 : static_cast<std::uint32_t>(os::descendants(::getpid()).size()),
          .is_empty = empty};
      std::strncpy(exited.name, name.c_str(), sizeof exited.name - 1);
      report(exited);
    }
    if (!empty) return;
    phase_ = Phase::free;
    wake_.reset();
    if (!main_status) report({.report = ReaperReport::empty});
    if (orphaned_) done_ = true;
  }

  // Waits for room, so that none is lost; a runner that ends meanwhile ends the waiting, too.
  void report(const FromReaper& message) const {
    (void)send_message(channel_.get(), std::as_bytes(std::span(&message, 1)), {}, os::Waiting::yes);
  }

  os::UniqueFd channel_;
  std::string cgroup_;
  bool in_cgroup_;
  std::unique_ptr<std::byte[]> buffer_;
  os::UniqueFd signals_;
  std::uint64_t descriptors_ = 0;  // the limit that is set
  pid_t main_ = -1;
  bool exited_itself_ = false;  // main_ has, and is not reaped yet
  Phase phase_ = Phase::free;
  std::optional<Clock::time_point> wake_;
  Clock::time_point terminate_until_;
  Clock::time_point kill_until_;
  bool orphaned_ = false;
  bool done_ = false;
};

}  // namespace

void run_reaper(SpawnRequest request, std::string cgroup, bool inside) {
  os::UniqueFd channel = std::move(request.channel);
  Reaper(std::move(channel), std::move(cgroup), inside).run(std::move(request));
}

}  // namespace talaria::runner
