#include "os/peer.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "os/file.h"

namespace talaria::os {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kTableLimit = 64u << 20;

// An address as both protocols can have it: those of IPv4 are mapped.
struct End {
  std::array<unsigned char, 16> address{};
  std::uint16_t port = 0;
  bool operator==(const End&) const = default;
};

void set_v4(End& end, const void* four_bytes) {
  end.address[10] = end.address[11] = 0xff;
  std::memcpy(end.address.data() + 12, four_bytes, 4);
}

std::optional<End> end_of(const sockaddr_storage& name) {
  End end;
  if (name.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(name);
    set_v4(end, &v4.sin_addr);
    end.port = ntohs(v4.sin_port);
    return end;
  }
  if (name.ss_family != AF_INET6) return std::nullopt;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(name);
  std::memcpy(end.address.data(), &v6.sin6_addr, end.address.size());
  end.port = ntohs(v6.sin6_port);
  return end;
}

// "0100007F:1F90", as the kernel prints it: words of four bytes, each as a number of this machine.
std::optional<End> end_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != 8 && colon != 32) return std::nullopt;
  std::array<std::uint32_t, 4> words{};
  for (std::size_t at = 0; at < colon / 8; ++at) {
    const char* const from = text.data() + at * 8;
    if (std::from_chars(from, from + 8, words[at], 16).ec != std::errc()) return std::nullopt;
  }
  End end;
  const char* const port = text.data() + colon + 1;
  if (std::from_chars(port, text.data() + text.size(), end.port, 16).ec != std::errc()) {
    return std::nullopt;
  }
  if (colon == 8) {
    set_v4(end, words.data());
  } else {
    std::memcpy(end.address.data(), words.data(), end.address.size());
  }
  return end;
}

// The socket in one of the kernel's tables that is at `own` and is connected to `other`.
std::optional<TcpPeer> find_in(const char* table, const End& own, const End& other) {
  const auto text = read_file(table, kTableLimit);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);  // the heads
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string number, local, remote, state, queues, timer, retries, timeout;
    TcpPeer peer;
    fields >> number >> local >> remote >> state >> queues >> timer >> retries >> peer.user >>
        timeout >> peer.inode;
    if (fields && end_of(std::string_view(local)) == own &&
        end_of(std::string_view(remote)) == other) {
      return peer;
    }
  }
  return std::nullopt;
}

// Whether a directory of descriptors has one that leads to `wanted`.
HasSocket has_link(const fs::path& descriptors, const std::string& wanted) {
  std::error_code error;
  fs::directory_iterator entries(descriptors, error);
  if (error == std::errc::permission_denied) return HasSocket::unknown;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(entries->path(), gone) == wanted) return HasSocket::yes;
  }
  return HasSocket::no;
}

}  // namespace

std::optional<pid_t> peer_process(int socket) {
  ucred caller{};
  socklen_t size = sizeof caller;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &caller, &size) < 0 || caller.pid <= 0) {
    return std::nullopt;
  }
  return caller.pid;
}

std::optional<TcpPeer> tcp_peer(int socket) {
  sockaddr_storage ours{}, theirs{};
  socklen_t our_size = sizeof ours;
  socklen_t their_size = sizeof theirs;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &our_size) < 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &their_size) < 0) {
    return std::nullopt;
  }
  const auto server = end_of(ours);
  const auto client = end_of(theirs);
  if (!server || !client) return std::nullopt;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    if (const auto found = find_in(table, *client, *server)) return found;
  }
  return std::nullopt;
}

HasSocket has_socket(pid_t pid, std::uint64_t inode) {
  const std::string wanted = "socket:[" + std::to_string(inode) + "]";
  std::error_code error;
  bool hidden = false;
  // Each thread may have descriptors of its own.
  fs::directory_iterator threads("/proc/" + std::to_string(pid) + "/task", error);
  for (; !error && threads != fs::directory_iterator(); threads.increment(error)) {
    const HasSocket has = has_link(threads->path() / "fd", wanted);
    if (has == HasSocket::yes) return has;
    hidden = hidden || has == HasSocket::unknown;
  }
  return hidden ? HasSocket::unknown : HasSocket::no;
}

}  // namespace talaria::os
