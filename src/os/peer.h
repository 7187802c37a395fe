// Which process of this machine is at the other end of a connection.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace talaria::os {

// Of a Unix socket: the process that connected. Nothing: it cannot be seen from here.
std::optional<pid_t> peer_process(int socket);

// The other end of a TCP connection, if it is on this machine.
struct TcpPeer {
  std::uint64_t inode = 0;  // of its socket; 0: no process has it any more
  uid_t user = 0;
};
std::optional<TcpPeer> tcp_peer(int socket);

// Whether a process has this socket open.
enum class HasSocket { no, yes, unknown };  // unknown: its descriptors may not be read
HasSocket has_socket(pid_t pid, std::uint64_t inode);

}  // namespace talaria::os
