// CallLifetimes: processes that end with the call that started them: a while after its link is
// gone.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "link/handshake.h"
#include "runner/limits.h"

namespace talaria::runner {

namespace asio = boost::asio;

class CallLifetimes {
 public:
  // `end` is called for each process whose call is over.
  CallLifetimes(asio::io_context& loop, std::function<void(const std::string&)> end,
                std::chrono::milliseconds patience = kForegroundWithoutLink)
      : loop_(loop), end_(std::move(end)), patience_(patience) {}

  void add(const link::LinkId& link, const std::string& process) {
    links_[link].processes.insert(process);
  }
  void remove(const std::string& process);
  void connected(const link::LinkId& link);
  void disconnected(const link::LinkId& link);
  void clear() { links_.clear(); }

 private:
  struct Link {
    std::set<std::string> processes;
    std::unique_ptr<asio::steady_timer> gone;  // set while it has no connection
  };
  void call_is_over(const link::LinkId& link);

  asio::io_context& loop_;
  std::function<void(const std::string&)> end_;
  std::chrono::milliseconds patience_;
  std::map<link::LinkId, Link> links_;  // only those with processes
};

}  // namespace talaria::runner
