#include "runner/reaper.h"

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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/cgroup.h"
#include "os/channel.h"
#include "os/proc.h"
#include "os/process_memory.h"
#include "os/signal.h"
#include "os/spawn.h"
#include "runner/limits.h"
#include "shell/script.h"

namespace talaria {
namespace {

using Clock = std::chrono::steady_clock;

// A pass that finds the tree still there is repeated after this, in case a fork raced it.
constexpr auto kKillAgain = std::chrono::milliseconds(20);

class Reaper {
 public:
  Reaper(const ReaperSpec& spec, ReaperEnds ends)
      : spec_(spec), ends_(std::move(ends)), cgroup_(spec.cgroup) {}

  void run() {
    ::prctl(PR_SET_NAME, "talaria-reaper");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    open_signals();
    restore_descriptor_limit();
    if (!start_program()) return;
    ends_.input.reset();  // the command's pipes must not stay open because of us
    ends_.output.reset();
    while (!done_) step();
  }

 private:
  enum class Phase { running, terminating, killing };

  void open_signals() {
    sigset_t signals;
    sigfillset(&signals);  // nobody's signal to us may end the watch over the tree
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    signals_.reset(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  void restore_descriptor_limit() const {
    rlimit limit{};
    if (spec_.descriptors == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(spec_.descriptors, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }

  bool start_program() {
    // From inside the group, so that the program is born there; we leave it only to kill it.
    if (!cgroup_.empty() && !join_cgroup(cgroup_)) cgroup_.clear();
    SpawnSpec spawn{
        .path = spec_.path.c_str(),
        .fds = {ends_.input ? ends_.input.get() : -1, ends_.output.get(), ends_.output.get()},
        .cwd = spec_.cwd.c_str()};
    std::vector<std::string> arguments = spec_.argv;
    if (spec_.opens_memory) arguments.back() = command_room();
    for (const std::string& argument : arguments) spawn.argv.push_back(argument.c_str());
    for (std::size_t at = 0; at < spec_.env.size(); at = spec_.env.find('\0', at) + 1) {
      spawn.env.push_back(spec_.env.data() + at);
    }
    const auto pid = spawn_process(spawn);
    if (!pid) {
      report({.report = ReaperReport::failed, .status = pid.error().code()});
      return false;
    }
    main_ = *pid;
    FromReaper started{.report = ReaperReport::started, .pid = main_, .reaper = ::getpid()};
    if (spec_.opens_memory) {
      std::string expected;
      for (const std::string& argument : arguments) expected.append(argument).push_back('\0');
      if (const auto memory = open_arguments(main_, expected)) {
        started.argument_start = memory->start;
        report(started, {memory->memory.get()});
        return true;
      }
    }
    report(started);
    return true;
  }

  void step() {
    std::array<pollfd, 2> events{pollfd{signals_.get(), POLLIN, 0},
                                 pollfd{orphaned_ ? -1 : ends_.channel.get(), POLLIN, 0}};
    ::poll(events.data(), events.size(), milliseconds_left());
    if (events[0].revents != 0) drain_signals();
    if (events[1].revents != 0) take_orders();
    if (phase_ != Phase::running && wake_ && Clock::now() >= *wake_) continue_kill();
    reap();
  }

  int milliseconds_left() const {
    if (!wake_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*wake_ - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }

  void drain_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) > 0) {
    }
  }

  void take_orders() {
    ToReaper order;
    const auto received =
        receive_message(ends_.channel.get(), std::as_writable_bytes(std::span(&order, 1)));
    if (received && !received->has_value()) return;
    if (!received || (*received)->size != sizeof order) {
      orphaned_ = true;  // the runner is gone: what it started goes with it
      start_kill(std::chrono::milliseconds(0));
      return;
    }
    if (order.order == ReaperOrder::kill) start_kill(std::chrono::milliseconds(order.grace_ms));
    if (order.order == ReaperOrder::signal && main_ > 0) signal_group(main_, order.signal);
  }

  void start_kill(std::chrono::milliseconds grace) {
    if (phase_ == Phase::killing) return;
    if (grace.count() == 0) {
      phase_ = Phase::killing;
      kill_until_ = Clock::now() + kKillPatience;
      continue_kill();
      return;
    }
    phase_ = Phase::terminating;
    for (const pid_t pid : descendants(::getpid())) {
      signal_descendant(::getpid(), pid, SIGTERM);
      signal_descendant(::getpid(), pid, SIGCONT);  // a stopped process cannot act on TERM
    }
    wake_ = Clock::now() + grace;
  }

  void continue_kill() {
    if (phase_ == Phase::terminating) {
      phase_ = Phase::killing;
      kill_until_ = Clock::now() + kKillPatience;
    }
    if (Clock::now() >= kill_until_) return give_up();
    if (!cgroup_.empty()) {
      (void)join_cgroup(cgroup_.substr(0, cgroup_.rfind('/')));
      if (!kill_cgroup(cgroup_)) kill_tree(::getpid(), ::getpid());
    } else {
      kill_tree(::getpid(), ::getpid());
    }
    wake_ = Clock::now() + kKillAgain;
  }

  // KILL did not help: a process of another user, or one stuck in the kernel.
  void give_up() {
    for (const pid_t pid : descendants(::getpid())) {
      const auto stat = read_process_stat(pid);
      if (!stat || stat->state == 'Z') continue;
      FromReaper survivor{.report = ReaperReport::survivor, .pid = pid};
      survivor.status = why_not_signalled(pid);
      std::strncpy(survivor.name, stat->name.c_str(), sizeof survivor.name - 1);
      report(survivor);
    }
    report({.report = ReaperReport::killed});
    phase_ = Phase::running;
    wake_.reset();
    if (orphaned_) done_ = true;
  }

  void reap() {
    std::optional<int> main_status;
    pid_t pid = 0;
    do {
      int status = 0;
      pid = ::waitpid(-1, &status, WNOHANG);
      if (pid > 0 && pid == main_) main_status = status;
    } while (pid > 0);
    const bool empty = pid < 0 && errno == ECHILD;
    if (main_status) {
      report({.report = ReaperReport::exited,
              .pid = std::exchange(main_, -1),
              .status = *main_status,
              .children = empty ? 0 : static_cast<std::uint32_t>(descendants(::getpid()).size())});
    }
    if (empty) finish();
  }

  void finish() {
    report({.report = ReaperReport::empty});
    done_ = true;
  }

  // Waits for room, so that none is lost; a runner that ends meanwhile ends the waiting, too.
  void report(const FromReaper& message, std::initializer_list<int> fds = {}) const {
    (void)send_message(ends_.channel.get(), std::as_bytes(std::span(&message, 1)), fds,
                       Waiting::yes);
  }

  const ReaperSpec& spec_;
  ReaperEnds ends_;
  std::string cgroup_;
  UniqueFd signals_;
  pid_t main_ = -1;
  Phase phase_ = Phase::running;
  std::optional<Clock::time_point> wake_;
  Clock::time_point kill_until_;
  bool orphaned_ = false;
  bool done_ = false;
};

}  // namespace

void run_reaper(const ReaperSpec& spec, ReaperEnds ends) { Reaper(spec, std::move(ends)).run(); }

}  // namespace talaria
