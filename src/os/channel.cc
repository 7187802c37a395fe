#include "os/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

namespace talaria::os {

Result<ChannelPair> make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) < 0) {
    return fail(Error::from_errno("socketpair"));
  }
  return ChannelPair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<void> send_message(int channel, std::span<const std::byte> message, std::span<const int> fds,
                          Waiting waiting) {
  iovec piece{const_cast<std::byte*>(message.data()), message.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxCarried * sizeof(int))> control{};
  if (fds.size() > kMaxCarried) return fail(ErrorKind::limit, "too many descriptors");
  if (!fds.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* carried = CMSG_FIRSTHDR(&header);
    carried->cmsg_level = SOL_SOCKET;
    carried->cmsg_type = SCM_RIGHTS;
    carried->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(carried), fds.data(), fds.size() * sizeof(int));
  }
  const int flags = MSG_NOSIGNAL | (waiting == Waiting::no ? MSG_DONTWAIT : 0);
  for (;;) {
    if (::sendmsg(channel, &header, flags) >= 0) return {};
    if (errno != EINTR) return fail(Error::from_errno("sendmsg"));
  }
}

Result<std::optional<Received>> receive_message(int channel, std::span<std::byte> buffer,
                                                Waiting waiting) {
  iovec piece{buffer.data(), buffer.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxCarried * sizeof(int))> control{};
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const int flags = MSG_CMSG_CLOEXEC | (waiting == Waiting::no ? MSG_DONTWAIT : 0);
  ssize_t size = -1;
  do {
    size = ::recvmsg(channel, &header, flags);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
  if (size < 0) return fail(Error::from_errno("recvmsg"));

  Received received{.size = static_cast<std::size_t>(size),
                    .fds_lost = (header.msg_flags & MSG_CTRUNC) != 0};
  const cmsghdr* carried = CMSG_FIRSTHDR(&header);
  if (carried != nullptr && carried->cmsg_type == SCM_RIGHTS) {
    const std::size_t count = (carried->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(carried) + i * sizeof(int), sizeof fd);
      received.fds.emplace_back(fd);
    }
  }
  return received;
}

bool is_closed(int channel) {
  pollfd event{channel, 0, 0};
  return ::poll(&event, 1, 0) > 0 && (event.revents & POLLHUP) != 0;
}

}  // namespace talaria::os
