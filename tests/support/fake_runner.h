// FakeRunner: something that listens where a runner would and says HELLO as one of another
// protocol's major version, as an old runner does that a new controller meets.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

#include "link/frame.h"
#include "link/handshake.h"
#include "support/unix_socket.h"

namespace talaria::test {

class FakeRunner {
 public:
  // Listens at `path` until it is destroyed, which also removes the socket.
  FakeRunner(std::string path, std::uint32_t major)
      : path_(std::move(path)), listener_(listen_at(path_)), stop_(::eventfd(0, EFD_CLOEXEC)) {
    link::append_frame(
        answer_, {.type = link::FrameType::hello,
                  .flags = link::kFlagLast,
                  .payload = link::encode_hello(link::RunnerHello{
                      .major = major, .instance = "fake", .software = "9.9", .refused = true})});
    link::append_frame(
        answer_,
        {.type = link::FrameType::go_away,
         .flags = link::kFlagLast,
         .payload = link::encode_go_away({.reason = link::CloseReason::version,
                                          .message = "this runner speaks another version"})});
    server_ = std::jthread([this] { serve(); });
  }
  FakeRunner(const FakeRunner&) = delete;
  FakeRunner& operator=(const FakeRunner&) = delete;
  ~FakeRunner() {
    const std::uint64_t one = 1;
    (void)!::write(stop_.get(), &one, sizeof one);
    server_.join();
    ::unlink(path_.c_str());
  }

  std::size_t visitors() const { return visitors_; }

 private:
  void serve() {
    for (;;) {
      std::array<pollfd, 2> events{pollfd{listener_.get(), POLLIN, 0},
                                   pollfd{stop_.get(), POLLIN, 0}};
      ::poll(events.data(), events.size(), -1);
      if (events[1].revents != 0) return;
      const os::UniqueFd visitor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!visitor) continue;
      ++visitors_;
      std::array<char, 4096> hello;
      (void)!::read(visitor.get(), hello.data(), hello.size());
      (void)!::write(visitor.get(), answer_.data(), answer_.size());
    }
  }

  std::string path_;
  os::UniqueFd listener_;
  os::UniqueFd stop_;
  std::string answer_;
  std::atomic<std::size_t> visitors_ = 0;
  std::jthread server_;
};

}  // namespace talaria::test
