#include "base/input_reader.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>
#include <utility>

#include <boost/asio/post.hpp>

namespace talaria {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

}  // namespace

InputReader::InputReader(boost::asio::any_io_executor executor, int fd, OnPiece on_piece)
    : executor_(std::move(executor)),
      on_piece_(std::make_shared<OnPiece>(std::move(on_piece))),
      call_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (call_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  // Another thread handles signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, fd, receiver = std::weak_ptr(on_piece_)] { read_on(fd, receiver); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

InputReader::~InputReader() {
  on_piece_.reset();
  stop_ = true;
  read_next();
  thread_.join();
  ::close(call_);
}

void InputReader::read_next() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(call_, &one, sizeof one);
}

bool InputReader::wait_for(int fd) {
  for (;;) {
    std::array<pollfd, 2> waits{pollfd{.fd = call_, .events = POLLIN, .revents = 0},
                                pollfd{.fd = fd, .events = POLLIN, .revents = 0}};
    ::poll(waits.data(), waits.size(), -1);
    if (stop_) return false;
    if (fd >= 0 && waits[1].revents != 0) return true;
    if (waits[0].revents == 0) continue;
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(call_, &count, sizeof count);
    if (fd < 0) return true;
  }
}

void InputReader::read_on(int fd, const std::weak_ptr<OnPiece>& receiver) {
  std::string chunk(kPiece, '\0');
  for (bool more = true; more && wait_for(fd);) {
    const ssize_t size = ::read(fd, chunk.data(), chunk.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    more = size > 0;  // an error ends the input, too: the terminal was closed
    std::string piece = more ? chunk.substr(0, static_cast<std::size_t>(size)) : "";
    boost::asio::post(executor_, [receiver, piece = std::move(piece)]() mutable {
      if (const auto alive = receiver.lock()) (*alive)(std::move(piece));
    });
    if (more && !wait_for(-1)) return;
  }
}

}  // namespace talaria
