#include "os/peer.h"

#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "os/unique_fd.h"

namespace talaria::os {
namespace {

struct Connection {
  UniqueFd listener, client, server;
};

Connection connect_over(int family) {
  Connection made;
  sockaddr_storage name{};
  socklen_t size = 0;
  if (family == AF_INET) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(name);
    v4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    size = sizeof v4;
  } else {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(name);
    v6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    size = sizeof v6;
  }
  auto* const address = reinterpret_cast<sockaddr*>(&name);
  made.listener.reset(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(made.listener.get(), address, size) < 0) return made;
  ::listen(made.listener.get(), 1);
  ::getsockname(made.listener.get(), address, &size);
  made.client.reset(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(made.client.get(), address, size) < 0) return made;
  made.server.reset(::accept4(made.listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return made;
}

TEST(Peer, OfATcpConnectionWithinThisMachineIsFound) {
  for (const int family : {AF_INET, AF_INET6}) {
    Connection connection = connect_over(family);
    if (family == AF_INET6 && !connection.server) continue;  // a machine without it
    ASSERT_TRUE(connection.server);
    const auto peer = tcp_peer(connection.server.get());
    ASSERT_TRUE(peer) << family;
    EXPECT_EQ(peer->user, ::geteuid());
    EXPECT_EQ(has_socket(::getpid(), peer->inode), HasSocket::yes);
    EXPECT_EQ(has_socket(::getpid(), peer->inode + 1'000'000), HasSocket::no);
    connection.client.reset();
    const auto closed = tcp_peer(connection.server.get());
    EXPECT_TRUE(!closed || closed->inode == 0) << "no process has it any more";
  }
}

TEST(Peer, AThreadMayHaveTheSocketAlone) {
  Connection connection = connect_over(AF_INET);
  ASSERT_TRUE(connection.server);
  const auto peer = tcp_peer(connection.server.get());
  ASSERT_TRUE(peer);
  std::promise<void> apart, done;
  std::thread holder([&] {
    ::unshare(CLONE_FILES);
    apart.set_value();
    done.get_future().wait();
  });
  apart.get_future().wait();
  connection.client.reset();  // in this thread
  EXPECT_EQ(has_socket(::getpid(), peer->inode), HasSocket::yes);
  done.set_value();
  holder.join();
}

TEST(Peer, OfAUnixSocketIsItsProcess) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const UniqueFd one(ends[0]), other(ends[1]);
  EXPECT_EQ(peer_process(one.get()), ::getpid());
  EXPECT_FALSE(tcp_peer(one.get()));
}

}  // namespace
}  // namespace talaria::os
