// A directory for sockets that had to move: its path was too long for one, or on a filesystem where
// none works. Both directories name each other, so that a copy of the one (of a whole home, say) is
// not taken for it, and nothing else is ever taken for a runner's directory.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace talaria::rendezvous {

// Where the runner of `directory` is; `directory` itself if it did not move.
std::string moved_place(const std::string& directory);

Result<void> note_move(const std::string& directory, const std::string& to);

// A private directory where sockets work: `wanted`, or, if its path is longer than `longest` or it
// is on no local filesystem, one below /var/tmp that it names. Made if it is not there.
Result<std::string> socket_directory(const std::string& wanted, std::size_t longest);

}  // namespace talaria::rendezvous
