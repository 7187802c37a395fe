#include "os/channel.h"

#include <sys/socket.h>

#include <array>
#include <cstring>

namespace talaria {

Result<ChannelPair> make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) < 0) {
    return fail(Error::from_errno("socketpair"));
  }
  return ChannelPair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<void> send_message(int channel, std::span<const std::byte> message, int fd) {
  iovec piece{const_cast<std::byte*>(message.data()), message.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (fd >= 0) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* carried = CMSG_FIRSTHDR(&header);
    carried->cmsg_level = SOL_SOCKET;
    carried->cmsg_type = SCM_RIGHTS;
    carried->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(carried), &fd, sizeof fd);
  }
  for (;;) {
    if (::sendmsg(channel, &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return {};
    if (errno != EINTR) return fail(Error::from_errno("sendmsg"));
  }
}

Result<std::optional<Received>> receive_message(int channel, std::span<std::byte> buffer) {
  iovec piece{buffer.data(), buffer.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t size = -1;
  do {
    size = ::recvmsg(channel, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
  if (size < 0) return fail(Error::from_errno("recvmsg"));

  Received received{.size = static_cast<std::size_t>(size)};
  const cmsghdr* carried = CMSG_FIRSTHDR(&header);
  if (carried != nullptr && carried->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(carried), sizeof fd);
    received.fd.reset(fd);
  }
  return received;
}

}  // namespace talaria
