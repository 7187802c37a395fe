// Sockets that have a path on this machine.
#pragma once

#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

// Does not wait: that nobody listens there, or that too many wait to be heard, is an error. Neither
// do reads and writes of what it returns.
Result<UniqueFd> connect_to_socket(const std::string& path);

// The same for a path that others may have made (see below.h): no link in it is followed, and it
// may be longer than a socket's own.
Result<UniqueFd> connect_to_socket_below(const std::string& root, const std::string& path);

// Takes the place of whatever is at the path.
Result<UniqueFd> listen_at_socket(const std::string& path);

}  // namespace talaria::os
