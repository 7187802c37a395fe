// PlaceKeeper: notices that the files by which a runner is found were removed, and puts them back.
// If that fails, the runner ends as soon as it is unused. Costs nothing until then.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/task.h"
#include "runner/serve/residence.h"
#include "runner/serve/server.h"

namespace talaria::runner {

class PlaceKeeper {
 public:
  // Both outlive it.
  PlaceKeeper(asio::io_context& loop, Residence& residence, Server& server);

  void close();

 private:
  Task<void> keep();

  Residence& residence_;
  Server& server_;
  asio::posix::stream_descriptor removals_;
  asio::steady_timer settled_;
};

}  // namespace talaria::runner
