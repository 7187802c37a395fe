#include "support/cut_proxy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "support/unix_socket.h"

namespace talaria::test {
namespace {

// Passes on what can be read, at most up to the limit. False at the end, or when it is reached.
bool pass_on(int from, int to, std::size_t& left) {
  std::array<char, 16384> chunk;
  const ssize_t size = ::read(from, chunk.data(), chunk.size());
  if (size <= 0) return false;
  const std::size_t wanted = std::min(static_cast<std::size_t>(size), left);
  for (std::size_t at = 0; at < wanted;) {
    const ssize_t written = ::write(to, chunk.data() + at, wanted - at);
    if (written <= 0) return false;
    at += static_cast<std::size_t>(written);
  }
  left -= wanted;
  return left > 0;
}

}  // namespace

CutProxy::CutProxy(std::string directory, std::vector<Cut> cuts)
    : socket_(std::move(directory) + "/link-v1.sock"),
      real_(socket_ + ".real"),
      cuts_(std::move(cuts)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  std::filesystem::rename(socket_, real_);
  listener_ = listen_at(socket_);
  server_ = std::jthread([this] { serve(); });
}

CutProxy::~CutProxy() {
  const std::uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  server_.join();
  carriers_.clear();
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
  std::filesystem::rename(real_, socket_, ignored);
}

void CutProxy::serve() {
  for (;;) {
    std::array<pollfd, 2> events{pollfd{listener_.get(), POLLIN, 0},
                                 pollfd{stop_.get(), POLLIN, 0}};
    ::poll(events.data(), events.size(), -1);
    if (events[1].revents != 0) return;
    os::UniqueFd controller(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!controller) continue;
    const std::size_t number = connections_++;
    const Cut cut = number < cuts_.size() ? cuts_[number] : Cut{};
    carriers_.emplace_back([this, cut, fd = std::move(controller)] {
      const os::UniqueFd runner = connect_to(real_);
      if (runner && carry(fd.get(), runner.get(), cut)) ++cuts_made_;
    });
  }
}

// True if it ended by the cut.
bool CutProxy::carry(int controller, int runner, const Cut& cut) {
  std::size_t from_controller = cut.from_controller;
  std::size_t from_runner = cut.from_runner;
  while (from_controller > 0 && from_runner > 0) {
    std::array<pollfd, 3> events{pollfd{controller, POLLIN, 0}, pollfd{runner, POLLIN, 0},
                                 pollfd{stop_.get(), POLLIN, 0}};
    ::poll(events.data(), events.size(), -1);
    if (events[2].revents != 0) return false;
    if (events[0].revents != 0 && !pass_on(controller, runner, from_controller)) break;
    if (events[1].revents != 0 && !pass_on(runner, controller, from_runner)) break;
  }
  return from_controller == 0 || from_runner == 0;
}

}  // namespace talaria::test
