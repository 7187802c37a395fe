// A link to a runner of this machine: our identity, and the stream over its socket.
#pragma once

#include "link/driver.h"
#include "os/unique_fd.h"
#include "rendezvous/runner_place.h"

namespace talaria::environment {

link::LinkClientOptions link_identity();

Result<link::ByteStream> runner_stream(const asio::any_io_executor& executor, os::UniqueFd socket,
                                       const rendezvous::RunnerPlace& place);

}  // namespace talaria::environment
