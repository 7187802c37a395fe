// Links: the controllers that are or were connected, and how long processes outlive them. A command
// in the foreground that no link watches is killed after a while; so is a process of lifetime
// `call` after its link has been gone for a while.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "link/registry.h"
#include "runner/call_lifetimes.h"
#include "runner/limits.h"
#include "runner/run.h"
#include "runner/run_table.h"

namespace talaria::runner {

class Links final : public RunObserver {
 public:
  // `changed` is called when a link has a connection, or no longer.
  Links(asio::io_context& loop, const std::string& instance, RunTable& runs,
        std::function<void()> changed, std::chrono::milliseconds patience = kForegroundWithoutLink);

  // Whether a connection may speak for its link; then it is connected.
  link::Admission admit(const link::ClientHello& hello, link::ConnectionKey connection);
  void disconnected(const link::LinkId& link, link::ConnectionKey connection);
  std::size_t live() const { return registry_.live_links(); }
  link::StartLedger& starts() { return registry_.starts(); }

  // The watcher of a link becomes an observer of the run, or stops being one.
  void watch(Run& run, RunObserver& watcher);
  void unwatch(Run& run, RunObserver& watcher);

  // The process ends with the calls of this link.
  void end_with(const link::LinkId& link, const std::string& process) { calls_.add(link, process); }

  void shut_down();  // the runner ends

  void run_handed_over(Run& run) override;
  void run_gone(Run& run) override;

 private:
  struct Watch {
    std::set<const RunObserver*> watchers;
    std::unique_ptr<asio::steady_timer> deadline;  // set while a foreground command has none
  };
  void end_deadline(const std::string& process);
  void end_process(const std::string& process);

  asio::io_context& loop_;
  RunTable& runs_;
  std::function<void()> changed_;
  std::chrono::milliseconds patience_;
  link::LinkRegistry registry_;
  CallLifetimes calls_;
  std::map<std::string, Watch> watches_;  // by process
};

}  // namespace talaria::runner
