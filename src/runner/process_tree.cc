#include "runner/process_tree.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "os/signal.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

std::string survivor_reason(int code) {
  if (code == EPERM) return "belongs to another user; this runner may not signal it";
  if (code != 0) return std::strerror(code);
  return "does not react to SIGKILL (stuck in the kernel)";
}

}  // namespace

ProcessTree::ProcessTree(const asio::any_io_executor& executor, const ShellHost& host, Shell& shell,
                         Owner& owner)
    : host_(host), shell_(shell), owner_(owner), channel_(executor), deadline_(executor) {
  if (shell_.channel) return;
  state_ = Empty{};
  closed_ = true;
}

ProcessTree::~ProcessTree() {
  if (channel_.is_open()) channel_.release();
}

void ProcessTree::follow() {
  if (closed_ || channel_.is_open()) return;
  channel_.assign(shell_.channel.get());
  spawn(channel_.get_executor(), read_reports(alive_.lock()));
}

Task<void> ProcessTree::read_reports(std::shared_ptr<void> /*alive*/) {
  while (!empty()) {
    const auto [error] = co_await channel_.async_wait(channel_.wait_read, as_values);
    if (error && !lost()) co_return;  // abandoned
    take_reports();
  }
  if (!closed_) close();
}

void ProcessTree::look() {
  if (closed_ || channel_.is_open()) return;
  const auto owner = alive_.lock();
  take_reports();
  if (empty()) close();
}

void ProcessTree::take_reports() {
  while (!empty()) {
    const auto report = next_report(shell_);
    if (!report) {
      lose();
    } else if (!report->has_value()) {
      return;
    } else {
      take(**report);
    }
  }
}

void ProcessTree::close() {
  if (channel_.is_open()) channel_.release();
  if (!lost()) host_.nursery->take_back(std::move(shell_.channel), shell_.nursery);
  shell_.channel.reset();
  if (lost() && host_.on_lost_reaper) host_.on_lost_reaper();
  closed_ = true;
  owner_.tree_closed();
}

void ProcessTree::take(const FromReaper& report) {
  switch (report.report) {
    case ReaperReport::started:
      return owner_.shell_started();
    case ReaperReport::failed:
      return owner_.shell_failed(report.status);
    case ReaperReport::exited:
      owner_.shell_exited(report.status, report.name, report.children);
      return report.is_empty ? become_empty() : void();
    case ReaperReport::survivor:
      survivors_.push_back({.pid = static_cast<std::uint64_t>(report.pid),
                            .name = report.name,
                            .reason = survivor_reason(report.status)});
      return;
    case ReaperReport::killed:
      enter(Alive{});
      return owner_.kill_ended();
    case ReaperReport::empty:
      return become_empty();
  }
}

void ProcessTree::become_empty() {
  enter(Empty{});
  owner_.kill_ended();
}

void ProcessTree::enter(std::variant<Alive, Killing, Empty, Lost> state) {
  if (!std::holds_alternative<Killing>(state)) deadline_.cancel();
  state_ = state;
}

void ProcessTree::kill(std::chrono::milliseconds grace) {
  if (empty()) return;
  follow();
  auto until = std::chrono::steady_clock::now() + grace + kKillPatience + kReaperPatience;
  if (const auto* before = std::get_if<Killing>(&state_)) until = std::min(until, before->until);
  enter(Killing{until});
  survivors_.clear();
  order(grace);
}

void ProcessTree::order(std::chrono::milliseconds grace) {
  const auto ordered = order_kill(shell_, static_cast<std::uint32_t>(grace.count()));
  if (!ordered && ordered.error().code() != EAGAIN) return lose();
  if (ordered) {
    deadline_.expires_at(std::get<Killing>(state_).until);
  } else {
    deadline_.expires_after(kOrderAgain);
  }
  deadline_.async_wait([this, alive = alive_, grace](boost::system::error_code error) {
    const auto owner = alive.lock();
    if (error || !owner || !being_killed()) return;
    if (std::chrono::steady_clock::now() < std::get<Killing>(state_).until) {
      order(grace);
    } else {
      kill_reaper();
    }
  });
}

// The processes it watched over become children of the runner, which ends them.
void ProcessTree::kill_reaper() {
  owner_.reaper_did_not_answer();
  if (shell_.reaper <= 0 || !os::signal_descendant(::getpid(), shell_.reaper, SIGKILL)) lose();
}

void ProcessTree::lose() {
  enter(Lost{});
  if (channel_.is_open()) channel_.cancel();
  owner_.reaper_lost();
}

void ProcessTree::signal(int number) {
  last_signal_ = number;
  if (!empty()) (void)order_signal(shell_, number);
}

void ProcessTree::abandon() {
  if (channel_.is_open()) channel_.release();
  closed_ = true;
  shell_.channel.reset();
  enter(Empty{});
}

}  // namespace talaria::runner
