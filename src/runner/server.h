// Server: lets controllers in, one RunnerLink each, and ends the runner when it is told to.
#pragma once

#include <map>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>

#include "base/task.h"
#include "os/unique_fd.h"
#include "runner/runner_link.h"
#include "runner/supervisor.h"

namespace talaria {

class Server {
 public:
  // `listener`: a socket that listens.
  Server(asio::io_context& loop, Supervisor& supervisor, UniqueFd listener);

  // Takes leave of everybody.
  void close();

 private:
  Task<void> accept();
  void close(ConnectionKey key);

  Supervisor& supervisor_;
  asio::local::stream_protocol::acceptor acceptor_;
  asio::signal_set signals_;
  ConnectionKey connections_ = 0;
  std::map<ConnectionKey, std::weak_ptr<RunnerLink>> links_;
};

}  // namespace talaria
