// Server: accepts controllers, one RunnerLink each, and ends the runner on SIGTERM.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/task.h"
#include "os/unique_fd.h"
#include "runner/runner_parts.h"
#include "runner/serve/runner_link.h"

namespace talaria::runner {

class Server {
 public:
  // `listener`: a socket that listens.
  Server(asio::io_context& loop, RunnerParts& parts, os::UniqueFd listener);

  // From now on controllers come in here.
  void listen(os::UniqueFd listener);

  // The runner cannot be found any more: it takes leave of its controllers as soon as no command
  // runs that one of them waits for, and ends with its last process.
  void retire();

  // Takes leave of everybody.
  void close();

 private:
  using Acceptor = asio::local::stream_protocol::acceptor;

  Task<void> accept();
  Task<void> serve(std::shared_ptr<RunnerLink> link);
  void end_if_unused();
  void close(link::ConnectionKey key);
  void close_links(const std::string& why);

  RunnerParts& parts_;
  Acceptor acceptor_;
  asio::signal_set signals_;
  asio::steady_timer unused_;  // once retired: when to look whether anybody needs us
  bool retired_ = false;
  link::ConnectionKey connections_ = 0;
  std::map<link::ConnectionKey, std::weak_ptr<RunnerLink>> links_;
};

}  // namespace talaria::runner
